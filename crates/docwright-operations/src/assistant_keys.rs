//! Keys of the assistant: each asks the assistant of one domain, from pages of some origins and from programs.

use std::fmt;

use docwright_storage::database::{self, NewAssistantKey, Position};
use docwright_types::timestamp::iso;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    Allowed, Listed, OperationError, Operations,
    audit::Change,
    can,
    error::taken,
    fields::{Name, SiteDomain},
    listed::Item,
    lists::Page,
};

/// Origins of one key.
const MAXIMUM_ORIGINS: usize = 20;
/// Longest origin, in bytes.
const MAXIMUM_ORIGIN: usize = 300;

/// A key of the assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantKey {
    /// Public ID of the key: the part between the underscores of `dwp_…_…`.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// Name of the key.
    #[schema(example = "Shop")]
    pub name: String,
    /// The only domain whose assistant the key can ask.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Origins whose pages can use the key. Programs can always use it.
    #[schema(example = json!(["https://shop.example.com"]))]
    pub origins: Vec<String>,
    /// Time when the key was created.
    #[schema(format = DateTime)]
    pub created_at: String,
}

/// A key of the assistant with its secret.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownAssistantKey {
    /// Public ID of the key.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// Name of the key.
    #[schema(example = "Shop")]
    pub name: String,
    /// The only domain whose assistant the key can ask.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Origins whose pages can use the key. Programs can always use it.
    #[schema(example = json!(["https://shop.example.com"]))]
    pub origins: Vec<String>,
    /// Time when the key was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// The key, for web pages and programs.
    #[schema(example = "dwp_0123456789abcdef_…")]
    pub key: String,
}

impl fmt::Debug for ShownAssistantKey {
    /// The same without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ShownAssistantKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A key of the assistant to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateAssistantKey {
    /// Name of the key.
    pub name: Name,
    /// Domain of the project whose assistant the key can ask.
    pub domain: SiteDomain,
    /// Origins whose pages can use the key: scheme, host, and port. If omitted, only programs can use it.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, max_items = 20, example = json!(["https://shop.example.com"]))]
    pub origins: Origins,
}

/// A deleted key of the assistant.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DeletedAssistantKey {
    /// Public ID of the key.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// Always true.
    #[schema(example = true)]
    pub deleted: bool,
}

/// Origins of pages, as browsers send them.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Origins(Vec<String>);

impl TryFrom<Vec<String>> for Origins {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        if texts.len() > MAXIMUM_ORIGINS {
            return Err(format!("must have at most {MAXIMUM_ORIGINS} origins"));
        }
        let mut origins = Vec::new();
        for text in &texts {
            let origin = origin(text)?;
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Ok(Self(origins))
    }
}

/// An origin as browsers send it.
fn origin(text: &str) -> Result<String, String> {
    let shown: String = text.chars().take(100).collect();
    let wrong = || {
        format!(
            "must be origins: `{shown}` isn't a scheme and a host, such as https://shop.example.com"
        )
    };
    let url = url::Url::parse(text.trim()).map_err(|_| wrong())?;
    let is_plain = matches!(url.scheme(), "https" | "http")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !is_plain || text.len() > MAXIMUM_ORIGIN {
        return Err(wrong());
    }
    Ok(url.origin().ascii_serialization())
}

/// A page of keys of the assistant.
pub type AssistantKeyList = Listed<AssistantKey>;

impl Item for AssistantKey {
    const LIST: &'static str = "AssistantKeyList";
    const FIELD: &'static str = "assistantKeys";
    const PAGE: &'static str = "A page of assistant keys, oldest first.";
}

/// Creates a key of the assistant.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateAssistantKey>,
    project_id: &str,
    input: CreateAssistantKey,
) -> Result<ShownAssistantKey, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let CreateAssistantKey { name, domain: SiteDomain(domain), origins: Origins(origins) } = input;
    let owner = operations.database.project_of_domain(&domain).await?;
    if owner.is_none_or(|owner| owner.id != project.id) {
        let sentence = "`domain` isn't a domain of this project.";
        return Err(OperationError::Invalid(sentence.to_owned()));
    }
    let entry = Change::of("assistant_key.create", Some(&project.organization_id)).after(state(
        &project.id,
        name.as_str(),
        domain.as_str(),
        &origins,
    ));
    let new = NewAssistantKey {
        project_id: &project.id,
        domain: domain.as_str(),
        name: name.as_str(),
        origins: &origins,
    };
    let database = caller.recording(operations, entry);
    let keyring = &operations.repositories.keyring;
    let made = database.create_assistant_key(new, keyring, operations.now()).await;
    let (key, secret) = made.map_err(taken)?;
    Ok(ShownAssistantKey::of(key.into(), secret.reveal()))
}

/// Lists the keys of a project, without their secrets.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListAssistantKeys>,
    project_id: &str,
    page: &Page,
) -> Result<AssistantKeyList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("assistant keys", &project.id))?;
    let read = operations.database.assistant_keys(&project.id, page.of_all()).await?;
    let position = |key: &database::AssistantKey| Position {
        text: key.created_at.to_string(),
        id: key.id.clone(),
    };
    Ok(page.cut(read, position, AssistantKey::from))
}

/// Shows a key of a project.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetAssistantKey>,
    (project_id, id): (&str, &str),
) -> Result<ShownAssistantKey, OperationError> {
    let (_, key) = find(operations, caller, (project_id, id)).await?;
    let keyring = &operations.repositories.keyring;
    let shown = operations.database.reveal_assistant_key(&key.id, keyring).await?;
    Ok(ShownAssistantKey::of(key.into(), shown.ok_or_else(no_key)?))
}

/// Deletes a key of a project. Pages with it can't ask anymore.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteAssistantKey>,
    (project_id, id): (&str, &str),
) -> Result<DeletedAssistantKey, OperationError> {
    let (organization, key) = find(operations, caller, (project_id, id)).await?;
    let entry = Change::of("assistant_key.delete", Some(&organization)).before(state(
        &key.project_id,
        &key.name,
        &key.domain,
        &key.origins,
    ));
    let database = caller.recording(operations, entry);
    if !database.delete_assistant_key((&key.project_id, &key.id)).await? {
        return Err(no_key());
    }
    Ok(DeletedAssistantKey { id: key.id, deleted: true })
}

/// A key of a project, and the project's organization.
async fn find(
    operations: &Operations,
    caller: &crate::Caller,
    (project_id, id): (&str, &str),
) -> Result<(String, database::AssistantKey), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let key = operations.database.assistant_key(id).await?;
    let key = key.filter(|key| key.project_id == project.id).ok_or_else(no_key)?;
    Ok((project.organization_id, key))
}

fn no_key() -> OperationError {
    OperationError::NotFound("Assistant key not found in this project. Check the ID.".to_owned())
}

/// A key in the audit log.
fn state(project_id: &str, name: &str, domain: &str, origins: &[String]) -> Value {
    json!({ "projectId": project_id, "name": name, "domain": domain, "origins": origins })
}

impl From<database::AssistantKey> for AssistantKey {
    fn from(key: database::AssistantKey) -> Self {
        let database::AssistantKey { id, name, domain, origins, created_at, .. } = key;
        Self { id, name, domain, origins, created_at: iso(created_at) }
    }
}

impl ShownAssistantKey {
    fn of(key: AssistantKey, shown: String) -> Self {
        let AssistantKey { id, name, domain, origins, created_at } = key;
        Self { id, name, domain, origins, created_at, key: shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_as_browsers_send_them() {
        let of = |texts: &[&str]| {
            Origins::try_from(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        let same = of(&["HTTPS://Shop.Example.com:443/", "https://shop.example.com"]).unwrap();
        assert_eq!(same.0, ["https://shop.example.com"]);
        let ports = of(&["http://localhost:3000", "https://bücher.example"]).unwrap();
        assert_eq!(ports.0, ["http://localhost:3000", "https://xn--bcher-kva.example"]);
        for wrong in [
            "shop.example.com",
            "*",
            "null",
            "https://shop.example.com/path",
            "ftp://a.example",
            "https://me@a.example",
            "https://a.example/?q",
            "file:///",
        ] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
        assert!(of(&["https://a.example"; 21]).is_err());
    }
}

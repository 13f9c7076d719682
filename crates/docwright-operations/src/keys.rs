//! API keys: their scope, networks, and lifetime.

use std::fmt;

use docwright_storage::database::{self, KeyChange, NewKey, Organization, Position};
use docwright_types::{
    key::{ApiKey, DEFAULT_DAYS, Scope, parse_allowlist},
    timestamp::{DAY, iso},
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    callers::{no_project, unnamed_organization},
    can,
    fields::{Id, Name, Revision, require_current},
    listed::Item,
    lists::{Page, Search, Sort},
};

/// Projects that one key can be limited to.
const MAXIMUM_PROJECTS: usize = 100;
/// Networks that one key can be limited to.
const MAXIMUM_NETWORKS: usize = 100;
/// A hundred years.
const MAXIMUM_DAYS: i64 = 36_500;

/// An API key, without its secret.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Public ID of the key: the part between the underscores of `dw_…_…`.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// Name of the key.
    #[schema(example = "ci")]
    pub name: String,
    /// ID of the key's organization; null for an operator key.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Name of the organization.
    #[schema(example = "Acme")]
    pub organization_name: Option<String>,
    /// Email address of the owner of a personal access token; null for other keys.
    #[schema(example = json!(null))]
    pub owner_email: Option<String>,
    /// Scope of the key. A personal access token never has a higher scope than its owner's role.
    pub scope: Scope,
    /// IDs of the only projects that the key can access; empty for all projects.
    #[schema(example = json!([]))]
    pub projects: Vec<String>,
    /// IP addresses and networks that can use the key; empty for all.
    #[schema(example = json!(["192.0.2.0/24"]))]
    pub allow: Vec<String>,
    /// Time when the key was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time when the key expires.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
    /// Time when the key was last used, to the minute.
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
    /// Time when the key was revoked.
    #[schema(format = DateTime, example = json!(null))]
    pub revoked_at: Option<String>,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Which keys to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListKeys {
    /// Return only keys of this organization. Without it, operator keys see all keys, including
    /// operator keys.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub organization_id: Option<String>,
    /// Return only keys whose name, ID, or owner's email address contains this text. The case of ASCII letters is
    /// ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "ci")]
    pub search: Option<Search>,
    /// Sort order: `name`, `newest`, or `oldest`. Defaults to `oldest`.
    #[param(inline, value_type = Sort, required = false)]
    pub sort: Option<Sort>,
}

/// An API key to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateKey {
    /// Name of the key.
    pub name: Name,
    /// Scope of the key, no broader than the scope of the key that creates it.
    pub scope: Scope,
    /// ID of the organization. Defaults to the organization of the calling key. Operator keys must
    /// send it, except to create a key with the scope `operator`, which belongs to no organization.
    pub organization_id: Option<Id>,
    /// IDs of the only projects that the key can access. If omitted, it can access the whole
    /// organization.
    #[schema(value_type = Option<Vec<Id>>, min_items = 1, max_items = 100, example = json!(["prj_0199a1b2c3d4e5f60718293a4b5c6d7e"]))]
    pub projects: Option<OnlyProjects>,
    /// Days until the key expires; 90 if omitted.
    #[schema(minimum = 0, maximum = 36_500, example = 30)]
    pub days: Option<i64>,
    /// IP addresses and networks that can use the key. If omitted, all can.
    #[schema(value_type = Option<Vec<String>>, max_items = 100, example = json!(["192.0.2.0/24"]))]
    pub allow: Option<Vec<Network>>,
}

/// Settings to change. Omitted fields keep their values.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateKey {
    /// New name of the key.
    pub name: Option<Name>,
    /// Days from now until the key expires.
    #[schema(minimum = 0, maximum = 36_500, example = 30)]
    pub days: Option<i64>,
    /// IP addresses and networks that can use the key; empty for all.
    #[schema(value_type = Option<Vec<String>>, max_items = 100, example = json!(["192.0.2.0/24"]))]
    pub allow: Option<Vec<Network>>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// A new API key with its secret.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct CreatedKey {
    /// Public ID of the key.
    #[schema(example = "0123456789abcdef")]
    pub id: String,
    /// The key. It is shown only once.
    #[schema(example = "dw_0123456789abcdef_…")]
    pub key: String,
}

impl fmt::Debug for CreatedKey {
    /// The same without the secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CreatedKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The projects of a key. An empty list would mean all of them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<Id>")]
pub struct OnlyProjects(Vec<String>);

impl TryFrom<Vec<Id>> for OnlyProjects {
    type Error = String;

    fn try_from(projects: Vec<Id>) -> Result<Self, String> {
        if !(1..=MAXIMUM_PROJECTS).contains(&projects.len()) {
            return Err(format!("must be an array of 1 to {MAXIMUM_PROJECTS} projects"));
        }
        Ok(Self(projects.iter().map(|id| id.as_str().to_owned()).collect()))
    }
}

impl OnlyProjects {
    /// The projects with some IDs.
    pub fn parse(projects: Vec<Id>) -> Result<Self, OperationError> {
        let read = Self::try_from(projects);
        read.map_err(|what| OperationError::Invalid(format!("`projects` {what}.")))
    }
}

/// An address or a network.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Network(IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let wrong = |why: String| format!("isn't a network: {why}");
        let mut networks = parse_allowlist(&text).map_err(wrong)?;
        match (networks.pop(), networks.is_empty()) {
            (Some(network), true) => Ok(Self(network)),
            _ => Err("must be one address or network, such as 10.0.0.0/8".to_owned()),
        }
    }
}

impl From<Network> for String {
    fn from(Network(network): Network) -> Self {
        network.to_string()
    }
}

impl From<IpNet> for Network {
    fn from(network: IpNet) -> Self {
        Self(network)
    }
}

/// A page of API keys.
pub type KeyList = Listed<Key>;

impl Item for Key {
    const LIST: &'static str = "KeyList";
    const FIELD: &'static str = "keys";
    const PAGE: &'static str = "A page of API keys.";
}

/// Lists the keys of an organization, or of the instance, without their secrets. Personal access tokens of members are
/// among them.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListKeys>,
    filter: &ListKeys,
    page: &Page,
) -> Result<KeyList, OperationError> {
    let page = page.of(("keys", filter))?;
    let organization =
        caller.whole_organization(operations, filter.organization_id.as_deref()).await?;
    let organization = organization.as_ref().map(|organization| organization.id.as_str());
    let sort = database::Sort::from(filter.sort.unwrap_or_default());
    let request = page.searched(filter.search.as_ref());
    let read = operations.database.keys_page(organization, sort, request).await?;
    let position = |(key, _): &(ApiKey, _)| match sort {
        database::Sort::Name => Position::of_text(&key.name, &key.id),
        // IDs are random.
        _ => Position { text: key.created_at.to_string(), id: key.id.clone() },
    };
    Ok(page.cut(read, position, |(key, organization)| Key::of(key, organization)))
}

/// Creates a key that can do at most what the caller can.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateKey>,
    input: CreateKey,
) -> Result<CreatedKey, OperationError> {
    if caller.has_personal_token() {
        let sentence =
            "A personal access token can't create API keys. Create the key in the dashboard.";
        return Err(OperationError::Forbidden(sentence.to_owned()));
    }
    let CreateKey { name, scope, organization_id, projects, days, allow } = input;
    let organization = organization_id.as_ref().map(Id::as_str);
    let organization = caller.whole_organization(operations, organization).await?;
    let allowlist = networks(allow.unwrap_or_default())?;
    caller.require_no_more(scope, &allowlist)?;
    let organization_id = match (scope, organization) {
        (Scope::Operator, None) => None,
        (Scope::Operator, Some(_)) => {
            let sentence = "A key with the scope `operator` belongs to no organization. Leave out `organizationId`.";
            return Err(OperationError::Invalid(sentence.to_owned()));
        }
        (_, Some(organization)) => Some(organization.id),
        (_, None) => return Err(unnamed_organization()),
    };
    let days = days.unwrap_or(DEFAULT_DAYS);
    check_days(days)?;
    let projects = projects.map(|OnlyProjects(ids)| ids).unwrap_or_default();
    for id in &projects {
        let project = caller.project(operations, id).await?;
        if Some(&project.organization_id) != organization_id.as_ref() {
            return Err(no_project());
        }
    }
    let change = Change::of("key.create", organization_id.as_deref()).after(json!({
        "name": name.as_str(),
        "scope": scope.name(),
        "projects": projects,
        "allow": allowlist.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "expiresAt": iso(operations.now() + days * DAY),
    }));
    let name = name.to_string();
    let created_by = caller.account_id().map(str::to_owned);
    let days = Some(days);
    let new = NewKey { organization_id, name, scope, projects, allowlist, days, created_by };
    let database = caller.recording(operations, change);
    let created = database.create_key(&new, operations.now()).await?;
    Ok(CreatedKey { id: created.id().to_owned(), key: created.reveal() })
}

/// Returns the key of the caller, without its secret.
pub async fn own(
    operations: &Operations,
    caller: &Allowed<can::GetOwnKey>,
) -> Result<Key, OperationError> {
    let missing = || OperationError::NotFound("The request has no API key.".to_owned());
    let id = caller.key().ok_or_else(missing)?.id.as_str();
    let (key, organization) = operations.database.key(id).await?.ok_or_else(missing)?;
    Ok(Key::of(key, organization))
}

/// Returns a key, without its secret.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetKey>,
    id: &str,
) -> Result<Key, OperationError> {
    let (key, organization) = find(operations, caller, id).await?;
    Ok(Key::of(key, organization))
}

/// Changes the name of a key, its expiry, or the networks that it is limited to.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateKey>,
    id: &str,
    input: UpdateKey,
) -> Result<Key, OperationError> {
    let (before, _) = find(operations, caller, id).await?;
    if before.owner.is_some() {
        let sentence = "A personal access token can't be changed. Revoke it; its owner can create another one.";
        return Err(OperationError::Conflict(sentence.to_owned()));
    }
    let UpdateKey { name, days, allow, revision } = input;
    let revision = require_current("key", before.revision, revision)?;
    let allowlist = allow.map(networks).transpose()?;
    if let Some(networks) = &allowlist {
        caller.require_no_more(before.granted, networks)?;
    }
    days.map(check_days).transpose()?;
    let change = KeyChange {
        name: name.map(|name| name.to_string()),
        allowlist,
        expires_at: days.map(|days| operations.now() + days * DAY),
        revision,
    };
    let after = ApiKey {
        name: change.name.clone().unwrap_or_else(|| before.name.clone()),
        allowlist: change.allowlist.clone().unwrap_or_else(|| before.allowlist.clone()),
        expires_at: change.expires_at.or(before.expires_at),
        ..before.clone()
    };
    let entry = Change::of("key.update", before.organization_id.as_deref());
    let database = caller.recording(operations, entry.before(state(&before)).after(state(&after)));
    if !database.update_key(id, &change).await? {
        return Err(revoked());
    }
    let (key, organization) = find(operations, caller, id).await?;
    Ok(Key::of(key, organization))
}

/// Revokes a key permanently, on all nodes.
pub async fn revoke(
    operations: &Operations,
    caller: &Allowed<can::RevokeKey>,
    id: &str,
) -> Result<Key, OperationError> {
    let (before, _) = find(operations, caller, id).await?;
    let change = Change::of("key.revoke", before.organization_id.as_deref()).before(state(&before));
    let database = caller.recording(operations, change);
    if !database.revoke_key(id, operations.now()).await? {
        return Err(revoked());
    }
    let (key, organization) = find(operations, caller, id).await?;
    Ok(Key::of(key, organization))
}

impl Key {
    pub(crate) fn of(key: ApiKey, organization: Option<Organization>) -> Self {
        Self {
            scope: key.scope(),
            id: key.id,
            name: key.name,
            organization_id: key.organization_id,
            organization_name: organization.map(|organization| organization.name),
            owner_email: key.owner.map(|owner| owner.email),
            projects: key.projects,
            allow: key.allowlist.iter().map(ToString::to_string).collect(),
            created_at: iso(key.created_at),
            expires_at: key.expires_at.map(iso),
            last_used_at: key.last_used_at.map(iso),
            revoked_at: key.revoked_at.map(iso),
            revision: key.revision,
        }
    }
}

/// A key that the caller can access: a key of their organization, or any for operators.
async fn find(
    operations: &Operations,
    caller: &Caller,
    id: &str,
) -> Result<(ApiKey, Option<Organization>), OperationError> {
    let own = caller.whole_organization(operations, None).await?;
    let found = operations.database.key(id).await?;
    let found = found.filter(|(key, _)| {
        own.as_ref().is_none_or(|own| key.organization_id.as_deref() == Some(own.id.as_str()))
    });
    found.ok_or_else(|| OperationError::NotFound("Key not found. Check the ID.".to_owned()))
}

/// The error for a key that can't be changed any more.
fn revoked() -> OperationError {
    OperationError::NotFound("The key is revoked. Create a new one.".to_owned())
}

/// The networks of a list, up to the limit.
fn networks(allow: Vec<Network>) -> Result<Vec<IpNet>, OperationError> {
    if allow.len() > MAXIMUM_NETWORKS {
        let sentence = format!("`allow` must have at most {MAXIMUM_NETWORKS} networks.");
        return Err(OperationError::Invalid(sentence));
    }
    Ok(allow.into_iter().map(|Network(network)| network).collect())
}

/// Fails unless a key can be valid for this number of days.
pub(crate) fn check_days(days: i64) -> Result<(), OperationError> {
    if (0..=MAXIMUM_DAYS).contains(&days) {
        return Ok(());
    }
    Err(OperationError::Invalid(format!("`days` must be a whole number from 0 to {MAXIMUM_DAYS}.")))
}

/// The state of a key in the audit log.
pub(crate) fn state(key: &ApiKey) -> Value {
    let allow: Vec<_> = key.allowlist.iter().map(ToString::to_string).collect();
    let mut state = json!({
        "name": key.name,
        "scope": key.granted.name(),
        "projects": key.projects,
        "allow": allow,
        "expiresAt": key.expires_at.map(iso),
    });
    if let Some(owner) = &key.owner {
        // Not the address, which would stay here after the account is deleted.
        state["accountId"] = json!(owner.account_id);
    }
    state
}

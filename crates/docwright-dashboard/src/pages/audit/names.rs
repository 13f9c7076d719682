//! What the audit log shows instead of IDs: email addresses, names of keys and projects, and labels of actions. A search
//! for one finds its entries.

use docwright_operations::{
    keys::{self, ListKeys},
    lists::Page,
    projects::{self, ListProjects},
};

use super::AuditQuery;
use crate::{
    Dashboard, parts::ListQuery, project_context::OrganizationPlace, refusal::Refusal, words,
};

/// Keys with names that begin with the searched one.
const KEYS: i64 = 20;
/// Actions that a text can stand for.
const ACTIONS: usize = 50;

impl AuditQuery {
    /// The same search with the IDs of what it names. A text that names nothing stays, since it can be an ID.
    pub(super) async fn with_ids(
        &self,
        dashboard: &Dashboard,
        place: &OrganizationPlace,
    ) -> Result<Self, Refusal> {
        let given = |text: &Option<String>| {
            text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (actor, subject) = (given(&self.actor), given(&self.subject));
        let actor = match actor {
            Some(name) => Some(person_or_key(dashboard, place, &name).await?.unwrap_or(name)),
            None => None,
        };
        let subject = match subject {
            Some(name) => match project(dashboard, place, &name).await? {
                Some(id) => Some(id),
                None => Some(person_or_key(dashboard, place, &name).await?.unwrap_or(name)),
            },
            None => None,
        };
        Ok(Self {
            action: given(&self.action).map(|text| action(&text).unwrap_or(text)),
            actor,
            subject,
            since: self.since.clone(),
            until: self.until.clone(),
            cursor: self.cursor.clone(),
        })
    }
}

/// The action with a label, or the comma-separated ones whose label contains a text. `None` for a type of target, whose
/// actions are all found by its name.
fn action(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let all = || words::AUDIT_ACTIONS.iter().map(|(name, label)| (*name, label.to_lowercase()));
    if let Some((name, _)) = all().find(|(name, label)| *name == text || *label == text) {
        return Some(name.to_owned());
    }
    if all().any(|(name, _)| name.split('.').next() == Some(&text)) {
        return None;
    }
    let found = all().filter(|(_, label)| label.contains(&text));
    let found: Vec<_> = found.map(|(name, _)| name).take(ACTIONS).collect();
    (!found.is_empty()).then(|| found.join(","))
}

/// The account of an email address, or the newest key of the organization with a name. The entries are limited to the
/// organization, so an address says nothing about people elsewhere.
async fn person_or_key(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    name: &str,
) -> Result<Option<String>, Refusal> {
    let operations = &dashboard.operations;
    if name.contains('@') {
        let Ok(email) = name.parse() else { return Ok(None) };
        let found = operations.database.account_of_email(&email).await?;
        return Ok(found.map(|(account, _)| account.id));
    }
    let asked = ListQuery { search: Some(name.to_owned()), ..ListQuery::default() };
    let Ok(search) = asked.searched() else { return Ok(None) };
    let filter =
        ListKeys { organization_id: Some(place.organization.id.clone()), search, sort: None };
    let page = Page::new(Some(KEYS), None)?;
    let list = keys::list(operations, &place.caller.allowed()?, &filter, &page).await?;
    Ok(list.items.into_iter().find(|key| key.name == name).map(|key| key.id))
}

/// The project of the organization with a name, or the only one whose name contains it.
async fn project(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    name: &str,
) -> Result<Option<String>, Refusal> {
    let asked = ListQuery { search: Some(name.to_owned()), ..ListQuery::default() };
    let Ok(search) = asked.searched() else { return Ok(None) };
    for filter in [
        ListProjects { name: Some(name.to_owned()), ..ListProjects::default() },
        ListProjects { search, ..ListProjects::default() },
    ] {
        let filter =
            ListProjects { organization_id: Some(place.organization.id.clone()), ..filter };
        let page = Page::new(Some(2), None)?;
        let caller = place.caller.allowed()?;
        let list = projects::list(&dashboard.operations, &caller, &filter, &page).await?;
        if let [project] = list.items.as_slice() {
            return Ok(Some(project.id.clone()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_is_found_by_its_label() {
        for (text, name) in [
            ("created an api key", Some("key.create")),
            ("key.create", Some("key.create")),
            ("an API key", Some("key.create,key.update,key.revoke")),
            ("Revoked an", Some("key.revoke")),
            ("release", None),
            ("a release", Some("release.activate,release.cancel,release.bundle_lost")),
            ("key", None),
            ("nothing", None),
        ] {
            assert_eq!(action(text).as_deref(), name, "{text}");
        }
    }
}

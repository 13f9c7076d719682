//! Organizations: owners of projects and keys, and how much of their plan they use.

use docwright_jobs::deletion::Report;
use docwright_storage::database::{self, OrganizationChange};
use docwright_types::{
    plan::Plan,
    timestamp::{Timestamp, iso, parse_iso},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Caller, Listed, OperationError, Operations,
    audit::Change,
    callers::no_organization,
    can,
    deletion::{Deleted, delete_project, deletion, run_to_end},
    error::taken,
    fields::{Name, Revision, require_current},
    listed::Item,
    lists::{Page, Search, Sort},
    plans::Limits,
};

/// An organization: the owner of projects, members, and keys.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Organization {
    /// ID of the organization.
    #[schema(example = "org_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Name of the organization.
    #[schema(example = "Acme")]
    pub name: String,
    /// Plan of the organization.
    pub plan: Plan,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Which organizations to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListOrganizations {
    /// Return only organizations with this name.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$", example = "Acme")]
    pub name: Option<String>,
    /// Return only organizations whose name starts with this text. The case of ASCII letters is
    /// ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "Acme")]
    pub search: Option<Search>,
    /// Sort order: `name`, `newest`, or `oldest`. Defaults to `oldest`.
    #[param(inline, value_type = Sort, required = false)]
    pub sort: Option<Sort>,
}

/// An organization to create.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewOrganization)]
pub struct CreateOrganization {
    /// Name of the organization. It must be unique in the instance.
    pub name: Name,
    /// Plan of the organization; `enterprise` if omitted.
    #[schema(value_type = Option<Plan>)]
    pub plan: Option<Plan>,
}

/// Settings to change. Omitted fields keep their values.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OrganizationChange)]
pub struct UpdateOrganization {
    /// New name. It must be unique in the instance.
    pub name: Option<Name>,
    /// New plan.
    #[schema(value_type = Option<Plan>)]
    pub plan: Option<Plan>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// Usage of an organization, and the limits of its plan.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Plan of the organization.
    pub plan: Plan,
    /// Limits and features of the plan.
    pub limits: Limits,
    /// Number of projects.
    #[schema(example = 3)]
    pub projects: i64,
    /// Number of members.
    #[schema(example = 7)]
    pub members: i64,
    /// Start of the current month in UTC. The monthly counts start then and stop at 10,000 each.
    #[schema(format = DateTime)]
    pub since: String,
    /// Number of releases requested this month.
    #[schema(example = 120)]
    pub releases: i64,
    /// Number of prompts sent this month.
    #[schema(example = 14)]
    pub prompts: i64,
    /// Number of static exports started this month.
    #[schema(example = 2)]
    pub exports: i64,
    /// Storage used by the bundles of releases and exports, in bytes.
    #[schema(example = 48_211_300)]
    pub bundle_bytes: i64,
    /// Storage used by repositories on the built-in git host, in bytes.
    #[schema(example = 1_204_220)]
    pub repository_bytes: i64,
    /// Storage used by repository clones of the last hour, files of commits included, in bytes.
    #[schema(example = 96_420_000)]
    pub clone_bytes: i64,
}

/// A page of organizations.
pub type OrganizationList = Listed<Organization>;

impl Item for Organization {
    const LIST: &'static str = "OrganizationList";
    const FIELD: &'static str = "organizations";
    const PAGE: &'static str = "A page of organizations.";
}

/// Lists all organizations for operators, and for others their own.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListOrganizations>,
    filter: &ListOrganizations,
    page: &Page,
) -> Result<OrganizationList, OperationError> {
    let page = page.of(("organizations", filter))?;
    let name = filter.name.as_deref().filter(|name| !name.is_empty());
    let sort = database::Sort::from(filter.sort.unwrap_or_default());
    let request = page.searched(filter.search.as_ref());
    let read = match caller.whole_organization(operations, None).await? {
        None => operations.database.organizations_page(name, sort, request).await?,
        Some(own) => {
            let is_listed = name.is_none_or(|name| name == own.name)
                && request.finds(&own.name)
                && request.after.is_none();
            Some(own).filter(|_| is_listed).into_iter().collect()
        }
    };
    Ok(page.cut(read, |each| sort.position(&each.name, &each.id), Organization::from))
}

/// Creates an organization.
pub async fn create(
    operations: &Operations,
    caller: &Allowed<can::CreateOrganization>,
    input: CreateOrganization,
) -> Result<Organization, OperationError> {
    let CreateOrganization { name, plan } = input;
    let plan = plan.unwrap_or(Plan::Enterprise);
    let change = Change::of("organization.create", None).after(state(name.as_str(), plan));
    let database = caller.recording(operations, change);
    let created = database.create_organization(name.as_str(), plan, operations.now()).await;
    Ok(created.map_err(taken)?.into())
}

/// Returns an organization.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetOrganization>,
    id: &str,
) -> Result<Organization, OperationError> {
    Ok(caller.named_organization(operations, id).await?.into())
}

/// Changes the name or the plan of an organization.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateOrganization>,
    id: &str,
    input: UpdateOrganization,
) -> Result<Organization, OperationError> {
    let UpdateOrganization { name, plan, revision } = input;
    let before = operations.database.organization(id).await?.ok_or_else(no_organization)?;
    let revision = require_current("organization", before.revision, revision)?;
    let name = name.as_ref().map(Name::as_str);
    let after = state(name.unwrap_or(&before.name), plan.unwrap_or(before.plan));
    let change = Change::of("organization.update", Some(id))
        .before(state(&before.name, before.plan))
        .after(after);
    let database = caller.recording(operations, change);
    let change = OrganizationChange { name, plan, revision };
    database.update_organization(id, change).await.map_err(taken)?;
    let after = operations.database.organization(id).await?.ok_or_else(no_organization)?;
    Ok(after.into())
}

/// Deletes an organization with everything that belongs to it. It finishes even if the caller leaves.
pub async fn delete(
    operations: &Operations,
    caller: &Allowed<can::DeleteOrganization>,
    id: &str,
) -> Result<Deleted, OperationError> {
    let organization = operations.database.organization(id).await?.ok_or_else(no_organization)?;
    let (operations, caller) = (operations.clone(), Caller::clone(caller));
    let work = async move { delete_all(&operations, &caller, &organization).await };
    let report = run_to_end(work).await?;
    Ok(report.into())
}

/// Returns the usage of an organization, this month's counts, and the limits of its plan.
pub async fn usage(
    operations: &Operations,
    caller: &Allowed<can::GetUsage>,
    id: &str,
) -> Result<Usage, OperationError> {
    let organization = caller.named_organization(operations, id).await?;
    let since = month_of(operations.now());
    let limits = operations.database.plan_limits(organization.plan).await?.limits;
    let used = operations.database.usage(&organization.id, since).await?;
    let storage = operations.database.storage_usage(&organization.id).await?;
    Ok(Usage {
        plan: organization.plan,
        limits: limits.into(),
        projects: used.projects,
        members: used.members,
        since: iso(since),
        releases: used.releases,
        prompts: used.prompts,
        exports: used.exports,
        bundle_bytes: storage.bundles,
        repository_bytes: storage.repositories,
        clone_bytes: storage.clones,
    })
}

impl From<database::Organization> for Organization {
    fn from(organization: database::Organization) -> Self {
        let database::Organization { id, name, plan, revision } = organization;
        Self { id, name, plan, revision }
    }
}

/// Deletes the projects of an organization, and then the organization.
async fn delete_all(
    operations: &Operations,
    caller: &Caller,
    organization: &database::Organization,
) -> Result<Report, OperationError> {
    let id = organization.id.as_str();
    let mut report = Report::default();
    let mut projects = operations.database.projects().await?;
    projects.retain(|project| project.organization_id == id);
    for project in projects {
        report.add(delete_project(operations, caller, &project).await?.unwrap_or_default());
    }
    let change = Change::of("organization.delete", Some(id))
        .before(state(&organization.name, organization.plan));
    let rest = deletion(operations, caller.recording(operations, change)).organization(id).await?;
    report.add(rest.ok_or_else(no_organization)?);
    Ok(report)
}

/// The state of an organization in the audit log.
fn state(name: &str, plan: Plan) -> Value {
    json!({ "name": name, "plan": plan.name() })
}

/// The start of the month of a time, in UTC.
fn month_of(now: Timestamp) -> Timestamp {
    let month: String = iso(now).chars().take("2026-11".len()).collect();
    parse_iso(&format!("{month}-01T00:00:00Z")).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_begins_on_its_first_day() {
        for (now, began) in [
            ("2026-11-22T19:00:00Z", "2026-11-01T00:00:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-01T00:00:00Z"),
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ] {
            assert_eq!(month_of(parse_iso(now).unwrap()), parse_iso(began).unwrap());
        }
    }
}

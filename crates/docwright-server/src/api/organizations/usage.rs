//! `GET /v1/organizations/{organizationId}/usage`.

use axum::{Json, extract::State};
use docwright_domain::timestamp::{Timestamp, iso, parse_iso};
use serde::Serialize;
use utoipa::ToSchema;

use super::{OrganizationPath, Plan};
use crate::{
    api::plans::Limits,
    authorize::{Reader, no_organization},
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What an organisation has and uses, and what its plan includes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    /// Its plan.
    plan: Plan,
    /// What the plan includes.
    limits: Limits,
    /// Projects that it has.
    #[schema(example = 3)]
    projects: i64,
    /// Members that it has.
    #[schema(example = 7)]
    members: i64,
    /// When this month began, from which on the following are counted, up to 10,000 each; months are those of
    /// UTC.
    #[schema(format = DateTime)]
    since: String,
    /// Releases that were asked for this month.
    #[schema(example = 120)]
    releases: i64,
    /// Prompts that were sent this month.
    #[schema(example = 14)]
    prompts: i64,
    /// Static exports that were started this month.
    #[schema(example = 2)]
    exports: i64,
    /// Bytes that the bundles of its releases and exports take.
    #[schema(example = 48_211_300)]
    bundle_bytes: i64,
    /// Bytes that its repositories on docwright's own git host take.
    #[schema(example = 1_204_220)]
    repository_bytes: i64,
    /// Bytes that clones of its repositories take that were used in the last hour, with the files of commits.
    #[schema(example = 96_420_000)]
    clone_bytes: i64,
}

/// Get the usage of an organisation
///
/// What it has, what it used this month, and what its plan includes.
#[utoipa::path(
    get,
    path = "/v1/organizations/{organizationId}/usage",
    tag = "Plans",
    operation_id = "getUsage",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The usage", body = Usage),
        (status = 404, description = "There is no such organisation", body = Error),
    ),
)]
pub(crate) async fn usage(
    State(app): State<AppState>,
    caller: Reader,
    Path(OrganizationPath { organization_id }): Path<OrganizationPath>,
) -> Result<Json<Usage>, ApiError> {
    let found = caller.whole_organization(&app, Some(&organization_id)).await?;
    let organization = found.ok_or_else(no_organization)?;
    let since = month_of(app.now());
    let limits = app.database.plan_limits(organization.plan).await?;
    let used = app.database.usage(&organization.id, since).await?;
    let storage = app.database.storage_usage(&organization.id).await?;
    Ok(Json(Usage {
        plan: organization.plan.into(),
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
    }))
}

/// The beginning of the month of a time, in UTC.
fn month_of(now: Timestamp) -> Timestamp {
    let month: String = iso(now).chars().take("2026-11".len()).collect();
    parse_iso(&format!("{month}-01T00:00:00Z")).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_on_its_first_day() {
        for (now, began) in [
            ("2026-11-22T19:00:00Z", "2026-11-01T00:00:00Z"),
            ("2024-02-29T23:59:59Z", "2024-02-01T00:00:00Z"),
            ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ] {
            assert_eq!(month_of(parse_iso(now).unwrap()), parse_iso(began).unwrap());
        }
    }
}

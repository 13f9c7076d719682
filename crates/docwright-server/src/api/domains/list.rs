//! `GET /v1/domains`.

use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Domain, add_certificate};
use crate::{
    authorize::Caller,
    error::ApiError,
    parameters::{Number, Query},
    state::AppState,
};

/// Domains on one page unless the caller says otherwise, and at most. The description says the same.
const USUAL: i64 = 20;
const MAXIMUM: i64 = 100;

/// Which domains to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only domains of this project.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    project_id: Option<String>,
    /// How many domains a page has at most; 20 if left out.
    #[param(value_type = i64, required = false, minimum = 1, maximum = 100)]
    limit: Option<Number<1, MAXIMUM>>,
    /// The `nextCursor` of the page before; the first page if left out.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    cursor: Option<String>,
}

/// A page of domains, by name.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomainList {
    /// The domains.
    domains: Vec<Domain>,
    /// What to ask for the next page with; null on the last one.
    next_cursor: Option<String>,
}

/// List domains
///
/// The domains of your organisation by name, a page at a time. Ask for the next page with the `nextCursor`
/// of the page before.
#[utoipa::path(
    get,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "listDomains",
    params(Filter),
    responses((status = 200, description = "A page of domains", body = DomainList)),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
    filter: Result<Query<Filter>, ApiError>,
) -> Result<Json<DomainList>, ApiError> {
    let Query(filter) = filter?;
    let limit = filter.limit.map_or(USUAL, |limit| limit.0);
    let whose = (caller.organization.id.as_str(), filter.project_id.as_deref());
    let after = filter.cursor.as_deref().unwrap_or_default();
    // One more tells whether there is another page.
    let verified = app.database.domains_after(whose, after, limit + 1).await?;
    let pending = app.database.domain_claims(whose, after, limit + 1).await?;
    let mut domains: Vec<_> = verified.into_iter().map(Domain::from).collect();
    domains.extend(pending.into_iter().map(Domain::from));
    domains.sort_by(|one, other| one.domain.cmp(&other.domain));
    let more = i64::try_from(domains.len()).is_ok_and(|count| count > limit);
    domains.truncate(usize::try_from(limit).unwrap_or(0));
    for domain in &mut domains {
        add_certificate(&app, domain).await?;
    }
    let next_cursor = domains.last().filter(|_| more).map(|domain| domain.domain.clone());
    Ok(Json(DomainList { domains, next_cursor }))
}

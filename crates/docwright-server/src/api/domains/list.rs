//! `GET /v1/domains`.

use axum::{Json, extract::State};
use docwright_storage::database::Position;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{DomainDetails, add_certificates};
use crate::{
    api::paging::{Page, Search},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Which domains to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct Filter {
    /// Only domains of this project.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    project_id: Option<String>,
    /// Only domains of this organisation, for keys of the install; other keys belong to one.
    #[param(value_type = String, required = false, pattern = r"^[^\x00]*$")]
    organization_id: Option<String>,
    /// Only those whose name begins so, in any case of ASCII letters.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "docs.")]
    search: Option<Search>,
}

/// A page of domains, by name.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DomainList {
    /// The domains.
    domains: Vec<DomainDetails>,
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
    params(Filter, Page),
    responses(
        (status = 200, description = "A page of domains", body = DomainList),
        (status = 404, description = "There is no such project or organisation", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<Filter>, ApiError>,
    page: Result<Page, ApiError>,
) -> Result<Json<DomainList>, ApiError> {
    let (Query(filter), page) = (filter?, page?);
    let organization = if let Some(id) = &filter.project_id {
        Some(caller.project(&app, id).await?.organization_id)
    } else {
        let asked = filter.organization_id.as_deref();
        caller.whole_organization(&app, asked).await?.map(|own| own.id)
    };
    let whose = (organization.as_deref(), filter.project_id.as_deref());
    let wanted = page.searched(filter.search.as_ref());
    let verified = app.database.domains_page(whose, wanted).await?;
    let pending = app.database.domain_claims(whose, wanted).await?;
    let mut domains: Vec<_> =
        verified.into_iter().map(|domain| DomainDetails::verified(&app, domain)).collect();
    domains.extend(pending.into_iter().map(|claim| DomainDetails::claimed(&app, claim)));
    domains.sort_by(|one, other| one.domain.cmp(&other.domain));
    let (mut domains, next_cursor) = page.cut(domains, |domain| Position::of_id(&domain.domain));
    add_certificates(&app, &mut domains).await?;
    Ok(Json(DomainList { domains, next_cursor }))
}

//! `PATCH /v1/domains/{domain}`.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{DomainDetails, DomainPath, entry, find, missing, whole};
use crate::{
    api::domain::SiteDomain,
    api::{body::Body, text::Text},
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What is to be changed of a domain.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DomainChange {
    /// The branch that it is to show; null for the repository's default branch.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "next"
    )]
    branch: Option<Text<250>>,
}

/// Update a domain
///
/// Lets a domain show another branch. It goes on with its release until the first of that branch is ready.
#[utoipa::path(
    patch,
    path = "/v1/domains/{domain}",
    tag = "Domains",
    operation_id = "updateDomain",
    params(DomainPath),
    request_body = DomainChange,
    responses(
        (status = 200, description = "The domain", body = DomainDetails),
        (status = 400, description = "The body or the domain is malformed", body = Error),
        (status = 404, description = "There is no such domain", body = Error),
        (status = 409, description = "The domain is not verified yet", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<AppState>,
    caller: Admin,
    path: Result<Path<DomainPath>, ApiError>,
    body: Result<Body<DomainChange>, ApiError>,
) -> Result<Json<DomainDetails>, ApiError> {
    let Path(DomainPath { domain: SiteDomain(domain) }) = path?;
    let Body { value: DomainChange { branch }, .. } = body?;
    let found = find(&app, &caller, &domain).await?;
    if found.is_err() {
        let sentence = format!("The domain {domain} is not verified yet; verify it first.");
        return Err(ApiError::Conflict(sentence));
    }
    let branch = branch.map(String::from);
    let (organization, before) = entry(&found);
    let change = Change::of("domain.update", Some(&organization))
        .before(before)
        .after(json!({ "branch": branch }));
    if !caller.recording(&app, change).set_branch(&domain, branch.as_deref(), app.now()).await? {
        return Err(missing(&domain));
    }
    app.release_wake.notify_one();
    whole(&app, &caller, &domain).await.map(Json)
}

//! `POST /v1/domains`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_storage::{
    StorageError,
    database::{CLAIMS, Claimed},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{DomainDetails, whole};
use crate::{
    api::{body::Body, domain::SiteDomain, text::Text},
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    state::AppState,
};

/// A domain to be added.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewDomain {
    /// The host, with a base path if the site lies below one.
    domain: SiteDomain,
    /// The project whose site it is to serve.
    #[schema(
        value_type = String,
        min_length = 1,
        max_length = 200,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e"
    )]
    project_id: Text<200>,
    /// The branch that it is to show, if not the repository's default branch.
    #[schema(
        value_type = Option<String>,
        min_length = 1,
        max_length = 250,
        pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$",
        example = "next"
    )]
    branch: Option<Text<250>>,
}

/// Add a domain
///
/// Gives a host, or a base path on it, to a project. It serves nothing until a TXT record shows that the
/// host is yours, unless your organisation has shown that before: set what `records` says, and verify it.
#[utoipa::path(
    post,
    path = "/v1/domains",
    tag = "Domains",
    operation_id = "createDomain",
    request_body = NewDomain,
    responses(
        (status = 201, description = "The domain", body = DomainDetails,
            headers(("Location" = String, description = "Where to read the domain"))),
        (status = 400, description = "The body is malformed, or a field is invalid", body = Error),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "The domain is there already, or somebody else has it", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    body: Result<Body<NewDomain>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let Body { value: NewDomain { domain: SiteDomain(domain), project_id, branch }, .. } = body?;
    let project = caller.project(&app, &String::from(project_id)).await?;
    let refused = app.ownership.service_hosts().refuse(domain.host());
    refused.map_err(|error| ApiError::Invalid(format!("`domain`: {error}.")))?;
    if app.database.has_preview_host(domain.host().as_str()).await? {
        return Err(ApiError::Conflict(format!("The domain {domain} is taken; use another one.")));
    }
    let branch = branch.map(String::from);
    let change = Change::of("domain.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "branch": branch }));
    let database = caller.recording(&app, change);
    let site = (project.id.as_str(), branch.as_deref());
    let claimed = if caller.is_operator() {
        // The operator need not show anything, and may know who has a domain.
        let added = database.add_domain(&domain, site.0, site.1, app.now()).await;
        added.map(|()| Claimed::Domain).map_err(taken)?
    } else {
        app.ownership.add(&database, &domain, site, app.now()).await?
    };
    let why = match claimed {
        Claimed::Domain | Claimed::Claim => {
            let path = utf8_percent_encode(domain.as_str(), NON_ALPHANUMERIC);
            let location = [(header::LOCATION, format!("/v1/domains/{path}"))];
            let domain = whole(&app, &caller, &domain).await?;
            return Ok((StatusCode::CREATED, location, Json(domain)));
        }
        Claimed::Again => format!("The domain {domain} is there already; verify it."),
        Claimed::Taken => format!("The domain {domain} is taken; use another one."),
        Claimed::TooMany => {
            format!("{CLAIMS} domains are pending, the limit. Verify or delete some first.")
        }
    };
    Err(ApiError::Conflict(why))
}

fn taken(error: StorageError) -> ApiError {
    match error {
        StorageError::Exists(whose) => ApiError::Conflict(format!(
            "{whose}; to give it to another one, delete it there first with `docwright admin domain delete`."
        )),
        other => other.into(),
    }
}

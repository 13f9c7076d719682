//! `POST /v1/releases`.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_domain::release::Trigger;
use docwright_storage::database::Requested;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    api::{
        body::Body,
        domain::{self, SiteDomain},
    },
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    state::AppState,
};

/// What to build.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateRelease {
    /// The domain, as a bare host name.
    domain: SiteDomain,
}

/// A release that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedRelease {
    /// Identifier of the release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// Identifier of the update that it is, to ask for its status with.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    update_id: String,
    /// Where it stands.
    #[schema(example = "queued")]
    status: &'static str,
}

/// Build a release of a domain
///
/// Builds the newest commit of the branch that the domain shows, and publishes it there.
#[utoipa::path(
    post,
    path = "/v1/releases",
    tag = "Releases",
    operation_id = "createRelease",
    request_body = CreateRelease,
    responses(
        (status = 202, description = "The release is queued", body = CreatedRelease,
            headers(("Location" = String, description = "Where to poll the release")),
            links(
                ("get" = (operation_id = "getRelease", parameters(("releaseId" = "$response.body#/id")))),
                ("activate" = (operation_id = "activateRelease", parameters(("releaseId" = "$response.body#/id")))),
                ("status" = (operation_id = "getUpdate", parameters(("statusId" = "$response.body#/updateId")))),
            )),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Writer,
    body: Result<Body<CreateRelease>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<CreatedRelease>), ApiError> {
    let SiteDomain(domain) = body?.value.domain;
    let project = domain::project(&app, &caller, &domain).await?;
    app.require_room().await?;
    let site = app.database.site_of_domain(&domain).await?;
    let site = site.ok_or_else(|| domain::missing(&domain))?;
    let change = Change::of("update.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "domain": domain.as_str() }));
    let database = caller.recording(&app, change);
    let (site, now) = (Some(site.id.as_str()), app.now());
    let asked = database.request_update(&project.id, site, Trigger::Manual, None, now).await?;
    let Requested::Update(update_id) = asked else { return Err(domain::missing(&domain).into()) };
    app.release_wake.notify_one();
    let releases = app.database.releases_of_update(&update_id).await?;
    let release = releases.into_iter().next().ok_or_else(|| domain::missing(&domain))?;
    let location = [(header::LOCATION, format!("/v1/releases/{}", release.id))];
    let created = CreatedRelease { id: release.id, update_id, status: release.status.name() };
    Ok((StatusCode::ACCEPTED, location, Json(created)))
}

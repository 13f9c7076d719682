//! `POST /v1/project/preview/{projectId}`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_operations::rate_limit::RateLimit;
use docwright_storage::database::{Limited, PreviewOfBranch, StartedPreview};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    api::{
        ProjectPath,
        body::{Body, IdempotencyKey},
        text::Text,
    },
    audit::Change,
    authorize::Writer,
    error::{ApiError, Error},
    parameters::Path,
    rate_limit,
    state::AppState,
};

/// Longest name of a branch. Characters.
const MAXIMUM_BRANCH: usize = 250;

/// A branch to preview.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPreview {
    /// Name of the branch.
    #[schema(value_type = String, min_length = 1, max_length = 250, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "new-install-page")]
    branch: Text<MAXIMUM_BRANCH>,
}

/// A preview that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedPreviewBody {
    /// Identifier of the update that builds it, to ask for its status with.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    status_id: String,
    /// Where the preview is once it is built.
    #[schema(
        format = "uri",
        example = "https://mzxw6ytbmzxw6ytbmzxw6ytbmzxw6ytb.previews.example.net"
    )]
    preview_url: String,
}

/// Preview a branch
///
/// Builds the newest commit of a branch into a site of its own, under an address that nobody can guess. The
/// same branch again has the same address. Poll the address in `Location` for what becomes of the build.
///
/// An organisation may ask for 5 previews in a minute.
#[utoipa::path(
    post,
    path = "/v1/project/preview/{projectId}",
    tag = "Previews",
    operation_id = "startPreview",
    params(ProjectPath, IdempotencyKey),
    request_body = NewPreview,
    responses(
        (status = 202, description = "The preview is queued", body = StartedPreviewBody, headers(("Location" = String, description = "Where to poll the update"), ("RateLimit" = String), ("RateLimit-Policy" = String))),
        (status = 404, description = "There is no such project", body = Error),
        (status = 409, description = "This install has no previews, or the Idempotency-Key was used for another request", body = Error),
        (status = 429, description = "The organisation has asked for 5 previews within a minute", body = Error, headers(("Retry-After" = i64), ("RateLimit" = String), ("RateLimit-Policy" = String))),
    ),
)]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Writer,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<NewPreview>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let Body { value, idempotency } = body?;
    let off =
        |reason: &docwright_flows::repositories::NoPreviews| ApiError::Conflict(reason.to_string());
    let addresses = app.repositories.previews.as_ref().map_err(off)?;
    app.require_room().await?;
    let branch = String::from(value.branch);
    let asked = PreviewOfBranch {
        project_id: &project.id,
        branch: &branch,
        idempotency: idempotency.of(&project.organization_id),
    };
    let change = Change::of("preview.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "branch": branch }));
    let database = caller.recording(&app, change);
    match database.start_preview(asked, addresses, app.now()).await? {
        Limited::Taken(StartedPreview::Started(status_id, preview), allowance) => {
            app.release_wake.notify_one();
            let location = format!("/v1/project/update-status/{status_id}");
            let preview_url = addresses.url(&preview.host);
            let started = Json(StartedPreviewBody { status_id, preview_url });
            let limit = rate_limit::headers(RateLimit::PREVIEWS, allowance);
            Ok((StatusCode::ACCEPTED, limit, [(header::LOCATION, location)], started))
        }
        Limited::Taken(StartedPreview::Conflict, _) => Err(ApiError::Conflict(
            "This Idempotency-Key was used for another request; use a new one.".to_owned(),
        )),
        Limited::Refused(allowance) => {
            Err(ApiError::TooManyRequests(RateLimit::PREVIEWS, allowance))
        }
    }
}

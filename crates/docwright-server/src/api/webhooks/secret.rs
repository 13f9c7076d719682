//! `POST /v1/projects/{projectId}/webhook-secret`.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    api::ProjectPath,
    audit::Change,
    authorize::Admin,
    error::{ApiError, Error},
    parameters::Path,
    state::AppState,
};

/// What a git host needs to know to send webhooks.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSecret {
    /// Where webhooks go.
    #[schema(
        example = "https://docs-admin.example.com/hooks/prj_0199a1b2c3d4e5f60718293a4b5c6d7e"
    )]
    url: String,
    /// What the git host signs them with. It is shown this once.
    #[schema(example = "5f0c6a…")]
    secret: String,
}

/// Make a webhook secret
///
/// Makes the secret that a git host signs the webhooks of a project with, and says where they go. An
/// earlier secret is not good any more.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/webhook-secret",
    tag = "Webhooks",
    operation_id = "createWebhookSecret",
    params(ProjectPath),
    responses(
        (status = 201, description = "The secret, which is shown this once", body = WebhookSecret),
        (status = 404, description = "There is no such project", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<(StatusCode, Json<WebhookSecret>), ApiError> {
    let project = caller.project(&app, &project_id).await?;
    let secret = hex::encode(rand::random::<[u8; 32]>());
    let keyring = &app.repositories.keyring;
    let change = Change::of("webhook_secret.create", Some(&project.organization_id));
    let database = caller.recording(&app, change);
    database.set_webhook_secret(&project.id, &secret, keyring, app.now()).await?;
    let url = format!("{}/hooks/{}", app.repositories.public_url, project.id);
    Ok((StatusCode::CREATED, Json(WebhookSecret { url, secret })))
}

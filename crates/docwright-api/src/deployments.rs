//! Deployments of projects.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::Path,
};
use docwright_operations::{
    Allowed, can,
    deployments::{
        self, CreateDeployment, Deployment, DeploymentList, ReportDeployment, UpdateDeployment,
    },
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{ProjectPath, body::Body};
use crate::state::ApiState;

/// A deployment of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct DeploymentPath {
    /// ID of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// ID or name of the deployment.
    #[param(example = "dpl_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    deployment_id: String,
}

/// List deployments
///
/// Returns the project's deployments, oldest first, and the table of features by type of deployment. A project has
/// a cloud deployment from the start.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/deployments",
    tag = "Deployments",
    operation_id = "listDeployments",
    params(ProjectPath),
    responses(
        (status = 200, description = "The deployments.", body = DeploymentList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<ApiState>,
    caller: Allowed<can::ListDeployments>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<DeploymentList>, ApiError> {
    Ok(Json(deployments::list(&app, &caller, &project_id).await?))
}

/// Create a deployment
///
/// Creates a client-hosted or air-gapped deployment. Name it in `deployment` when you start a static export: the
/// bundle then has the features of the deployment.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/deployments",
    tag = "Deployments",
    operation_id = "createDeployment",
    params(ProjectPath),
    request_body = CreateDeployment,
    responses(
        (status = 201, description = "The deployment.", body = Deployment,
            headers(("Location" = String, description = "URL of the deployment."))),
        (status = 400, description = "The body is malformed, a field is invalid, or the type of the deployment doesn't allow a feature.", body = Error),
        (status = 404, description = "Project not found.", body = Error),
        (status = 409, description = "The project already has a deployment with this name, or 50 deployments.", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<ApiState>,
    caller: Allowed<can::CreateDeployment>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    body: Result<Body<CreateDeployment>, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    let created = deployments::create(&app, &caller, &project_id, body?.value).await?;
    let location = format!("/v1/projects/{}/deployments/{}", created.project_id, created.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(created)))
}

/// Get a deployment
///
/// Returns a deployment and its features.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectId}/deployments/{deploymentId}",
    tag = "Deployments",
    operation_id = "getDeployment",
    params(DeploymentPath),
    responses(
        (status = 200, description = "The deployment.", body = Deployment),
        (status = 404, description = "Project or deployment not found.", body = Error),
    ),
)]
pub(crate) async fn get(
    State(app): State<ApiState>,
    caller: Allowed<can::GetDeployment>,
    Path(path): Path<DeploymentPath>,
) -> Result<Json<Deployment>, ApiError> {
    Ok(Json(deployments::get(&app, &caller, &path.project_id, &path.deployment_id).await?))
}

/// Update a deployment
///
/// Changes a deployment. New features of the cloud deployment start a release of each of the project's domains.
/// Bundles that were exported before stay as they are.
#[utoipa::path(
    patch,
    path = "/v1/projects/{projectId}/deployments/{deploymentId}",
    tag = "Deployments",
    operation_id = "updateDeployment",
    params(DeploymentPath),
    request_body = UpdateDeployment,
    responses(
        (status = 200, description = "The deployment.", body = Deployment),
        (status = 400, description = "The body is malformed, a field is invalid, or the type of the deployment doesn't allow a feature.", body = Error),
        (status = 404, description = "Project or deployment not found.", body = Error),
        (status = 409, description = "The project already has a deployment with this name, or the deployment no longer has the revision that the update names.", body = Error),
    ),
)]
pub(crate) async fn update(
    State(app): State<ApiState>,
    caller: Allowed<can::UpdateDeployment>,
    Path(path): Path<DeploymentPath>,
    body: Result<Body<UpdateDeployment>, ApiError>,
) -> Result<Json<Deployment>, ApiError> {
    let DeploymentPath { project_id, deployment_id } = path;
    let updated = deployments::update(&app, &caller, &project_id, &deployment_id, body?.value);
    Ok(Json(updated.await?))
}

/// Report the export of a deployment
///
/// Records which export the server of a deployment serves. `docwright deploy` reports each export that it activates
/// if its values name the deployment.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectId}/deployments/{deploymentId}/report",
    tag = "Deployments",
    operation_id = "reportDeployment",
    params(DeploymentPath),
    request_body = ReportDeployment,
    responses(
        (status = 200, description = "The deployment.", body = Deployment),
        (status = 400, description = "The body is malformed, or the export isn't one for the deployment.", body = Error),
        (status = 404, description = "Project or deployment not found.", body = Error),
    ),
)]
pub(crate) async fn report(
    State(app): State<ApiState>,
    caller: Allowed<can::ReportDeployment>,
    Path(path): Path<DeploymentPath>,
    body: Result<Body<ReportDeployment>, ApiError>,
) -> Result<Json<Deployment>, ApiError> {
    let DeploymentPath { project_id, deployment_id } = path;
    let reported =
        deployments::report(&app, &caller, &project_id, &deployment_id, body?.value).await?;
    Ok(Json(reported))
}

/// Delete a deployment
///
/// Permanently deletes a deployment. Its exports stay until they expire. The cloud deployment can't be deleted.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectId}/deployments/{deploymentId}",
    tag = "Deployments",
    operation_id = "deleteDeployment",
    params(DeploymentPath),
    responses(
        (status = 204, description = "The deployment is deleted."),
        (status = 404, description = "Project or deployment not found.", body = Error),
        (status = 409, description = "It is the cloud deployment.", body = Error),
    ),
)]
pub(crate) async fn delete(
    State(app): State<ApiState>,
    caller: Allowed<can::DeleteDeployment>,
    Path(path): Path<DeploymentPath>,
) -> Result<StatusCode, ApiError> {
    deployments::delete(&app, &caller, &path.project_id, &path.deployment_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

//! `POST /v1/static-export/jobs`.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use docwright_domain::domain_name::DomainName;
use docwright_storage::database::{NewExport, Started};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::StaticExportJob;
use crate::{
    api::body::JsonBody,
    authorize::Caller,
    error::{ApiError, Error},
    request::concerns,
    state::AppState,
};

/// What to export.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub(crate) struct StartExport {
    /// The domain, as a bare host name.
    #[schema(example = "docs.example.com")]
    domain: String,
    /// A label for this export.
    #[schema(max_length = 200)]
    version: Option<String>,
    /// Addresses of the only pages to export.
    paths: Option<Vec<String>>,
}

/// Starts a static export job. The same `Idempotency-Key` and body within 24 hours give the same
/// job again.
#[utoipa::path(
    post,
    path = "/v1/static-export/jobs",
    tag = "Static export",
    request_body = StartExport,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request start one job only")),
    responses(
        (status = 202, description = "The job is queued", body = StaticExportJob,
            headers(("Location" = String, description = "Where to poll the job"), ("X-Request-Id" = String, description = "Id of the request"))),
        (status = 400, description = "The body is malformed, a field is invalid, or `paths` names an unknown page", body = Error),
        (status = 401, description = "No key, or one that is unknown, revoked or expired", body = Error, headers(("WWW-Authenticate" = String))),
        (status = 403, description = "The key or the plan does not allow it", body = Error),
        (status = 404, description = "Nobody has configured the domain", body = Error),
        (status = 409, description = "The Idempotency-Key was used with another body, or `paths` can't be checked", body = Error),
        (status = 413, description = "The body is larger than 1 MiB", body = Error),
        (status = 415, description = "The body is not JSON", body = Error),
        (status = 500, description = "A fault of the server's own", body = Error),
        (status = 503, description = "The database does not answer, or the disk is nearly full", body = Error, headers(("Retry-After" = String))),
    ),
    security(("key" = []))
)]
pub(crate) async fn start(
    State(app): State<AppState>,
    caller: Caller,
    body: Result<JsonBody, ApiError>,
) -> Result<impl IntoResponse, ApiError> {
    caller.require_static_export()?;
    let body = body?;
    let request = read(&body)?;
    let domain = DomainName::parse(&request.domain)
        .map_err(|reason| ApiError::Invalid(format!("`domain` {reason}.")))?;
    let project = app.database.project_of_domain(&domain).await?;
    let project = project.filter(|project| project.organization_id == caller.organization.id);
    let project = project.ok_or_else(|| {
        ApiError::NotFound(format!(
            "Nobody has configured the domain {domain}; add it to a project."
        ))
    })?;
    app.require_room().await?;
    let site = app.database.site_of_domain(&domain).await?;
    let site = site.ok_or_else(|| ApiError::Internal(format!("{domain} has no site")))?;
    if let Some(paths) = &request.paths {
        app.page_lookup.check(&app.repositories, (&project, &site), paths).await?;
    }
    let new = NewExport {
        organization_id: caller.organization.id,
        project_id: project.id,
        site_id: site.id,
        domain: domain.to_string(),
        version: request.version,
        paths: request.paths,
        idempotency: body.idempotency,
    };
    match app.database.start_export(&new, app.now()).await? {
        Started::Conflict => Err(ApiError::Conflict(
            "This Idempotency-Key was used with another body; use a new one.".to_owned(),
        )),
        Started::Job(job) => {
            app.release_wake.notify_one();
            concerns("job", &job.id);
            concerns("project", &job.project_id);
            concerns("release", job.release_id.as_deref().unwrap_or_default());
            let location = format!("/v1/static-export/jobs/{}", job.id);
            Ok((
                StatusCode::ACCEPTED,
                [(header::LOCATION, location)],
                Json(StaticExportJob::from(*job)),
            ))
        }
    }
}

/// Reads the body field by field, so that an error can name the field.
fn read(body: &JsonBody) -> Result<StartExport, ApiError> {
    let domain = body.text("domain")?.to_owned();
    let version = match body.fields.get("version") {
        None | Some(Value::Null) => None,
        Some(Value::String(version)) if (1..=200).contains(&version.chars().count()) => {
            Some(version.clone())
        }
        Some(_) => {
            return Err(ApiError::Invalid(
                "`version` must be a string of 1 to 200 characters.".to_owned(),
            ));
        }
    };
    let paths =
        match body.fields.get("paths") {
            None | Some(Value::Null) => None,
            Some(Value::Array(paths)) if !paths.is_empty() => {
                let texts: Option<Vec<_>> =
                    paths.iter().map(|path| path.as_str().map(str::to_owned)).collect();
                Some(texts.ok_or_else(|| {
                    ApiError::Invalid("`paths` must hold strings only.".to_owned())
                })?)
            }
            Some(_) => {
                return Err(ApiError::Invalid(
                    "`paths` must be an array of at least one page.".to_owned(),
                ));
            }
        };
    Ok(StartExport { domain, version, paths })
}

//! Serving built sites to their readers: the active release of the domain that was asked for.

mod feedback;
mod mcp;
pub(crate) mod static_site;

use axum::{
    extract::{Request, State},
    http::{Method, header},
    response::{IntoResponse, Response},
};
use docwright_domain::domain_name::DomainName;
use docwright_site::bundle::{Limits, unpack};

use crate::api::{ApiError, App};
use static_site::Offers;

/// Answers every path that is no operation: from the site of the host, or with a 404.
pub(crate) async fn site(State(app): State<App>, request: Request) -> Response {
    match serve(&app, request).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

async fn serve(app: &App, request: Request) -> Result<Response, ApiError> {
    let path = request.uri().path().to_owned();
    let nothing = || ApiError::NotFound(format!("There is nothing at {path}; see /openapi.json."));
    let host =
        request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let domain =
        DomainName::parse(host.split(':').next().unwrap_or_default()).map_err(|_| nothing())?;
    let release = app.database.active_release(&domain).await?.ok_or_else(nothing)?;
    let bundle = release.bundle.ok_or_else(nothing)?;
    let folder = app.scratch.join("sites").join(&bundle.sha256);
    if !folder.is_dir() {
        let archive = app.objects.local_path(&bundle.key).ok_or_else(nothing)?;
        let target = folder.clone();
        let unpacked = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(target.parent().unwrap_or(&target))?;
            unpack(std::fs::File::open(archive)?, &target, Limits::default())
                .map_err(std::io::Error::other)
        });
        let unpacked = unpacked.await.map_err(|error| ApiError::Internal(error.to_string()))?;
        // Of two requests that unpack at once, one comes second and finds the folder there.
        if let Err(error) = unpacked
            && !folder.is_dir()
        {
            return Err(ApiError::Unavailable(error.to_string()));
        }
    }
    if request.uri().path() == feedback::PATH && request.method() == Method::POST {
        return Ok(feedback::take(app, &domain, &folder, request).await?.into_response());
    }
    Ok(static_site::serve(&folder, request, Offers::WITH_FEEDBACK).await)
}

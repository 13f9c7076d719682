//! Signed links to bundles that are files here. They need no key. Links to a store of its own lead
//! there, and not here.

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use tower::ServiceExt;
use tower_http::services::ServeFile;

use crate::{
    error::ApiError,
    parameters::{Number, Path, Query},
    state::AppState,
};

/// What a link says besides its path.
#[derive(Debug, Deserialize)]
pub(super) struct Signature {
    expires: Option<Number<0, { i64::MAX }>>,
    #[serde(default)]
    signature: String,
}

/// Serves an object, whole or in ranges. The link is checked when the download begins, so one that
/// began in time ends well.
pub(super) async fn object(
    State(app): State<AppState>,
    Path(key): Path<String>,
    Query(Signature { expires, signature }): Query<Signature>,
    request: Request,
) -> Result<Response, ApiError> {
    let gone =
        || ApiError::NotFound("The bundle of this link is gone. Ask for a fresh link.".to_owned());
    let path = app.objects.local_path(&key).ok_or_else(gone)?;
    if !app.objects.is_good_link(
        &key,
        &signature,
        (app.now(), expires.map_or(0, |expires| expires.0)),
    ) {
        return Err(ApiError::Forbidden(
            "This link has expired or was altered; ask for a fresh one.".to_owned(),
        ));
    }
    if !path.is_file() {
        app.lost_bundles.notice(&key);
        return Err(gone());
    }
    let served = ServeFile::new(&path).oneshot(request).await;
    let mut response = served
        .map_err(|error| ApiError::Internal(error.to_string()))?
        .map(Body::new)
        .into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/gzip"));
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_static("attachment; filename=\"bundle.tar.gz\""),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}

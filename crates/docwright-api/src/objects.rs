//! Signed links to bundles that are files of this server. They need no key. Links to object storage don't lead
//! here.

use std::io;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, header, request::Parts},
    response::Response,
};
use docwright_http::{
    contents::send_file,
    error::ApiError,
    parameters::{Path, Query},
};
use docwright_operations::{OperationError, fields::Number};
use serde::Deserialize;

use crate::state::ApiState;

/// The query of a link.
#[derive(Debug, Deserialize)]
pub(super) struct Signature {
    expires: Option<Number<0, { i64::MAX }>>,
    #[serde(default)]
    signature: String,
}

/// Serves an object, whole or in ranges. The link is checked when the download starts, so a download can outlast
/// its link.
pub(super) async fn object(
    State(app): State<ApiState>,
    Path(key): Path<String>,
    Query(Signature { expires, signature }): Query<Signature>,
    request: Parts,
) -> Result<Response, ApiError> {
    let gone = || {
        OperationError::NotFound(
            "The bundle of this link no longer exists. Request a new link.".to_owned(),
        )
    };
    let path = app.objects.local_path(&key).ok_or_else(gone)?;
    if !app.objects.is_good_link(
        &key,
        &signature,
        (app.now(), expires.map_or(0, |expires| expires.0)),
    ) {
        return Err(OperationError::Forbidden(
            "This link has expired or was changed. Request a new one.".to_owned(),
        )
        .into());
    }
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/gzip")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"bundle.tar.gz\""),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
        // The link is secret.
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ]);
    let sent = send_file(path, &request, headers).await;
    Ok(sent.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            app.lost_bundles.notice(&key);
            gone()
        }
        _ => OperationError::Unavailable(format!("the object {key} can't be read: {error}")),
    })?)
}

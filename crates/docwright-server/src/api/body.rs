//! What a request brings: a JSON object, and perhaps a key that makes sending it twice harmless.

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, Uri, header},
};
use futures::StreamExt;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::MAXIMUM_BODY;
use crate::{error::ApiError, state::AppState};

/// Of a body that is too long this much more is read and dropped, so that the client gets to read
/// the answer: closing a connection that is still being written to resets it. Bytes.
const DRAINED: usize = 16 * MAXIMUM_BODY;

/// The body of a request.
#[derive(Debug)]
pub(crate) struct JsonBody {
    /// Its fields.
    pub(crate) fields: Map<String, Value>,
    /// The caller's idempotency key, and what tells this request from another: the SHA-256 of its
    /// path and body.
    pub(crate) idempotency: Option<(String, String)>,
}

impl FromRequest<AppState> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &AppState) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let bytes = read(body.into_data_stream()).await?;
        if !is_json(&parts.headers) {
            return Err(ApiError::MediaType);
        }
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| ApiError::Invalid(format!("The body is not valid JSON: {error}.")))?;
        let Value::Object(fields) = value else {
            return Err(ApiError::Invalid("The body must be a JSON object.".to_owned()));
        };
        let idempotency = idempotency(&parts.headers, &parts.uri, &bytes)?;
        Ok(Self { fields, idempotency })
    }
}

impl JsonBody {
    /// A field that must be a string.
    pub(crate) fn text(&self, name: &str) -> Result<&str, ApiError> {
        match self.fields.get(name) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(ApiError::Invalid(format!("`{name}` must be a string."))),
            None => Err(ApiError::Invalid(format!("`{name}` is missing."))),
        }
    }
}

async fn read(mut stream: axum::body::BodyDataStream) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(chunk) = stream.next().await {
        let broken = |_| ApiError::Invalid("The body broke off; send it again.".to_owned());
        let chunk = chunk.map_err(broken)?;
        length += chunk.len();
        if length > DRAINED {
            return Err(ApiError::TooLarge);
        }
        if length <= MAXIMUM_BODY {
            bytes.extend_from_slice(&chunk);
        }
    }
    if length > MAXIMUM_BODY { Err(ApiError::TooLarge) } else { Ok(bytes) }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The caller's idempotency key, and what tells this request from another: the SHA-256 of its path and
/// body.
pub(super) fn idempotency(
    headers: &HeaderMap,
    uri: &Uri,
    body: &[u8],
) -> Result<Option<(String, String)>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let key = key.to_str().ok().filter(|key| (1..=255).contains(&key.len())).ok_or_else(|| {
        ApiError::Invalid("`Idempotency-Key` must have 1 to 255 printable characters.".to_owned())
    })?;
    let print = Sha256::new().chain_update(uri.path()).chain_update(body).finalize();
    Ok(Some((key.to_owned(), hex::encode(print))))
}

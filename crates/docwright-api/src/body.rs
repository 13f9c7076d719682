//! Request bodies: a JSON object, with an optional idempotency key.

use axum::{
    body::HttpBody,
    extract::{FromRequest, FromRequestParts, OptionalFromRequest, Request},
    http::{HeaderMap, header, request::Parts},
};
use docwright_http::{error::ApiError, parameters::wrong_field};
use docwright_operations::{OperationError, idempotency::Idempotency};
use futures::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

use super::{MAXIMUM_BODY, decoded_length::DecodedLength};
use crate::state::ApiState;

/// Size limit of a body in bytes: each decoded byte can be written as an escape of six.
const MAXIMUM_WRITTEN: usize = 6 * MAXIMUM_BODY;
/// Bytes of an oversized body that are read and dropped, so that the client gets to read the answer: closing the
/// connection while it still sends would reset it.
const DRAINED: usize = 16 * MAXIMUM_BODY;

/// The body of a request, which must be a JSON object. `T` refuses unknown fields, so a misspelled name isn't
/// taken for an omitted option.
#[derive(Debug)]
pub(crate) struct Body<T> {
    /// Its contents.
    pub(crate) value: T,
    /// Its idempotency key.
    pub(crate) idempotency: Idempotency,
}

/// The header in the API spec.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "it describes a header, which is read by its name")]
pub(crate) struct IdempotencyKey {
    /// Unique text of your choice, such as a UUID. If you send the same request with the same key
    /// again within 24 hours, you get the first response, and nothing happens twice. A different
    /// request with the same key is rejected.
    #[param(
        rename = "Idempotency-Key",
        value_type = String,
        required = false,
        min_length = 1,
        max_length = 255,
        pattern = "^[!-~]([ -~]*[!-~])?$",
        example = "7b0b6a1c-2f53-4b8e-9d3e-2f6f8f7f0c11"
    )]
    idempotency_key: Option<String>,
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let (parts, body) = request.into_parts();
        let bytes = read(body.into_data_stream()).await?;
        if !is_json(&parts.headers) {
            return Err(ApiError::MediaType);
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
            OperationError::Invalid(format!("The body isn't valid JSON: {error}."))
        })?;
        if !value.is_object() {
            return Err(
                OperationError::Invalid("The body must be a JSON object.".to_owned()).into()
            );
        }
        let value = serde_path_to_error::deserialize(value).map_err(wrong_field)?;
        Ok(Self { value, idempotency: idempotency(&parts, &bytes)? })
    }
}

/// For operations whose body can be left out: a request without one has no media type either.
impl<S: Send + Sync, T: DeserializeOwned> OptionalFromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, ApiError> {
        let has_type = request.headers().contains_key(header::CONTENT_TYPE);
        if !has_type && request.body().is_end_stream() {
            return Ok(None);
        }
        <Self as FromRequest<S>>::from_request(request, state).await.map(Some)
    }
}

/// For operations without a body. The SHA-256 of path and body identifies a request.
impl FromRequestParts<ApiState> for Idempotency {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> Result<Self, ApiError> {
        Ok(idempotency(parts, &[])?)
    }
}

async fn read(mut stream: axum::body::BodyDataStream) -> Result<Vec<u8>, ApiError> {
    let (mut bytes, mut length, mut decoded) = (Vec::new(), 0, DecodedLength::default());
    let mut is_too_large = false;
    while let Some(chunk) = stream.next().await {
        let broken = |_| {
            OperationError::Invalid(
                "The connection closed before the whole body arrived. Send the request again."
                    .to_owned(),
            )
        };
        let chunk = chunk.map_err(broken)?;
        length += chunk.len();
        if length > DRAINED {
            return Err(ApiError::TooLarge);
        }
        decoded.count(&chunk);
        is_too_large |= decoded.bytes() > MAXIMUM_BODY || length > MAXIMUM_WRITTEN;
        if is_too_large {
            bytes = Vec::new();
        } else {
            bytes.extend_from_slice(&chunk);
        }
    }
    if is_too_large { Err(ApiError::TooLarge) } else { Ok(bytes) }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn idempotency(parts: &Parts, body: &[u8]) -> Result<Idempotency, OperationError> {
    let mut keys = parts.headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(Idempotency(None)) };
    let is_key = |key: &&str| {
        (1..=255).contains(&key.len()) && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
    };
    let only = if keys.next().is_none() { key.to_str().ok().filter(is_key) } else { None };
    let key = only.ok_or_else(|| {
        let rule = "`Idempotency-Key` must have 1 to 255 printable characters. Send it once.";
        OperationError::Invalid(rule.to_owned())
    })?;
    let print = Sha256::new().chain_update(parts.uri.path()).chain_update(body).finalize();
    Ok(Idempotency(Some((key.to_owned(), hex::encode(print)))))
}

#[cfg(test)]
mod tests {
    use axum::{http, http::StatusCode, response::IntoResponse};
    use serde::Deserialize;

    use super::*;
    use docwright_operations::fields::Text;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only reading it is tested")]
    struct TestBody {
        name: Text<5>,
        others: Option<Vec<Text<5>>>,
    }

    async fn sentence(body: &'static str) -> String {
        let request = http::Request::post("/").header("content-type", "application/json");
        let request = request.body(axum::body::Body::from(body)).unwrap();
        let read = <Body<TestBody> as FromRequest<()>>::from_request(request, &()).await;
        let error = read.unwrap_err();
        let response = error.into_response();
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        let bytes = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: Value = serde_json::from_slice(&bytes).unwrap();
        body["error"].as_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn error_names_field_and_rule() {
        for (body, expected) in [
            ("{}", "`name` is missing."),
            (r#"{"name": 1}"#, "`name` must be a string."),
            (r#"{"name": null}"#, "`name` must be a string."),
            (r#"{"name": " "}"#, "`name` is blank; enter some text."),
            (r#"{"name": "abcdef"}"#, "`name` is longer than 5 characters; make it shorter."),
            (r#"{"name": "a\u0000"}"#, "`name` contains a NUL character; remove it."),
            (r#"{"name": "a", "others": {}}"#, "`others` must be an array."),
            (r#"{"name": "a", "others": ["a", 1]}"#, "`others[1]` must be a string."),
            ("[]", "The body must be a JSON object."),
            (r#"{"name": "a", "Other": 1}"#, "`Other` is an unknown field; use `others` instead."),
            (r#"{"nmae": "a"}"#, "`nmae` is an unknown field; use `name` instead."),
            (
                r#"{"name": "a", "`, expected `x": 1}"#,
                "``, expected `x` is an unknown field; the fields are `name`, `others`.",
            ),
        ] {
            assert_eq!(sentence(body).await, expected, "{body}");
        }
        assert!(sentence("{").await.starts_with("The body isn't valid JSON: "));
    }

    #[test]
    fn idempotency_key_is_printable_and_given_once() {
        let read = |keys: &[&[u8]]| {
            let mut request = http::Request::post("/");
            for key in keys {
                request = request.header("idempotency-key", *key);
            }
            idempotency(&request.body(()).unwrap().into_parts().0, b"{}")
        };
        assert!(read(&[]).is_ok_and(|key| key.0.is_none()));
        for valid in [&b"k"[..], b"two words", &[b'~'; 255]] {
            assert!(read(&[valid]).is_ok_and(|key| key.0.is_some()), "{valid:?}");
        }
        for bad in [&b""[..], b"a\tb", "\u{e9}".as_bytes(), &[b'k'; 256]] {
            assert!(read(&[bad]).is_err(), "{bad:?}");
        }
        assert!(read(&[b"one", b"two"]).is_err());
    }
}

//! Parameters in the path and query of a request. Errors name the wrong parameter.

use std::fmt::Display;

use axum::{
    extract::{FromRequestParts, RawPathParams, path::ErrorKind, rejection::PathRejection},
    http::request::Parts,
};
use docwright_operations::OperationError;
use serde::de::DeserializeOwned;
use url::form_urlencoded;

use crate::error::ApiError;

/// Characters of an unknown name that are repeated.
const LONGEST_NAME: usize = 100;
/// A name that is at least this similar to another, from 0 to 1, is probably a typo of it.
const CLOSE: f64 = 0.8;

/// The parameters of a path.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// The parameters of a query. Parameters that `T` does not know are ignored.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let raw = RawPathParams::from_request_parts(parts, state).await;
        let raw =
            raw.map_err(|error| OperationError::Invalid(format!("{}.", error.body_text())))?;
        for (name, value) in &raw {
            refuse_nul(name, value)?;
        }
        let read = axum::extract::Path::from_request_parts(parts, state).await;
        let axum::extract::Path(value) = read.map_err(|error| misfit(error, &raw))?;
        Ok(Self(value))
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self(read_query(parts.uri.query().unwrap_or_default())?))
    }
}

/// Reads the text of a query.
pub fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, OperationError> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    for (name, value) in pairs {
        refuse_nul(&name, &value)?;
    }
    let deserializer = serde_urlencoded::Deserializer::new(pairs);
    serde_path_to_error::deserialize(deserializer).map_err(wrong_field)
}

/// An error that names a field of a body or a query. Our own rules continue the name, such as "is blank"; errors
/// of serde are reworded.
pub fn wrong_field<E: Display>(error: serde_path_to_error::Error<E>) -> OperationError {
    let (path, message) = (error.path().to_string(), error.inner().to_string());
    let quoted = |rest: &str| rest.split('`').next().unwrap_or_default().to_owned();
    let (field, what) = if let Some(rest) = message.strip_prefix("unknown field `") {
        unknown_field(rest)
    } else if let Some(rest) = message.strip_prefix("missing field `") {
        (quoted(rest), "is missing".to_owned())
    } else if let Some(rest) = message.strip_prefix("duplicate field `") {
        (quoted(rest), "is there twice; send it once".to_owned())
    } else if let Some((_, expected)) = message.split_once(", expected ") {
        let expected = match expected {
            "a sequence" => "an array",
            other => other,
        };
        (path, format!("must be {expected}"))
    } else {
        (path, message)
    };
    OperationError::Invalid(format!("`{field}` {what}."))
}

/// The error for an unknown field. `rest` is the end of serde's error: the name of the field, and the known ones.
fn unknown_field(rest: &str) -> (String, String) {
    let (field, expected) = rest.rsplit_once("`, expected ").unwrap_or((rest, ""));
    let known: Vec<_> = expected.split('`').skip(1).step_by(2).collect();
    let field: String = field.chars().take(LONGEST_NAME).collect();
    let closeness =
        |name: &&str| strsim::jaro_winkler(&field.to_ascii_lowercase(), &name.to_ascii_lowercase());
    let close = known.iter().copied().filter(|name| closeness(name) > CLOSE);
    let close = close.max_by(|one, other| closeness(one).total_cmp(&closeness(other)));
    let what = match close {
        Some(close) => format!("is an unknown field; use `{close}` instead"),
        None => format!("is an unknown field; the fields are `{}`", known.join("`, `")),
    };
    (field, what)
}

/// Fails for a text with a NUL character, which PostgreSQL doesn't store.
pub fn refuse_nul(name: &str, value: &str) -> Result<(), OperationError> {
    if value.contains('\0') {
        return Err(OperationError::Invalid(format!(
            "`{name}` contains a NUL character; remove it."
        )));
    }
    Ok(())
}

/// Besides texts, a path has whole numbers, and types whose errors say what they must be.
fn misfit(error: PathRejection, raw: &RawPathParams) -> OperationError {
    let PathRejection::FailedToDeserializePathParams(error) = error else {
        return OperationError::Internal(error.to_string());
    };
    let at = |index| raw.iter().nth(index).map(|(name, _)| name.to_owned()).unwrap_or_default();
    let name = match error.into_kind() {
        ErrorKind::ParseErrorAtKey { key, .. } => key,
        ErrorKind::ParseErrorAtIndex { index, .. } => at(index),
        ErrorKind::DeserializeError { key, message, .. } => {
            return OperationError::Invalid(format!("`{key}` {message}."));
        }
        // Only with one parameter is the wrong one known.
        ErrorKind::Message(message) if raw.iter().count() == 1 => {
            return OperationError::Invalid(format!("`{}` {message}.", at(0)));
        }
        other => return OperationError::Internal(other.to_string()),
    };
    OperationError::Invalid(format!(
        "`{name}` must be a whole number, not larger than {}.",
        i64::MAX
    ))
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, extract::Request, routing::get};
    use docwright_operations::fields::Number;
    use serde::Deserialize;
    use tower::ServiceExt;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only reading it is tested")]
    struct TestQuery {
        limit: Option<Number<1, 100>>,
        name: Option<String>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only reading it is tested")]
    struct Day {
        day: Number<1, 31>,
    }

    async fn answer(address: &str) -> (u16, String) {
        let router = Router::new()
            .route("/of/{name}/{number}", get(async |_: Path<(String, i64)>| "good"))
            .route("/day/{day}", get(async |_: Path<Day>| "good"))
            .route("/ask", get(async |_: Query<TestQuery>| "good"));
        let request = Request::builder().uri(address).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let bytes = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        (status, String::from_utf8(bytes.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn error_names_parameter() {
        for (address, sentence) in [
            ("/of/a/99999999999999999999", "`number` must be a whole number, not larger than"),
            ("/of/a/x", "`number` must be a whole number"),
            ("/of/a%00b/1", "`name` contains a NUL character"),
            ("/of/%FF/1", "Invalid UTF-8 in `name`"),
            ("/day/32", "`day` must be a whole number from 1 to 31."),
            ("/ask?limit=x", "`limit` must be a whole number from 1 to 100."),
            ("/ask?limit=0", "`limit` must be a whole number from 1 to 100."),
            ("/ask?limit=1&limit=2", "`limit` is there twice"),
            ("/ask?name=a%00b", "`name` contains a NUL character"),
        ] {
            let (status, body) = answer(address).await;
            assert_eq!(status, 400, "{address}");
            assert!(body.contains(sentence) && body.contains("invalid_request"), "{body}");
        }
        for address in ["/of/a/1", "/ask", "/ask?limit=100&name=a&other=1"] {
            assert_eq!(answer(address).await.0, 200, "{address}");
        }
    }
}

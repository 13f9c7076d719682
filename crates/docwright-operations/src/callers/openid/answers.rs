//! Responses of the provider: JSON of limited size.

use reqwest::RequestBuilder;
use serde_json::Value;

/// Longest response, in bytes.
const MAXIMUM: usize = 1024 * 1024;

/// The error of a request, without its parameters, which can contain secrets.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub(super) struct Failure {
    why: String,
    /// Whether the provider rejects a code (RFC 6749, section 5.2).
    pub(super) is_of_code: bool,
}

impl Failure {
    fn of(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_of_code: false }
    }
}

/// The JSON response to a request.
pub(super) async fn json(request: RequestBuilder) -> Result<Value, Failure> {
    let failed = |error: reqwest::Error| Failure::of(causes(&error.without_url()));
    let mut answer = request.header("accept", "application/json").send().await.map_err(failed)?;
    let (status, path) = (answer.status(), answer.url().path().to_owned());
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > MAXIMUM {
            return Err(Failure::of(format!("{path} sent too large a response")));
        }
    }
    let body: Value = serde_json::from_slice(&body)
        .map_err(|_| Failure::of(format!("{path} responded with status {status}, without JSON")))?;
    if status.is_success() {
        return Ok(body);
    }
    let [error, about] =
        ["error", "error_description"].map(|name| body[name].as_str().unwrap_or_default());
    let why = format!("{path} responded with status {status}: {error} {about}");
    Err(Failure { why: why.trim_end().to_owned(), is_of_code: error == "invalid_grant" })
}

/// An error with its causes.
fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

//! Answers of the provider: JSON of a bounded size.

use reqwest::RequestBuilder;
use serde_json::Value;

/// Longest answer, in bytes.
const MAXIMUM: usize = 1024 * 1024;

/// The JSON that is answered to a request; otherwise why there is none, without what was asked for, which may
/// hold secrets.
pub(super) async fn json(request: RequestBuilder) -> Result<Value, String> {
    let answer = request.header("accept", "application/json").send().await;
    let mut answer = answer.map_err(|error| causes(&error.without_url()))?;
    let status = answer.status();
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| causes(&error.without_url()))? {
        body.extend_from_slice(&chunk);
        if body.len() > MAXIMUM {
            return Err("an answer is too long".to_owned());
        }
    }
    let path = answer.url().path().to_owned();
    let body: Value = serde_json::from_slice(&body)
        .map_err(|_| format!("{path} answered {status}, and no JSON"))?;
    if status.is_success() {
        return Ok(body);
    }
    // RFC 6749, section 5.2.
    let why = ["error", "error_description"].map(|name| body[name].as_str().unwrap_or_default());
    Err(format!("{path} answered {status}: {}", why.join(" ").trim()))
}

/// An error with what caused it.
fn causes(error: &dyn std::error::Error) -> String {
    let all = std::iter::successors(Some(error), |error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

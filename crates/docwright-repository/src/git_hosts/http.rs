//! Requests to the API of a host: sending, waiting, and error messages.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use backon::{ExponentialBuilder, Retryable};
use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde_json::Value;
use url::Url;

use super::GitHostError;
use crate::network::{Network, NetworkError};

/// Retries after transient errors.
const RETRIES: usize = 3;
/// Longest wait between two requests; after a longer one the caller retries later.
const MAXIMUM_WAIT: Duration = Duration::from_mins(1);
/// Longest pause that a host can request.
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// How long one request can take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Longest response, in bytes.
const MAXIMUM_ANSWER: usize = 5 * 1024 * 1024;

/// A client of a host's API.
#[derive(Clone)]
pub(super) struct Http {
    pub(super) network: Network,
    /// Root of the API, without a slash at its end.
    pub(super) base: String,
    /// Name and value of the header that carries the token.
    pub(super) token: Option<(&'static str, String)>,
    /// First wait; it doubles with each attempt.
    pub(super) first_wait: Duration,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Http").field("base", &self.base).finish_non_exhaustive()
    }
}

/// A response with its status: success, or one that the caller expects.
#[derive(Debug)]
pub(super) struct HostResponse {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Http {
    /// Sends a request, and repeats it after transient errors; `expected` are additional statuses that are not
    /// errors.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        expected: &[u16],
    ) -> Result<HostResponse, GitHostError> {
        let policy = ExponentialBuilder::new()
            .with_min_delay(self.first_wait)
            .with_max_delay(MAXIMUM_WAIT)
            .with_max_times(RETRIES)
            .with_jitter();
        let attempt = || self.send_once(method.clone(), path, body.as_ref(), expected);
        // A host that requests a longer pause is asked by a later request.
        let soon = |error: &GitHostError| error.retry_after.is_none_or(|wait| wait <= MAXIMUM_WAIT);
        let sent = attempt.retry(policy).when(|error| error.is_transient && soon(error));
        sent.adjust(|error, usual| usual.map(|usual| error.retry_after.unwrap_or(usual))).await
    }

    async fn send_once(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        expected: &[u16],
    ) -> Result<HostResponse, GitHostError> {
        let request = self.request(method, path, body).await?;
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        self.read(response, expected).await
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<RequestBuilder, GitHostError> {
        let address = format!("{}{path}", self.base);
        let url = Url::parse(&address).map_err(|_| NetworkError::Address(self.base.clone()))?;
        let client = self.network.client(&url).await?;
        let mut request =
            client.request(method, url).header(header::ACCEPT, "application/json").timeout(TIMEOUT);
        if let Some((name, value)) = &self.token {
            request = request.header(*name, value);
        }
        Ok(match body {
            Some(body) => request.json(body),
            None => request,
        })
    }

    async fn read(
        &self,
        mut response: Response,
        expected: &[u16],
    ) -> Result<HostResponse, GitHostError> {
        let status = response.status();
        let wait = wait(&response);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MAXIMUM_ANSWER {
                return Err(self.error("returned more than 5 MB", "", false));
            }
        }
        let body: Option<Value> = serde_json::from_slice(&bytes).ok();
        if !status.is_success() && !expected.contains(&status.as_u16()) {
            let error = self.failed(status, body.as_ref());
            let is_transient = error.is_transient || (status == 403 && wait.is_some());
            return Err(GitHostError {
                is_transient,
                retry_after: wait.filter(|_| is_transient),
                ..error
            });
        }
        let body = body.or_else(|| bytes.is_empty().then_some(Value::Null));
        let what = "returned a response that isn't JSON";
        let body = body.ok_or_else(|| self.error(what, "; check its address", false))?;
        Ok(HostResponse { status, body })
    }

    /// A response with an expected status that is an error anyway.
    pub(super) fn refused(&self, answer: &HostResponse) -> GitHostError {
        self.failed(answer.status, Some(&answer.body))
    }

    fn failed(&self, status: StatusCode, body: Option<&Value>) -> GitHostError {
        let advice = match status.as_u16() {
            300..=399 => "; its address has changed, update the project's repository",
            401 => "; the token is wrong or has expired",
            403 => "; the token needs write access to contents, pull requests, and commit statuses",
            404 => "; the repository doesn't exist, or the token has no access to it",
            422 => "; it refused the request",
            429 => "; its rate limit is used up for now",
            _ => "",
        };
        let reason = body.map(reason_of).filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let is_transient = status == 429 || status.is_server_error();
        self.error(&format!("answers {}{reason}", status.as_u16()), advice, is_transient)
    }

    fn unreachable(&self, error: &reqwest::Error) -> GitHostError {
        let why = if error.is_timeout() { "did not respond in time" } else { "can't be reached" };
        self.error(why, "; check the network and its address", true)
    }

    fn error(&self, what: &str, advice: &str, is_transient: bool) -> GitHostError {
        GitHostError::of(format!("the git host {} {what}{advice}", self.base), is_transient)
    }
}

/// The pause that a host requests with a refusal: in seconds, or, at a limit, until the time of more requests, as
/// GitHub does with a 403. <https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>
fn wait(response: &Response) -> Option<Duration> {
    let number = |name: &str| -> Option<u64> {
        response.headers().get(name)?.to_str().ok()?.trim().parse().ok()
    };
    if let Some(seconds) = number("retry-after") {
        return Some(Duration::from_secs(seconds).min(LONGEST_WAIT));
    }
    if number("x-ratelimit-remaining") != Some(0) {
        return None;
    }
    let reset = UNIX_EPOCH.checked_add(Duration::from_secs(number("x-ratelimit-reset")?))?;
    // If our clock is ahead, the request is repeated at once, with the same response.
    Some(reset.duration_since(SystemTime::now()).unwrap_or_default().min(LONGEST_WAIT))
}

/// A host's error message, in the forms of all hosts.
fn reason_of(body: &Value) -> String {
    let main =
        body["message"].as_str().or(body["error"]["message"].as_str()).or(body["error"].as_str());
    let main = main
        .map_or_else(|| body["message"][0].as_str().unwrap_or_default().to_owned(), str::to_owned);
    let details = body["errors"].as_array().into_iter().flatten();
    let details = details.filter_map(|detail| detail["message"].as_str());
    let all: Vec<_> =
        std::iter::once(main.as_str()).chain(details).filter(|text| !text.is_empty()).collect();
    all.join("; ").chars().take(300).collect()
}

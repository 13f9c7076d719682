//! Requests to the API of a host: one way to send, to wait, and to say what went wrong.

use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, header};
use serde_json::Value;

use super::ForgeError;

/// Requests in all, when faults that may pass keep coming.
const ATTEMPTS: u32 = 4;
/// Longest wait that a host may ask for.
const MAXIMUM_WAIT: Duration = Duration::from_mins(1);
/// Longest answer, in bytes.
const MAXIMUM_ANSWER: usize = 5 * 1024 * 1024;

/// A client of a host's API.
#[derive(Clone)]
pub(super) struct Http {
    pub(super) client: Client,
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

/// An answer with its status: success, or one that the caller knows what to do with.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Http {
    /// Sends a request; `expected` are statuses besides success that are answers, not errors.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        expected: &[u16],
    ) -> Result<Answer, ForgeError> {
        let mut attempt = 1;
        loop {
            let request = self.request(method.clone(), path, body.as_ref());
            let outcome = match request.send().await {
                Ok(response) => self.read(response, expected).await,
                Err(error) => Err((self.unreachable(&error), None)),
            };
            let (error, wait) = match outcome {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if !error.may_pass || attempt >= ATTEMPTS {
                return Err(error);
            }
            let usual = self.first_wait * 2_u32.pow(attempt - 1);
            tokio::time::sleep(wait.unwrap_or(usual).min(MAXIMUM_WAIT)).await;
            attempt += 1;
        }
    }

    fn request(&self, method: Method, path: &str, body: Option<&Value>) -> RequestBuilder {
        let mut request = self
            .client
            .request(method, format!("{}{path}", self.base))
            .header(header::USER_AGENT, "docwright")
            .header(header::ACCEPT, "application/json")
            .timeout(Duration::from_secs(30));
        if let Some((name, value)) = &self.token {
            request = request.header(*name, value);
        }
        match body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    async fn read(
        &self,
        mut response: Response,
        expected: &[u16],
    ) -> Result<Answer, (ForgeError, Option<Duration>)> {
        let status = response.status();
        let wait = wait(&response);
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if bytes.len() + chunk.len() <= MAXIMUM_ANSWER => {
                    bytes.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => {
                    return Err((self.error("answers with more than 5 MB", "", false), None));
                }
                Ok(None) => break,
                Err(error) => return Err((self.unreachable(&error), None)),
            }
        }
        let body: Option<Value> = serde_json::from_slice(&bytes).ok();
        if status.is_success() || expected.contains(&status.as_u16()) {
            let body = body.or_else(|| bytes.is_empty().then_some(Value::Null));
            return match body {
                Some(body) => Ok(Answer { status, body }),
                None => Err((
                    self.error(
                        "answers with something that is not JSON",
                        "; check its address",
                        false,
                    ),
                    None,
                )),
            };
        }
        Err((self.refused(status, body.as_ref()), wait))
    }

    fn refused(&self, status: StatusCode, body: Option<&Value>) -> ForgeError {
        let advice = match status.as_u16() {
            401 => "; the token is wrong or has expired",
            403 => "; the token may not do this: it needs to write contents and pull requests",
            404 => "; the repository is not there, or the token may not see it",
            429 => "; its limit is used up for now",
            _ => "",
        };
        let reason = body.map(reason_of).filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        let may_pass = status == 429 || status.is_server_error();
        self.error(&format!("answers {}{reason}", status.as_u16()), advice, may_pass)
    }

    fn unreachable(&self, error: &reqwest::Error) -> ForgeError {
        let why = if error.is_timeout() { "does not answer in time" } else { "can't be reached" };
        self.error(why, "; check the network and its address", true)
    }

    fn error(&self, what: &str, advice: &str, may_pass: bool) -> ForgeError {
        ForgeError { message: format!("the git host {} {what}{advice}", self.base), may_pass }
    }
}

fn wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// What a host says of an error, in the ways of the four.
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

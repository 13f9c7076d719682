//! Explains in a sentence why a model did not respond: the request, the response, and the remedy.

use std::{error::Error as _, time::Duration};

use serde_json::Value;

use super::{
    ModelError, Outage,
    connection::{Failure, Reply, Unexpected},
    provider::without_secrets,
};

/// For permanent errors.
const ONCE: u32 = 1;
/// For timeouts, which have already taken long.
const TWICE: u32 = 2;
/// For errors that usually pass.
const OFTEN: u32 = 5;

/// Longest quotation of a response, in characters.
const QUOTED: usize = 300;

/// Transient errors within a stream, by their names in the protocols.
const PASSING: &[&str] =
    &["overloaded_error", "api_error", "rate_limit_error", "rate_limit_exceeded", "server_error"];

/// A model's host in errors.
#[derive(Debug)]
pub(super) struct ModelHost<'a> {
    /// The model's full name.
    pub(super) model: &'a str,
    /// Its URL, without secrets.
    pub(super) address: String,
    /// The key, which errors must not repeat.
    pub(super) key: &'a str,
}

/// The error in the response, and the remedy.
struct Reason {
    what: String,
    advice: &'static str,
    attempts: u32,
}

const ADDRESS: &str = "check the address of its host (--agent-urls); most end with /v1";
const REACH: &str = "check that it runs, and that --agent-urls has its URL";
const KEY: &str = "check the key of the model's provider (--agent-keys)";
const NAME: &str = "check the model's name and the address of its host (--agent-urls)";
const LIMIT: &str = "its rate limit is used up for now; try again later";
const HOST: &str = "the host failed; check its log or try again later";
const REQUEST: &str = "check the log of its host, or choose a model that can call tools";
const TIME: &str = "check its host; if it needs more time, raise --agent-answer-seconds";
const PAY: &str = "its provider wants payment; check the account";
const SHORTER: &str = "request less in one prompt, or choose a model with a larger limit";

impl ModelHost<'_> {
    /// The host was silent for too long.
    fn silent(&self, silence: Duration, reply: &Reply) -> ModelError {
        let seconds = silence.as_secs_f64();
        let what = if reply.answered {
            format!("it began to answer and then sent nothing of it for {seconds} seconds")
        } else {
            format!("it did not answer within {seconds} seconds")
        };
        self.error(&Reason { what, advice: TIME, attempts: TWICE }, None)
    }

    /// The response ends before the model was done.
    pub(super) fn cut_off(&self) -> ModelError {
        let what = "its answer was cut off at its limit of tokens".to_owned();
        self.error(&Reason { what, advice: SHORTER, attempts: ONCE }, None)
    }

    /// The provider refuses.
    pub(super) fn refused(&self) -> ModelError {
        let what = "its provider ended the answer".to_owned();
        let advice = "rephrase the prompt, or choose another model";
        self.error(&Reason { what, advice, attempts: ONCE }, None)
    }

    /// The response is missing or incomplete.
    pub(super) fn failed(&self, failure: &Failure, silence: Duration, reply: &Reply) -> ModelError {
        let reason = match failure {
            Failure::Silent => return self.silent(silence, reply),
            Failure::Transport(error) => transport(error),
            Failure::TooLong => {
                let what =
                    "its answer does not end: it is longer than 64 MiB, the limit".to_owned();
                Reason { what, advice: HOST, attempts: ONCE }
            }
            Failure::Truncated => self.truncated(reply),
            Failure::NotJson => {
                let what = format!("its answer is not valid JSON: {}", self.quote(&text(reply)));
                Reason { what, advice: ADDRESS, attempts: OFTEN }
            }
            Failure::Reported(event) => {
                let body = event.to_string();
                let what = format!("it answered with an error: {}", self.said(&body));
                let codes = ["/error/type", "/error/code", "/code"];
                let passes = codes.iter().filter_map(|code| event.pointer(code)?.as_str());
                let passes = passes.into_iter().any(|code| PASSING.contains(&code));
                Reason { what, advice: HOST, attempts: if passes { OFTEN } else { ONCE } }
            }
            Failure::Status(unexpected) => {
                let reason = self.unexpected(unexpected, reply);
                return self.error(&reason, unexpected.retry_after);
            }
        };
        self.error(&reason, None)
    }

    /// Another body than a response.
    fn unexpected(&self, unexpected: &Unexpected, reply: &Reply) -> Reason {
        match unexpected.status {
            200..=299 => self.no_answer(&unexpected.body, reply),
            status @ 300..=399 => {
                let to = unexpected.location.as_deref().map(without_secrets);
                let to = to.map(|to| format!(" to {to}")).unwrap_or_default();
                let what = format!("it answered {status}, a redirect{to}");
                let advice = "set --agent-urls to its target";
                Reason { what, advice, attempts: ONCE }
            }
            status => {
                let is_transient = matches!(status, 408 | 409 | 425 | 429 | 500..);
                self.status(status, &unexpected.body, is_transient)
            }
        }
    }

    fn error(&self, reason: &Reason, retry_after: Option<u64>) -> ModelError {
        let Self { model, address, .. } = self;
        let Reason { what, advice, attempts } = reason;
        let message = format!("the model `{model}` at {address} gave no answer: {what}; {advice}");
        ModelError { message, attempts: *attempts, retry_after, outage: outage(advice) }
    }

    /// An error status.
    fn status(&self, status: u16, body: &str, is_transient: bool) -> Reason {
        let advice = match status {
            401 | 403 => KEY,
            404 | 405 => NAME,
            413 => SHORTER,
            402 => PAY,
            429 => LIMIT,
            400 | 422 => REQUEST,
            _ => HOST,
        };
        let said =
            if body.trim().is_empty() { String::new() } else { format!(": {}", self.said(body)) };
        let attempts = if is_transient { OFTEN } else { ONCE };
        Reason { what: format!("it answered {status}{said}"), advice, attempts }
    }

    /// A success status with another body than a response.
    fn no_answer(&self, body: &str, reply: &Reply) -> Reason {
        if body.trim().is_empty() {
            let what = "it answered with nothing at all".to_owned();
            return Reason { what, advice: ADDRESS, attempts: OFTEN };
        }
        if let Some(page) = html(body) {
            let what = format!("it answered with a web page{}", self.titled(page));
            return Reason { what, advice: ADDRESS, attempts: ONCE };
        }
        if let Ok(value) = serde_json::from_str::<Value>(body) {
            let what = match (message(&value), value["choices"].is_array()) {
                (Some(message), _) => format!("it answered with an error: {}", self.quote(message)),
                (None, true) => format!("its answer holds no choices: {}", self.quote(body)),
                (None, false) => format!("it answered with something else: {}", self.quote(body)),
            };
            return Reason { what, advice: NAME, attempts: ONCE };
        }
        let kind = reply.content_type.split(';').next().unwrap_or_default();
        let kind = self.quote(kind);
        let what =
            format!("it answered with {kind} where an event stream belongs: {}", self.quote(body));
        Reason { what, advice: ADDRESS, attempts: ONCE }
    }

    /// An event stream that ends before the response does.
    fn truncated(&self, reply: &Reply) -> Reason {
        let start = text(reply);
        if start.trim().is_empty() {
            return self.no_answer("", reply);
        }
        if let Some(page) = html(&start) {
            let what = format!("it answered with a web page{}", self.titled(page));
            return Reason { what, advice: ADDRESS, attempts: ONCE };
        }
        // Events outside the protocol were ignored.
        let events = start.lines().filter_map(|line| line.strip_prefix("data:"));
        let holds = |event: Value| {
            event["choices"].as_array().is_some_and(|choices| !choices.is_empty())
                || event.get("type").is_some()
        };
        let any = events.clone().filter_map(|event| serde_json::from_str(event).ok()).any(holds);
        if any || start.len() >= 2_000 {
            let what = "its answer broke off before its end".to_owned();
            return Reason { what, advice: HOST, attempts: OFTEN };
        }
        let what = format!("its answer holds no choices: {}", self.quote(&start));
        Reason { what, advice: NAME, attempts: ONCE }
    }

    /// The title of a web page, if it has one.
    fn titled(&self, page: &str) -> String {
        let lower = page.to_ascii_lowercase();
        let title = lower.find("<title>").and_then(|start| {
            let start = start + "<title>".len();
            Some(&page[start..start + lower[start..].find("</title>")?])
        });
        title.map(|title| format!(" titled {}", self.quote(title))).unwrap_or_default()
    }

    /// A host's error message.
    fn said(&self, body: &str) -> String {
        if let Some(page) = html(body) {
            return format!("a web page{}", self.titled(page));
        }
        let value = serde_json::from_str::<Value>(body).ok();
        self.quote(value.as_ref().and_then(message).unwrap_or(body))
    }

    /// Quoted text in one line, without the key.
    fn quote(&self, text: &str) -> String {
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !self.key.is_empty() {
            text = text.replace(self.key, "[key]");
        }
        text.retain(|character| !character.is_control());
        if text.chars().count() > QUOTED {
            text = format!("{}…", text.chars().take(QUOTED).collect::<String>());
        }
        format!("“{text}”")
    }
}

/// What is wrong with the model itself, if the advice is for its operator.
fn outage(advice: &str) -> Option<Outage> {
    match advice {
        KEY => Some(Outage::Key),
        LIMIT | PAY => Some(Outage::Quota),
        NAME | ADDRESS => Some(Outage::Unknown),
        REACH | TIME => Some(Outage::Unreachable),
        HOST => Some(Outage::Failing),
        _ => None,
    }
}

/// A connection error.
fn transport(error: &reqwest::Error) -> Reason {
    // The innermost cause is the clearest; outer ones repeat the URL, which can contain a password.
    let mut inner = error.source();
    while let Some(next) = inner.and_then(std::error::Error::source) {
        inner = Some(next);
    }
    let why = inner.map_or_else(|| "for no reason that is known".to_owned(), ToString::to_string);
    if error.is_builder() {
        let what = format!("it could not be asked ({why})");
        return Reason { what, advice: ADDRESS, attempts: ONCE };
    }
    if error.is_connect() {
        let what = format!("it can't be reached ({why})");
        return Reason { what, advice: REACH, attempts: OFTEN };
    }
    Reason { what: format!("the connection broke off ({why})"), advice: HOST, attempts: OFTEN }
}

/// A host's error message. Each host has its own format.
fn message(value: &Value) -> Option<&str> {
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let places =
        ["/error/message", "/error", "/message", "/detail/0/msg", "/detail", "/errors/0/message"];
    let found = places.iter().find_map(|place| value.pointer(place)?.as_str());
    found.filter(|text| !text.trim().is_empty())
}

fn html(text: &str) -> Option<&str> {
    let start = text.trim_start().get(..9)?.to_ascii_lowercase();
    (start.starts_with("<!doctype") || start.starts_with("<html")).then_some(text)
}

fn text(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.start).into_owned()
}

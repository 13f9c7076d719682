//! Why a request isn't sent, or has no response, in words for readers.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_http::metrics::PlaygroundOutcome;
use docwright_repository::network::NetworkError;
use serde_json::json;

/// Seconds until another attempt if too many requests run.
const SOON: u64 = 5;

/// Why there is no response to pass on.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Another method than POST.
    Method,
    /// A page of another site sent it.
    ForeignPage,
    /// A header of the contract is missing, or there twice.
    NoHeader(&'static str),
    /// The method can't be sent.
    WrongMethod,
    /// The URL can't be contacted.
    WrongAddress,
    /// The list of headers is malformed.
    WrongHeaders,
    /// A header in the list is malformed.
    WrongHeader(String),
    /// The origin isn't one of the site's.
    OtherHost(String),
    /// The host has a private address.
    PrivateHost(String),
    /// The length of the body is unknown.
    NoLength,
    /// The body is too long.
    LongRequest,
    /// The reader or the site reached a limit, for a number of seconds.
    TooMany(u64),
    /// Too many requests of the site run.
    Busy,
    /// The host can't be contacted.
    Unreachable(String),
    /// The host did not respond in time.
    Slow(String),
    /// The response is too long.
    LongResponse,
}

impl Refusal {
    /// The refusal for an error of the network. It names no setting of the server.
    pub(super) fn of_network(error: NetworkError) -> Self {
        match error {
            NetworkError::Private { host } => Self::PrivateHost(host),
            other => Self::Unreachable(other.to_string()),
        }
    }

    const fn status(&self) -> StatusCode {
        match self {
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::ForeignPage | Self::OtherHost(_) | Self::PrivateHost(_) => StatusCode::FORBIDDEN,
            Self::NoHeader(_)
            | Self::WrongMethod
            | Self::WrongAddress
            | Self::WrongHeaders
            | Self::WrongHeader(_) => StatusCode::BAD_REQUEST,
            Self::NoLength => StatusCode::LENGTH_REQUIRED,
            Self::LongRequest => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany(_) | Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Unreachable(_) | Self::LongResponse => StatusCode::BAD_GATEWAY,
            Self::Slow(_) => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// The outcome for metrics.
    pub(super) const fn outcome(&self) -> PlaygroundOutcome {
        match self.status() {
            StatusCode::TOO_MANY_REQUESTS => PlaygroundOutcome::Limited,
            StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => PlaygroundOutcome::Failed,
            _ => PlaygroundOutcome::Refused,
        }
    }

    fn sentence(&self) -> String {
        match self {
            Self::Method => "Send the request with POST.".to_owned(),
            Self::ForeignPage => {
                "This request was sent from another site. Send it from a page of this site."
                    .to_owned()
            }
            Self::NoHeader(name) => format!("The header {name} must be there once."),
            Self::WrongMethod => "This method can't be sent. Use another one.".to_owned(),
            Self::WrongAddress => {
                "The URL must start with https:// or http://, and have no name or password."
                    .to_owned()
            }
            Self::WrongHeaders => {
                "The list of headers must be up to 100 pairs of name and value in JSON.".to_owned()
            }
            Self::WrongHeader(name) => {
                let name = name.escape_debug();
                format!("The header `{name}` has a name or a value that can't be sent.")
            }
            Self::OtherHost(origin) => format!(
                "This site doesn't send requests to {origin}, because its API spec doesn't name that server. Copy the request to send it from a terminal."
            ),
            Self::PrivateHost(host) => format!(
                "{host} has a private address, so this site sends no requests to it. Ask the operator of this site to allow the host."
            ),
            Self::NoLength => {
                "The length of the body must be known. Send Content-Length.".to_owned()
            }
            Self::LongRequest => "The body of the request exceeds 10 MiB.".to_owned(),
            Self::TooMany(seconds) => {
                format!("Too many requests from this site. Try again in {seconds} seconds.")
            }
            Self::Busy => "Too many requests of this site run at once. Try again soon.".to_owned(),
            Self::Unreachable(reason) => format!("{reason}."),
            Self::Slow(host) => format!("{host} did not respond within 30 seconds."),
            Self::LongResponse => "The body of the response exceeds 10 MiB.".to_owned(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.sentence() }));
        let mut response = (self.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        match self {
            Self::Method => {
                headers.insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            Self::TooMany(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            Self::Busy => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(SOON));
            }
            _ => {}
        }
        response
    }
}

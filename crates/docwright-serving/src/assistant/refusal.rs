//! Why a question isn't answered, in words for readers.

use axum::{
    Json,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_operations::OperationError;
use serde_json::json;

/// Seconds until another attempt if too many answers are under way.
const SOON: u64 = 5;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Another method than POST.
    Method,
    /// A page of another site sent it.
    ForeignPage,
    /// The key isn't one of the assistant of this domain that lists the origin of the page.
    Key,
    /// The body isn't JSON.
    MediaType,
    /// The body is too long: a sentence.
    TooLong(&'static str),
    /// The question or rating is malformed: a sentence.
    Invalid(String),
    /// The reader or the site reached a limit, for a number of seconds.
    TooMany(u64),
    /// Too many answers are under way.
    Busy,
    /// The rated answer isn't kept here.
    UnknownAnswer,
    /// A rating can't be stored now.
    NotStored,
}

impl Refusal {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::ForeignPage => StatusCode::FORBIDDEN,
            Self::Key => StatusCode::UNAUTHORIZED,
            Self::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLong(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy | Self::NotStored => StatusCode::SERVICE_UNAVAILABLE,
            Self::UnknownAnswer => StatusCode::NOT_FOUND,
        }
    }

    /// What happened and what to do.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Method => "Send the request with POST.".to_owned(),
            Self::ForeignPage => {
                "This request was sent from another site. Send it from a page of this site."
                    .to_owned()
            }
            Self::Key => {
                "The assistant key is invalid, or it doesn't list the origin of this page."
                    .to_owned()
            }
            Self::MediaType => {
                "The request must be JSON. Send Content-Type: application/json.".to_owned()
            }
            Self::TooLong(sentence) => (*sentence).to_owned(),
            Self::Invalid(sentence) => sentence.clone(),
            Self::TooMany(seconds) => {
                format!("Too many requests. Try again in {seconds} seconds.")
            }
            Self::Busy => "Too many questions are being answered. Try again soon.".to_owned(),
            Self::UnknownAnswer => "This answer isn't kept here, so it can't be rated.".to_owned(),
            Self::NotStored => "The rating can't be stored now. Try again soon.".to_owned(),
        }
    }
}

impl From<Refusal> for OperationError {
    /// For the API, whose requests are checked before.
    fn from(refusal: Refusal) -> Self {
        let sentence = refusal.sentence();
        match refusal {
            Refusal::TooMany(seconds) => {
                Self::Limited(sentence, i64::try_from(seconds).unwrap_or(i64::MAX))
            }
            Refusal::Busy | Refusal::NotStored => Self::Busy(sentence),
            Refusal::Key | Refusal::ForeignPage => Self::Forbidden(sentence),
            Refusal::UnknownAnswer => Self::NotFound(sentence),
            Refusal::Method | Refusal::MediaType | Refusal::TooLong(_) | Refusal::Invalid(_) => {
                Self::Invalid(sentence)
            }
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = Json(json!({ "error": self.sentence() }));
        let mut response = (self.status(), body).into_response();
        let retry = match self {
            Self::TooMany(seconds) => Some(seconds),
            Self::Busy | Self::NotStored => Some(SOON),
            _ => None,
        };
        let headers = response.headers_mut();
        if let Some(seconds) = retry {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if matches!(self, Self::Key) {
            let scheme = header::HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if matches!(self, Self::Method) {
            headers.insert(header::ALLOW, header::HeaderValue::from_static("POST"));
        }
        response
    }
}

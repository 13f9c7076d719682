//! Error pages: what is wrong, and what to do.

use axum::{
    Extension,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_http::error::Cause;
use docwright_operations::{OperationError, error::taken};
use docwright_storage::StorageError;
use maud::html;

use super::{frame, words};

/// Marks the redirect of someone who isn't signed in.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignedOut;

/// The reason for an error page.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nobody is signed in. After the sign-in, the page at this path is shown.
    SignedOut(String),
    /// It doesn't exist, or the user can't access it.
    Missing,
    /// The role isn't sufficient, or something else forbids it; the sentence explains it.
    Forbidden(String),
    /// The input is invalid; the sentence explains it.
    Invalid(String),
    /// It isn't possible now: the name is taken, or the state is wrong.
    Conflict(String),
    /// Too many requests.
    Limited(String),
    /// A dependency doesn't respond; the cause is logged.
    Unavailable(String),
    /// An internal error; the cause is logged.
    Failed(String),
}

impl Refusal {
    /// The sentence for a form that is shown again, if the error is in the input.
    pub(super) fn into_problem(self) -> Result<String, Self> {
        match self {
            Self::Invalid(sentence) | Self::Conflict(sentence) | Self::Limited(sentence) => {
                Ok(sentence)
            }
            other => Err(other),
        }
    }
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        taken(error).into()
    }
}

impl From<OperationError> for Refusal {
    fn from(error: OperationError) -> Self {
        match error {
            OperationError::NotFound(_) => Self::Missing,
            OperationError::Forbidden(sentence) => Self::Forbidden(sentence),
            OperationError::Unauthorized(sentence) => Self::Forbidden(sentence.to_owned()),
            OperationError::Invalid(sentence) => Self::Invalid(sentence),
            OperationError::Conflict(sentence) => Self::Conflict(sentence),
            OperationError::TooManyRequests(..)
            | OperationError::Limited(..)
            | OperationError::Busy(_) => Self::Limited(error.to_string()),
            OperationError::Unavailable(_) | OperationError::NoRoom => {
                Self::Unavailable(error.to_string())
            }
            OperationError::Internal(cause) => Self::Failed(cause),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, title, sentence, cause) = match self {
            Self::SignedOut(path) => {
                let address = super::paths::with_query("/sign-in", &[("next", Some(&path))]);
                let location = [(header::LOCATION, address)];
                return (StatusCode::SEE_OTHER, Extension(SignedOut), location).into_response();
            }
            Self::Missing => {
                (StatusCode::NOT_FOUND, words::MISSING, words::MISSING_WHY.to_owned(), None)
            }
            Self::Forbidden(why) => (StatusCode::FORBIDDEN, words::FORBIDDEN, why, None),
            Self::Invalid(why) => (StatusCode::BAD_REQUEST, words::INVALID, why, None),
            Self::Conflict(why) => (StatusCode::CONFLICT, words::CONFLICT, why, None),
            Self::Limited(why) => (StatusCode::TOO_MANY_REQUESTS, words::LIMITED, why, None),
            Self::Unavailable(cause) => (
                StatusCode::SERVICE_UNAVAILABLE,
                words::UNAVAILABLE,
                words::UNAVAILABLE_WHY.to_owned(),
                Some(cause),
            ),
            Self::Failed(cause) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                words::FAILED,
                words::FAILED_WHY.to_owned(),
                Some(cause),
            ),
        };
        let body = html! {
            h1 { (title) }
            p { (sentence) }
            p { a href="/" { (words::BACK_HOME) } }
        };
        let mut response = frame::alone(status, title, &body);
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

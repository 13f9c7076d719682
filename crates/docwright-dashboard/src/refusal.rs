//! What is answered in place of a page: it says what is wrong, and what to do.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_http::error::{ApiError, Cause};
use docwright_operations::OperationError;
use docwright_storage::StorageError;
use maud::html;

use super::{frame, words};

/// Why there is no page.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Nobody is signed in; after that the page of this path is wanted.
    SignedOut(String),
    /// There is no such thing, or it is none of theirs.
    Missing,
    /// Their role is too small, or something else forbids it; the sentence says what.
    Forbidden(String),
    /// What was sent can't be; the sentence says what.
    Invalid(String),
    /// It can't be at this time: something else has it, or it is in another state.
    Conflict(String),
    /// Too often.
    Limited(String),
    /// Something that this depends on does not answer; the cause is for the log.
    Unavailable(String),
    /// An error of ours; the cause is for the log.
    Failed(String),
}

impl Refusal {
    /// The sentence for a form that can be sent again, where the error is in what was sent.
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
        match error {
            StorageError::Exists(what) => Self::Conflict(docwright_http::error::sentence(&what)),
            other => ApiError::from(other).into(),
        }
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

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Busy(sentence) => Self::Limited(sentence),
            ApiError::Forbidden(sentence) => Self::Forbidden(sentence),
            ApiError::Unavailable(cause) => Self::Unavailable(cause),
            other => Self::Failed(format!("{other:?}")),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, title, sentence, cause) = match self {
            Self::SignedOut(path) => {
                let address = super::paths::with_query("/sign-in", &[("next", Some(&path))]);
                return (StatusCode::SEE_OTHER, [(header::LOCATION, address)]).into_response();
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

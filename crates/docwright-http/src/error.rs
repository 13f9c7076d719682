//! Errors of the API.

use std::any::Any;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
pub use docwright_operations::error::sentence;
use docwright_operations::{
    OperationError,
    rate_limit::{RateLimit, seconds},
};
use docwright_storage::{ObjectError, StorageError, database::Allowance};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::rate_limit;

/// Why a request failed. It travels with the response to the log, and never to the client.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

/// An error response.
#[derive(Debug, Serialize, ToSchema)]
pub struct Error {
    /// Description of the error and how to fix it, in one or two sentences.
    pub error: String,
    /// Stable name of the error, for programs.
    pub code: ErrorCode,
}

/// Type of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = "not_found")]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request doesn't fit the description.
    InvalidRequest,
    /// No valid key.
    Unauthorized,
    /// The key, the role, or the plan doesn't allow it.
    Forbidden,
    /// No such thing, or it is of another organization.
    NotFound,
    /// It existed, and no longer does.
    Gone,
    /// The path has no such method.
    MethodNotAllowed,
    /// The present state doesn't allow it.
    Conflict,
    /// The body is too large.
    TooLarge,
    /// The headers are too large.
    HeadTooLarge,
    /// The body isn't JSON.
    UnsupportedMediaType,
    /// The server serves no such host.
    Misdirected,
    /// A limit is used up.
    TooManyRequests,
    /// A failure of the server.
    Internal,
    /// Something that this depends on doesn't respond.
    Unavailable,
    /// The disk is nearly full.
    NoRoom,
}

impl ErrorCode {
    /// The status of the error.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Gone => StatusCode::GONE,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
            Self::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable | Self::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// An error before it is written as a response.
#[derive(Debug)]
pub enum ApiError {
    /// The request does not fit the description.
    Invalid(String),
    /// There is no valid key.
    Unauthorized(&'static str),
    /// The key, or the plan, does not allow it.
    Forbidden(String),
    /// There is no such object, or it belongs to another organization.
    NotFound(String),
    /// It existed, and no longer does.
    Gone(String),
    /// The server does not serve this host.
    Misdirected(String),
    /// The path has no such method.
    MethodNotAllowed,
    /// The present state does not allow it.
    Conflict(String),
    /// The body is too large.
    TooLarge,
    /// The head of the request is too large.
    HeadTooLarge,
    /// The body is not JSON.
    MediaType,
    /// The limit of a kind of request is used up.
    TooManyRequests(RateLimit, Allowance),
    /// A limit for a period is used up; the sentence names it, with the seconds until the next request.
    Limited(String, i64),
    /// A share of a resource is used up for now; the sentence names it.
    Busy(String),
    /// A dependency does not respond.
    Unavailable(String),
    /// The disk is too full to start new work.
    NoRoom,
    /// An internal error.
    Internal(String),
}

impl ApiError {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid(_) => ErrorCode::InvalidRequest,
            Self::Unauthorized(_) => ErrorCode::Unauthorized,
            Self::Forbidden(_) => ErrorCode::Forbidden,
            Self::NotFound(_) => ErrorCode::NotFound,
            Self::Gone(_) => ErrorCode::Gone,
            Self::Misdirected(_) => ErrorCode::Misdirected,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::Conflict(_) => ErrorCode::Conflict,
            Self::TooLarge => ErrorCode::TooLarge,
            Self::HeadTooLarge => ErrorCode::HeadTooLarge,
            Self::MediaType => ErrorCode::UnsupportedMediaType,
            Self::TooManyRequests(..) | Self::Limited(..) | Self::Busy(_) => {
                ErrorCode::TooManyRequests
            }
            Self::Unavailable(_) => ErrorCode::Unavailable,
            Self::NoRoom => ErrorCode::NoRoom,
            Self::Internal(_) => ErrorCode::Internal,
        }
    }

    /// Its status.
    pub const fn status(&self) -> StatusCode {
        self.code().status()
    }

    fn sentence(&self) -> String {
        match self {
            Self::Invalid(sentence)
            | Self::Forbidden(sentence)
            | Self::NotFound(sentence)
            | Self::Gone(sentence)
            | Self::Misdirected(sentence)
            | Self::Conflict(sentence)
            | Self::Limited(sentence, _)
            | Self::Busy(sentence) => sentence.clone(),
            Self::Unauthorized(sentence) => (*sentence).to_owned(),
            Self::MethodNotAllowed => {
                "This path doesn't support the method. Use one from the Allow header.".to_owned()
            }
            Self::TooLarge => "The request body exceeds 1 MiB.".to_owned(),
            Self::HeadTooLarge => {
                "The request headers exceed 64 KiB. Send fewer or shorter headers."
                    .to_owned()
            }
            Self::MediaType => {
                "The body must be JSON. Send `Content-Type: application/json`.".to_owned()
            }
            Self::TooManyRequests(limit, allowance) => limit.exceeded(allowance),
            // Causes go to the log, never to the client.
            Self::Unavailable(_) => {
                "A dependency isn't responding. Try again soon.".to_owned()
            }
            Self::NoRoom => {
                "The server's disk is nearly full, so no new jobs start. Try again later, or ask the operator to free disk space."
                    .to_owned()
            }
            Self::Internal(_) => {
                "Internal error. Send this response's X-Request-Id to the operator."
                    .to_owned()
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.code();
        let body = Json(Error { error: self.sentence(), code });
        let mut response = (code.status(), body).into_response();
        let headers = response.headers_mut();
        match self {
            Self::Unauthorized(_) => {
                drop(headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
            }
            Self::Unavailable(_) | Self::Busy(_) => {
                drop(headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5")));
            }
            Self::NoRoom => {
                drop(headers.insert(header::RETRY_AFTER, HeaderValue::from_static("60")));
            }
            Self::Limited(_, seconds) => {
                drop(headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds)));
            }
            Self::TooManyRequests(policy, allowance) => {
                let seconds = HeaderValue::from(seconds(allowance.reset));
                headers.insert(header::RETRY_AFTER, seconds);
                headers.extend(rate_limit::headers(policy, allowance));
            }
            _ => {}
        }
        if let Self::Unavailable(cause) | Self::Internal(cause) = self {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}

impl From<OperationError> for ApiError {
    fn from(error: OperationError) -> Self {
        match error {
            OperationError::Invalid(sentence) => Self::Invalid(sentence),
            OperationError::Unauthorized(sentence) => Self::Unauthorized(sentence),
            OperationError::Forbidden(sentence) => Self::Forbidden(sentence),
            OperationError::NotFound(sentence) => Self::NotFound(sentence),
            OperationError::Conflict(sentence) => Self::Conflict(sentence),
            OperationError::TooManyRequests(limit, allowance) => {
                Self::TooManyRequests(limit, allowance)
            }
            OperationError::Limited(sentence, seconds) => Self::Limited(sentence, seconds),
            OperationError::Busy(sentence) => Self::Busy(sentence),
            OperationError::Unavailable(cause) => Self::Unavailable(cause),
            OperationError::NoRoom => Self::NoRoom,
            OperationError::Internal(cause) => Self::Internal(cause),
        }
    }
}

impl From<StorageError> for ApiError {
    fn from(error: StorageError) -> Self {
        OperationError::from(error).into()
    }
}

impl From<ObjectError> for ApiError {
    fn from(error: ObjectError) -> Self {
        OperationError::from(error).into()
    }
}

/// The response to a panic in a handler.
pub fn from_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let cause = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    ApiError::Internal(cause.unwrap_or("panic").to_owned()).into_response()
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, extract::Request, routing::get};
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    #[tokio::test]
    async fn panic_returns_500_without_secrets() {
        let router = Router::new()
            .route("/", get(|| async { panic!("the secret is 42") as &'static str }))
            .layer(CatchPanicLayer::custom(super::from_panic));
        let request = Request::builder().uri("/").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        let bytes = axum::body::to_bytes(response.into_body(), 1000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(body["code"], "internal");
        assert!(!body["error"].as_str().unwrap().contains("42"));
    }
}

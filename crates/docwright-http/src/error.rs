//! Errors of the API.

use std::any::Any;

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_operations::{OperationError, rate_limit::seconds};
use docwright_storage::{ObjectError, StorageError};
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

/// An error before it is written as a response: an operation's, or one that only HTTP has.
#[derive(Debug)]
pub enum ApiError {
    /// An operation failed, or a request is refused for the reason of one.
    Operation(OperationError),
    /// It existed, and no longer does.
    Gone(String),
    /// The server does not serve this host.
    Misdirected(String),
    /// The path has no such method.
    MethodNotAllowed,
    /// The body is too large.
    TooLarge,
    /// The head of the request is too large.
    HeadTooLarge,
    /// The body is not JSON.
    MediaType,
}

impl ApiError {
    const fn code(&self) -> ErrorCode {
        match self {
            Self::Operation(error) => match error {
                OperationError::Invalid(_) => ErrorCode::InvalidRequest,
                OperationError::Unauthorized(_) => ErrorCode::Unauthorized,
                OperationError::Forbidden(_) => ErrorCode::Forbidden,
                OperationError::NotFound(_) => ErrorCode::NotFound,
                OperationError::Conflict(_) => ErrorCode::Conflict,
                OperationError::TooManyRequests(..)
                | OperationError::Limited(..)
                | OperationError::Busy(_) => ErrorCode::TooManyRequests,
                OperationError::Unavailable(_) => ErrorCode::Unavailable,
                OperationError::NoRoom => ErrorCode::NoRoom,
                OperationError::Internal(_) => ErrorCode::Internal,
            },
            Self::Gone(_) => ErrorCode::Gone,
            Self::Misdirected(_) => ErrorCode::Misdirected,
            Self::MethodNotAllowed => ErrorCode::MethodNotAllowed,
            Self::TooLarge => ErrorCode::TooLarge,
            Self::HeadTooLarge => ErrorCode::HeadTooLarge,
            Self::MediaType => ErrorCode::UnsupportedMediaType,
        }
    }

    /// Its status.
    pub const fn status(&self) -> StatusCode {
        self.code().status()
    }

    /// What is wrong, for the client. It contains no causes.
    pub fn sentence(&self) -> String {
        match self {
            Self::Operation(error) => client_sentence(error),
            Self::Gone(sentence) | Self::Misdirected(sentence) => sentence.clone(),
            Self::MethodNotAllowed => {
                "This path doesn't support the method. Use one from the Allow header.".to_owned()
            }
            Self::TooLarge => "The request body exceeds 1 MiB.".to_owned(),
            Self::HeadTooLarge => {
                "The request headers exceed 64 KiB. Send fewer or shorter headers.".to_owned()
            }
            Self::MediaType => {
                "The body must be JSON. Send `Content-Type: application/json`.".to_owned()
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let code = self.code();
        let body = Json(Error { error: self.sentence(), code });
        let mut response = (code.status(), body).into_response();
        if let Self::Operation(error) = self {
            add_headers(response.headers_mut(), &error);
            if let OperationError::Unavailable(cause) | OperationError::Internal(cause) = error {
                response.extensions_mut().insert(Cause(cause));
            }
        }
        response
    }
}

/// The sentence for the client. Causes go to the log, never to the client.
pub fn client_sentence(error: &OperationError) -> String {
    match error {
        OperationError::Invalid(_)
        | OperationError::Unauthorized(_)
        | OperationError::Forbidden(_)
        | OperationError::NotFound(_)
        | OperationError::Conflict(_)
        | OperationError::TooManyRequests(..)
        | OperationError::Limited(..)
        | OperationError::Busy(_) => error.to_string(),
        OperationError::Unavailable(_) => {
            "A dependency isn't responding. Try again soon.".to_owned()
        }
        OperationError::NoRoom => {
            "The server's disk is nearly full, so no new jobs start. Try again later, or ask the operator to free disk space."
                .to_owned()
        }
        OperationError::Internal(_) => {
            "Internal error. Send this response's X-Request-Id to the operator.".to_owned()
        }
    }
}

/// Tells the client how to authenticate, or when to try again.
fn add_headers(headers: &mut HeaderMap, error: &OperationError) {
    let retry = match error {
        OperationError::Unauthorized(_) => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return;
        }
        OperationError::Unavailable(_) | OperationError::Busy(_) => 5,
        OperationError::NoRoom => 60,
        OperationError::Limited(_, seconds) => *seconds,
        OperationError::TooManyRequests(_, allowance) => seconds(allowance.reset),
        _ => return,
    };
    headers.insert(header::RETRY_AFTER, HeaderValue::from(retry));
    if let OperationError::TooManyRequests(policy, allowance) = error {
        headers.extend(rate_limit::headers(*policy, *allowance));
    }
}

impl From<OperationError> for ApiError {
    fn from(error: OperationError) -> Self {
        Self::Operation(error)
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
    let cause = cause.unwrap_or("panic").to_owned();
    ApiError::from(OperationError::Internal(cause)).into_response()
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

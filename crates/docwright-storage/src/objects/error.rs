//! Errors of object storage, and whether they are transient.

use std::{error::Error, io};

/// Transient errors of a store by name, for any status.
const PASSING: [&str; 7] = [
    "ExpiredToken",
    "InternalError",
    "NoSuchUpload",
    "OperationAborted",
    "RequestTimeout",
    "ServiceUnavailable",
    "SlowDown",
];

/// Why an object could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// Keys have only letters, digits, `-`, `_`, `.` and `/`.
    #[error("`{0}` isn't a valid object key")]
    Key(String),
    /// There is no such object.
    #[error("there is no object `{0}`")]
    Missing(String),
    /// The settings of the store don't work. The sentence says what to do.
    #[error("{0}")]
    Settings(String),
    /// The store refused the request.
    #[error("the object store refused the request: {message}")]
    Refused {
        /// The store's name for the reason, such as `AccessDenied`; empty if it gave none.
        code: String,
        /// Its message.
        message: String,
    },
    /// The store can't be reached, or failed.
    #[error("the object store did not respond: {0}")]
    Unavailable(String),
    /// A file can't be read or written.
    #[error("the disk of the object store failed: {0}")]
    Disk(#[from] io::Error),
}

impl ObjectError {
    /// Whether trying again later can help.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Disk(_))
    }

    /// Why the file of a key could not be used.
    pub(super) fn of_file(error: io::Error, key: &str) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(key.to_owned()),
            _ => Self::Disk(error),
        }
    }

    /// An error that a store returned for a key. Only the code and message are kept: the rest repeats the request.
    pub(super) fn of_store(error: &object_store::Error, key: &str) -> Self {
        let answer = StoreResponse::of_text(&error.to_string());
        if matches!(error, object_store::Error::NotFound { .. })
            && matches!(answer.code.as_str(), "" | "NoSuchKey")
        {
            return Self::Missing(key.to_owned());
        }
        match answer.status {
            Some(_) => answer.into_error(),
            None if answer.message.contains("redirect without LOCATION") => Self::Refused {
                code: "PermanentRedirect".to_owned(),
                message: "the bucket is in another region".to_owned(),
            },
            None => Self::of_transport(error),
        }
    }

    /// What prevented a response.
    pub(super) fn of_transport(error: &dyn Error) -> Self {
        Self::Unavailable(root_cause(error))
    }

    /// The error in a store's response.
    pub(super) fn of_status(status: u16, body: &str) -> Self {
        StoreResponse::new(Some(status), body).into_error()
    }
}

/// A response of a store. `object_store` exposes it only in the text of its errors.
struct StoreResponse {
    status: Option<u16>,
    code: String,
    message: String,
}

impl StoreResponse {
    fn of_text(text: &str) -> Self {
        let status = text.split_once("status code: ");
        Self::new(status.and_then(|(_, rest)| rest.get(..3)?.parse().ok()), text)
    }

    fn new(status: Option<u16>, text: &str) -> Self {
        let element = |name: &str| {
            let (_, rest) = text.split_once(&format!("<{name}>"))?;
            rest.split_once('<').map(|(inside, _)| inside.to_owned())
        };
        let code = element("Code").unwrap_or_default();
        let said = element("Message").filter(|said| !said.is_empty());
        let message = match (status, said) {
            (Some(status), Some(said)) if code.is_empty() => format!("{said} (status {status})"),
            (Some(_), Some(said)) => format!("{said} ({code})"),
            (Some(status), None) => format!("it answered with status {status} {code}"),
            (None, _) => text.to_owned(),
        };
        Self { status, code, message: message.trim_end().to_owned() }
    }

    fn into_error(self) -> ObjectError {
        let passes = matches!(self.status, Some(408 | 429 | 500 | 502..));
        if passes || PASSING.contains(&self.code.as_str()) {
            return ObjectError::Unavailable(self.message);
        }
        ObjectError::Refused { code: self.code, message: self.message }
    }
}

/// The innermost error: outer ones repeat addresses.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &'static str) -> ObjectError {
        let error = object_store::Error::Generic { store: "S3", source: text.into() };
        ObjectError::of_store(&error, "a")
    }

    #[test]
    fn response_is_classified_by_status_and_code() {
        let error = generic(
            "Error performing PUT http://s/b/k in 2ms - Server returned non-2xx status code: 403 Forbidden: <Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message><StringToSign>AWS4</StringToSign></Error>",
        );
        assert_eq!(
            error.to_string(),
            "the object store refused the request: No. (SignatureDoesNotMatch)",
            "nothing of the request"
        );
        assert!(!error.is_transient());
        let status = "Server returned non-2xx status code: ";
        for (answer, passes) in [
            ("503 Service Unavailable: ", true),
            ("429 Too Many Requests: ", true),
            ("400 Bad Request: <Code>RequestTimeout</Code>", true),
            ("400 Bad Request: <Code>AuthorizationHeaderMalformed</Code>", false),
            ("301 Moved Permanently: ", false),
        ] {
            let text: &'static str = format!("{status}{answer}").leak();
            assert_eq!(generic(text).is_transient(), passes, "{answer}");
        }
        assert!(generic("connection refused").is_transient());
    }

    #[test]
    fn missing_object_differs_from_missing_bucket() {
        let not_found = |text: &'static str| {
            let error =
                object_store::Error::NotFound { path: "p/a".to_owned(), source: text.into() };
            ObjectError::of_store(&error, "a")
        };
        let status = "status code: 404 Not Found: ";
        let text = |code: &str| -> &'static str { format!("{status}<Code>{code}</Code>").leak() };
        assert!(matches!(not_found(text("NoSuchKey")), ObjectError::Missing(key) if key == "a"));
        assert!(matches!(not_found(status), ObjectError::Missing(_)), "HEAD has no body");
        assert!(matches!(not_found(text("NoSuchBucket")), ObjectError::Refused { .. }));
        assert!(not_found(text("NoSuchUpload")).is_transient());
    }
}

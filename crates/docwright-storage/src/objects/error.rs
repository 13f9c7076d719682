//! Errors of object storage, and whether they are transient.

use std::{error::Error, io};

use docwright_types::problem::ProblemKind;

use crate::dependency_watch::DependencyWatch;

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

    /// What is wrong with the store, without names of servers, buckets, or files; `None` if the error says nothing
    /// about it.
    pub fn failure_of_store(&self) -> Option<String> {
        match self {
            Self::Key(_) | Self::Missing(_) => None,
            Self::Refused { code, .. } if is_full(code) => Some(FULL.to_owned()),
            Self::Refused { code, .. } => {
                let is_name = code.chars().all(|letter| letter.is_ascii_alphanumeric());
                let code = Some(code).filter(|code| is_name && (1..=60).contains(&code.len()));
                let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
                Some(format!("it refuses access{code}"))
            }
            Self::Settings(_) => Some("its settings don't work".to_owned()),
            Self::Unavailable(message) if is_full(message) => Some(FULL.to_owned()),
            Self::Unavailable(_) => Some("it doesn't respond".to_owned()),
            Self::Disk(error) => Some(match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FULL.to_owned(),
                kind => format!("its disk fails: {kind}"),
            }),
        }
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

const FULL: &str = "it is full";

/// Whether a store's reason is that it has no room.
fn is_full(reason: &str) -> bool {
    ["StorageFull", "QuotaExceeded", "InsufficientStorage", "InsufficientCapacity"]
        .iter()
        .any(|each| reason.contains(each))
}

/// How a store is used. A full one can still be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

impl Access {
    /// What doesn't work, as the watch names it.
    const fn subject(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Reports whether a use shows that a store works.
    pub(super) fn watch<T>(
        self,
        watch: &DependencyWatch,
        used: Result<T, ObjectError>,
    ) -> Result<T, ObjectError> {
        match &used {
            Ok(_) | Err(ObjectError::Missing(_)) => {
                watch.worked(ProblemKind::Storage, self.subject());
            }
            Err(error) => self.watch_failure(watch, error),
        }
        used
    }

    /// Reports an error that shows that a store doesn't work.
    pub(super) fn watch_failure(self, watch: &DependencyWatch, error: &ObjectError) {
        if let Some(failure) = error.failure_of_store() {
            let does = match self {
                Self::Read => "read from",
                Self::Write => "write to",
            };
            let failure = format!("docwright can't {does} the object storage: {failure}");
            watch.failed(ProblemKind::Storage, (self.subject(), ""), failure);
        }
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
    fn failure_of_store_names_no_server() {
        let refused = |code: &str| ObjectError::Refused {
            code: code.to_owned(),
            message: "arn:aws:s3:::secret".to_owned(),
        };
        let full = io::Error::new(io::ErrorKind::StorageFull, "/srv/objects");
        for (error, failure) in [
            (refused("AccessDenied"), Some("it refuses access (AccessDenied)")),
            (refused("<b>"), Some("it refuses access")),
            (refused("XMinioStorageFull"), Some("it is full")),
            (ObjectError::Unavailable("10.0.0.7 refused".to_owned()), Some("it doesn't respond")),
            (ObjectError::Unavailable("no room (QuotaExceeded)".to_owned()), Some("it is full")),
            (ObjectError::Disk(full), Some("it is full")),
            (ObjectError::Missing("a".to_owned()), None),
            (ObjectError::Key("a b".to_owned()), None),
        ] {
            assert_eq!(error.failure_of_store().as_deref(), failure, "{error}");
        }
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

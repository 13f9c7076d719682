//! Why an operation failed.

use docwright_jobs::built_in::BuiltInError;
use docwright_storage::{ObjectError, StorageError, database::Allowance};

use crate::rate_limit::RateLimit;

/// Why an operation failed. Sentences are for its caller; causes are only for the log.
#[derive(Debug, thiserror::Error)]
pub enum OperationError {
    /// An input is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The caller isn't authenticated.
    #[error("{0}")]
    Unauthorized(&'static str),
    /// The scope, the role, or the plan doesn't allow it.
    #[error("{0}")]
    Forbidden(String),
    /// It doesn't exist, or it belongs to another organization.
    #[error("{0}")]
    NotFound(String),
    /// The present state doesn't allow it.
    #[error("{0}")]
    Conflict(String),
    /// The limit of a kind of request is used up.
    #[error("{}", .0.exceeded(.1))]
    TooManyRequests(RateLimit, Allowance),
    /// A limit is used up for a number of seconds.
    #[error("{0}")]
    Limited(String, i64),
    /// A share of a resource is used up for now.
    #[error("{0}")]
    Busy(String),
    /// A dependency doesn't respond; the cause.
    #[error("{0}")]
    Unavailable(String),
    /// The disk is too full to start new work.
    #[error("the disk of the data folder is nearly full")]
    NoRoom,
    /// An error of docwright; the cause.
    #[error("{0}")]
    Internal(String),
}

impl From<StorageError> for OperationError {
    fn from(error: StorageError) -> Self {
        match error {
            StorageError::Database(_) | StorageError::Folder(_) => {
                Self::Unavailable(error.to_string())
            }
            StorageError::Objects(error) => error.into(),
            StorageError::Stale { .. } => Self::Conflict(format!(
                "{} Read it again, then update it.",
                sentence(&error.to_string())
            )),
            StorageError::PlanLimit(why) => Self::Forbidden(sentence(&why)),
            StorageError::ActorDeleted => Self::Forbidden(sentence(&error.to_string())),
            StorageError::TooManyKeys { minutes }
            | StorageError::TooManyPersonalTokens { minutes } => {
                Self::Limited(sentence(&error.to_string()), minutes * 60)
            }
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<ObjectError> for OperationError {
    fn from(error: ObjectError) -> Self {
        let cause = error.to_string();
        if error.is_transient() { Self::Unavailable(cause) } else { Self::Internal(cause) }
    }
}

impl From<BuiltInError> for OperationError {
    fn from(error: BuiltInError) -> Self {
        match error {
            BuiltInError::Refused(reason) => Self::Conflict(sentence(&reason)),
            BuiltInError::Storage(error) => error.into(),
            BuiltInError::Git(error) => Self::Internal(error.to_string()),
            BuiltInError::Foreign(_) | BuiltInError::Disk(_) => {
                Self::Unavailable(error.to_string())
            }
        }
    }
}

/// Turns the text of an error into a sentence.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

/// The error for a name that is taken.
pub fn taken(error: StorageError) -> OperationError {
    match error {
        StorageError::Exists(whose) => OperationError::Conflict(sentence(&whose)),
        other => other.into(),
    }
}

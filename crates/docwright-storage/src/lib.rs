//! docwright's database and object store.
//!
//! All SQL is here. One set of queries serves SQLite and PostgreSQL; one conformance suite runs against both. No
//! transaction spans the work of a job.

pub mod bundle_key;
pub mod database;
pub mod dependency_watch;
pub mod event_key;
pub mod keyring;
pub mod marker;
pub mod objects;

pub use database::Database;
pub use dependency_watch::DependencyWatch;
pub use keyring::{Encrypted, Keyring};
pub use objects::{ObjectError, Objects};

/// Why storage failed.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The database failed or can't be reached.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The database can't be opened. A sentence gives the reason and the remedy.
    #[error("{0}")]
    Open(String),
    /// The tables can't be brought up to date.
    #[error("the database can't be migrated: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A file of the data folder can't be read or written.
    #[error("the data folder failed: {0}")]
    Folder(#[from] std::io::Error),
    /// An object can't be read or written.
    #[error(transparent)]
    Objects(#[from] ObjectError),
    /// A row contains a value that this version does not know.
    #[error("the database contains an invalid value: {0}")]
    Value(String),
    /// The system has no random numbers for an id or a secret.
    #[error("the system provides no random numbers: {0}")]
    Random(String),
    /// The organization has reached its hourly limit of keys.
    #[error(
        "this organization created {} keys within an hour, the limit; try again in {minutes} minutes",
        database::KEYS_AN_HOUR
    )]
    TooManyKeys {
        /// Minutes until the next key can be created.
        minutes: i64,
    },
    /// The account has reached its hourly limit of personal access tokens.
    #[error(
        "you created {} personal access tokens in this organization within an hour, the limit; try again in {minutes} minutes",
        database::PERSONAL_TOKENS_AN_HOUR
    )]
    TooManyPersonalTokens {
        /// Minutes until the next token can be created.
        minutes: i64,
    },
    /// The name is already taken.
    #[error("{0}")]
    Exists(String),
    /// The update names a revision that the record no longer has.
    #[error("someone else changed this {record} since revision {revision}")]
    Stale {
        /// The name of the record.
        record: &'static str,
        /// The revision that the update names.
        revision: i64,
    },
    /// The plan of the organization has no room for more.
    #[error("{0}")]
    PlanLimit(String),
    /// The actor of the change was deleted.
    #[error("the account or API key of this request was deleted")]
    ActorDeleted,
}

impl StorageError {
    /// The same error for another caller of the shared read.
    fn again(&self) -> Self {
        match self {
            Self::Value(what) => Self::Value(what.clone()),
            other => Self::Database(sqlx::Error::Io(std::io::Error::other(other.to_string()))),
        }
    }
}

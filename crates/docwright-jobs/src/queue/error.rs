//! Errors of jobs, and their consequences.

use docwright_storage::{ObjectError, StorageError};

/// Why a job ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// Its lease is lost: another worker has it, or it was canceled or superseded. Nothing is written.
    #[error("the lease was lost")]
    Lost,
    /// The service stops. The job returns to the queue unchanged.
    #[error("the service stops")]
    Stopped,
    /// A permanent error; the sentence is for the caller. Trying again doesn't help.
    #[error("{0}")]
    Permanent(String),
    /// A transient error; the sentence is for the caller. It is retried later.
    #[error("{0}")]
    Transient(String),
}

impl JobError {
    /// An error that is transient or permanent.
    pub fn of(message: impl ToString, is_transient: bool) -> Self {
        let message = message.to_string();
        if is_transient { Self::Transient(message) } else { Self::Permanent(message) }
    }
}

impl From<StorageError> for JobError {
    fn from(error: StorageError) -> Self {
        if let StorageError::PlanLimit(sentence) = error {
            return Self::Permanent(sentence);
        }
        // The cause can name servers and files, which callers must not see.
        tracing::warn!(%error, "storage failed in a job");
        match error {
            StorageError::Database(_) | StorageError::Folder(_) => {
                Self::Transient("storage did not answer".to_owned())
            }
            StorageError::Objects(error) => error.into(),
            _ => {
                Self::Permanent("storage contains an invalid value; see the server log".to_owned())
            }
        }
    }
}

impl From<ObjectError> for JobError {
    fn from(error: ObjectError) -> Self {
        // The cause can name buckets, which callers must not see.
        tracing::warn!(%error, "the object store failed in a job");
        if error.is_transient() {
            return Self::Transient("storage did not answer".to_owned());
        }
        Self::Permanent("storage refused the bundle; see the server log".to_owned())
    }
}

impl From<std::io::Error> for JobError {
    fn from(error: std::io::Error) -> Self {
        tracing::warn!(%error, "the disk failed in a job");
        Self::Transient(format!("the server's disk failed: {}", error.kind()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_stay_in_the_log() {
        let disk = std::io::Error::new(std::io::ErrorKind::StorageFull, "/srv/data/x is full");
        let error = JobError::from(disk);
        assert!(matches!(&error, JobError::Transient(text) if !text.contains("/srv")), "{error}");
        let value = JobError::from(StorageError::Value("secret".to_owned()));
        assert!(matches!(&value, JobError::Permanent(text) if !text.contains("secret")), "{value}");
    }

    #[tokio::test]
    async fn database_error_is_transient() {
        let folder = tempfile::tempdir().unwrap();
        let database = docwright_storage::Database::open_folder(folder.path()).await.unwrap();
        database.close().await;
        let error = JobError::from(database.check().await.unwrap_err());
        assert_eq!(error, JobError::Transient("storage did not answer".to_owned()));
        let disk = std::io::Error::other("/srv/data is gone");
        let error = JobError::from(StorageError::Folder(disk));
        assert_eq!(error, JobError::Transient("storage did not answer".to_owned()));
    }

    #[test]
    fn refusal_of_object_storage_is_permanent() {
        let away = JobError::from(ObjectError::Unavailable("s3.internal".to_owned()));
        assert_eq!(away, JobError::Transient("storage did not answer".to_owned()));
        let (code, message) = ("AccessDenied".to_owned(), "arn:aws:iam::1".to_owned());
        let refused = JobError::from(ObjectError::Refused { code, message });
        assert!(
            matches!(&refused, JobError::Permanent(text) if !text.contains("arn")),
            "{refused}"
        );
    }

    #[test]
    fn job_error_says_whether_it_is_transient() {
        assert_eq!(JobError::of("x", true), JobError::Transient("x".to_owned()));
        assert_eq!(JobError::of("x", false), JobError::Permanent("x".to_owned()));
    }
}

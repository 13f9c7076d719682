//! How long questions are kept.

use docwright_types::timestamp::Timestamp;

use crate::{StorageError, database::Database};

impl Database {
    /// Removes questions that expired. Returns how many.
    pub async fn remove_old_questions(&self, now: Timestamp) -> Result<u64, StorageError> {
        self.remove_in_batches("assistant_questions", "id", "expires_at <= $1", now).await
    }
}

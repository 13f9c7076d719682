//! Packs the repositories that releases read, so that a release takes as long after thousands of others.

use std::time::SystemTime;

use docwright_storage::StorageError;

use super::Cleaner;

impl Cleaner {
    /// Packs repositories of docwright's own git host, and clones of others. Returns how many needed it.
    pub(super) async fn pack_repositories(&self, now: SystemTime) -> Result<u64, StorageError> {
        let checkouts = &self.repositories.checkouts;
        let mut packed = checkouts.clones.pack(&checkouts.git).await as u64;
        for project in self.repositories.database.projects().await? {
            match self.repositories.built_in(&project.id).pack(now).await {
                Ok(is_packed) => packed += u64::from(is_packed),
                Err(error) => {
                    tracing::warn!(project = project.id, %error, "repository not packed; retrying");
                }
            }
        }
        Ok(packed)
    }
}

//! Upkeep of the repository of a project.

use std::{io, time::SystemTime};

use docwright_repository::packing::{is_scattered, pack_all, remove_abandoned};

use super::{BuiltIn, BuiltInError};

impl BuiltIn {
    /// Removes what killed pushes left, and packs the repository if many pushes came since the last time. Returns
    /// whether it was packed.
    pub async fn pack(&self, now: SystemTime) -> Result<bool, BuiltInError> {
        let repository = self.repository();
        let scattered = tokio::task::spawn_blocking(move || {
            remove_abandoned(&repository, now)?;
            io::Result::Ok(is_scattered(&repository))
        });
        if !scattered.await.map_err(io::Error::other)?? {
            return Ok(false);
        }
        pack_all(&self.git, &self.repository()).await?;
        self.record_size().await?;
        Ok(true)
    }
}

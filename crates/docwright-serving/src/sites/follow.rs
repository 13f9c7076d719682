//! Follows the database: changes of active releases are served here immediately if this process made them, and
//! otherwise when its lookout has found them.

use std::{sync::Arc, time::Duration};

use docwright_storage::{StorageError, database::Serving};
use futures::future::join_all;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Sites, domains::Update, own_changes::SOON};

/// Wait until changes that could not be read are read again.
const RETRY: Duration = Duration::from_millis(500);
/// Waits between attempts to open a bundle: they double each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

impl Sites {
    /// Reads the active releases for the first time. Their sites are opened on request.
    pub async fn load(&self) -> Result<i64, StorageError> {
        let changes = self.database.serving_changes().await?;
        self.previews.update(self.database.served_previews().await?);
        self.domains.update(self.database.serving().await?);
        self.update_drafts();
        self.read_redirects().await?;
        self.read_places().await?;
        Ok(changes)
    }

    /// Reads which names redirect: default domains, and former names of domains.
    async fn read_redirects(&self) -> Result<(), StorageError> {
        let mut redirects = self.database.domain_redirects().await?;
        redirects.extend(self.database.former_domain_redirects().await?);
        self.domains.redirect(redirects);
        Ok(())
    }

    /// Reads what the assistant knows of domains.
    async fn read_places(&self) -> Result<(), StorageError> {
        let keys = self.database.all_assistant_keys().await?;
        let owners = self.database.domain_owners().await?;
        self.assistant.places().replace(keys, owners);
        Ok(())
    }

    /// Follows active releases, starting from the change that [`Sites::load`] saw. `wake` announces changes of other
    /// processes.
    pub async fn follow(
        self: Arc<Self>,
        mut seen: i64,
        wake: Arc<Notify>,
        stop: CancellationToken,
    ) {
        let mut made = self.own_changes.made();
        let mut is_away = false;
        loop {
            let own = *made.borrow_and_update();
            match self.take_changes(seen).await {
                Ok(changes) => {
                    seen = changes;
                    is_away = false;
                }
                Err(error) if !is_away => {
                    tracing::warn!(%error, "site changes not read; sites kept as they are");
                    is_away = true;
                }
                Err(_) => {}
            }
            // Requests don't wait for changes that can't be read.
            self.own_changes.serve(own);
            tokio::select! {
                _ = made.changed() => {}
                () = wake.notified() => {}
                () = sleep(RETRY), if is_away => {}
                () = stop.cancelled() => return,
            }
        }
    }

    /// Waits until changes made by this process are served, so that everyone who knows of them sees them.
    pub async fn wait_for_own_changes(&self) {
        self.own_changes.wait().await;
    }

    async fn take_changes(self: &Arc<Self>, seen: i64) -> Result<i64, StorageError> {
        let changes = self.database.serving_changes().await?;
        if changes == seen {
            return Ok(seen);
        }
        self.previews.update(self.database.served_previews().await?);
        let Update { changed, gone } = self.domains.update(self.database.serving().await?);
        self.update_drafts();
        self.read_redirects().await?;
        self.read_places().await?;
        for serving in gone {
            self.open.forget(&serving.bundle);
        }
        let mut soon = Vec::new();
        for serving in changed {
            let is_here = self.open.is_here(&serving.bundle).await;
            let switched = tokio::spawn(Arc::clone(self).switch(serving));
            if is_here {
                soon.push(switched);
            }
        }
        // Slow changes continue in the background.
        drop(timeout(SOON, join_all(soon)).await);
        Ok(changes)
    }

    fn show(&self, serving: &Arc<Serving>) {
        if let Some(before) = self.domains.switch(serving) {
            self.open.close(&before.bundle);
        }
    }

    /// Opens a release and switches to it, however long that takes, unless another one is wanted.
    async fn switch(self: Arc<Self>, serving: Arc<Serving>) {
        let mut pause = FIRST_PAUSE;
        while self.domains.is_wanted(&serving) {
            match self.open.open(&serving.bundle).await {
                Ok(_) => return self.show(&serving),
                Err(error) => {
                    self.notice(&serving.bundle, &error);
                    let Serving { domain, release_id, .. } = &*serving;
                    let error = format!("{error:#}");
                    tracing::error!(
                        domain,
                        release_id,
                        error,
                        "release not activated; earlier release kept; retrying"
                    );
                }
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

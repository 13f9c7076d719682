//! Updates certificates: those that nodes ordered, and those in files, which can be replaced.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, SystemTime},
};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    Tls,
    files::{self, Pairs},
};

/// How often certificates are checked.
const EVERY: Duration = Duration::from_secs(2);

impl Tls {
    /// Follows certificates until the service stops.
    pub(super) async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let (mut is_away, mut seen) = (false, self.changed_at().await);
        loop {
            tokio::select! {
                () = sleep(EVERY) => {}
                () = stop.cancelled() => return,
            }
            match self.take_certificates().await {
                Ok(()) => is_away = false,
                Err(error) if !is_away => {
                    let error = format!("{error:#}");
                    tracing::warn!(error, "certificates not read; earlier ones kept");
                    is_away = true;
                }
                Err(_) => {}
            }
            let now = self.changed_at().await;
            if now != seen {
                seen = now;
                self.take_files().await;
            }
        }
    }

    /// Takes over certificates ordered since the last time.
    pub(super) async fn take_certificates(&self) -> anyhow::Result<()> {
        let states = self.database.certificate_states(None).await?;
        self.metrics.set(&states, self.clock.now());
        let versions = self.database.certificate_versions().await?;
        let hosts: HashSet<_> = versions.iter().map(|version| version.host.as_str()).collect();
        self.certificates.retain(&hosts);
        for version in &versions {
            if self.certificates.issued_at(&version.host) == Some(version.issued_at) {
                continue;
            }
            let found = self.database.certificate(&version.host, &self.keyring).await?;
            let Some(pair) = found else { continue };
            self.certificates.insert(&version.host, version.issued_at, files::parse(&pair)?);
        }
        Ok(())
    }

    async fn take_files(&self) {
        match files::read(self.files.clone()).await {
            Ok(pairs) => {
                self.certificates.set_files(pairs);
                tracing::info!("certificates reloaded");
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(error, "certificates not reloaded; earlier ones kept");
            }
        }
    }

    /// When each file last changed.
    async fn changed_at(&self) -> Vec<Option<SystemTime>> {
        let files: Pairs = self.files.clone();
        let changed = move || {
            let both = files.iter().flat_map(|(certificate, key)| [certificate, key]);
            let changed =
                both.map(|path| std::fs::metadata(path).and_then(|about| about.modified()));
            changed.map(Result::ok).collect()
        };
        tokio::task::spawn_blocking(changed).await.unwrap_or_default()
    }
}

//! Storage of bundles.

use std::path::Path;

use anyhow::Context;
use docwright_storage::{Keyring, Objects, objects::S3Settings};

/// Settings of the object store.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ObjectSettings {
    /// Bucket for bundles, `s3://bucket/prefix`
    ///
    /// It replaces the folder. The AWS environment variables set the access, such as `AWS_ACCESS_KEY_ID`
    /// and `AWS_ENDPOINT_URL`.
    #[arg(long, global = true, value_name = "ADDRESS", env = "DOCWRIGHT_OBJECTS")]
    objects: Option<String>,
}

impl ObjectSettings {
    /// The kind of store.
    pub(crate) const fn kind(&self) -> &'static str {
        if self.objects.is_some() { "s3" } else { "folder" }
    }

    /// Its location.
    pub(crate) fn place(&self, data: &Path) -> String {
        let folder = || data.join("objects").display().to_string();
        self.objects.clone().unwrap_or_else(folder)
    }

    /// Opens the store. Wrong settings are an error; an outage is not.
    pub(crate) async fn open(&self, data: &Path, keyring: Keyring) -> anyhow::Result<Objects> {
        let Some(address) = &self.objects else {
            return Objects::open_folder(data, keyring)
                .with_context(|| format!("cannot store objects in {}", data.display()));
        };
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let settings = S3Settings::new(address, variables).context("--objects")?;
        Objects::open_s3(&settings).await.context("--objects")
    }
}

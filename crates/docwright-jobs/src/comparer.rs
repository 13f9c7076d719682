//! Finds the pages of a release, and those that differ between two: it fetches their bundles, and the compiler reads and
//! compares them.

use std::path::PathBuf;

use docwright_site::{
    bundle::Bundle,
    comparison::{self, PageChange},
    outline::{self, OutlinePage},
};
use docwright_storage::Objects;
use docwright_types::export_job::StoredBundle;

/// Compares bundles, and reads their pages.
#[derive(Debug, Clone)]
pub struct Comparer {
    /// Storage of bundles.
    pub objects: Objects,
    /// Folder for copies of bundles from another host.
    pub scratch: PathBuf,
}

/// A bundle can't be fetched or read now.
#[derive(Debug, thiserror::Error)]
#[error("the bundle can't be read: {0}")]
pub struct ComparisonError(String);

impl Comparer {
    /// The pages that differ, by path. Without a bundle before, each page is new.
    pub async fn changed_pages(
        &self,
        before: Option<&StoredBundle>,
        after: &StoredBundle,
    ) -> Result<Vec<PageChange>, ComparisonError> {
        let after = self.open(after).await?;
        let before = match before {
            Some(before) => Some(self.open(before).await?),
            None => None,
        };
        let compare = move || comparison::changed_pages(before.as_ref(), &after);
        tokio::task::spawn_blocking(compare).await.map_err(|error| unreadable(&error))
    }

    /// The pages of a site in the order of its navigation, and whether its server counts readers. `None` for a bundle
    /// without an outline.
    pub async fn outline(
        &self,
        bundle: &StoredBundle,
    ) -> Result<Option<(Vec<OutlinePage>, bool)>, ComparisonError> {
        let bundle = self.open(bundle).await?;
        let read = move || outline::outline(&bundle).map(|pages| (pages, bundle.about().analytics));
        tokio::task::spawn_blocking(read).await.map_err(|error| unreadable(&error))
    }

    async fn open(&self, bundle: &StoredBundle) -> Result<Bundle, ComparisonError> {
        let local = self.objects.local_path(&bundle.key);
        let (path, folder) = if let Some(path) = local {
            (path, None)
        } else {
            let folder = tempfile::tempdir_in(&self.scratch).map_err(|error| unreadable(&error))?;
            let path = folder.path().join("bundle.tar.gz");
            let fetched = self.objects.download(&bundle.key, &path).await;
            fetched.map_err(|error| unreadable(&error))?;
            (path, Some(folder))
        };
        // An open bundle stays readable after its file is removed.
        let opened = tokio::task::spawn_blocking(move || {
            let _folder = folder;
            Bundle::open(&path)
        });
        opened.await.map_err(|error| unreadable(&error))?.map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &impl std::fmt::Display) -> ComparisonError {
    ComparisonError(error.to_string())
}

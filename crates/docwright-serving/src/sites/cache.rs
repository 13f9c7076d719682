//! The cache of bundles on this machine's disk, for bundles stored on another host.
//!
//! A copy is complete and checked before it gets its name. The least recently used copies are removed first. An
//! open one can be removed too: it stays readable until it is closed.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::{Context as _, ensure};
use docwright_http::metrics::BundleCacheMetrics;
use docwright_site::bundle::{Bundle, Sha256Hash};
use docwright_storage::Objects;
use docwright_types::export_job::StoredBundle;
use tempfile::TempPath;

/// Extension of an incomplete copy.
const PARTIAL: &str = ".partial";
/// An incomplete copy that was not touched for this long is abandoned.
const ABANDONED: Duration = Duration::from_hours(1);

/// A folder of copies.
#[derive(Debug)]
pub(super) struct BundleCache {
    folder: PathBuf,
    /// Bytes of all copies together.
    room: u64,
    objects: Objects,
    metrics: BundleCacheMetrics,
}

impl BundleCache {
    /// Opens a folder, and creates it if it is missing.
    pub(super) fn open(
        folder: PathBuf,
        room: u64,
        objects: Objects,
        metrics: BundleCacheMetrics,
    ) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let cache = Self { folder, room, objects, metrics };
        for (path, _, used) in cache.files()? {
            if is_partial(&path) && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                fs::remove_file(path)?;
            }
        }
        cache.count(&cache.files()?);
        Ok(cache)
    }

    /// The file to serve a bundle from, if it is on this machine. Reads from the disk.
    pub(super) fn find(&self, bundle: &StoredBundle) -> Option<PathBuf> {
        let copy = self.path(bundle);
        if let Ok(file) = File::open(&copy) {
            // Without an updated time it can be removed too early, and is copied again.
            drop(file.set_modified(SystemTime::now()));
            return Some(copy);
        }
        self.objects.local_path(&bundle.key).filter(|path| path.is_file())
    }

    /// Copies a bundle to this machine. It has no name yet, and is removed unless it gets one.
    pub(super) async fn copy(&self, bundle: &StoredBundle) -> anyhow::Result<TempPath> {
        self.metrics.misses.inc();
        let partial = tempfile::Builder::new().suffix(PARTIAL).tempfile_in(&self.folder)?;
        let partial = partial.into_temp_path();
        let fetched = self.objects.download(&bundle.key, &partial).await;
        fetched.context("the bundle can't be fetched")?;
        Ok(partial)
    }

    /// Checks a copy and gives it its name.
    pub(super) fn take(&self, partial: TempPath, bundle: &StoredBundle) -> anyhow::Result<PathBuf> {
        let found = Sha256Hash::of_file(&partial)?.to_string();
        ensure!(found == bundle.sha256, "the bundle was changed: its SHA-256 is {found}");
        Bundle::open(&partial)?;
        let copy = self.path(bundle);
        partial.persist(&copy)?;
        self.make_room(&copy)?;
        Ok(copy)
    }

    /// Whether a file is a copy.
    pub(super) fn has(&self, path: &Path) -> bool {
        path.starts_with(&self.folder)
    }

    /// Removes a copy that can't be opened, so that it is copied again. Returns whether there is one.
    pub(super) fn discard(&self, path: &Path) -> bool {
        self.has(path) && fs::remove_file(path).is_ok()
    }

    /// Removes the copy of a bundle, if there is one. A copy that can't be removed now is removed later as the
    /// least recently used.
    pub(super) fn forget(&self, bundle: &StoredBundle) {
        let _left = fs::remove_file(self.path(bundle));
    }

    fn path(&self, bundle: &StoredBundle) -> PathBuf {
        self.folder.join(format!("{}.tar.gz", bundle.sha256))
    }

    /// Removes the least recently used copies until the rest fits, but keeps this one.
    fn make_room(&self, kept: &Path) -> io::Result<()> {
        let mut files = self.files()?;
        let mut taken: u64 = files.iter().map(|(_, size, _)| size).sum();
        files.sort_by_key(|(.., used)| *used);
        files.retain(|(path, size, _)| {
            if taken <= self.room || path == kept || is_partial(path) {
                return true;
            }
            // Another process might have removed it first; a failed removal is retried next time.
            if fs::remove_file(path).is_err() {
                return true;
            }
            taken -= size;
            self.metrics.evictions.inc();
            false
        });
        self.count(&files);
        Ok(())
    }

    /// Updates the metrics of copies.
    fn count(&self, files: &[(PathBuf, u64, SystemTime)]) {
        let whole = files.iter().filter(|(path, ..)| !is_partial(path));
        let (copies, bytes) = whole.fold((0, 0), |(copies, bytes), (_, size, _)| {
            (copies + 1, bytes + i64::try_from(*size).unwrap_or(i64::MAX))
        });
        self.metrics.copies.set(copies);
        self.metrics.bytes.set(bytes);
    }

    /// Path, size and time of last use of each file.
    fn files(&self) -> io::Result<Vec<(PathBuf, u64, SystemTime)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another process can remove files from the same folder.
            if let Ok(metadata) = entry.metadata() {
                files.push((entry.path(), metadata.len(), metadata.modified()?));
            }
        }
        Ok(files)
    }
}

/// Whether a copy is incomplete.
fn is_partial(path: &Path) -> bool {
    path.to_string_lossy().ends_with(PARTIAL)
}

#[cfg(test)]
mod tests {
    use docwright_site::{
        bundle::{About, BundleWriter},
        output::Output,
    };
    use docwright_storage::Keyring;

    use super::*;

    /// A store with a bundle for each of some texts, and a cache with room for `room` of them.
    fn cache(folder: &Path, texts: &[&str], room: u64) -> (BundleCache, Vec<StoredBundle>) {
        let bundles: Vec<_> = texts.iter().map(|text| store(folder, text)).collect();
        let size = bundles.iter().map(|bundle| bundle.size).max().unwrap_or_default();
        let room = room * u64::try_from(size).unwrap();
        let objects = Objects::open_folder(folder, Keyring::open_folder(folder).unwrap()).unwrap();
        (
            BundleCache::open(folder.join("cache"), room, objects, BundleCacheMetrics::default())
                .unwrap(),
            bundles,
        )
    }

    fn store(folder: &Path, text: &str) -> StoredBundle {
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        writer.write("page.html", text.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        writer.finish(About::default(), &mut bytes).unwrap();
        let path = folder.join("objects").join(text);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &bytes).unwrap();
        let sha256 = Sha256Hash::of_file(&path).unwrap().to_string();
        let size = i64::try_from(bytes.len()).unwrap();
        StoredBundle { key: text.to_owned(), size, sha256, commit: None }
    }

    async fn copy(cache: &BundleCache, bundle: &StoredBundle) -> anyhow::Result<PathBuf> {
        cache.take(cache.copy(bundle).await?, bundle)
    }

    #[tokio::test]
    async fn least_recently_used_copy_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, bundles) = cache(folder.path(), &["one", "two", "three"], 2);
        let mut copies = Vec::new();
        for (age, bundle) in [(20, &bundles[0]), (10, &bundles[1])] {
            let copy = copy(&cache, bundle).await.unwrap();
            let used = SystemTime::now() - Duration::from_secs(age);
            File::open(&copy).unwrap().set_modified(used).unwrap();
            copies.push(copy);
        }
        assert_eq!(cache.find(&bundles[0]), Some(copies[0].clone()), "and that is a use of it");
        let open = Bundle::open(&copies[1]).unwrap();
        let third = copy(&cache, &bundles[2]).await.unwrap();
        assert_eq!((copies[0].exists(), copies[1].exists(), third.exists()), (true, false, true));
        assert_eq!(open.read_text("page.html").as_deref(), Some("two"), "it is open still");
        let left = fs::read_dir(folder.path().join("cache")).unwrap().count();
        assert_eq!(left, 2, "nothing is left of copying");
        let metrics = &cache.metrics;
        assert_eq!((metrics.misses.get(), metrics.evictions.get()), (3, 1));
        let size = fs::metadata(&copies[0]).unwrap().len() + fs::metadata(&third).unwrap().len();
        assert_eq!((metrics.copies.get(), metrics.bytes.get()), (2, i64::try_from(size).unwrap()));
    }

    #[tokio::test]
    async fn one_bundle_is_kept_at_any_size() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, bundles) = cache(folder.path(), &["one", "two"], 0);
        let first = copy(&cache, &bundles[0]).await.unwrap();
        assert!(first.exists());
        assert!(copy(&cache, &bundles[1]).await.unwrap().exists());
        assert!(!first.exists());
    }

    #[tokio::test]
    async fn changed_bundle_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, bundles) = cache(folder.path(), &["one"], 9);
        let stored = folder.path().join("objects/one");
        let mut bytes = fs::read(&stored).unwrap();
        bytes[20] ^= 1;
        fs::write(&stored, bytes).unwrap();
        let refused = copy(&cache, &bundles[0]).await.unwrap_err().to_string();
        assert!(refused.contains("was changed"), "{refused}");
        assert_eq!(fs::read_dir(folder.path().join("cache")).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn only_copies_are_discarded() {
        let folder = tempfile::tempdir().unwrap();
        let (cache, bundles) = cache(folder.path(), &["one"], 9);
        let stored = cache.find(&bundles[0]).unwrap();
        assert!(!cache.discard(&stored) && stored.exists(), "what is stored stays");
        let copy = copy(&cache, &bundles[0]).await.unwrap();
        assert_eq!(cache.find(&bundles[0]).as_ref(), Some(&copy));
        assert!(cache.discard(&copy) && !copy.exists());
    }

    #[test]
    fn abandoned_copies_are_removed_at_start() {
        let folder = tempfile::tempdir().unwrap();
        let (_, _) = cache(folder.path(), &[], 1);
        let [old, new] =
            ["old.partial", "new.partial"].map(|name| folder.path().join("cache").join(name));
        fs::write(&new, "").unwrap();
        fs::write(&old, "").unwrap();
        let long_ago = SystemTime::now() - 2 * ABANDONED;
        File::open(&old).unwrap().set_modified(long_ago).unwrap();
        cache(folder.path(), &[], 1);
        assert_eq!((old.exists(), new.exists()), (false, true), "another process can be at it");
    }
}

//! Results of earlier builds on the machine of a person, in the cache folder of the platform: pages in a file for each
//! docs root, and vectors of texts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use docwright_jobs::{
    least_recent::over_room,
    result_caches::{MAXIMUM_ALL_RESULTS, MAXIMUM_RESULTS},
};
use docwright_site::{result_cache::ResultCache, source::find_root};
use etcetera::BaseStrategy as _;
use sha2::{Digest, Sha256};

use crate::last_build::LastBuildEntry;

/// Bytes of a hash that distinguishes folders.
const LENGTH: usize = 16;

/// The option that builds without results of earlier builds.
#[derive(Debug, clap::Args)]
pub(crate) struct CacheArguments {
    /// Render all pages, and keep nothing for later builds
    ///
    /// Otherwise only changed pages are rendered, and only changed sections are embedded. The bundle is the same.
    #[arg(long, hide_short_help = true)]
    no_cache: bool,
}

/// The results of earlier builds of a docs root.
#[derive(Debug)]
pub(crate) struct Results(Option<Arc<ResultCache>>);

impl CacheArguments {
    /// Opens the results of a docs root, or of the one in a repository. There are none without a cache folder.
    pub(crate) fn open(&self, dir: &Path) -> Results {
        if self.no_cache {
            return Results(None);
        }
        let Some(caches) = cache_folder() else { return Results(None) };
        let root = find_root(dir).ok().and_then(|root| root.canonicalize().ok());
        let Some(root) = root else { return Results(None) };
        let name = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let folder = caches.join("builds");
        // What can't be removed now is removed by another build.
        let _ = make_room(&folder, MAXIMUM_ALL_RESULTS);
        let path = folder.join(hex::encode(&name[..LENGTH]));
        Results(Some(Arc::new(ResultCache::open(&path, MAXIMUM_RESULTS))))
    }

    /// The folder of vectors of earlier builds, if there is a cache folder.
    pub(crate) fn vectors(&self) -> Option<PathBuf> {
        vector_folder().filter(|_| !self.no_cache)
    }
}

/// The folder of vectors of texts, if there is a cache folder. All docs roots share it.
pub(crate) fn vector_folder() -> Option<PathBuf> {
    cache_folder().map(|folder| folder.join("embeddings"))
}

/// The folder of docwright below the cache folder of the platform.
fn cache_folder() -> Option<PathBuf> {
    let places = etcetera::choose_base_strategy().ok()?;
    Some(places.cache_dir().join("docwright"))
}

impl Results {
    /// The cache, if there is one.
    pub(crate) fn cache(&self) -> Option<Arc<ResultCache>> {
        self.0.clone()
    }

    /// Where the last build of a docs root by a command is kept, by its destination.
    pub(crate) fn last_build(
        &self,
        command: &str,
        places: (&Path, &Path),
    ) -> Option<LastBuildEntry> {
        LastBuildEntry::new(self.cache()?, command, places)
    }

    /// Keeps the results of this build. If that fails, a note says why, unless it is `silent`.
    pub(crate) fn save(&self, silent: bool) {
        let saved = self.0.as_ref().map_or(Ok(()), |cache| cache.save());
        if let Err(error) = saved
            && !silent
        {
            eprintln!("note: results not cached, so the next build renders all pages: {error}");
        }
    }
}

/// Removes the files that changed least recently while all of them have more bytes than allowed.
fn make_room(folder: &Path, room: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        files.push((metadata.modified()?, metadata.len(), entry.path()));
    }
    over_room(files, room).into_iter().try_for_each(fs::remove_file)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn oldest_results_make_room() {
        let folder = tempfile::tempdir().unwrap();
        for (name, seconds) in [("a", 2), ("b", 1), ("c", 3)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }
        let exists = |name: &str| folder.path().join(name).exists();
        make_room(folder.path(), 300).unwrap();
        assert!(exists("a") && exists("b") && exists("c"));
        make_room(folder.path(), 200).unwrap();
        assert!(exists("a") && !exists("b") && exists("c"));
    }
}

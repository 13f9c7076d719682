//! Bundles that someone carries into a folder: the newest valid one is served.
//!
//! The folder is polled, because file systems on other machines report no changes. A file that is still being copied
//! is refused, until it has another length or time.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_http::metrics::Update;
use docwright_site::bundle::{Bundle, BundleError, Sha256Hash};

use super::{
    Deployment,
    exports::LinkedBundle,
    fetch::Download,
    source::Link,
    update::{Newer, in_background},
    update_error::UpdateError,
    values::Values,
};

/// Time between two polls of a folder.
pub(super) const POLL: Duration = Duration::from_secs(2);
/// End of the names of bundles.
const SUFFIX: &str = ".tar.gz";

/// Results for the files of a folder, until the values change or SIGHUP arrives.
pub(super) type Carried = BTreeMap<PathBuf, (FileState, FileResult)>;

/// The SHA-256 of a valid bundle, or why a file isn't one.
type FileResult = Result<String, String>;

/// A file as it was checked. Another length or time means other contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    modified: SystemTime,
    length: u64,
}

impl Deployment {
    /// Polls a folder once. Returns the time until the next poll; `None` if the values changed.
    pub(super) async fn take_carried(
        &self,
        (values, folder): (&Values, &Path),
        download: &mut Download,
        carried: &mut Carried,
        newer: &mut Newer,
    ) -> Result<Option<Duration>, UpdateError> {
        let path = folder.to_owned();
        let files = in_background(move || files(&path)).await?;
        self.polled(None);
        carried.retain(|path, _| files.iter().any(|(file, _)| file == path));
        let (mut problem, mut changed, mut is_valid) = (None, false, false);
        for (path, state) in files {
            let known = carried.get(&path).filter(|(known, _)| *known == state);
            // A valid bundle isn't active any more if a newer file was.
            let known = known.filter(|(_, result)| match result {
                Ok(sha256) => self.active().is_some_and(|active| active.sha256 == *sha256),
                Err(_) => true,
            });
            let result = if let Some((_, result)) = known {
                result.clone()
            } else {
                changed = true;
                let taken = self.take_file(&path, values, download, newer).await;
                let result = match taken {
                    Ok(None) => return Ok(None),
                    Ok(Some(sha256)) => Ok(sha256),
                    Err(error @ UpdateError::Transient(_)) => return Err(error),
                    Err(error) => Err(error.describe()),
                };
                self.record(carried, path.clone(), state, result)
            };
            match result {
                Ok(_) => {
                    is_valid = true;
                    break;
                }
                Err(reason) => {
                    problem.get_or_insert(format!("{}: {reason}", path.display()));
                }
            }
        }
        if !is_valid && problem.is_none() && self.active().is_none() {
            problem = Some(format!("{} has no bundle (*{SUFFIX}) yet", folder.display()));
        }
        self.set_problem(problem);
        if !changed {
            self.metrics.updated(Update::Unchanged);
        }
        Ok(Some(POLL))
    }

    /// Records the result for a file. A reason is logged once, however often a file that grows is refused.
    fn record(
        &self,
        carried: &mut Carried,
        path: PathBuf,
        state: FileState,
        result: FileResult,
    ) -> FileResult {
        if let Err(problem) = &result {
            let before = carried.get(&path).map(|(_, result)| result);
            if before != Some(&result) {
                tracing::error!(path = %path.display(), %problem, "bundle not taken");
                self.metrics.updated(Update::Failed);
            }
        }
        carried.insert(path, (state, result.clone()));
        result
    }

    /// Makes a file the active version. Returns its SHA-256; `None` if the values changed.
    async fn take_file(
        &self,
        path: &Path,
        values: &Values,
        download: &mut Download,
        newer: &mut Newer,
    ) -> Result<Option<String>, UpdateError> {
        let file = path.to_owned();
        let hash = newer.unless(in_background(move || hash(&file))).await;
        let Some(sha256) = hash.transpose()? else { return Ok(None) };
        let bundle = LinkedBundle { link: Link::new(path.to_string_lossy()), sha256 };
        let applied = self.apply(&bundle, values, download, newer).await?;
        Ok(applied.map(|_| bundle.sha256))
    }
}

/// The bundles in a folder, the newest first.
fn files(folder: &Path) -> Result<Vec<(PathBuf, FileState)>, UpdateError> {
    let failed = |error: io::Error| {
        UpdateError::of_disk(error, format!("cannot read the folder {}", folder.display()))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_bundle = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.ends_with(SUFFIX) && !name.starts_with('.')
        });
        // A file can be gone by now. Links are followed.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if is_bundle && metadata.is_file() {
            let modified = metadata.modified().map_err(failed)?;
            found.push((path, FileState { modified, length: metadata.len() }));
        }
    }
    found.sort_by(|(one, a), (other, b)| (b.modified, other).cmp(&(a.modified, one)));
    Ok(found)
}

/// The SHA-256 of a file that has the end of a bundle. A file that is being copied hasn't, and isn't read.
fn hash(path: &Path) -> Result<String, UpdateError> {
    let of_bundle = |error: BundleError| UpdateError::Permanent(error.into());
    Bundle::open(path).map_err(of_bundle)?;
    let hash = Sha256Hash::of_file(path).map_err(|error| of_bundle(error.into()))?;
    Ok(hash.to_string())
}

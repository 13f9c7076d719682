//! Results of earlier builds, in a folder for each site below that of its project.
//!
//! The child that builds a site writes them, so they are as untrusted as the files of its repository. No two sites share
//! any: a pull request of a fork has a preview, which is a site of its own, so it can't change what others see. The
//! results only save time. They can be deleted at any moment, and are deleted with their project.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::least_recent::over_room;

/// The file of a site.
const FILE: &str = "results";
/// Largest file of a site. Bytes.
pub const MAXIMUM_RESULTS: u64 = 4 * 1024 * 1024 * 1024;
/// Largest size of all files together. Bytes.
pub const MAXIMUM_ALL_RESULTS: u64 = 8 * 1024 * 1024 * 1024;

/// The results of all sites.
#[derive(Debug, Clone)]
pub struct ResultCaches {
    folder: PathBuf,
}

impl ResultCaches {
    /// Results below a folder, which is created as needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file with the results of a site, alone in its folder, which exists.
    pub(crate) fn prepare(&self, project: &str, site: &str) -> io::Result<PathBuf> {
        let folder = self.folder.join(part(project)?).join(part(site)?);
        fs::create_dir_all(&folder)?;
        Ok(folder.join(FILE))
    }

    /// Removes the results of a site, so that its next build uses none.
    pub(crate) fn discard(&self, project: &str, site: &str) -> io::Result<()> {
        remove(&self.folder.join(part(project)?).join(part(site)?), true)
    }

    /// Removes what a child left beside the results of its site, and results that are too large.
    pub(crate) fn tidy(file: &Path) -> io::Result<()> {
        let entries = match file.parent().map(fs::read_dir) {
            None => return Ok(()),
            // The project was deleted in the meantime.
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Some(entries) => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let metadata = entry.metadata()?;
            let is_results = entry.path() == file && metadata.is_file();
            if !is_results || metadata.len() > MAXIMUM_RESULTS + MAXIMUM_RESULTS / 8 {
                remove(&entry.path(), metadata.is_dir())?;
            }
        }
        Ok(())
    }

    /// Removes the results of a project.
    pub(crate) fn forget(&self, project: &str) -> io::Result<()> {
        remove(&self.folder.join(part(project)?), true)
    }

    /// Removes the results of projects that are gone, then the least recently changed ones until all together have at
    /// most `room` bytes. Returns the number of removed folders.
    pub(crate) fn clean(&self, is_project: impl Fn(&str) -> bool, room: u64) -> io::Result<usize> {
        let mut removed = 0;
        let mut sites = Vec::new();
        for project in folders(&self.folder)? {
            let name = project.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if is_project(name) {
                for site in folders(&project)? {
                    let (changed, size) = changed_and_size(&site)?;
                    sites.push((changed, size, site));
                }
            } else {
                remove(&project, true)?;
                removed += 1;
            }
        }
        for site in over_room(sites, room) {
            remove(&site, true)?;
            removed += 1;
        }
        Ok(removed)
    }
}

/// An id, which can't lead out of a folder.
fn part(id: &str) -> io::Result<&str> {
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_part = !id.is_empty() && id.bytes().all(is_id);
    if is_part { Ok(id) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The folders in a folder, none if it doesn't exist.
fn folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// When the results in a folder changed, and the bytes of all files there.
fn changed_and_size(folder: &Path) -> io::Result<(SystemTime, u64)> {
    let (mut changed, mut size) = (SystemTime::UNIX_EPOCH, 0_u64);
    for entry in fs::read_dir(folder)? {
        // A build can remove one in the meantime.
        let Ok(metadata) = entry?.metadata() else { continue };
        changed = changed.max(metadata.modified()?);
        size = size.saturating_add(metadata.len());
    }
    Ok((changed, size))
}

/// Removes a file or folder, which can be gone.
fn remove(path: &Path, is_folder: bool) -> io::Result<()> {
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Writes results that changed a number of seconds after the first ones.
    fn write(caches: &ResultCaches, (project, site): (&str, &str), bytes: usize, seconds: u64) {
        let file = caches.prepare(project, site).unwrap();
        fs::write(&file, vec![1; bytes]).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
        fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }

    fn sites(caches: &ResultCaches) -> Vec<String> {
        let mut sites = Vec::new();
        for project in folders(&caches.folder).unwrap() {
            let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
            sites.extend(folders(&project).unwrap().iter().map(|site| name(site)));
        }
        sites.sort();
        sites
    }

    #[test]
    fn oldest_results_make_room() {
        let place = tempfile::tempdir().unwrap();
        let caches = ResultCaches::new(place.path().join("builds"));
        assert_eq!(caches.clean(|_| true, 0).unwrap(), 0, "there are none");
        write(&caches, ("prj_a", "site_1"), 100, 2);
        write(&caches, ("prj_a", "site_2"), 100, 1);
        write(&caches, ("prj_b", "site_3"), 100, 3);
        assert_eq!(caches.clean(|_| true, 300).unwrap(), 0);
        assert_eq!(caches.clean(|_| true, 299).unwrap(), 1);
        assert_eq!(sites(&caches), ["site_1", "site_3"]);
        assert_eq!(caches.clean(|project| project == "prj_a", 300).unwrap(), 1);
        assert_eq!(sites(&caches), ["site_1"]);
        caches.forget("prj_a").unwrap();
        caches.forget("prj_a").unwrap();
        assert!(folders(&caches.folder).unwrap().is_empty());
    }

    #[test]
    fn child_leaves_only_its_results() {
        let place = tempfile::tempdir().unwrap();
        let caches = ResultCaches::new(place.path().to_owned());
        let file = caches.prepare("prj_a", "site_1").unwrap();
        let folder = file.parent().unwrap();
        fs::write(&file, "results").unwrap();
        fs::write(folder.join("results.new"), "partial").unwrap();
        fs::create_dir_all(folder.join("hidden/deeper")).unwrap();
        fs::write(folder.join("hidden/deeper/file"), "other").unwrap();
        ResultCaches::tidy(&file).unwrap();
        let left: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [file.as_path()]);
        fs::File::options().write(true).open(&file).unwrap().set_len(MAXIMUM_RESULTS * 2).unwrap();
        ResultCaches::tidy(&file).unwrap();
        assert!(!file.exists(), "it is too large");
        fs::create_dir(&file).unwrap();
        ResultCaches::tidy(&file).unwrap();
        assert!(!file.exists(), "it is a folder");
    }

    #[test]
    fn id_leads_nowhere_else() {
        let caches = ResultCaches::new(PathBuf::from("/nowhere"));
        for id in ["", "..", "a/b", "a\\b", "/a", "a.b", "ä"] {
            assert!(caches.prepare(id, "site_1").is_err() && caches.forget(id).is_err(), "{id}");
            assert!(caches.prepare("prj_a", id).is_err(), "{id}");
        }
    }
}

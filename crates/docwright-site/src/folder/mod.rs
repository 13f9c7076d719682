//! A built site as a folder, which can have an earlier build of it.
//!
//! Only files whose bytes differ are written, and what no longer belongs to the site is removed at the end. A snapshot of
//! the earlier build saves reading its files. Without one, or where it doesn't fit, bytes are compared. With a cache, contents
//! are kept for later builds, as they are for bundles.
//!
//! A page whose links lead to missing anchors is written twice, so contents from the cache wait for the end: the second
//! version can be the one that is there.
//!
//! Files are replaced, never overwritten, and links aren't followed: what they lead to isn't part of the site.

mod present;

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::{
    bundle::kept_contents,
    output::Output,
    result_cache::{ContentName, Key, Kind, ResultCache},
    stamp::{FileOnDisk, SeenFile, Snapshot, Stamp, hash_of},
};

use present::Present;

/// Writes a site to a folder.
#[derive(Debug)]
pub struct FolderWriter {
    root: PathBuf,
    cache: Option<Arc<ResultCache>>,
    now: SystemTime,
    /// What was in the folder before.
    present: Present,
    /// The files of an earlier build, by path.
    before: FxHashMap<String, SeenFile>,
    files: Mutex<BTreeMap<String, SiteFile>>,
    folders: Mutex<HashSet<PathBuf>>,
}

/// A file of the site.
#[derive(Debug, Clone, Copy)]
struct SiteFile {
    /// SHA-256 of its contents, if there is a cache.
    contents: Option<[u8; 32]>,
    state: State,
}

/// What the folder has of a file.
#[derive(Debug, Clone, Copy)]
enum State {
    /// It was there before, with its stamp if that is settled.
    Kept(Option<Stamp>),
    /// It was written.
    Written,
    /// These contents of the cache have to be written.
    Waiting(ContentName),
}

impl FolderWriter {
    /// A writer to a folder, which it creates. `before` are the files that an earlier build left there, as its snapshot
    /// says. It is `now`.
    pub fn new(
        root: impl Into<PathBuf>,
        (cache, before): (Option<Arc<ResultCache>>, Option<Snapshot>),
        now: SystemTime,
    ) -> io::Result<Self> {
        let root = root.into();
        fs::create_dir_all(&root)?;
        let mut present = Present::read(&root)?;
        present.remove_odd()?;
        let before = before.map(|before| before.files).unwrap_or_default();
        Ok(Self {
            cache,
            now,
            before: before.into_iter().map(|file| (file.path.clone(), file)).collect(),
            files: Mutex::default(),
            folders: Mutex::new(present.folders.iter().map(|folder| root.join(folder)).collect()),
            present,
            root,
        })
    }

    /// Removes everything from the folder that isn't part of the site, except `others` at its top. Returns a snapshot of the
    /// site; `None` without a cache, or if something else wrote to the folder.
    pub fn finish(&self, others: &[String]) -> io::Result<Option<Snapshot>> {
        self.write_waiting()?;
        let files = lock(&self.files);
        self.present.remove_others(&self.root, |path| {
            files.contains_key(path) || others.iter().any(|other| other == path)
        })?;
        let see = |(path, file): (&String, &SiteFile)| {
            let stamp = Stamp::of(&fs::symlink_metadata(self.root.join(path)).ok()?);
            let contents = Some(file.contents?);
            let is_settled = matches!(file.state, State::Kept(Some(settled)) if settled == stamp);
            Some(SeenFile { path: path.clone(), stamp, is_settled, contents })
        };
        let files = files.iter().map(see).collect::<Option<Vec<_>>>();
        Ok(files.map(|files| Snapshot { files }))
    }

    /// Writes the contents of the cache that wait.
    fn write_waiting(&self) -> io::Result<()> {
        let waiting = |(path, file): (&String, &SiteFile)| match file.state {
            State::Waiting(name) => Some((path.clone(), name)),
            State::Kept(_) | State::Written => None,
        };
        let waiting: Vec<_> = lock(&self.files).iter().filter_map(waiting).collect();
        waiting.par_iter().try_for_each(|(path, name)| {
            let contents = self.contents(name).ok_or_else(kept_contents::cache_changed)?;
            self.create(path)?.write_all(&contents)
        })
    }

    /// Writes a file, unless it is there with these contents.
    fn put(&self, path: &str, contents: &[u8], sha256: Option<[u8; 32]>) -> io::Result<()> {
        if self.keep(path, contents.len() as u64, sha256, || {
            Ok(fs::read(self.root.join(path))? == contents)
        })? {
            return Ok(());
        }
        self.create(path)?.write_all(contents)?;
        self.add(path, sha256, State::Written);
        Ok(())
    }

    /// Keeps a file of the folder if it has the right contents, which `compare` shows if nothing else does.
    fn keep(
        &self,
        path: &str,
        size: u64,
        sha256: Option<[u8; 32]>,
        compare: impl FnOnce() -> io::Result<bool>,
    ) -> io::Result<bool> {
        let state = lock(&self.files).get(path).map(|file| file.state);
        if matches!(state, Some(State::Written)) {
            return Ok(false);
        }
        let Some(stamp) = self.present.files.get(path).filter(|stamp| stamp.size() == size) else {
            return Ok(false);
        };
        let before = self.before.get(path).filter(|before| before.is_settled);
        let is_known = before.is_some_and(|before| {
            before.stamp == *stamp && sha256.is_some() && before.contents == sha256
        });
        if !is_known && !compare()? {
            return Ok(false);
        }
        let settled = is_known || stamp.is_settled(self.now);
        self.add(path, sha256, State::Kept(settled.then_some(*stamp)));
        Ok(true)
    }

    fn add(&self, path: &str, contents: Option<[u8; 32]>, state: State) {
        lock(&self.files).insert(path.to_owned(), SiteFile { contents, state });
    }

    /// A new file at a path. What is in its way is removed.
    fn create(&self, path: &str) -> io::Result<File> {
        let target = self.root.join(path);
        self.make_folder_of(&target)?;
        match File::create_new(&target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                present::remove(&target)?;
                File::create_new(&target)
            }
            created => created,
        }
    }

    /// Makes the folders above a path. Checking again for each file would make threads wait for each other.
    fn make_folder_of(&self, target: &Path) -> io::Result<()> {
        let Some(folder) = target.parent() else { return Ok(()) };
        if lock(&self.folders).contains(folder) {
            return Ok(());
        }
        if fs::create_dir_all(folder).is_err() {
            // A file of an earlier build can have the name of a folder.
            let above = folder.ancestors().take_while(|above| *above != self.root);
            for above in above.filter(|above| above.is_file()) {
                // Another thread can have removed it.
                let _ = fs::remove_file(above);
            }
            fs::create_dir_all(folder)?;
        }
        lock(&self.folders).insert(folder.to_owned());
        Ok(())
    }

    /// SHA-256 of the contents of a file on disk, which an earlier build can know.
    fn hash_of(&self, cache: &ResultCache, from: &Path, stamp: &Stamp) -> io::Result<[u8; 32]> {
        let key = Key::of(Kind::Stamp, [&b"contents"[..], &stamp.bytes()]);
        let is_settled = stamp.is_settled(self.now);
        let known = cache.get(&key).filter(|_| is_settled);
        if let Some(known) = known.and_then(|(_, known)| known.try_into().ok()) {
            return Ok(known);
        }
        let hash = hash_of(from)?;
        if is_settled && Stamp::of(&fs::metadata(from)?) == *stamp {
            cache.add(key, &hash);
        }
        Ok(hash)
    }
}

impl Output for FolderWriter {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        let sha256 = self.cache.as_ref().map(|_| Sha256::digest(contents).into());
        self.put(path, contents, sha256)
    }

    fn copy(&self, path: &str, from: &Path) -> io::Result<()> {
        let metadata = fs::metadata(from)?;
        let hash = |cache: &Arc<ResultCache>| self.hash_of(cache, from, &Stamp::of(&metadata));
        let sha256 = self.cache.as_ref().map(hash).transpose()?;
        let target = self.root.join(path);
        let compare = || match sha256 {
            Some(sha256) => Ok(hash_of(&target)? == sha256),
            None => Ok(hash_of(&target)? == hash_of(from)?),
        };
        // A copy has the permissions of its original, too.
        let permissions = fs::symlink_metadata(&target).map(|found| found.permissions());
        let has_same = permissions.is_ok_and(|found| found == metadata.permissions());
        if !has_same || !self.keep(path, metadata.len(), sha256, compare)? {
            drop(self.create(path)?);
            fs::copy(from, &target)?;
            self.add(path, sha256, State::Written);
        }
        Ok(())
    }

    fn cache(&self) -> Option<&ResultCache> {
        self.cache.as_deref()
    }

    fn write_named(&self, path: &str, contents: &[u8]) -> io::Result<Option<ContentName>> {
        let Some(cache) = self.cache() else { return self.write(path, contents).map(|()| None) };
        let name = ContentName::of(contents);
        let is_kept = kept_contents::keep(cache, &name, contents)?;
        self.put(path, contents, Some(name.sha256))?;
        Ok(is_kept.then_some(name))
    }

    fn reuse(&self, path: &str, name: &ContentName) -> io::Result<bool> {
        let Some(cache) = self.cache() else { return Ok(false) };
        let target = self.root.join(path);
        let compare = || Ok(hash_of(&target)? == name.sha256);
        if self.keep(path, name.size, Some(name.sha256), compare)? {
            // A later build can need them.
            cache.contains(&name.key());
            return Ok(true);
        }
        if !kept_contents::is_kept(cache, name) {
            return Ok(false);
        }
        self.add(path, Some(name.sha256), State::Waiting(*name));
        Ok(true)
    }

    fn contents(&self, name: &ContentName) -> Option<Vec<u8>> {
        kept_contents::find(self.cache()?, name)
    }
}

/// The files of a folder in the order of snapshots. `None` if it has something that can't be part of a site.
pub fn files_of(root: &Path) -> io::Result<Option<Vec<FileOnDisk>>> {
    let present = Present::read(root)?;
    if !present.is_plain() {
        return Ok(None);
    }
    let file = |(path, stamp): (String, Stamp)| FileOnDisk { place: root.join(&path), path, stamp };
    let mut files: Vec<_> = present.files.into_iter().map(file).collect();
    files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(Some(files))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

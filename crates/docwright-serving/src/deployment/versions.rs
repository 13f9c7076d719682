//! Versions on disk: one bundle each, and a file that names the valid ones.
//!
//! A version counts once `current` names it, and `current` is replaced atomically. An interruption before that
//! leaves unnamed files, which are removed at the next start.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context, anyhow, ensure};
use docwright_site::bundle::{self, BundleError, Limits, Sha256Hash, Signature};

use super::{
    update_error::UpdateError,
    values::{Pin, Values},
};
use crate::site::{Members, OpenSite};

/// The number of valid versions that stay on disk: the active one, and its predecessors.
const KEPT: usize = 3;
/// The file that names the valid versions, one per line; the active one comes first.
const CURRENT: &str = "current";
/// The bundle that is being fetched or checked.
const DOWNLOAD: &str = "bundle.download";

/// What a bundle must be.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) pin: Pin,
    /// The SHA-256 that the source named, in lower-case hex.
    pub(super) promised: Option<String>,
}

impl Check {
    /// What the values ask for.
    pub(super) fn of(values: &Values) -> Self {
        Self { pin: values.pin.clone(), promised: None }
    }
}

/// A complete, open version.
#[derive(Debug, Clone)]
pub(super) struct Version {
    /// SHA-256 of the bundle.
    pub(super) sha256: String,
    pub(super) site: Arc<OpenSite>,
    signature: Option<Signature>,
}

impl Version {
    /// Its label, or the commit, or the SHA-256.
    pub(super) fn label(&self) -> String {
        let about = self.site.about();
        about
            .version
            .clone()
            .or_else(|| about.commit.clone())
            .unwrap_or_else(|| self.sha256.clone())
    }

    /// Why it is not the pinned version, or not signed by one of the keys.
    pub(super) fn differs_from(&self, pin: &Pin) -> Option<String> {
        let version = self.site.about().version.as_deref();
        pin.wrong_sha256(&self.sha256)
            .or_else(|| pin.wrong_version(version))
            .or_else(|| pin.wrong_signature(self.signature.as_ref()))
    }
}

/// The versions in a data folder, which no other process can change in the meantime.
#[derive(Debug)]
pub(super) struct Versions {
    data: PathBuf,
    /// The contents of `current`.
    names: Mutex<Vec<String>>,
    /// Recently read contents.
    members: Members,
    /// Locked until this is dropped, or the process ends.
    _lock: File,
}

impl Versions {
    pub(super) fn open(data: PathBuf) -> anyhow::Result<Self> {
        let folder = data.join("versions");
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let lock = lock(&data)?;
        let names = read_names(&data.join(CURRENT))?;
        ensure!(
            !names.iter().any(|name| folder.join(name).is_dir()),
            "{} was created by an unreleased docwright; start with a new one",
            data.display()
        );
        let members = Members::default();
        let versions = Self { data, names: Mutex::new(names), members, _lock: lock };
        drop(fs::remove_file(versions.download()));
        versions.remove_unnamed();
        Ok(versions)
    }

    /// Path of a bundle that is being fetched.
    pub(super) fn download(&self) -> PathBuf {
        self.data.join(DOWNLOAD)
    }

    /// The available versions; the last active one comes first.
    pub(super) fn good(&self) -> Vec<Version> {
        let open = |sha256: String| {
            let version = self.open_version(sha256.clone());
            let failed = |error| tracing::error!(%sha256, %error, "version on disk not read");
            version.map_err(failed).ok()
        };
        self.names().into_iter().filter_map(open).collect()
    }

    fn open_version(&self, sha256: String) -> Result<Version, BundleError> {
        let path = self.path(&sha256);
        let site = OpenSite::open(&path, &self.members)?;
        let signature = bundle::signature(&File::open(path)?)?;
        Ok(Version { sha256, site, signature })
    }

    /// Checks the download, stores it, and activates it. Other versions are not touched before.
    pub(super) fn take(&self, check: &Check) -> Result<Version, UpdateError> {
        let download = self.download();
        let sha256 = Sha256Hash::of_file(&download)
            .map_err(|error| UpdateError::of_disk(error, "cannot read the download"))?
            .to_string();
        let refuse = |reason| UpdateError::Permanent(anyhow!("{reason}; correct one of them"));
        let pin = &check.pin;
        pin.wrong_sha256(&sha256).map_or(Ok(()), |reason| Err(refuse(reason)))?;
        if let Some(promised) = check.promised.as_ref().filter(|promised| **promised != sha256) {
            return Err(UpdateError::Permanent(anyhow!(
                "the SHA-256 of the download is {sha256}, expected {promised}; export the site again"
            )));
        }
        let manifest = bundle::verify(&download, Limits::default()).map_err(of_bundle)?;
        let version = manifest.about.version.as_deref();
        pin.wrong_version(version).map_or(Ok(()), |reason| Err(refuse(reason)))?;
        let signature = File::open(&download).map_err(BundleError::from);
        let signature = signature.and_then(|file| bundle::signature(&file)).map_err(of_bundle)?;
        if let Some(reason) = pin.wrong_signature(signature.as_ref()) {
            return Err(UpdateError::Permanent(anyhow!(
                "{reason}; export the site again, or correct the key"
            )));
        }
        let version = self.place(&download, sha256)?;
        self.switch(&version)?;
        Ok(version)
    }

    /// Moves a checked bundle to its final path.
    fn place(&self, download: &Path, sha256: String) -> Result<Version, UpdateError> {
        let keep = |error: io::Error| UpdateError::of_disk(error, "cannot keep the bundle");
        File::open(download).and_then(|file| file.sync_all()).map_err(keep)?;
        fs::rename(download, self.path(&sha256)).map_err(keep)?;
        sync_folder(&self.data.join("versions")).map_err(keep)?;
        self.open_version(sha256).map_err(of_bundle)
    }

    /// Activates a version atomically, and removes versions over the limit.
    pub(super) fn switch(&self, version: &Version) -> Result<(), UpdateError> {
        let mut names = vec![version.sha256.clone()];
        let others = self.good().into_iter().map(|version| version.sha256);
        names.extend(others.filter(|name| *name != version.sha256));
        names.truncate(KEPT);
        let text = names.join("\n") + "\n";
        self.write_current(&text)
            .map_err(|error| UpdateError::of_disk(error, "cannot record the active version"))?;
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
        self.remove_unnamed();
        Ok(())
    }

    fn write_current(&self, text: &str) -> io::Result<()> {
        let partial = self.data.join("current.partial");
        let mut file = File::create(&partial)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&partial, self.data.join(CURRENT))?;
        sync_folder(&self.data)
    }

    fn names(&self) -> Vec<String> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn path(&self, sha256: &str) -> PathBuf {
        self.data.join("versions").join(format!("{sha256}.tar.gz"))
    }

    /// Removes files that `current` does not name. Files that can't be removed now are removed the next time. If
    /// there are no lines, they might be lost, so everything stays.
    fn remove_unnamed(&self) {
        let names = self.names();
        let Ok(entries) = fs::read_dir(self.data.join("versions")) else { return };
        if names.is_empty() {
            return;
        }
        for entry in entries.flatten() {
            let path = entry.path();
            if names.iter().any(|name| path == self.path(name)) {
                continue;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            drop(if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) });
        }
    }
}

/// The names in a file, which might not exist yet. Lines that aren't a hash are ignored.
fn read_names(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let is_hash =
        |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(text.lines().map(str::trim).filter(is_hash).map(str::to_owned).collect())
}

/// Locks the data folder for this process. The system releases the lock however the process ends.
fn lock(data: &Path) -> anyhow::Result<File> {
    let path = data.join("lock");
    let opened = File::options().create(true).truncate(false).write(true).open(&path);
    let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(anyhow!(
            "another `docwright deploy` uses {}; stop it, or choose another --data",
            data.display()
        )),
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// Makes a rename in a folder survive a power failure, if the file system can.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

fn of_bundle(error: BundleError) -> UpdateError {
    match error {
        BundleError::Io(error) => UpdateError::of_disk(error, "cannot check the bundle"),
        error => UpdateError::Permanent(error.into()),
    }
}

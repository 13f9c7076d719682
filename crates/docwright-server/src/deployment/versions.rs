//! Versions on disk: each in a folder of its own, and a file that names the active one.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use docwright_site::bundle::{Limits, Manifest, unpack};
use sha2::{Digest, Sha256};

/// The file that names the active version's folder.
const CURRENT: &str = "current";

/// A version that is whole.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    /// Its folder.
    pub(super) folder: PathBuf,
    /// What it says about itself.
    pub(super) manifest: Manifest,
}

impl Version {
    /// Its label, or the commit, or the name of its folder.
    pub(super) fn label(&self) -> String {
        let own =
            self.manifest.about.version.clone().or_else(|| self.manifest.about.commit.clone());
        own.unwrap_or_else(|| {
            self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
        })
    }
}

/// The versions below a data folder.
#[derive(Debug, Clone)]
pub(super) struct Versions {
    data: PathBuf,
}

impl Versions {
    pub(super) fn open(data: PathBuf) -> anyhow::Result<Self> {
        fs::create_dir_all(data.join("versions"))
            .with_context(|| format!("cannot make {}", data.display()))?;
        Ok(Self { data })
    }

    pub(super) fn data(&self) -> &Path {
        &self.data
    }

    /// The version that was active last, if it is still whole enough to serve.
    pub(super) fn active(&self) -> Option<Version> {
        let name = fs::read_to_string(self.data.join(CURRENT)).ok()?;
        let folder = self.data.join("versions").join(name.trim());
        let manifest = Manifest::read(&folder)?;
        Some(Version { folder, manifest })
    }

    /// Checks a bundle and unpacks it beside the others.
    pub(super) fn unpack(&self, archive: &Path, pin: Option<&str>) -> anyhow::Result<Version> {
        let name =
            fingerprint(archive).with_context(|| format!("cannot read {}", archive.display()))?;
        let folder = self.data.join("versions").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let file = File::open(archive)?;
        let manifest = unpack(BufReader::new(file), &folder, Limits::default())?;
        if let Some(pin) = pin
            && manifest.about.version.as_deref() != Some(pin)
        {
            drop(fs::remove_dir_all(&folder));
            let found = manifest.about.version.as_deref().unwrap_or("no version");
            bail!(
                "the bundle is {found}, but staticExport.version asks for {pin}; correct one of them"
            );
        }
        Ok(Version { folder, manifest })
    }

    /// Makes a version the active one, at once, and removes the others.
    pub(super) fn switch(&self, version: &Version) -> anyhow::Result<()> {
        let name = version.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let partial = self.data.join("current.partial");
        fs::write(&partial, &name)?;
        fs::rename(&partial, self.data.join(CURRENT))?;
        for entry in fs::read_dir(self.data.join("versions"))?.flatten() {
            if entry.file_name().to_string_lossy() != name {
                // What can't be removed now is removed at the next switch.
                drop(fs::remove_dir_all(entry.path()));
            }
        }
        Ok(())
    }
}

fn fingerprint(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(&hash.finalize()[..16]));
        }
        hash.update(&buffer[..read]);
    }
}

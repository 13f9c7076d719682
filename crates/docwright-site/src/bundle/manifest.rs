//! The manifest of a bundle.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest, Sha256};

use super::{BundleError, MANIFEST, Member, SIGNATURE};
use crate::{content::config::Redirect, guidance::Guidance, source::is_safe_path};

/// The kind of site in a bundle.
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of the site")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The program that created the bundle: `docwright` and its version.
    pub generator: String,
    /// Label of this version.
    pub version: Option<String>,
    /// Commit that the site was built from.
    pub commit: Option<String>,
    /// Pages of the site.
    pub page_count: usize,
    /// Redirects, for hosts that can answer them.
    pub redirects: Vec<Redirect>,
    /// The languages that the site can open in, the default one first. Empty for sites in one language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<HomeLanguage>,
    /// Origins (scheme, host, and port) that a server sends requests of the playground to; `None` if it sends none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_origins: Option<Vec<String>>,
    /// Whether the server of the site answers readers' questions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assistant: bool,
    /// What the authors tell the assistant. No server gives it to readers.
    #[serde(default, skip_serializing_if = "Guidance::is_empty")]
    pub guidance: Guidance,
    /// Days that the server of the site keeps readers' questions; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub question_days: u16,
    /// Whether pages ask readers for feedback.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub feedback: bool,
    /// Whether the server of the site counts its readers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub analytics: bool,
    /// Whether views of people count only when the script of the page reports them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub views_by_script: bool,
}

/// A language that a site can open in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeLanguage {
    /// Its `hreflang` value, such as `pt-BR`.
    pub code: String,
    /// The page that the site opens at: a percent-encoded path below the site root that starts with a slash.
    pub path: String,
}

impl Default for About {
    /// Nothing is known but the generator, which is this version of docwright.
    fn default() -> Self {
        Self {
            generator: concat!("docwright ", env!("CARGO_PKG_VERSION")).to_owned(),
            version: None,
            commit: None,
            page_count: 0,
            redirects: Vec::new(),
            languages: Vec::new(),
            request_origins: None,
            assistant: false,
            guidance: Guidance::default(),
            question_days: 0,
            feedback: false,
            analytics: false,
            views_by_script: false,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u16) -> bool {
    *number == 0
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The kind of site.
    #[serde(flatten)]
    pub about: About,
    /// Every other file of the bundle, sorted by path.
    pub files: Vec<FileEntry>,
}

/// One file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path below the site root.
    pub path: Box<str>,
    /// Length in bytes.
    pub size: u64,
    /// SHA-256 of the contents; lower-case hex in JSON.
    pub sha256: Sha256Hash,
    /// Where the contents are in the bundle.
    pub member: Member,
}

/// A SHA-256; lower-case hex in text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256Hash(pub [u8; 32]);

impl Sha256Hash {
    /// The hash of a file, such as a whole bundle.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 256 * 1024];
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                return Ok(Self(hash.finalize().into()));
            }
            hash.update(&buffer[..read]);
        }
    }
}

impl fmt::Display for Sha256Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Sha256Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut hash = [0; 32];
        hex::decode_to_slice(&text, &mut hash)
            .map_err(|_| D::Error::custom(format!("`{text}` is no SHA-256")))?;
        Ok(Self(hash))
    }
}

impl Manifest {
    /// Parses a manifest. Its files must be sorted by path and unique, and no path can leave the site.
    pub(super) fn parse(json: &[u8]) -> Result<Self, BundleError> {
        let mut manifest: Self = serde_json::from_slice(json).map_err(|error| {
            BundleError::invalid(format!("its manifest can't be read: {error}"))
        })?;
        manifest.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        for pair in manifest.files.windows(2) {
            if pair[0].path == pair[1].path {
                let reason = format!("{} is in its manifest twice", pair[0].path);
                return Err(BundleError::invalid(reason));
            }
        }
        let is_wrong = |path: &str| !is_safe_path(path) || [MANIFEST, SIGNATURE].contains(&path);
        match manifest.files.iter().find(|file| is_wrong(&file.path)) {
            Some(file) => {
                let reason = format!("{:?} is not a path within the site", file.path);
                Err(BundleError::invalid(reason))
            }
            None => Ok(manifest),
        }
    }
}

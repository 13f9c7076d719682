//! The values file: `staticExport` with `enabled`; one of `bundleUrl`, `source`, and `folder`; `version`, `sha256`,
//! `publicKey`, and `maximumBytes`. Beside it, `analytics` with `passwordFile`.

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, bail, ensure};
use docwright_site::bundle::Signature;
use docwright_storage::bundle_key::BundleKey;
use serde_json::{Map, Value};

use super::{folder, source::BundleSource};

/// Largest size of a bundle, in bytes.
const MAXIMUM_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// The known keys below `staticExport`.
const KEYS: [&str; 8] =
    ["enabled", "bundleUrl", "source", "folder", "version", "sha256", "publicKey", "maximumBytes"];

/// The known key below `analytics`.
const PASSWORD_FILE: &str = "passwordFile";

/// The wanted bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// Whether a bundle is fetched; otherwise the version on disk is served.
    pub enabled: bool,
    /// Where the bundle comes from.
    pub source: BundleSource,
    /// Which bundle it must be.
    pub pin: Pin,
    /// Its size limit, in bytes.
    pub maximum_bytes: u64,
    /// File with the password of the page of web analytics.
    pub analytics_password_file: Option<PathBuf>,
}

/// The only version that can be served, as far as the values name it. Without it, every valid version can.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pin {
    /// Its label.
    pub version: Option<String>,
    /// SHA-256 of the bundle, in lower-case hex.
    pub sha256: Option<String>,
    /// The keys of which one must have signed it; empty if it needs no signature.
    pub keys: Vec<BundleKey>,
}

impl Pin {
    /// Whether a version is pinned. Several can be signed by the same key.
    pub(super) const fn is_set(&self) -> bool {
        self.version.is_some() || self.sha256.is_some()
    }

    /// Why a bundle with this SHA-256 is not the pinned one.
    pub(super) fn wrong_sha256(&self, sha256: &str) -> Option<String> {
        let asked = self.sha256.as_deref().filter(|asked| *asked != sha256)?;
        Some(format!(
            "the SHA-256 of the bundle is {sha256}, but staticExport.sha256 asks for {asked}"
        ))
    }

    /// Why a bundle with this signature can't be served.
    pub(super) fn wrong_signature(&self, signature: Option<&Signature>) -> Option<String> {
        if self.keys.is_empty() {
            return None;
        }
        let Some(Signature { manifest, bytes }) = signature else {
            return Some(
                "the bundle has no signature, but staticExport.publicKey asks for one".to_owned(),
            );
        };
        let is_good = self.keys.iter().any(|key| key.has_signed(&manifest.0, bytes));
        (!is_good).then(|| {
            "the signature of the bundle is not from staticExport.publicKey: another key signed it, or it was changed".to_owned()
        })
    }

    /// Why a bundle with this label is not the pinned one.
    pub(super) fn wrong_version(&self, version: Option<&str>) -> Option<String> {
        let asked = self.version.as_deref().filter(|asked| version != Some(asked))?;
        let found =
            version.map_or("has no version".to_owned(), |found| format!("is version {found}"));
        Some(format!("the bundle {found}, but staticExport.version asks for {asked}"))
    }
}

impl Values {
    /// The values for a source, without pins.
    pub fn of(source: BundleSource) -> Self {
        Self {
            enabled: true,
            source,
            pin: Pin::default(),
            maximum_bytes: MAXIMUM_BYTES,
            analytics_password_file: None,
        }
    }

    /// Parses the text of a values file. Other keys (a chart has many) are ignored; unknown keys below
    /// `staticExport` are logged.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let value = docwright_site::content::yaml::parse(text).map_err(|error| {
            anyhow::anyhow!("line {}: not valid YAML: {}", error.line, error.message)
        })?;
        let section = value.get("staticExport").and_then(Value::as_object);
        let section =
            section.context("there is no `staticExport` with `enabled` and `bundleUrl`")?;
        for key in unknown_keys(section) {
            tracing::warn!(key, "unknown key below staticExport; it does nothing");
        }
        let enabled = match section.get("enabled") {
            Some(Value::Bool(enabled)) => *enabled,
            None | Some(Value::Null) => true,
            Some(_) => bail!("`staticExport.enabled` must be true or false"),
        };
        let source = BundleSource::parse(section, enabled)?;
        let pin = Pin {
            version: text_at(section, "version")?,
            sha256: sha256(section)?,
            keys: keys(section)?,
        };
        let maximum_bytes = match section.get("maximumBytes") {
            None | Some(Value::Null) => MAXIMUM_BYTES,
            Some(bytes) => bytes
                .as_u64()
                .context("`staticExport.maximumBytes` must be a whole number of bytes")?,
        };
        let analytics_password_file = analytics_password_file(&value)?;
        Ok(Self { enabled, source, pin, maximum_bytes, analytics_password_file })
    }
}

impl Values {
    /// Time between two polls; `None` if nothing is polled.
    pub(super) fn poll(&self) -> Option<Duration> {
        match &self.source {
            BundleSource::Service(source) if self.enabled => Some(source.poll),
            BundleSource::Folder(_) if self.enabled => Some(folder::POLL),
            _ => None,
        }
    }
}

/// The file that `analytics.passwordFile` names.
fn analytics_password_file(values: &Value) -> anyhow::Result<Option<PathBuf>> {
    let section = match values.get("analytics") {
        None | Some(Value::Null) => return Ok(None),
        Some(section) => section.as_object().context("`analytics` must have keys")?,
    };
    for key in section.keys().filter(|key| *key != PASSWORD_FILE) {
        tracing::warn!(key, "unknown key below analytics; it does nothing");
    }
    let file = text_at(section, PASSWORD_FILE).context("`analytics.passwordFile` is invalid")?;
    Ok(file.map(PathBuf::from))
}

fn unknown_keys(section: &Map<String, Value>) -> impl Iterator<Item = &str> {
    section.keys().map(String::as_str).filter(|key| !KEYS.contains(key))
}

/// A text; an empty one counts as missing. YAML reads some texts as numbers, and 1.10 as 1.1, so only whole
/// numbers are accepted as texts.
pub(super) fn text_at(section: &Map<String, Value>, key: &str) -> anyhow::Result<Option<String>> {
    match section.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => {
            Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        Some(Value::Number(number)) if number.is_u64() => Ok(Some(number.to_string())),
        Some(_) => bail!("`{key}` must be a text; put it in quotes"),
    }
}

fn sha256(section: &Map<String, Value>) -> anyhow::Result<Option<String>> {
    let text = text_at(section, "sha256")?;
    text.map(|text| parse_sha256(&text)).transpose().context("`staticExport.sha256` is invalid")
}

/// One public key or several, divided by white space or commas.
fn keys(section: &Map<String, Value>) -> anyhow::Result<Vec<BundleKey>> {
    let text = text_at(section, "publicKey")?.unwrap_or_default();
    let keys = text.split(|letter: char| letter.is_whitespace() || letter == ',');
    let keys = keys.filter(|key| !key.is_empty()).map(|key| {
        key.parse().map_err(|error| anyhow::anyhow!("`staticExport.publicKey` {error}"))
    });
    keys.collect()
}

/// A SHA-256 in any letter case, in lower case.
pub fn parse_sha256(text: &str) -> anyhow::Result<String> {
    ensure!(
        text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "it must be the 64 hexadecimal digits from the bundle operation"
    );
    Ok(text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{KEYS, Pin, Values, unknown_keys};
    use crate::deployment::{BundleSource, Link};

    const SHA256: &str = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";

    /// The chart has a value for each key, and one of its own for a Secret.
    #[test]
    fn keys_of_the_chart_are_known() {
        let chart = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/chart/values.yaml");
        let chart = std::fs::read_to_string(chart).unwrap();
        let chart = docwright_site::content::yaml::parse(&chart).unwrap();
        let section = chart["staticExport"].as_object().unwrap();
        assert!(KEYS.iter().all(|key| section.contains_key(*key)), "{section:?}");
        let unknown: Vec<_> = unknown_keys(section).collect();
        assert_eq!(unknown, ["existingSecret"]);
    }

    #[test]
    fn values_are_read() {
        let values = Values::parse(&format!(
            "staticExport:\n  enabled: true\n  bundleUrl: \"https://e.org/b?signature=abc\"\n  version: \"1\"\n  sha256: {SHA256}\nother: 1\n"
        ))
        .unwrap();
        let pin = Pin {
            version: Some("1".to_owned()),
            sha256: Some(SHA256.to_lowercase()),
            ..Pin::default()
        };
        let link = BundleSource::Link(Link::new("https://e.org/b?signature=abc"));
        assert_eq!((&values.source, &values.pin), (&link, &pin));
        assert!(!format!("{values:?}").contains("signature"));
        assert_eq!(values.analytics_password_file, None);
        let off = Values::parse("staticExport:\n  enabled: false\n  version: 7\n  sha256: ''\n");
        let off = off.unwrap();
        assert!(!off.enabled);
        assert_eq!(off.pin, Pin { version: Some("7".to_owned()), ..Pin::default() });
    }

    #[test]
    fn errors_are_named() {
        for (wrong, reason) in [
            ("", "staticExport"),
            ("a: 1", "staticExport"),
            ("staticExport: [\n", "YAML"),
            ("staticExport:\n  enabled: maybe\n", "enabled"),
            ("staticExport:\n  enabled: true\n", "bundleUrl"),
            ("staticExport:\n  bundleUrl: [a]\n", "bundleUrl"),
            ("staticExport:\n  bundleUrl: a\n  version: 1.10\n", "quotes"),
            ("staticExport:\n  bundleUrl: a\n  version: true\n", "quotes"),
            ("staticExport:\n  bundleUrl: a\n  sha256: abc\n", "64"),
            ("staticExport:\n  bundleUrl: a\n  publicKey: abc\n", "publicKey"),
            ("staticExport:\n  bundleUrl: a\n  maximumBytes: 4 GB\n", "maximumBytes"),
            ("staticExport:\n  bundleUrl: a\n  maximumBytes: -1\n", "maximumBytes"),
            ("staticExport:\n  bundleUrl: a\nanalytics: true\n", "analytics"),
            ("staticExport:\n  bundleUrl: a\nanalytics:\n  passwordFile: [a]\n", "passwordFile"),
        ] {
            let error = Values::parse(wrong).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{wrong}: {error:#}");
        }
    }

    #[test]
    fn pin_names_wrong_version_or_hash() {
        let pin = Pin {
            version: Some("2".to_owned()),
            sha256: Some(SHA256.to_lowercase()),
            ..Pin::default()
        };
        assert_eq!(pin.wrong_version(Some("2")), None);
        assert!(pin.wrong_version(Some("1")).unwrap().contains("is version 1"));
        assert!(pin.wrong_version(None).unwrap().contains("has no version"));
        assert_eq!(pin.wrong_sha256(&SHA256.to_lowercase()), None);
        assert!(pin.wrong_sha256(&SHA256.to_lowercase()[..32]).is_some());
        assert_eq!(
            (Pin::default().wrong_version(None), Pin::default().wrong_sha256("")),
            (None, None)
        );
    }
}

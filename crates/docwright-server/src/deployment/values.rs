//! The values file: `staticExport` with `enabled`, `bundleUrl` and `version`.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

/// A bundle is no larger than this. Bytes.
const MAXIMUM_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// What to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values {
    /// Whether a bundle is fetched.
    pub(crate) enabled: bool,
    /// The link that the bundle operation gave, or a path.
    pub(crate) bundle_url: String,
    /// The version that it must be.
    pub(crate) version: Option<String>,
    /// How large it may be. Bytes.
    pub(crate) maximum_bytes: u64,
}

impl Values {
    /// Reads a values file.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{} is not right", path.display()))
    }

    /// Reads the text of a values file. Keys of others (a chart has many) are left alone; unknown
    /// ones below `staticExport` are logged.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let value = docwright_site::content::yaml::parse(text).map_err(|error| {
            anyhow::anyhow!("line {}: not valid YAML: {}", error.line, error.message)
        })?;
        let section = value.get("staticExport").and_then(Value::as_object);
        let section =
            section.context("there is no `staticExport` with `enabled` and `bundleUrl`")?;
        for key in section.keys().filter(|key| {
            !["enabled", "bundleUrl", "version", "maximumBytes"].contains(&key.as_str())
        }) {
            tracing::warn!(key, "unknown key below staticExport; it does nothing");
        }
        let enabled = match section.get("enabled") {
            Some(Value::Bool(enabled)) => *enabled,
            None => true,
            Some(_) => anyhow::bail!("`staticExport.enabled` must be true or false"),
        };
        let bundle_url =
            section.get("bundleUrl").and_then(Value::as_str).unwrap_or_default().to_owned();
        ensure!(
            !enabled || !bundle_url.is_empty(),
            "`staticExport.bundleUrl` is missing; it is the link that the bundle operation gave"
        );
        let version = match section.get("version") {
            None | Some(Value::Null) => None,
            Some(Value::String(version)) if version.is_empty() => None,
            Some(Value::String(version)) => Some(version.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(_) => anyhow::bail!("`staticExport.version` must be a string"),
        };
        let maximum_bytes =
            section.get("maximumBytes").and_then(Value::as_u64).unwrap_or(MAXIMUM_BYTES);
        Ok(Self { enabled, bundle_url, version, maximum_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::Values;

    #[test]
    fn values_are_read() {
        let values = Values::parse("staticExport:\n  enabled: true\n  bundleUrl: \"https://e.org/b\"\n  version: \"1\"\nother: 1\n").unwrap();
        assert_eq!(
            (values.bundle_url.as_str(), values.version.as_deref()),
            ("https://e.org/b", Some("1"))
        );
        assert!(!Values::parse("staticExport:\n  enabled: false\n").unwrap().enabled);
        for wrong in [
            "",
            "a: 1",
            "staticExport:\n  enabled: maybe\n",
            "staticExport:\n  enabled: true\n",
            "staticExport: [\n",
        ] {
            assert!(Values::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Where a deployment gets its bundles: a link, the exports of a service, or a folder.

use std::{fmt, path::PathBuf, time::Duration};

use anyhow::{Context, bail, ensure};
use docwright_types::{domain_address::DomainAddress, key::PresentedKey};
use serde_json::{Map, Value};
use url::Url;

use super::values::text_at;

/// The known keys below `staticExport.source`.
const KEYS: [&str; 6] = ["url", "key", "keyFile", "domain", "deployment", "pollSeconds"];
/// Seconds between two polls, unless the values say otherwise.
const POLL_SECONDS: u64 = 60;
/// The most seconds between two polls: a day.
const MAXIMUM_POLL_SECONDS: u64 = 24 * 60 * 60;

/// Where a deployment gets its bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleSource {
    /// A link, fetched when the values change.
    Link(Link),
    /// The exports of a service, which are polled.
    Service(Box<ServiceSource>),
    /// A folder that someone carries bundles into, which is polled.
    Folder(PathBuf),
}

/// The link from the bundle operation, or a path. A presigned link gives access to the bundle, so it is never
/// shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Link(String);

impl Link {
    /// The link as written.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The link itself: for requests, never for messages.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Link(…)")
    }
}

/// The exports of a service that a deployment follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceSource {
    /// URL of the service.
    pub url: Url,
    /// The API key in the values. Its debug output has no secret.
    pub key: Option<PresentedKey>,
    /// The file with the API key. It is read for each poll, so a new key needs no restart.
    pub key_file: Option<PathBuf>,
    /// The domain of the site.
    pub domain: DomainAddress,
    /// ID or name of the deployment; `None` for exports that name none.
    pub deployment: Option<String>,
    /// Time between two polls, before jitter.
    pub poll: Duration,
}

impl BundleSource {
    /// Reads the source in the section `staticExport`. A disabled one can be missing.
    pub(super) fn parse(section: &Map<String, Value>, enabled: bool) -> anyhow::Result<Self> {
        let link = text_at(section, "bundleUrl")?;
        let service = match section.get("source") {
            None | Some(Value::Null) => None,
            Some(Value::Object(source)) => {
                Some(ServiceSource::parse(source).context("`staticExport.source` is invalid")?)
            }
            Some(_) => bail!("`staticExport.source` must have keys such as `url` and `domain`"),
        };
        let folder = text_at(section, "folder")?.map(|path| Self::Folder(path.into()));
        let link = link.map(|link| Self::Link(Link(link)));
        let mut given =
            [link, service.map(Box::new).map(Self::Service), folder].into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(_), Some(_)) => {
                bail!("`staticExport` can have only one of `bundleUrl`, `source`, and `folder`")
            }
            (Some(only), None) => Ok(only),
            (None, _) => {
                ensure!(
                    !enabled,
                    "`staticExport.bundleUrl` is missing; set it to the link from the bundle operation, or set `source` or `folder`"
                );
                Ok(Self::Link(Link(String::new())))
            }
        }
    }
}

impl ServiceSource {
    fn parse(source: &Map<String, Value>) -> anyhow::Result<Self> {
        for key in source.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            tracing::warn!(key, "unknown key below staticExport.source; it does nothing");
        }
        let required =
            |key: &str| text_at(source, key)?.with_context(|| format!("`{key}` is missing"));
        let url = required("url")?;
        let url = Url::parse(&url).ok().filter(is_service);
        let domain = DomainAddress::parse(&required("domain")?);
        let key = text_at(source, "key")?
            .map(|key| PresentedKey::parse(&key).context("`key` isn't an API key such as dw_…_…"));
        Ok(Self {
            url: url.context("`url` must be the URL of the service, such as https://docwright.example.com, without a password")?,
            key: key.transpose()?,
            key_file: text_at(source, "keyFile")?.map(PathBuf::from),
            domain: domain.map_err(|error| anyhow::anyhow!("`domain` {error}"))?,
            deployment: text_at(source, "deployment")?,
            poll: poll(source)?,
        })
    }
}

/// Whether a URL can be that of a service.
fn is_service(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.host().is_some()
        && url.username().is_empty()
        && url.password().is_none()
}

fn poll(source: &Map<String, Value>) -> anyhow::Result<Duration> {
    let seconds = match source.get("pollSeconds") {
        None | Some(Value::Null) => Some(POLL_SECONDS),
        Some(seconds) => seconds.as_u64(),
    };
    let seconds = seconds.filter(|seconds| (1..=MAXIMUM_POLL_SECONDS).contains(seconds));
    let seconds = seconds.with_context(|| {
        format!("`pollSeconds` must be a whole number from 1 to {MAXIMUM_POLL_SECONDS}")
    })?;
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::{BundleSource, Duration};
    use crate::deployment::Values;

    fn parse(source: &str) -> anyhow::Result<BundleSource> {
        Ok(Values::parse(&format!("staticExport:\n  source: {source}\n"))?.source)
    }

    #[test]
    fn source_is_read_and_hides_its_key() {
        let key = format!("dw_{}_{}", "0".repeat(16), "a".repeat(48));
        let source = parse(&format!(
            "{{url: 'https://docs-admin.example.com', key: {key}, domain: example.com/docs, deployment: plant}}"
        ));
        let Ok(BundleSource::Service(source)) = source else { panic!("{source:?}") };
        assert_eq!(source.domain.to_string(), "example.com/docs");
        assert_eq!(source.deployment.as_deref(), Some("plant"));
        assert_eq!((source.poll, source.key_file.is_none()), (Duration::from_mins(1), true));
        assert_eq!(source.key.as_ref().unwrap().reveal(), key);
        assert!(!format!("{source:?}").contains("aaaa"));
    }

    #[test]
    fn errors_of_source_are_named() {
        for (wrong, reason) in [
            ("[a]", "must have keys"),
            ("{domain: example.com}", "`url` is missing"),
            ("{url: 'https://example.com'}", "`domain` is missing"),
            ("{url: example.com, domain: example.com}", "`url` must be"),
            ("{url: 'ftp://example.com', domain: example.com}", "`url` must be"),
            ("{url: 'https://a:b@example.com', domain: example.com}", "`url` must be"),
            ("{url: 'https://example.com', domain: 'https://example.com'}", "`domain`"),
            ("{url: 'https://example.com', domain: example.com, key: dw_}", "`key`"),
            ("{url: 'https://example.com', domain: example.com, pollSeconds: 0}", "pollSeconds"),
            ("{url: 'https://example.com', domain: example.com}\n  bundleUrl: a", "only one"),
            ("{url: 'https://example.com', domain: example.com}\n  folder: /a", "only one"),
        ] {
            let error = format!("{:#}", parse(wrong).unwrap_err());
            assert!(error.contains(reason), "{wrong}: {error}");
        }
    }
}

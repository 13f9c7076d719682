//! All inputs of a build except the files of the docs root.

use std::collections::BTreeMap;

use docwright_types::{deployment::Features, git_host::RepositoryFolder};
use serde::{Deserialize, Serialize};
use url::Url;

/// The options of [`build`](crate::build). They can be sent to another process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Public address of the site, for canonical links, the sitemap and `llms.txt`. Without one
    /// they are left out or relative.
    pub site_url: Option<Url>,
    /// Whether `site_url` overrides a canonical address in the configuration.
    pub site_url_wins: bool,
    /// The commit of the files, for the manifest.
    pub commit: Option<String>,
    /// Label of this version, for the manifest.
    pub version: Option<String>,
    /// Limits the site to these slugs; `None` renders all pages.
    pub paths: Option<Vec<String>>,
    /// Which reader features the site carries code for.
    pub features: Features,
    /// Where the files are seen and edited on the web.
    pub repository: Option<RepositoryFolder>,
    /// Last change of a source file (path below the docs root → ISO 8601 date), where known.
    pub last_modified: BTreeMap<String, String>,
    /// How large the site can become.
    pub limits: OutputLimits,
}

impl Options {
    /// The base path in the site's address, such as `/docs`; empty at the root of a host.
    pub fn base_path(&self) -> &str {
        self.site_url.as_ref().map(|url| url.path().trim_end_matches('/')).unwrap_or_default()
    }
}

/// Limits on the size of a site. A few lines can include one file in every page, so the size of a docs root
/// doesn't limit the size of its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputLimits {
    /// All written files together; a page that is rendered twice counts twice.
    pub bytes: u64,
    /// Written files.
    pub files: u64,
}

impl Default for OutputLimits {
    /// Room for 25,000 pages with long sidebars, which need 5 GB.
    fn default() -> Self {
        Self { bytes: 16 * 1024 * 1024 * 1024, files: 1_000_000 }
    }
}

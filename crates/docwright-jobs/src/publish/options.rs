//! All inputs of a bundle's bytes besides the commit.

use docwright_storage::database::Project;
use docwright_types::{deployment::Features, preview::Preview, release::Release, site::Site};
use serde::{Deserialize, Serialize};

use super::Publisher;

/// Options of a bundle. Releases of one commit with equal texts of options are identical.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Options {
    /// Address of the site.
    pub(super) address: String,
    /// The folder of the documentation in the repository.
    pub(super) docs_path: String,
    /// The version of docwright.
    docwright: String,
    /// Its reader features.
    pub(super) features: Features,
    /// The only pages that it has.
    pub(super) paths: Option<Vec<String>>,
    /// Whether API specs and fonts on other hosts are fetched.
    pub(super) remote_specs: bool,
    /// Its label.
    pub(super) version: Option<String>,
}

impl Options {
    /// The options of a new release.
    pub(super) fn new(
        publisher: &Publisher,
        (site, project): (&Site, &Project),
        release: &Release,
        (preview, features): (Option<&Preview>, Features),
    ) -> Self {
        // The author of a fork can't make this machine send requests to other hosts.
        let is_fork = preview.is_some_and(|preview| preview.source.is_fork);
        Self {
            address: release.site_address(site),
            docs_path: project.docs_path.clone(),
            docwright: env!("CARGO_PKG_VERSION").to_owned(),
            features: if preview.is_some() { features.of_preview() } else { features },
            paths: release.paths.clone(),
            remote_specs: publisher.remote_specs.is_some() && !is_fork,
            version: release.version.clone(),
        }
    }

    /// The recorded options of a release that is rebuilt, with this version of docwright. A release of an earlier
    /// version recorded none, and gets these.
    pub(super) fn recorded_in(self, recorded: Option<&str>) -> Self {
        let recorded = recorded.and_then(|text| serde_json::from_str::<Self>(text).ok());
        match recorded {
            Some(recorded) => Self { docwright: self.docwright, ..recorded },
            None => self,
        }
    }

    /// The options as one text.
    pub(super) fn text(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stay_equal_as_text() {
        let text = "{\"address\":\"https://a\",\"docsPath\":\"docs\",\"docwright\":\"0.1.0\",\
                    \"features\":{\"search\":{\"mode\":\"on\"},\"assistant\":{\"mode\":\"off\",\"address\":null,\"starterQuestions\":[],\
                    \"supportAddress\":null,\"keepDays\":30},\
                    \"analytics\":{\"mode\":\"off\",\"address\":null,\"behindCdn\":false},\"playground\":{\"mode\":\"browser\",\"baseUrl\":null,\"hosts\":[]},\
                    \"integrations\":{\"mode\":\"off\"}},\
                    \"paths\":null,\"remoteSpecs\":true,\"version\":null}";
        let options: Options = serde_json::from_str(text).unwrap();
        assert_eq!(options.text(), text);
    }
}

//! The pages of an open site, for the assistant.

use std::sync::Arc;

use docwright_assistant::Pages;
use docwright_site::{
    embedding::SectionVectors,
    guidance::Guidance,
    search::{SearchError, Searcher, languages_of},
};

use super::{open_site::OpenSite, searchers};

/// The pages of an open site.
#[derive(Debug)]
pub(crate) struct SitePages(pub(crate) Arc<OpenSite>);

impl Pages for SitePages {
    fn searcher(&self) -> Result<Arc<Searcher>, SearchError> {
        searchers::of(&self.0)
    }

    fn vectors(&self, language: &str) -> Option<Arc<SectionVectors>> {
        searchers::vectors(&self.0, language)
    }

    fn languages(&self) -> Vec<String> {
        languages_of(self.0.paths()).map(str::to_owned).collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.bundle.read_text(path)
    }

    fn has(&self, path: &str) -> bool {
        self.0.find(path).is_some()
    }

    fn guidance(&self) -> &Guidance {
        &self.0.about().guidance
    }
}

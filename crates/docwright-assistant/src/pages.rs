//! What an answer needs of a site.

use std::sync::Arc;

use docwright_site::{
    embedding::SectionVectors,
    guidance::Guidance,
    search::{SearchError, Searcher},
};

/// The pages of a site. Calls can block.
pub trait Pages: Send + Sync + 'static {
    /// The engine of its search.
    ///
    /// # Errors
    ///
    /// Fails if the engine can't start.
    fn searcher(&self) -> Result<Arc<Searcher>, SearchError>;
    /// The vectors of its sections in a language, if it has some.
    fn vectors(&self, language: &str) -> Option<Arc<SectionVectors>>;
    /// The languages that it has an index of.
    fn languages(&self) -> Vec<String>;
    /// The text of a file below the site root.
    fn read(&self, path: &str) -> Option<String>;
    /// Whether there is a file at a path below the site root.
    fn has(&self, path: &str) -> bool;
    /// What the authors tell the assistant.
    fn guidance(&self) -> &Guidance;
}

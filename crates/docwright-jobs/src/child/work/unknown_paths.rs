//! Finds paths that are not pages of a docs root.

use std::path::PathBuf;

use docwright_site::{
    content::{Content, slug},
    source::Source,
};
use serde::{Deserialize, Serialize};

use super::{Failure, Request, Work, WorkResponse};

/// Find the paths that are not pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnknownPaths {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The paths.
    pub paths: Vec<String>,
}

impl Work for UnknownPaths {
    const NAME: &'static str = "the look-up of pages";
    type Output = Vec<String>;

    fn into_request(self) -> Request {
        Request::UnknownPaths(self)
    }

    fn read_answer(answer: WorkResponse) -> Option<Vec<String>> {
        match answer {
            WorkResponse::Paths(paths) => Some(paths),
            _ => None,
        }
    }
}

impl UnknownPaths {
    pub(super) fn perform(self) -> Result<Vec<String>, Failure> {
        let failed = |failure: Failure| failure.without_paths(&self.root);
        let (source, _) = Source::read(&self.root).map_err(|error| failed(error.into()))?;
        let (content, _) = Content::load(&source).map_err(Failure::lasting)?;
        let is_page = |path: &String| content.pages.contains_key(&slug::of_reference(path));
        Ok(self.paths.into_iter().filter(|path| !is_page(path)).collect())
    }
}

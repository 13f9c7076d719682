//! Compiles one page with a text that isn't saved.

use std::path::PathBuf;

use docwright_site::{build::draft, source::Source};
use serde::{Deserialize, Serialize};

use super::{BuildDiagnostic, BuildOptions, Failure, Request, Work, WorkResponse};

/// Diagnostics of a draft at most.
const MAXIMUM_DIAGNOSTICS: usize = 100;

/// Compile a page. The answer is `None` if no page is made of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// The file of the page, below the docs root.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Inputs of the site besides its files.
    pub options: BuildOptions,
}

/// A compiled page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledDraft {
    /// The HTML document. Its author controls it.
    pub html: String,
    /// The first 100 diagnostics of its file.
    pub diagnostics: Vec<BuildDiagnostic>,
}

impl Work for Draft {
    const NAME: &'static str = "the preview of the page";
    type Output = Option<CompiledDraft>;

    fn into_request(self) -> Request {
        Request::Draft(Box::new(self))
    }

    fn read_answer(answer: WorkResponse) -> Option<Self::Output> {
        match answer {
            WorkResponse::Draft(compiled) => {
                let count = compiled.as_ref().map_or(0, |compiled| compiled.diagnostics.len());
                (count <= MAXIMUM_DIAGNOSTICS).then_some(compiled)
            }
            _ => None,
        }
    }
}

impl Draft {
    pub(super) fn perform(self) -> Result<Option<CompiledDraft>, Failure> {
        let failed = |failure: Failure| failure.without_paths(&self.root);
        let (mut source, _) = Source::read(&self.root).map_err(|error| failed(error.into()))?;
        // A file that was not read, such as an ignored one, stays so.
        if source.get(&self.file).is_none() {
            return Ok(None);
        }
        source.write(&self.file, &self.text);
        let options = self.options.clone().into_options(std::collections::BTreeMap::new());
        let compiled =
            draft(&source, &options, &self.file).map_err(|error| failed(error.into()))?;
        Ok(compiled.map(|compiled| {
            let found = compiled.diagnostics.into_iter();
            let mut diagnostics: Vec<_> =
                found.filter_map(BuildDiagnostic::from_diagnostic).collect();
            diagnostics.sort();
            diagnostics.truncate(MAXIMUM_DIAGNOSTICS);
            CompiledDraft { html: compiled.html, diagnostics }
        }))
    }
}

//! The report of a build or a check.

use docwright_types::release::SiteConfiguration;
use serde::{Deserialize, Serialize};

use super::{
    BuildError, STACK,
    ignore::{Ignored, Ignores},
};
use crate::{
    Diagnostic,
    bundle::{About, HomeLanguage},
    content::config::Redirect,
    embedding::EmbeddedSections,
    guidance::Guidance,
    source::Source,
};

/// The result of a build.
#[expect(clippy::struct_excessive_bools, reason = "each is a feature of the site")]
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Pages of the site.
    pub pages: usize,
    /// Pages that an earlier build rendered.
    #[serde(skip)]
    pub reused_pages: usize,
    /// Other pages whose body an earlier build rendered.
    #[serde(skip)]
    pub reused_bodies: usize,
    /// The configuration, if a whole site was built.
    pub configuration: Option<SiteConfiguration>,
    /// Diagnostics, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Ignored diagnostics, sorted by position.
    pub ignored: Vec<Ignored>,
    /// The redirects of the site, for hosts that can answer them.
    pub redirects: Vec<Redirect>,
    /// The languages that the site can open in, for hosts that know what the reader prefers.
    pub languages: Vec<HomeLanguage>,
    /// Origins that a server sends requests of the playground to; `None` if it sends none.
    pub request_origins: Option<Vec<String>>,
    /// Whether the server of the site answers readers' questions.
    pub assistant: bool,
    /// What the authors tell the assistant. Only a bundle with the assistant has it.
    #[serde(skip)]
    pub guidance: Guidance,
    /// Days that the server of the site keeps readers' questions; 0 for none.
    pub question_days: u16,
    /// Whether pages ask readers for feedback.
    pub feedback: bool,
    /// The vectors of sections, if an embedder was to make them.
    pub embedded: Option<Embedded>,
    /// Whether the server of the site counts its readers.
    pub analytics: bool,
    /// Whether views of people count only when the script of the page reports them.
    pub views_by_script: bool,
}

/// What became of the vectors of sections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Embedded {
    /// They are in the site.
    Sections(EmbeddedSections),
    /// The site has none, for this reason.
    Failed(String),
}

impl Report {
    /// The report of a docs root, without ignored problems.
    pub(super) fn new(
        source: &Source,
        pages: usize,
        mut found: Vec<Diagnostic>,
        redirects: Vec<Redirect>,
    ) -> Self {
        let (mut ignores, more) = Ignores::read(source);
        found.extend(more);
        let (guidance, more) = Guidance::read(source);
        found.extend(more);
        let mut report = Self { pages, redirects, guidance, ..Self::default() };
        report.take(found, &mut ignores);
        report
    }

    /// What a bundle of the site says about it. The commit and version are known to the caller.
    pub fn about(&self) -> About {
        About {
            page_count: self.pages,
            redirects: self.redirects.clone(),
            languages: self.languages.clone(),
            request_origins: self.request_origins.clone(),
            assistant: self.assistant,
            guidance: if self.assistant { self.guidance.clone() } else { Guidance::default() },
            question_days: self.question_days,
            feedback: self.feedback,
            analytics: self.analytics,
            views_by_script: self.views_by_script,
            ..About::default()
        }
    }

    /// Adds diagnostics from elsewhere, such as from reading the files, except ignored ones.
    pub fn add(&mut self, source: &Source, found: Vec<Diagnostic>) -> Result<(), BuildError> {
        if found.is_empty() {
            return Ok(());
        }
        // Comments are parsed with their pages, which can be nested deeply.
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build()?;
        let (mut ignores, _) = thread.install(|| Ignores::read(source));
        self.take(found, &mut ignores);
        Ok(())
    }

    fn take(&mut self, found: Vec<Diagnostic>, ignores: &mut Ignores) {
        for diagnostic in found {
            match ignores.ignored_by(&diagnostic.path, diagnostic.line, diagnostic.rule) {
                Some(by) => self.ignored.push(Ignored { diagnostic, by }),
                None => self.diagnostics.push(diagnostic),
            }
        }
        self.diagnostics.sort();
        self.diagnostics.dedup();
        self.ignored.sort();
        self.ignored.dedup();
    }
}

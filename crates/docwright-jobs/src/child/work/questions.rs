//! Asks the golden questions of a docs root, of the site that was just built and of the one before the change. An
//! error here is logged and fails no build.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use docwright_site::{
    answer::golden::{self, QUESTIONS_FILE, SearchedSite},
    bundle::Bundle,
    source::Source,
};
use docwright_types::question_check::QuestionCheck;
use serde::{Deserialize, Serialize};

/// How long all questions can take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long the build and the questions can take together: less than a child has, since questions fail no build.
const LATEST: Duration = Duration::from_mins(8);

/// How golden questions are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionsToAsk {
    /// The bundle of the site before the change, which the child can read; `None` if there is none.
    pub before: Option<PathBuf>,
}

impl QuestionsToAsk {
    /// Asks the questions of the site in `bundle`, whose build began at `start`. `None` if it has none, or they can't be
    /// asked.
    pub(super) fn ask(
        &self,
        source: &Source,
        bundle: &Path,
        start: Instant,
    ) -> Option<QuestionCheck> {
        let end = (Instant::now() + PATIENCE).min(start + LATEST);
        let questions = golden::read(source.text(QUESTIONS_FILE)?).ok()?;
        let after = site(bundle)?;
        let before = self.before.as_deref().and_then(site);
        let is_over = move || Instant::now() >= end;
        golden::check_change(&questions, &after, before.as_ref(), is_over).map_err(log).ok()
    }
}

fn site(bundle: &Path) -> Option<SearchedSite> {
    let bundle = Arc::new(Bundle::open(bundle).map_err(log).ok()?);
    let read = Arc::clone(&bundle);
    let paths = bundle.files().iter().map(|file| &*file.path);
    SearchedSite::new(paths, move |path| read.read_text(path)).map_err(log).ok()?
}

fn log(error: impl std::fmt::Display) {
    eprintln!("error: golden questions not asked: {error}");
}

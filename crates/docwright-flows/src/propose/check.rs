//! docwright's compiler, as the agent asks it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use docwright_agent::{
    checker::{Checker, Problem},
    workspace::{Change, Changes},
};
use docwright_site::{
    Severity,
    build::{check, read_page},
    source::Source,
};

use super::check_out::Checkout;

/// Checks a docs root with changes laid over it.
#[derive(Debug)]
pub(super) struct SiteChecker {
    root: PathBuf,
    /// What was wrong before any change, by commit and docs root.
    known: PathBuf,
}

impl SiteChecker {
    pub(super) fn new(checkout: &Checkout, scratch: &Path) -> Self {
        let docs = checkout.docs.replace('/', "+");
        let name = format!("{}-{docs}-{}.json", checkout.commit, env!("CARGO_PKG_VERSION"));
        Self { root: checkout.root.clone(), known: scratch.join("checks").join(name) }
    }

    /// How often each mistake was there before. Kept on disk, since many jobs begin from one commit.
    fn before(&self) -> Result<BTreeMap<String, usize>, String> {
        let kept = std::fs::read(&self.known).ok();
        if let Some(known) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(known);
        }
        let mut known = BTreeMap::new();
        for problem in problems(&self.source(&Changes::default())?)? {
            *known.entry(identity(&problem)).or_default() += 1;
        }
        // Without the file the next job only works longer.
        if let Some(folder) = self.known.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            drop(std::fs::write(&self.known, serde_json::json!(known).to_string()));
        }
        Ok(known)
    }

    fn source(&self, changes: &Changes) -> Result<Source, String> {
        let (mut source, _) = Source::read(&self.root).map_err(|error| error.to_string())?;
        for (path, change) in changes.iter() {
            if let Change::Moved(from) = change {
                source.copy(from, path);
            }
        }
        for (path, change) in changes.iter() {
            match change {
                Change::Written(text) => source.write(path, text),
                Change::Deleted => source.remove(path),
                Change::Moved(_) => {}
            }
        }
        Ok(source)
    }
}

impl Checker for SiteChecker {
    fn check(&self, changes: &Changes) -> Result<Vec<Problem>, String> {
        let after = problems(&self.source(changes)?)?;
        if after.is_empty() {
            return Ok(after);
        }
        let mut before = self.before()?;
        let new = after.into_iter().filter(|problem| match before.get_mut(&identity(problem)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        Ok(new.collect())
    }

    fn preview(&self, changes: &Changes, path: &str) -> Result<String, String> {
        let text = read_page(&self.source(changes)?, path).map_err(|error| error.to_string())?;
        text.ok_or_else(|| format!("`{path}` is no page"))
    }
}

/// What tells one mistake from another. Lines move when text is added above.
fn identity(problem: &Problem) -> String {
    format!("{}\n{}", problem.path, problem.message)
}

fn problems(source: &Source) -> Result<Vec<Problem>, String> {
    let report = check(source).map_err(|error| error.to_string())?;
    let mistakes = report.diagnostics.into_iter().filter(|each| each.severity != Severity::Note);
    Ok(mistakes
        .map(|each| Problem {
            path: each.path,
            line: each.line,
            message: each.message,
            help: each.help,
        })
        .collect())
}

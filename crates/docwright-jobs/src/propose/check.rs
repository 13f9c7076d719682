//! docwright's compiler for the agent: in a child process each time.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use docwright_agent::{
    checker::{BrokenLink, Checker, MovedLink, Problem},
    workspace::{Changes, Workspace},
};
use tokio::runtime::Handle;

use super::{
    Proposer,
    check_out::Files,
    known::{KnownDiagnostics, identity},
};
use crate::{
    child::{
        ChildError, ChildFailure, Folders, Launcher,
        work::{Check, LinksToRepair, MovedLinks, Preview, Work},
    },
    queue::{HeldLease, JobError},
};

/// Checks a docs root with changes.
#[derive(Debug)]
pub(super) struct SiteChecker<'a> {
    launcher: &'a Launcher,
    held: &'a HeldLease,
    root: PathBuf,
    folders: Folders,
    /// Diagnostics from before any change, by commit and docs root.
    known: PathBuf,
}

impl<'a> SiteChecker<'a> {
    pub(super) fn new(proposer: &'a Proposer, files: &Files, held: &'a HeldLease) -> Self {
        let docs = files.docs.replace('/', "+");
        let name = format!("{}-{docs}-{}.json", files.commit, env!("CARGO_PKG_VERSION"));
        let read = vec![files.checkout.folder().to_owned()];
        Self {
            launcher: &proposer.launcher,
            held,
            root: files.root.clone(),
            folders: Folders { read, ..Folders::default() },
            known: proposer.checks.join(name),
        }
    }

    /// Why the job must stop, if it must.
    pub(super) fn interruption(&self) -> Option<JobError> {
        self.held.is_interrupted().then(|| self.held.interruption())
    }

    /// Does some work in a child process. Blocks its thread, which the driver allows; another task renews the
    /// lease.
    fn run<W: Work>(&self, work: W) -> Result<W::Output, String> {
        let run = self.launcher.run(work, &self.folders, &(), self.held.interrupted());
        Handle::current().block_on(run).map_err(|error| sentence(&error))
    }

    /// How often each diagnostic existed before. It is cached on disk, since many jobs start from one commit.
    fn before(&self) -> Result<BTreeMap<String, usize>, String> {
        let kept = std::fs::read(&self.known).ok();
        if let Some(known) = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
            return Ok(known);
        }
        let work = Check { root: self.root.clone(), changes: Changes::default() };
        let mut known = BTreeMap::new();
        for problem in self.run(work)? {
            *known.entry(identity(&problem)).or_default() += 1;
        }
        // Without the file the next job only takes longer.
        drop(keep(&self.known, &serde_json::json!(known).to_string()));
        Ok(known)
    }
}

impl Checker for SiteChecker<'_> {
    fn check(&self, workspace: &Workspace) -> Result<Vec<Problem>, String> {
        let changes = workspace.changes().clone();
        let after = self.run(Check { root: self.root.clone(), changes })?;
        if after.is_empty() {
            return Ok(after);
        }
        let mut known = KnownDiagnostics::new(&self.before()?, &workspace.moves());
        Ok(after.into_iter().filter(|problem| !known.take(problem)).collect())
    }

    fn broken_links(&self, changes: &Changes) -> Result<Vec<BrokenLink>, String> {
        self.run(LinksToRepair { root: self.root.clone(), changes: changes.clone() })
    }

    fn moved_links(&self, before: &Changes, after: &Changes) -> Result<Vec<MovedLink>, String> {
        let (root, before, after) = (self.root.clone(), before.clone(), after.clone());
        self.run(MovedLinks { root, before, after })
    }

    fn preview(&self, changes: &Changes, path: &str) -> Result<String, String> {
        let (root, changes) = (self.root.clone(), changes.clone());
        let text = self.run(Preview { root, changes, path: path.to_owned() })?;
        text.ok_or_else(|| format!("`{path}` isn't a page"))
    }
}

fn sentence(error: &ChildError) -> String {
    match error.failure {
        ChildFailure::Stopped => "the job was stopped".to_owned(),
        _ => error.to_string(),
    }
}

/// Writes a file atomically.
fn keep(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    std::fs::write(file.path(), text)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

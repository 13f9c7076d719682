//! The built site that answers come from: the search index, and pages as Markdown. Other files aren't kept.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use docwright_site::{answer::golden::SearchedSite, output::Output, search};
use docwright_types::deployment::DeploymentType;

use crate::{
    compile::{self, CompileArguments},
    config::PrivateHosts,
};

/// How the docs root is built.
#[derive(Debug, clap::Args)]
pub(super) struct BuildArguments {
    /// Fetch API specs and fonts from other hosts; keep copies in this folder
    #[arg(long, value_name = "DIR")]
    remote_specs: Option<PathBuf>,
    #[command(flatten)]
    private_hosts: PrivateHosts,
}

impl BuildArguments {
    /// Builds a docs root so that its answers can be asked. With `json`, diagnostics are lines of JSON.
    pub(super) fn build(&self, dir: PathBuf, json: bool) -> anyhow::Result<SearchedSite> {
        let files = Arc::new(AnswerFiles::default());
        let compiled = CompileArguments {
            site_url: None,
            remote_specs: self.remote_specs.clone(),
            private_hosts: self.private_hosts.clone(),
            deployment_type: DeploymentType::ClientHosted,
            playground: None,
            integrations: false,
            assistant: false,
            starter_questions: Vec::new(),
            support_address: None,
            dir,
        };
        compile::compile(&compiled, &*files, json)
            .with_context(|| format!("cannot build {}", compiled.dir.display()))?;
        let paths = files.paths();
        let site =
            SearchedSite::new(paths.iter().map(String::as_str), move |path| files.text(path));
        site.context("cannot start the search")?
            .context("the site has no search index; remove `hidden` or `noindex` from a page")
    }
}

/// An output in memory.
#[derive(Debug, Default)]
struct AnswerFiles(Mutex<BTreeMap<String, String>>);

impl AnswerFiles {
    fn text(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

impl Output for AnswerFiles {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        if path.starts_with(search::FOLDER) || path.ends_with(".md") {
            let text = String::from_utf8_lossy(contents).into_owned();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), text);
        }
        Ok(())
    }

    fn copy(&self, _path: &str, _from: &Path) -> io::Result<()> {
        Ok(())
    }
}

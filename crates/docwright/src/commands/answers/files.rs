//! The built site that answers come from: the search index, and pages as Markdown. Other files aren't kept.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context;
use docwright_site::{
    answer::golden::SearchedSite,
    embedding::{self, SectionVectors},
    output::Output,
    search,
};
use docwright_types::deployment::DeploymentType;

use crate::{
    compile::{self, CompileArguments},
    config::{EmbeddingOptions, PrivateHosts},
    result_cache::vector_folder,
};

/// How the docs root is built.
#[derive(Debug, clap::Args)]
pub(super) struct BuildArguments {
    /// Fetch API specs and fonts from other hosts; keep copies in this folder
    #[arg(long, value_name = "DIR")]
    remote_specs: Option<PathBuf>,
    #[command(flatten)]
    private_hosts: PrivateHosts,
    #[command(flatten)]
    embeddings: EmbeddingOptions,
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
            // Only such a site has vectors of its sections.
            assistant: self.embeddings.is_set(),
            starter_questions: Vec::new(),
            support_address: None,
            analytics: false,
            analytics_address: None,
            dir,
        };
        let embedder = self.embeddings.section_embedder(vector_folder())?;
        compile::compile((&compiled, embedder.as_deref()), &*files, json)
            .with_context(|| format!("cannot build {}", compiled.dir.display()))?;
        let paths = files.paths();
        let vectors = files.vectors();
        let site =
            SearchedSite::new(paths.iter().map(String::as_str), move |path| files.text(path));
        let mut site = site
            .context("cannot start the search")?
            .context("the site has no search index; remove `hidden` or `noindex` from a page")?;
        if let Some(embedder) = embedder {
            site.embed(embedder, vectors);
        }
        Ok(site)
    }
}

/// An output in memory.
#[derive(Debug, Default)]
struct AnswerFiles(Mutex<BTreeMap<String, String>>, Mutex<BTreeMap<String, Arc<SectionVectors>>>);

impl AnswerFiles {
    fn text(&self, path: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// The vectors of sections by language.
    fn vectors(&self) -> BTreeMap<String, Arc<SectionVectors>> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn paths(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }
}

impl Output for AnswerFiles {
    fn write(&self, path: &str, contents: &[u8]) -> io::Result<()> {
        let file = path.strip_prefix(embedding::FOLDER).and_then(|name| name.strip_prefix('/'));
        if let Some(language) = file.and_then(|name| name.strip_suffix(".bin"))
            && let Some(vectors) = SectionVectors::read(contents)
        {
            let mut all = self.1.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(language.to_owned(), Arc::new(vectors));
        }
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

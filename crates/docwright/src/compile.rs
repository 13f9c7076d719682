//! Compiles a docs root with the options of the command line, for `build`, `export`, `check`, and `dev`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Context;
use docwright_jobs::remote_specs::{Copies, bring_in};
use docwright_repository::{git::Git, history, web};
use docwright_site::{
    Diagnostic, Options,
    build::{Embedded, Report, build_with},
    content::{canonical, shows_dates},
    embedding::Embedder,
    output::Output,
    source::{Source, find_root},
};
use docwright_types::{
    deployment::{Analytics, Assistant, DeploymentType, Features, PlaygroundMode, Switch},
    git_host::RepositoryFolder,
};

use crate::{config::PrivateHosts, progress::ProgressDisplay, repositories::git};

/// Marks a folder as docwright's, so that it can be emptied again.
const MARKER: &str = "_docwright";

/// The docs root, and options of its compilation.
#[derive(Debug, clap::Args)]
pub(crate) struct CompileArguments {
    /// Folder that contains docs.json, or a repository with such a folder
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Public URL of the site, such as `https://docs.example.com`
    ///
    /// Used for canonical links, the sitemap, and llms.txt. It overrides the URL in docs.json.
    #[arg(long, value_name = "URL")]
    pub(crate) site_url: Option<url::Url>,
    /// Fetch API specs and fonts from other hosts; keep copies in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) remote_specs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) private_hosts: PrivateHosts,
    /// Type of deployment that the site is for: client-hosted or air-gapped
    ///
    /// An air-gapped site has no playground and loads nothing from other hosts.
    #[arg(long, value_name = "TYPE", default_value = "client-hosted", hide_short_help = true,
          value_parser = served_elsewhere)]
    pub(crate) deployment_type: DeploymentType,
    /// How API pages send requests: browser, proxy, show, or off
    ///
    /// With `proxy`, `docwright deploy` sends them. Other servers don't, so the browser sends them there.
    #[arg(long, value_name = "MODE", hide_short_help = true)]
    pub(crate) playground: Option<PlaygroundMode>,
    /// Let the site load the scripts of other services that `integrations` names
    #[arg(long)]
    pub(crate) integrations: bool,
    /// Add the assistant for readers; it shows where the server of the site answers questions
    #[arg(long)]
    pub(crate) assistant: bool,
    /// Question that readers can select before their first one; can be used three times
    #[arg(
        long = "starter-question",
        value_name = "TEXT",
        requires = "assistant",
        hide_short_help = true
    )]
    pub(crate) starter_questions: Vec<String>,
    /// Email address or https URL of the support, which the assistant shows
    #[arg(long, value_name = "ADDRESS", requires = "assistant", hide_short_help = true)]
    pub(crate) support_address: Option<String>,
    /// Count readers, where `docwright deploy` serves the site
    #[arg(long)]
    pub(crate) analytics: bool,
    /// URL that pages send reports of readers to, instead of the server of the site
    #[arg(long, value_name = "URL", requires = "analytics", hide_short_help = true)]
    pub(crate) analytics_address: Option<String>,
}

/// What embeds the sections of a site.
pub(crate) type SectionEmbedder<'a> = Option<&'a dyn Embedder>;

/// Compiles the docs root into `output`, with progress on standard error unless it is `silent`.
pub(crate) fn compile(
    (arguments, embedder): (&CompileArguments, SectionEmbedder<'_>),
    output: &dyn Output,
    silent: bool,
) -> anyhow::Result<Report> {
    let root = find_root(&arguments.dir)?;
    let (source, diagnostics) = arguments.read(&root)?;
    let options = Options {
        repository: repository(&root)?,
        last_modified: last_changes(&root, &source)?,
        ..arguments.options(&source)?
    };
    let progress = ProgressDisplay::new("Rendering", "pages", silent);
    let outcome = build_with(&source, (&options, embedder), output, &|step| progress.report(step));
    progress.finish();
    let mut report = outcome?;
    report_vectors(&report, silent);
    report.add(&source, diagnostics)?;
    Ok(report)
}

/// Prints what became of the vectors of sections.
fn report_vectors(report: &Report, silent: bool) {
    match &report.embedded {
        Some(Embedded::Sections(embedded)) if !silent => {
            let (model, sections) = (&embedded.model, embedded.sections);
            eprintln!("note: {sections} sections embedded with the model {model}");
        }
        Some(Embedded::Failed(why)) => {
            eprintln!("warning: sections not embedded, so they are found by words alone: {why}");
        }
        _ => {}
    }
}

impl CompileArguments {
    /// Reads the docs root at `root`, with its specs and fonts on other hosts.
    pub(crate) fn read(&self, root: &Path) -> anyhow::Result<(Source, Vec<Diagnostic>)> {
        let (mut source, mut diagnostics) = Source::read(root)?;
        diagnostics.extend(self.fetch(&mut source)?);
        Ok((source, diagnostics))
    }

    /// Adds the docs root's specs and fonts on other hosts, if there is a folder for copies, and prints what could not be
    /// fetched.
    pub(crate) fn fetch(&self, source: &mut Source) -> anyhow::Result<Vec<Diagnostic>> {
        let Some(folder) = &self.remote_specs else { return Ok(Vec::new()) };
        let (copies, network) = (Copies { folder, owner: "" }, self.private_hosts.network());
        let found = runtime()?.block_on(bring_in(source, &copies, &network));
        found.with_context(|| format!("cannot store copies in {}", folder.display()))
    }

    /// The options from the command line. Its URL overrides that of the docs root, with a note if they differ.
    pub(crate) fn options(&self, source: &Source) -> anyhow::Result<Options> {
        if let Some((given, own)) = self.site_url.as_ref().zip(canonical(source))
            && given.as_str().trim_end_matches('/') != own.trim_end_matches('/')
        {
            eprintln!(
                "note: --site-url {given} is used instead of the canonical address {own} of the docs root"
            );
        }
        Ok(Options {
            site_url: self.site_url.clone(),
            site_url_wins: true,
            features: self.features()?,
            ..Options::default()
        })
    }

    /// The features of the type of deployment, with the chosen playground, assistant, analytics, and integrations.
    fn features(&self) -> anyhow::Result<Features> {
        let mut features = Features::of(self.deployment_type);
        if self.integrations {
            features.integrations.mode = Switch::On;
        }
        if let Some(mode) = self.playground {
            features.playground.mode = mode;
        }
        if self.assistant {
            features.assistant = Assistant {
                mode: Switch::On,
                starter_questions: self.starter_questions.clone(),
                support_address: self.support_address.clone(),
                ..Assistant::OFF
            };
        }
        if self.analytics {
            features.analytics = Analytics {
                mode: Switch::On,
                address: self.analytics_address.clone(),
                behind_cdn: false,
            };
        }
        let checked = features.check(self.deployment_type);
        checked.context("the features and --deployment-type don't go together")?;
        Ok(features)
    }
}

/// Reads a type of deployment that serves built files.
fn served_elsewhere(text: &str) -> Result<DeploymentType, String> {
    match text.parse()? {
        DeploymentType::Cloud => {
            Err("`cloud` deployments are built by the service; use client-hosted or air-gapped"
                .to_owned())
        }
        kind => Ok(kind),
    }
}

/// The date of the last commit of each file, if any page shows one.
pub(crate) fn last_changes(
    root: &Path,
    source: &Source,
) -> anyhow::Result<BTreeMap<String, String>> {
    if !shows_dates(source) {
        return Ok(BTreeMap::new());
    }
    let wanted = source.paths().map(str::to_owned).collect();
    ask_git(async |git| history::last_changes(git, root, Some(&wanted)).await)
}

fn repository(root: &Path) -> anyhow::Result<Option<RepositoryFolder>> {
    ask_git(async |git| web::of_folder(git, root).await)
}

fn ask_git<T>(question: impl AsyncFnOnce(&Git) -> T) -> anyhow::Result<T> {
    let home = tempfile::tempdir()?;
    let git = git(home.path())?;
    Ok(runtime()?.block_on(question(&git)))
}

/// A runtime for requests to the network and git.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Empties a folder of an earlier build. Refuses a folder with other files.
pub(crate) fn clear_folder(folder: &Path) -> anyhow::Result<()> {
    let mut entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    if entries.next().is_none() {
        return Ok(());
    }
    anyhow::ensure!(
        folder.join(MARKER).is_dir(),
        "{} isn't empty and wasn't created by docwright; use an empty or new folder",
        folder.display()
    );
    std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))
}

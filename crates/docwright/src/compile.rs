//! Compiles a docs root with the options of the command line, for `build`, `export`, `check`, and `dev`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context;
use docwright_jobs::remote_specs::{Copies, bring_in};
use docwright_repository::{git::Git, history, web};
use docwright_site::{
    Diagnostic, Options,
    build::{Embedded, Report, build_watched},
    content::{canonical, shows_dates},
    embedding::Embedder,
    output::Output,
    source::{ReadSource, Source, find_root},
    stamp::FileOnDisk,
};
use docwright_types::{
    counted::counted,
    deployment::{Analytics, Assistant, DeploymentType, Features, PlaygroundMode, Switch},
    git_host::RepositoryFolder,
};

use crate::{
    config::PrivateHosts,
    last_build::{Inputs, LastBuildEntry, OptionsHash, Outcome},
    progress::ProgressDisplay,
    repositories::git,
    timings::{TimedBuild, TimedOutput, Timings},
};

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
    compiled: (&CompileArguments, SectionEmbedder<'_>),
    output: &dyn Output,
    silent: bool,
) -> anyhow::Result<Report> {
    let timings = Timings::off();
    Ok(Compilation::new(compiled, None, &timings)?.run(output, silent)?.outcome.report)
}

/// One compilation of a docs root.
pub(crate) struct Compilation<'a> {
    arguments: &'a CompileArguments,
    embedder: SectionEmbedder<'a>,
    root: PathBuf,
    out: Option<&'a Path>,
    /// All options but the dates of files.
    options: Options,
    started: SystemTime,
    timings: &'a Timings,
}

/// The result of a compilation, besides its files.
pub(crate) struct Compiled {
    pub(crate) outcome: Outcome,
    /// What it followed from. `None` if a later compilation can't know whether that changed.
    pub(crate) inputs: Option<Inputs>,
}

impl<'a> Compilation<'a> {
    /// The compilation of the docs root that the arguments name, to `out`. Nothing but its options is read.
    pub(crate) fn new(
        (arguments, embedder): (&'a CompileArguments, SectionEmbedder<'a>),
        out: Option<&'a Path>,
        timings: &'a Timings,
    ) -> anyhow::Result<Self> {
        let started = SystemTime::now();
        timings.begin("options");
        let root = find_root(&arguments.dir)?;
        let options = Options { repository: repository(&root)?, ..arguments.options()? };
        Ok(Self { arguments, embedder, root, out, options, started, timings })
    }

    /// The docs root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// When it started.
    pub(crate) const fn started(&self) -> SystemTime {
        self.started
    }

    /// What the last build said, if this one would read the same, and the files of its destination, those that are `present`,
    /// are still what it wrote.
    pub(crate) fn unchanged(
        &self,
        entry: &LastBuildEntry,
        present: &[FileOnDisk],
    ) -> anyhow::Result<Option<Outcome>> {
        self.timings.begin("compare");
        let Some(last) = entry.read().filter(|_| self.is_comparable()) else { return Ok(None) };
        let Some(inputs) = &last.inputs else { return Ok(None) };
        let is_same = Some(inputs.options) == OptionsHash::of(&self.options)
            && (inputs.head.is_none() || inputs.head == Some(newest_commit(&self.root)?));
        Ok(if is_same {
            last.again((&self.root, self.out), present, self.started, entry)
        } else {
            None
        })
    }

    /// Whether all that it reads is on this machine, and in the docs root.
    fn is_comparable(&self) -> bool {
        self.arguments.remote_specs.is_none() && self.embedder.is_none()
    }

    /// Compiles into `output`, with progress on standard error unless it is `silent`.
    pub(crate) fn run(self, output: &dyn Output, silent: bool) -> anyhow::Result<Compiled> {
        self.timings.begin("read");
        // Later builds can use a snapshot only if they find it.
        let now = output.cache().map(|_| self.started);
        let read = Source::read_for_build(&self.root, self.out, now)?;
        let ReadSource { mut source, snapshot, mut diagnostics } = read;
        self.timings.count(|| counted(source.paths().count(), "file"));
        diagnostics.extend(self.arguments.fetch(&mut source)?);
        let note = self.arguments.note_about_url(&source);
        print_note(note.as_deref());
        // Before the dates, so that a later commit is another one.
        let head = shows_dates(&source).then(|| newest_commit(&self.root)).transpose()?;
        let last_modified = match head {
            Some(_) => dates_of(&self.root, &source)?,
            None => BTreeMap::new(),
        };
        let inputs = snapshot.filter(|_| self.is_comparable()).and_then(|source| {
            Some(Inputs { source, options: OptionsHash::of(&self.options)?, head })
        });
        let options = Options { last_modified, ..self.options.clone() };
        let mut report = self.build(&source, &options, output, silent)?;
        self.timings.begin("diagnostics");
        report_vectors(&report, silent);
        report.add(&source, diagnostics)?;
        Ok(Compiled { outcome: Outcome { report, note }, inputs })
    }

    fn build(
        &self,
        source: &Source,
        options: &Options,
        output: &dyn Output,
        silent: bool,
    ) -> anyhow::Result<Report> {
        let progress = ProgressDisplay::new("Rendering", "pages", silent);
        let watch = TimedBuild { timings: self.timings, progress: &progress };
        let embedded = (options, self.embedder);
        let built = if self.timings.is_on() {
            let output = TimedOutput::new(output, self.timings);
            build_watched(source, embedded, &output, &watch)
        } else {
            build_watched(source, embedded, output, &watch)
        };
        progress.finish();
        Ok(built?)
    }
}

/// Prints what a build says that had nothing to do.
pub(crate) fn print_unchanged(outcome: &Outcome, out: &Path, silent: bool) {
    print_note(outcome.note.as_deref());
    if !silent {
        eprintln!("note: nothing changed since the last build, so {} is unchanged", out.display());
    }
}

/// Prints a note about the options.
pub(crate) fn print_note(note: Option<&str>) {
    if let Some(note) = note {
        eprintln!("note: {note}");
    }
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

    /// The options from the command line.
    pub(crate) fn options(&self) -> anyhow::Result<Options> {
        Ok(Options {
            site_url: self.site_url.clone(),
            site_url_wins: true,
            features: self.features()?,
            ..Options::default()
        })
    }

    /// A note if the URL of the command line overrides another one of the docs root.
    pub(crate) fn note_about_url(&self, source: &Source) -> Option<String> {
        let given = self.site_url.as_ref()?;
        let own = canonical(source)?;
        let differs = given.as_str().trim_end_matches('/') != own.trim_end_matches('/');
        differs.then(|| {
            format!(
                "--site-url {given} is used instead of the canonical address {own} of the docs root"
            )
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
    if shows_dates(source) { dates_of(root, source) } else { Ok(BTreeMap::new()) }
}

fn dates_of(root: &Path, source: &Source) -> anyhow::Result<BTreeMap<String, String>> {
    let wanted = source.paths().map(str::to_owned).collect();
    ask_git(async |git| history::last_changes(git, root, Some(&wanted)).await)
}

/// The newest commit of a folder, and whether git has those before it; empty outside of a repository.
fn newest_commit(root: &Path) -> anyhow::Result<String> {
    let question = ["rev-parse", "--is-shallow-repository", "HEAD"];
    ask_git(async |git| git.run(root, &question).await.unwrap_or_default())
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

/// Refuses a folder with files that aren't docwright's, and marks it as docwright's.
pub(crate) fn take_folder(folder: &Path) -> anyhow::Result<()> {
    let is_empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    let marker = folder.join(MARKER);
    anyhow::ensure!(
        is_empty || marker.is_dir(),
        "{} isn't empty and wasn't created by docwright; use an empty or new folder",
        folder.display()
    );
    std::fs::create_dir_all(&marker)
        .with_context(|| format!("cannot write to {}", folder.display()))
}

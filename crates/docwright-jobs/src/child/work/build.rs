//! Builds a bundle from a docs root.

use std::{fs::File, io::BufWriter, path::PathBuf, sync::Arc, time::Instant};

use docwright_site::{
    Diagnostic, Options, Severity,
    build::{Report, build_with},
    bundle::{About, BundleWriter, StreamedBundle},
    content::{config::remote_fonts, openapi::remote_specs, shows_dates},
    embedding::Embedder,
    options::OutputLimits,
    result_cache::ResultCache,
    source::Source,
};
use docwright_types::{
    deployment::Features, export_job::MAXIMUM_WARNINGS, git_host::RepositoryFolder,
    question_check::QuestionCheck, release::SiteConfiguration,
    stored_diagnostic::MAXIMUM_DIAGNOSTICS,
};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Failure, QuestionsToAsk, Request, Work, WorkResponse, sections::ParentEmbedder};
use crate::{
    child::{
        message::{BrokerRequest, BrokerResponse},
        process::Parent,
    },
    remote_specs::MAXIMUM_FONTS,
    result_caches::MAXIMUM_RESULTS,
};

/// Specs on other hosts that one site can use; further ones are left out.
pub(in crate::child) const MAXIMUM_DESCRIPTIONS: usize = 100;

/// Build a site and pack it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The docs root, below a folder that the child can read.
    pub root: PathBuf,
    /// An empty folder that the child can write to.
    pub scratch: PathBuf,
    /// Where the bundle is written: below a folder, or a file, that the child can write to.
    pub bundle: PathBuf,
    /// Inputs of the site besides its files.
    pub options: BuildOptions,
    /// How its golden questions are asked; `None` to ask none.
    pub questions: Option<QuestionsToAsk>,
    /// The file with results of earlier builds, in a folder that the child can write to; `None` to use none.
    #[serde(default)]
    pub results: Option<PathBuf>,
}

/// Inputs of a site besides its files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildOptions {
    /// Public address of the site.
    pub site_url: Option<String>,
    /// Commit that the files come from.
    pub commit: Option<String>,
    /// Label of this version.
    pub version: Option<String>,
    /// Limits the site to these pages.
    pub paths: Option<Vec<String>>,
    /// Reader features for which the site has code.
    pub features: Features,
    /// Web address of the files, for viewing and editing.
    pub repository: Option<RepositoryFolder>,
    /// Whether API specs and fonts on other hosts are fetched.
    pub remote_specs: bool,
    /// The identity of the model that embeds sections; `None` to embed none.
    #[serde(default)]
    pub embedder: Option<String>,
}

type WrittenBundle = StreamedBundle<BufWriter<File>>;

/// Bytes of a bundle that are written at once.
const PIECE: usize = 256 * 1024;
/// Longest displayed name of a configuration, and longest other text of a child, in characters.
const MAXIMUM_NAME: usize = 200;
/// Longest message of a diagnostic that is only compared with others, in characters.
const COMPARED: usize = 500;

/// Result of a build, as the child reports it. The receiver measures the bundle itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// Pages rendered.
    pub page_count: usize,
    /// The configuration of the site.
    pub configuration: Option<SiteConfiguration>,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// The first of both, by position; 2,000 at most.
    pub diagnostics: Vec<BuildDiagnostic>,
    /// What its golden questions showed, if they were asked.
    pub questions: Option<QuestionCheck>,
    /// Pages that an earlier build rendered.
    #[serde(default)]
    pub reused_pages: usize,
    /// Why later builds can't use the results of this one.
    #[serde(default)]
    pub results_error: Option<String>,
}

/// A diagnostic for authors, ordered by position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BuildDiagnostic {
    /// The file, below the docs root.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// 1-based column; 0 for the whole line.
    pub column: u32,
    /// Whether it is an error, which readers notice, or a warning.
    pub is_error: bool,
    /// Name of the rule.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl BuildDiagnostic {
    /// A diagnostic of the compiler; `None` for limits of docwright, which are not errors of authors.
    pub fn from_diagnostic(diagnostic: Diagnostic) -> Option<Self> {
        (diagnostic.severity != Severity::Note).then(|| Self {
            path: diagnostic.path,
            line: diagnostic.line,
            column: diagnostic.column,
            is_error: diagnostic.severity == Severity::Error,
            code: diagnostic.rule.code().to_owned(),
            message: diagnostic.message,
            help: diagnostic.help,
        })
    }
}

impl Work for Build {
    const NAME: &'static str = "the build";
    type Output = Built;

    fn into_request(self) -> Request {
        Request::Build(Box::new(self))
    }

    fn read_answer(answer: WorkResponse) -> Option<Built> {
        match answer {
            WorkResponse::Built(mut built) => {
                // A child can be hostile, even in lengths that it should have cut.
                built.configuration = built.configuration.map(shortened);
                built.questions = built.questions.map(QuestionCheck::shortened);
                built.results_error = built.results_error.map(|text| short(&text));
                let count = built.errors.checked_add(built.warnings)?;
                (built.diagnostics.len() == count.min(MAXIMUM_DIAGNOSTICS)).then_some(built)
            }
            _ => None,
        }
    }
}

impl Build {
    pub(super) fn perform(self, parent: &Parent) -> Result<Built, Failure> {
        let start = Instant::now();
        let failed = |failure: Failure| failure.without_paths(&self.root);
        let (mut source, diagnostics) =
            Source::read(&self.root).map_err(|error| failed(error.into()))?;
        let given = self.ask_for_needs(&source, parent)?;
        for (address, text) in &given.remote_specs {
            source.add_remote(address, text);
        }
        for (address, contents) in &given.remote_fonts {
            source.add_font(address, contents);
        }
        let results = self.results.as_deref();
        let results = results.map(|path| Arc::new(ResultCache::open(path, MAXIMUM_RESULTS)));
        let bundle = self.begin_bundle(results.clone())?;
        let mut options = self.options.clone().into_options(given.dates);
        options.limits.bytes = parent.output_size();
        let model = self.options.embedder.clone();
        let embedder = model.map(|model| ParentEmbedder::new(parent, model));
        let embedder = embedder.as_ref().map(|embedder| embedder as &dyn Embedder);
        let mut report =
            build_with(&source, (&options, embedder), &bundle, &|step| parent.report(step))
                .map_err(|error| failed(error.into()))?;
        self.finish_bundle(bundle, &report)?;
        let saved = results.map_or(Ok(()), |results| results.save());
        let results_error = saved.err().map(|error| error.to_string());
        let questions =
            self.questions.as_ref().and_then(|asked| asked.ask(&source, &self.bundle, start));
        report.add(&source, diagnostics).map_err(|error| failed(error.into()))?;
        Ok(Built { questions, results_error, ..summarize(report, given.diagnostics) })
    }

    /// Requests all data that only the parent can get, if any is needed.
    fn ask_for_needs(&self, source: &Source, parent: &Parent) -> Result<BrokerResponse, Failure> {
        let mut needs = BrokerRequest::default();
        if shows_dates(source) {
            needs.dates = source.paths().map(str::to_owned).collect();
        }
        if self.options.remote_specs {
            needs.remote_specs =
                remote_specs(source).into_iter().take(MAXIMUM_DESCRIPTIONS).collect();
            needs.remote_fonts = remote_fonts(source).into_iter().take(MAXIMUM_FONTS).collect();
        }
        if needs.is_empty() { Ok(BrokerResponse::default()) } else { parent.ask(needs) }
    }

    /// Begins the bundle. It is written sequentially, so the receiver can follow.
    fn begin_bundle(&self, results: Option<Arc<ResultCache>>) -> Result<WrittenBundle, Failure> {
        let path = self.scratch.join("spool");
        let spool = File::options().read(true).write(true).create_new(true).open(&path);
        let spool = spool.map_err(not_written)?;
        // It ends with this process.
        std::fs::remove_file(path).map_err(not_written)?;
        let writer = match results {
            Some(results) => BundleWriter::with_cache(spool, results),
            None => BundleWriter::new(spool),
        };
        let file = File::create(&self.bundle).map_err(not_written)?;
        Ok(StreamedBundle::new(writer, BufWriter::with_capacity(PIECE, file)))
    }

    fn finish_bundle(&self, bundle: WrittenBundle, report: &Report) -> Result<(), Failure> {
        let about = About {
            commit: self.options.commit.clone(),
            version: self.options.version.clone(),
            ..report.about()
        };
        bundle.finish(about).map(drop).map_err(not_written)
    }
}

fn not_written(error: impl std::fmt::Display) -> Failure {
    Failure::passing(format!("the bundle can't be written: {error}"))
}

impl BuildOptions {
    /// The compiler's own form. An invalid address is left out.
    pub(super) fn into_options(
        self,
        last_modified: std::collections::BTreeMap<String, String>,
    ) -> Options {
        Options {
            site_url: self.site_url.and_then(|address| Url::parse(&address).ok()),
            site_url_wins: false,
            commit: self.commit,
            version: self.version,
            paths: self.paths,
            features: self.features,
            repository: self.repository,
            last_modified,
            limits: OutputLimits::default(),
        }
    }
}

/// The name of a configuration for people: authors can write anything in it.
fn shortened(SiteConfiguration { path, name, theme }: SiteConfiguration) -> SiteConfiguration {
    SiteConfiguration { path: short(&path), name: short(&name), theme: short(&theme) }
}

/// A text of a child that people see.
fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(MAXIMUM_NAME).collect()
}

fn summarize(report: Report, mut diagnostics: Vec<BuildDiagnostic>) -> Built {
    diagnostics.extend(report.diagnostics.into_iter().filter_map(BuildDiagnostic::from_diagnostic));
    diagnostics.sort();
    let errors = diagnostics.iter().filter(|each| each.is_error).count();
    let warnings = diagnostics.len() - errors;
    diagnostics.truncate(MAXIMUM_DIAGNOSTICS);
    // These are only compared. This many long texts would exceed the limit of a result.
    for diagnostic in diagnostics.iter_mut().skip(MAXIMUM_WARNINGS) {
        diagnostic.message = diagnostic.message.chars().take(COMPARED).collect();
        diagnostic.help = None;
    }
    let configuration = report.configuration.map(shortened);
    Built {
        page_count: report.pages,
        configuration,
        errors,
        warnings,
        diagnostics,
        questions: None,
        reused_pages: report.reused_pages,
        results_error: None,
    }
}

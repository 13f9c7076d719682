//! `docwright answers check`: build a docs root, and ask its golden questions.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use docwright_site::{
    answer::golden::{self, Figures, GoldenQuestion, Method, QUESTIONS_FILE},
    search::{self, Searcher},
    source::find_root,
};
use docwright_types::deployment::DeploymentType;

use super::{baseline::Baseline, files::AnswerFiles, report};
use crate::{
    compile::{self, CompileArguments},
    config::PrivateHosts,
};

/// Ask golden questions; exit with status 1 if one that passed fails
///
/// Builds the docs root, and asks each question of the file. Prints each question that fails, and the figures of
/// all. With a baseline, the exit status is 1 if a question fails that passed in the baseline.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File of questions [default: `.docwright/questions.yaml` of the docs root]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Folder that contains docs.json, or a repository with such a folder [default: .]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Part that is measured
    #[arg(long, value_enum, default_value_t = MeasuredPart::Extract)]
    method: MeasuredPart,
    /// Compare with the questions that passed in this baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the questions that pass to a new baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Print the figures and every question as one line of JSON
    #[arg(long)]
    json: bool,
    /// Fetch API specs and fonts from other hosts; keep copies in this folder
    #[arg(long, value_name = "DIR")]
    remote_specs: Option<PathBuf>,
    #[command(flatten)]
    private_hosts: PrivateHosts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MeasuredPart {
    /// Only whether the right pages are found
    Retrieval,
    /// The answers that need no model: quotes, or a refusal
    #[value(name = "builtin:extract")]
    Extract,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let baseline = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    let (file, folder) = arguments.places()?;
    let questions = read_questions(&file)?;
    let method = match arguments.method {
        MeasuredPart::Retrieval => Method::Retrieval,
        MeasuredPart::Extract => Method::Extract,
    };
    let files = Arc::new(build(arguments, folder)?);
    let languages = files.languages();
    ensure!(
        !languages.is_empty(),
        "the site has no search index; remove `hidden` or `noindex` from a page"
    );
    check_languages(&questions, &languages, &file)?;
    let read = Arc::clone(&files);
    let searcher = Searcher::new(move |path| read.text(path)).context("cannot start the search")?;
    let language = search::main_language(languages.iter().map(String::as_str));
    let judged = golden::measure(&questions, method, &searcher, |path| files.text(path), language)?;
    let compared = match &arguments.write_baseline {
        Some(file) => {
            Baseline::of(&judged).write(file)?;
            None
        }
        None => baseline.map(|baseline| baseline.compare(&judged)),
    };
    let figures = Figures::of(&judged);
    report::print(method, &judged, &figures, compared.as_ref(), arguments.json)?;
    let has_lost = compared.is_some_and(|compared| !compared.lost.is_empty());
    Ok(if has_lost { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

impl Arguments {
    /// The file of questions and the docs root. One folder alone is the docs root.
    fn places(&self) -> anyhow::Result<(PathBuf, PathBuf)> {
        let (file, folder) = match (&self.file, &self.dir) {
            (Some(only), None) if only.is_dir() => (None, Some(only)),
            (file, folder) => (file.as_ref(), folder.as_ref()),
        };
        let folder = folder.cloned().unwrap_or_else(|| PathBuf::from("."));
        let file = match file {
            Some(file) => file.clone(),
            None => find_root(&folder)?.join(QUESTIONS_FILE),
        };
        Ok((file, folder))
    }
}

fn read_questions(file: &Path) -> anyhow::Result<Vec<GoldenQuestion>> {
    let shown = file.display();
    let text = fs::read_to_string(file).with_context(|| {
        format!(
            "cannot read the questions {shown}; write a list of questions there, or name a file"
        )
    })?;
    golden::read(&text).map_err(|error| match error.line {
        0 => anyhow::anyhow!("{shown}: {error}"),
        line => anyhow::anyhow!("{shown}:{line}: {error}"),
    })
}

/// Refuses questions in a language that the site doesn't have.
fn check_languages(
    questions: &[GoldenQuestion],
    languages: &BTreeSet<String>,
    file: &Path,
) -> anyhow::Result<()> {
    for question in questions {
        let Some(language) = &question.language else { continue };
        let known: Vec<_> = languages.iter().map(String::as_str).collect();
        ensure!(
            languages.contains(language),
            "{}: the site has no language `{language}`, which `{}` names; use one of: {}",
            file.display(),
            question.question,
            known.join(", ")
        );
    }
    Ok(())
}

fn build(arguments: &Arguments, dir: PathBuf) -> anyhow::Result<AnswerFiles> {
    let files = AnswerFiles::default();
    let compiled = CompileArguments {
        site_url: None,
        remote_specs: arguments.remote_specs.clone(),
        private_hosts: arguments.private_hosts.clone(),
        deployment_type: DeploymentType::ClientHosted,
        playground: None,
        integrations: false,
        assistant: false,
        starter_questions: Vec::new(),
        support_address: None,
        dir,
    };
    compile::compile(&compiled, &files, arguments.json)
        .with_context(|| format!("cannot build {}", compiled.dir.display()))?;
    Ok(files)
}

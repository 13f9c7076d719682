//! `docwright answers check`: build a docs root, and ask its golden questions.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use docwright_site::{
    answer::golden::{self, Figures, GoldenQuestion, Method, QUESTIONS_FILE},
    source::find_root,
};

use super::{baseline::Baseline, files::BuildArguments, report};

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
    #[command(flatten)]
    build: BuildArguments,
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
    let site = arguments.build.build(folder, arguments.json)?;
    check_languages(&questions, site.languages(), &file)?;
    let judged = golden::measure(&questions, method, &site)?;
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

/// Reads a file of golden questions.
pub(super) fn read_questions(file: &Path) -> anyhow::Result<Vec<GoldenQuestion>> {
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
    languages: &[String],
    file: &Path,
) -> anyhow::Result<()> {
    for question in questions {
        let Some(language) = &question.language else { continue };
        ensure!(
            languages.contains(language),
            "{}: the site has no language `{language}`, which `{}` names; use one of: {}",
            file.display(),
            question.question,
            languages.join(", ")
        );
    }
    Ok(())
}

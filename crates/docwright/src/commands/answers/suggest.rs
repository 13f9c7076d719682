//! `docwright answers suggest`: propose golden questions for a docs root.

use std::{path::PathBuf, process::ExitCode};

use clap::value_parser;
use docwright_site::{
    answer::golden::{self, QUESTIONS_FILE},
    source::find_root,
};
use docwright_types::counted::counted;

use super::{asked, check::read_questions, files::BuildArguments};

/// Suggest golden questions from headings and from readers' questions
///
/// Builds the docs root, and prints questions as YAML that `docwright answers check` takes. Readers' questions come
/// first, alike ones as one. Each question is asked of the pages; a comment says which ones they don't answer.
/// Questions of `.docwright/questions.yaml` are left out. Review the suggestions before you add them.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder that contains docs.json, or a repository with such a folder
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// File with readers' questions or feedback as JSON, or `-` for standard input
    ///
    /// The response of the API that lists gaps or feedback, an export of questions, or lines of JSON with
    /// `question`. Of feedback, comments that ask something count. Can be repeated.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Maximum number of questions
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = value_parser!(u32).range(1..=1_000))]
    limit: u32,
    #[command(flatten)]
    build: BuildArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let file = find_root(&arguments.dir)?.join(QUESTIONS_FILE);
    let known = if file.exists() { read_questions(&file)? } else { Vec::new() };
    let asked = asked::read(&arguments.from)?;
    let site = arguments.build.build(arguments.dir.clone(), false)?;
    let limit = usize::try_from(arguments.limit).unwrap_or(usize::MAX);
    let suggested = golden::suggest(&site, &asked, &known, limit)?;
    print!("{}", golden::to_yaml(&suggested));
    let unanswered = suggested.iter().filter(|each| each.unanswered.is_some()).count();
    eprintln!(
        "{} suggested; the pages don't answer {unanswered} of them",
        counted(suggested.len(), "question")
    );
    Ok(ExitCode::SUCCESS)
}

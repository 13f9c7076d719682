//! `docwright answers`: measure how a site answers readers' questions, and suggest questions to measure it with.

mod asked;
mod baseline;
mod check;
mod files;
mod report;
mod suggest;

use std::process::ExitCode;

use clap::Subcommand;

/// Measure the answers of a docs root, and suggest questions for it
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask golden questions; exit with status 1 if one that passed fails
    Check(check::Arguments),
    /// Suggest golden questions from headings and from readers' questions
    Suggest(suggest::Arguments),
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
        Command::Suggest(arguments) => suggest::run(arguments),
    }
}

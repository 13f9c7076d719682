//! The commands of `docwright`: one file each.

mod admin;
mod answers;
mod build;
mod check;
mod child;
mod confine;
mod demo;
mod deploy;
mod dev;
mod export;
mod owner;
mod redirects;
#[cfg(test)]
mod reference;
mod serve;
mod verify;

use std::{path::Path, process::ExitCode};

use clap::{Parser, Subcommand};
use docwright_types::printable::printable;

use crate::diagnostic_report::COULD_NOT;

/// A documentation platform in one binary.
#[derive(Debug, Parser)]
#[command(name = "docwright", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an end-to-end demo without setup
    Demo(demo::Arguments),
    /// Serve the API, sites, and the git host; run workers
    Serve(Box<serve::Arguments>),
    /// Build a docs root into a folder
    Build(build::Arguments),
    /// Export a docs root as a bundle
    Export(export::Arguments),
    /// Serve a docs root locally; reload on save
    Dev(dev::Arguments),
    /// Report broken links and other diagnostics
    Check(check::Arguments),
    /// Measure the answers of a docs root
    Answers(answers::Arguments),
    /// Serve an exported bundle on your own servers
    Deploy(deploy::Arguments),
    /// Verify a bundle byte by byte
    Verify(verify::Arguments),
    /// Administer an instance
    Admin(admin::Arguments),
    /// Work for the service, confined
    #[command(hide = true)]
    Child,
    /// Run a command with an environment and files of its own
    #[command(hide = true)]
    Confine(confine::Arguments),
}

impl Command {
    /// The data folder of the command. Other commands write as their user.
    fn data_folder(&self) -> Option<&Path> {
        match self {
            Self::Demo(arguments) => Some(arguments.data_folder()),
            Self::Serve(arguments) => Some(arguments.data_folder()),
            Self::Deploy(arguments) => Some(arguments.data_folder()),
            Self::Admin(arguments) => arguments.data_folder(),
            _ => None,
        }
    }
}

/// Runs a command; an error is printed with its causes. The exit code is then 1, except for commands that use 1
/// for diagnostics.
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    let failure = match arguments.command {
        Command::Build(_) | Command::Export(_) | Command::Check(_) | Command::Answers(_) => {
            ExitCode::from(COULD_NOT)
        }
        _ => ExitCode::FAILURE,
    };
    let prepared = arguments.command.data_folder().map_or(Ok(()), owner::prepare);
    let outcome = prepared.and_then(|()| match arguments.command {
        Command::Demo(arguments) => demo::run(arguments),
        Command::Serve(arguments) => serve::run(*arguments),
        Command::Build(arguments) => build::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Dev(arguments) => dev::run(arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Answers(arguments) => answers::run(&arguments),
        Command::Deploy(arguments) => deploy::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Admin(arguments) => admin::run(arguments),
        Command::Child => Ok(child::run()),
        Command::Confine(arguments) => confine::run(arguments),
    });
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {}", printable(&sentence(&error)));
        failure
    })
}

/// An error with its causes. Some libraries repeat a cause in their message; it is printed once.
fn sentence(error: &anyhow::Error) -> String {
    let mut sentence = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if sentence.is_empty() {
            sentence = cause;
        } else if !sentence.ends_with(&cause) {
            sentence = format!("{sentence}: {cause}");
        }
    }
    sentence
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the database failed: {0}")]
    struct Repeats(#[source] std::io::Error);

    #[test]
    fn cause_is_reported_once() {
        let cause = std::io::Error::other("the wire is cut");
        let error: anyhow::Result<()> = Err(Repeats(cause)).context("cannot start");
        let said = sentence(&error.unwrap_err());
        assert_eq!(said, "cannot start: the database failed: the wire is cut");
        let other = anyhow::anyhow!("inner").context("outer");
        assert_eq!(sentence(&other), "outer: inner");
    }
}

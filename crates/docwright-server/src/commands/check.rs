//! `docwright check`: report mistakes in a docs root.

use std::{process::ExitCode, time::Instant};

use clap::ValueEnum;
use docwright_site::{
    Severity,
    build::{self, Report},
    source::find_root,
};

use super::{
    sarif,
    summary::{Summary, print_diagnostics},
};
use crate::compile::CompileArguments;

/// Report mistakes in a docs root. Ends with 1 if there are errors.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// How to write the diagnostics
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line each, for people
    Text,
    /// A JSON array
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let root = find_root(&arguments.compile.dir)?;
    let (source, mut diagnostics) = arguments.compile.read(&root)?;
    let mut report = build::check(&source)?;
    report.diagnostics.append(&mut diagnostics);
    report.diagnostics.sort();
    print_report(&report, arguments.format)?;
    let summary = Summary::new(&report, started.elapsed());
    if arguments.compile.json || arguments.format == Format::Text {
        summary.print("Checked", arguments.compile.json)?;
    }
    let failed = report.diagnostics.iter().any(|each| each.severity == Severity::Error);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print_report(report: &Report, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Text => print_diagnostics(&report.diagnostics, |line| println!("{line}")),
        Format::Json => println!("{}", serde_json::to_string_pretty(&report.diagnostics)?),
        Format::Sarif => {
            println!("{}", serde_json::to_string_pretty(&sarif::log(&report.diagnostics))?);
        }
    }
    Ok(())
}

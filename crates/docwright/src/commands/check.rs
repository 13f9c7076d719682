//! `docwright check`: report diagnostics in a docs root.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::ValueEnum;
use docwright_jobs::{
    clock::Clock,
    external_links::{Outcome, check},
};
use docwright_site::{
    build::{self, Checked, Progress},
    render::ExternalLink,
    source::find_root,
};

use crate::{
    compile::{CompileArguments, runtime},
    diagnostic_report::{
        DiagnosticArguments, DiagnosticReport, Summary, describe, print_table, sarif,
    },
    progress::ProgressDisplay,
};

/// Report broken links and other diagnostics; exit with status 1 if there are errors
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Check links to other hosts, and cache the results in this folder for a day
    #[arg(long, value_name = "DIR")]
    external_links: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    diagnostic_report: DiagnosticArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line per diagnostic
    Text,
    /// A JSON array
    Json,
    /// SARIF 2.1.0, for git hosts and editors
    Sarif,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let judge = arguments.diagnostic_report.judge()?;
    let root = find_root(&arguments.compile.dir)?;
    let (source, diagnostics) = arguments.compile.read(&root)?;
    let Checked { mut report, external_links } = build::check(&source)?;
    report.add(&source, diagnostics)?;
    let external = arguments.check_external(&external_links)?;
    if let Some(found) = &external {
        report.add(&source, found.diagnostics.clone())?;
    }
    let mut diagnostic_report = judge.judge(report)?;
    diagnostic_report.external = external;
    print(&diagnostic_report, arguments.format)?;
    if arguments.diagnostic_report.json || arguments.format == Format::Text {
        Summary::new(&diagnostic_report).print("Checked", arguments.diagnostic_report.json)?;
    }
    Ok(diagnostic_report.exit_code(true))
}

impl Arguments {
    /// Results for links to other hosts, if they are checked.
    fn check_external(&self, links: &[ExternalLink]) -> anyhow::Result<Option<Outcome>> {
        let Some(folder) = &self.external_links else { return Ok(None) };
        let network = self.compile.private_hosts.network();
        let progress = ProgressDisplay::new("Checking", "URLs", self.diagnostic_report.json);
        let report = |done, total| progress.report(Progress { rendered: done, total });
        let now = Clock::default().now();
        let outcome = runtime()?.block_on(check(links, folder, &network, now, report));
        progress.finish();
        let kept = outcome.with_context(|| format!("cannot store results in {}", folder.display()));
        kept.map(Some)
    }
}

fn print(diagnostic_report: &DiagnosticReport, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Text => {
            diagnostic_report.counted.iter().for_each(|each| println!("{}", describe(each)));
            if !diagnostic_report.counted.is_empty() {
                println!();
                print_table(&diagnostic_report.counted, |line| println!("{line}"));
            }
        }
        Format::Json => println!("{}", serde_json::to_string_pretty(&diagnostic_report.counted)?),
        Format::Sarif => println!("{}", serde_json::to_string_pretty(&sarif(diagnostic_report))?),
    }
    Ok(())
}

//! `docwright build`: render a docs root to a folder.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use docwright_site::output::Folder;

use super::redirects::RedirectArguments;
use crate::{
    compile::{self, CompileArguments},
    diagnostic_report::{DiagnosticArguments, conclude},
};

/// Build a docs root into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Folder for the site; its current content is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    redirects: RedirectArguments,
    /// Exit with status 1 if there are errors; the site is still written
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    diagnostic_report: DiagnosticArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let judge = arguments.diagnostic_report.judge()?;
    compile::clear_folder(&arguments.out)?;
    let output = Folder::new(&arguments.out);
    let report =
        compile::compile((&arguments.compile, None), &output, arguments.diagnostic_report.json)
            .with_context(|| format!("cannot build {}", arguments.compile.dir.display()))?;
    let site_url = arguments.compile.site_url.as_ref();
    arguments.redirects.write(&arguments.out, site_url, &report.redirects)?;
    let diagnostic_report = judge.judge(report)?;
    conclude(
        &diagnostic_report,
        "Built",
        &arguments.compile.dir,
        arguments.diagnostic_report.json,
    )?;
    Ok(diagnostic_report.exit_code(arguments.strict))
}

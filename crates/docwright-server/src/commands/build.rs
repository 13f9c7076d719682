//! `docwright build`: render a docs root to a folder.

use std::{path::PathBuf, process::ExitCode, time::Instant};

use anyhow::Context;
use docwright_site::output::Folder;

use super::{
    redirects::RedirectArguments,
    summary::{Summary, print_diagnostics},
};
use crate::compile::{self, CompileArguments};

/// Render a docs root to a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Folder to write the site to; what it holds already is replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    redirects: RedirectArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    compile::clear_folder(&arguments.out)?;
    let report = compile::compile(&arguments.compile, &Folder::new(&arguments.out))
        .with_context(|| format!("cannot build {}", arguments.compile.dir.display()))?;
    let site_url = arguments.compile.site_url.as_ref();
    arguments.redirects.write(&arguments.out, site_url, &report.redirects)?;
    print_diagnostics(&report.diagnostics, |line| eprintln!("{line}"));
    Summary::new(&report, started.elapsed()).print("Built", arguments.compile.json)?;
    Ok(ExitCode::SUCCESS)
}

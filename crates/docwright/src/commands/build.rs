//! `docwright build`: render a docs root to a folder.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use docwright_site::folder::{FolderWriter, files_of};

use super::redirects::RedirectArguments;
use crate::{
    compile::{self, Compilation, CompileArguments, Compiled},
    diagnostic_report::{DiagnosticArguments, conclude},
    last_build::{LastBuildEntry, Outcome},
    result_cache::{CacheArguments, Results},
    timings::{TimingArguments, Timings},
};

/// Build a docs root into a folder
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// Folder for the site; what else it has is removed
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    redirects: RedirectArguments,
    /// Exit with status 1 if there are errors; the site is still written
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    timings: TimingArguments,
    #[command(flatten)]
    diagnostic_report: DiagnosticArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let judge = arguments.diagnostic_report.judge()?;
    let json = arguments.diagnostic_report.json;
    let timings = arguments.timings.start();
    let outcome = arguments
        .build(&timings, json)
        .with_context(|| format!("cannot build {}", arguments.compile.dir.display()))?;
    let diagnostic_report = judge.judge(outcome.report)?;
    timings.print();
    conclude(&diagnostic_report, "Built", &arguments.compile.dir, json)?;
    Ok(diagnostic_report.exit_code(arguments.strict))
}

impl Arguments {
    /// Builds the site, unless nothing changed since the last time.
    fn build(&self, timings: &Timings, silent: bool) -> anyhow::Result<Outcome> {
        let compilation = Compilation::new((&self.compile, None), Some(&self.out), timings)?;
        compile::take_folder(&self.out)?;
        let results = self.cache.open(&self.compile.dir);
        let entry = results.last_build("build", (compilation.root(), &self.out));
        if let Some(entry) = entry.as_ref().filter(|_| self.redirects.is_empty())
            && let Some(present) = files_of(&self.out)?
            && let Some(outcome) = compilation.unchanged(entry, &present)?
        {
            compile::print_unchanged(&outcome, &self.out, silent);
            return Ok(outcome);
        }
        self.write((compilation, timings), (&results, entry), silent)
    }

    fn write(
        &self,
        (compilation, timings): (Compilation<'_>, &Timings),
        (results, entry): (&Results, Option<LastBuildEntry>),
        silent: bool,
    ) -> anyhow::Result<Outcome> {
        let before = entry.as_ref().and_then(LastBuildEntry::read).map(|last| last.outputs);
        let cached = (results.cache(), before);
        let writer = FolderWriter::new(&self.out, cached, compilation.started())
            .with_context(|| format!("cannot write to {}", self.out.display()))?;
        let Compiled { outcome, inputs } = compilation.run(&writer, silent)?;
        timings.begin("write");
        let address = self.compile.site_url.as_ref();
        let written = writer
            .finish(&self.redirects.names_in(&self.out, address))
            .with_context(|| format!("cannot write to {}", self.out.display()))?;
        self.redirects.write(&self.out, address, &outcome.report.redirects)?;
        if let Some((entry, written)) = entry.zip(written) {
            // Files of redirects aren't compared.
            let inputs = inputs.filter(|_| self.redirects.is_empty());
            entry.add(inputs, written, &outcome);
        }
        timings.begin("save");
        results.save(silent);
        Ok(outcome)
    }
}

//! The diagnostics of a docs root as commands report them: which ones count, how they are printed, and the
//! resulting exit code. The compiler finds them.

mod baseline;
mod sarif;
mod summary;

use std::{path::PathBuf, process::ExitCode, time::Instant};

use baseline::Baseline;
use docwright_jobs::external_links::Outcome;
use docwright_site::{
    Diagnostic, Severity,
    build::{Ignored, Report},
};
use docwright_types::counted::grouped;
pub(crate) use sarif::log as sarif;
pub(crate) use summary::{Summary, conclude, describe, print_kinds, print_table};

/// The exit code of a command that could not do its work. Counted diagnostics return 1.
pub(crate) const COULD_NOT: u8 = 2;

/// Which diagnostics count.
#[derive(Debug, clap::Args)]
pub(crate) struct DiagnosticArguments {
    /// Exit with status 1 if there are more warnings than this
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
    /// Ignore diagnostics recorded in this baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the current errors and warnings to a new baseline
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Print a JSON summary as the last line
    #[arg(long)]
    pub(crate) json: bool,
}

impl DiagnosticArguments {
    /// The filter of the report. An unreadable baseline fails before any work is done.
    pub(crate) fn judge(&self) -> anyhow::Result<DiagnosticFilter<'_>> {
        let started = Instant::now();
        let baseline = self.baseline.as_deref().map(Baseline::read).transpose()?;
        Ok(DiagnosticFilter { arguments: self, baseline, started })
    }
}

/// Decides which diagnostics count.
#[derive(Debug)]
pub(crate) struct DiagnosticFilter<'a> {
    arguments: &'a DiagnosticArguments,
    baseline: Option<Baseline>,
    started: Instant,
}

impl DiagnosticFilter<'_> {
    /// Sorts the diagnostics of a report.
    pub(crate) fn judge(self, report: Report) -> anyhow::Result<DiagnosticReport> {
        let mut diagnostic_report = DiagnosticReport::new(report);
        let baseline = match &self.arguments.write_baseline {
            Some(file) => {
                let baseline = Baseline::of(&diagnostic_report.counted);
                baseline.write(file)?;
                Some(baseline)
            }
            None => self.baseline,
        };
        if let Some(baseline) = baseline {
            let compared = baseline.compare(std::mem::take(&mut diagnostic_report.counted));
            diagnostic_report.counted = compared.new;
            diagnostic_report.known = Some(compared.known);
            diagnostic_report.gone = compared.gone;
        }
        diagnostic_report.too_many_warnings = self
            .arguments
            .max_warnings
            .filter(|most| diagnostic_report.count(Severity::Warning) > *most);
        diagnostic_report.seconds = self.started.elapsed().as_secs_f64();
        Ok(diagnostic_report)
    }
}

/// The diagnostics, sorted by whether they count.
#[derive(Debug, Default)]
pub(crate) struct DiagnosticReport {
    /// Pages rendered.
    pub(crate) pages: usize,
    /// Counted diagnostics, and notes; sorted by position.
    pub(crate) counted: Vec<Diagnostic>,
    /// Diagnostics in the baseline; `None` without a baseline.
    pub(crate) known: Option<Vec<Diagnostic>>,
    /// Number of diagnostics in the baseline that no longer exist.
    pub(crate) gone: usize,
    /// Diagnostics that the repository ignores.
    pub(crate) ignored: Vec<Ignored>,
    /// The limit of warnings, if it is exceeded.
    too_many_warnings: Option<usize>,
    /// Results for links to other hosts, if they were checked.
    pub(crate) external: Option<Outcome>,
    /// Wall time.
    pub(crate) seconds: f64,
}

impl DiagnosticReport {
    /// The diagnostics of a report, without a baseline.
    pub(crate) fn new(report: Report) -> Self {
        let Report { pages, diagnostics, ignored, .. } = report;
        Self { pages, counted: diagnostics, ignored, ..Self::default() }
    }

    /// Number of counted diagnostics with a severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.counted.iter().filter(|each| each.severity == severity).count()
    }

    /// The exit code: 1 for too many warnings, which is printed, or for errors if they matter (`strict`).
    pub(crate) fn exit_code(&self, strict: bool) -> ExitCode {
        if let Some(most) = self.too_many_warnings {
            let warnings = self.count(Severity::Warning);
            eprintln!(
                "error: too many warnings: {}, limit {}; fix some or raise --max-warnings",
                grouped(warnings),
                grouped(most)
            );
        }
        let failed = self.too_many_warnings.is_some() || strict && self.count(Severity::Error) > 0;
        if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

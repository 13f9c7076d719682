//! What a compiling command says at its end: for a person, or as one JSON object for a program.

use std::time::Duration;

use docwright_site::{Diagnostic, Severity, build::Report};
use serde::Serialize;

/// The last line of `build`, `export` and `check` with `--json`. Its keys are fixed.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Pages rendered.
    pub(crate) pages: usize,
    /// Diagnostics that are errors.
    pub(crate) errors: usize,
    /// Diagnostics that are warnings.
    pub(crate) warnings: usize,
    /// Wall time.
    pub(crate) seconds: f64,
}

impl Summary {
    /// Counts a report.
    pub(crate) fn new(report: &Report, elapsed: Duration) -> Self {
        let count =
            |severity| report.diagnostics.iter().filter(|each| each.severity == severity).count();
        Self {
            pages: report.pages,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            seconds: (elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        }
    }

    /// Prints it: as JSON, or as a sentence that begins with `what` (`Built`).
    pub(crate) fn print(&self, what: &str, json: bool) -> anyhow::Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
        } else {
            let Self { pages, errors, warnings, seconds } = self;
            println!(
                "{what} {pages} pages in {seconds:.2} s: {errors} errors, {warnings} warnings"
            );
        }
        Ok(())
    }
}

/// Prints diagnostics as `path:line:column: severity: message [code]`, with their help below.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic], mut print: impl FnMut(String)) {
    for diagnostic in diagnostics {
        print(describe(diagnostic));
    }
}

fn describe(diagnostic: &Diagnostic) -> String {
    let Diagnostic { path, line, column, severity, rule, message, help } = diagnostic;
    let place = match (line, column) {
        (0, _) => path.clone(),
        (line, 0) => format!("{path}:{line}"),
        (line, column) => format!("{path}:{line}:{column}"),
    };
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let help = help.as_ref().map(|help| format!("\n    help: {help}")).unwrap_or_default();
    format!("{place}: {severity}: {message} [{rule}]{help}")
}

//! Printing of diagnostics: one by one, by rule, and as one sentence or one JSON object at the end.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use docwright_site::{Diagnostic, Rule, Severity};
use docwright_types::{
    counted::{counted, grouped},
    printable::printable_line,
};
use serde::Serialize;

use super::DiagnosticReport;

/// The last line of `build`, `export` and `check` with `--json`. Its keys are fixed.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    /// Pages rendered.
    pub(crate) pages: usize,
    /// Errors that count.
    pub(crate) errors: usize,
    /// Warnings that count.
    pub(crate) warnings: usize,
    /// Notes.
    pub(crate) notes: usize,
    /// Diagnostics that the repository ignores.
    pub(crate) ignored: usize,
    /// Diagnostics of the baseline; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<usize>,
    /// Diagnostics of the baseline that no longer exist; left out without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gone: Option<usize>,
    /// Counts by rule.
    pub(crate) kinds: BTreeMap<Rule, usize>,
    /// Addresses on other hosts; left out unless they were checked.
    #[serde(rename = "externalLinks", skip_serializing_if = "Option::is_none")]
    pub(crate) external: Option<ExternalLinks>,
    /// Wall time.
    pub(crate) seconds: f64,
}

/// Addresses on other hosts that a site links to, each counted once.
#[derive(Debug, Serialize)]
pub(crate) struct ExternalLinks {
    /// All of them.
    pub(crate) addresses: usize,
    /// Addresses requested now; the results of the others were known.
    pub(crate) asked: usize,
    /// Dead addresses.
    pub(crate) dead: usize,
    /// Addresses that could not be checked.
    pub(crate) unchecked: usize,
}

impl Summary {
    /// Counts diagnostics.
    pub(crate) fn new(diagnostic_report: &DiagnosticReport) -> Self {
        let mut kinds = BTreeMap::new();
        for diagnostic in &diagnostic_report.counted {
            *kinds.entry(diagnostic.rule).or_insert(0) += 1;
        }
        Self {
            pages: diagnostic_report.pages,
            errors: diagnostic_report.count(Severity::Error),
            warnings: diagnostic_report.count(Severity::Warning),
            notes: diagnostic_report.count(Severity::Note),
            ignored: diagnostic_report.ignored.len(),
            known: diagnostic_report.known.as_ref().map(Vec::len),
            gone: diagnostic_report.known.is_some().then_some(diagnostic_report.gone),
            kinds,
            external: diagnostic_report.external.as_ref().map(|external| ExternalLinks {
                addresses: external.addresses,
                asked: external.asked,
                dead: external.dead,
                unchecked: external.unchecked,
            }),
            seconds: (diagnostic_report.seconds * 1000.0).round() / 1000.0,
        }
    }

    /// Prints it: as JSON, or as a sentence that starts with `what` (`Built`).
    pub(crate) fn print(&self, what: &str, json: bool) -> anyhow::Result<()> {
        if json {
            println!("{}", serde_json::to_string(self)?);
            return Ok(());
        }
        println!(
            "{what} {} in {:.2} s: {}",
            counted(self.pages, "page"),
            self.seconds,
            self.counts()
        );
        if let Some(ExternalLinks { addresses, asked, dead, unchecked }) = &self.external {
            println!(
                "{} on other hosts ({} checked now): {} dead, {} unchecked",
                counted(*addresses, "URL"),
                grouped(asked),
                grouped(dead),
                grouped(unchecked)
            );
        }
        if let Some(gone) = self.gone.filter(|gone| *gone > 0) {
            let (gone, are) = (counted(gone, "diagnostic"), if gone == 1 { "is" } else { "are" });
            println!("{gone} of the baseline {are} gone; update the file with --write-baseline");
        }
        Ok(())
    }

    /// The counts in words; rare counts only if they are not 0.
    pub(crate) fn counts(&self) -> String {
        let mut parts = vec![counted(self.errors, "error"), counted(self.warnings, "warning")];
        let others = [
            (self.notes, counted(self.notes, "note")),
            (self.ignored, format!("{} ignored", grouped(self.ignored))),
            (
                self.known.unwrap_or(0),
                format!("{} in the baseline", grouped(self.known.unwrap_or(0))),
            ),
        ];
        parts.extend(others.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words));
        parts.join(", ")
    }
}

/// The final output of `build` and `export`: the first diagnostic of each rule on standard error, and the summary,
/// which starts with `what`.
pub(crate) fn conclude(
    diagnostic_report: &DiagnosticReport,
    what: &str,
    folder: &Path,
    json: bool,
) -> anyhow::Result<()> {
    let left = print_kinds(&diagnostic_report.counted, |line| eprintln!("{line}"));
    if left > 0 {
        eprintln!("run `docwright check {}` to see {} more", folder.display(), grouped(left));
    }
    Summary::new(diagnostic_report).print(what, json)
}

/// Diagnostics of one rule.
struct Kind<'a> {
    severity: Severity,
    all: Vec<&'a Diagnostic>,
}

/// Diagnostics by rule: by severity, then by frequency.
fn kinds(diagnostics: &[Diagnostic]) -> Vec<Kind<'_>> {
    let mut kinds: BTreeMap<(Severity, Rule), Vec<&Diagnostic>> = BTreeMap::new();
    for diagnostic in diagnostics {
        kinds.entry((diagnostic.severity, diagnostic.rule)).or_default().push(diagnostic);
    }
    let mut kinds: Vec<_> =
        kinds.into_iter().map(|((severity, _), all)| Kind { severity, all }).collect();
    kinds.sort_by_key(|kind| (kind.severity, Reverse(kind.all.len())));
    kinds
}

/// Prints the first diagnostic of each rule, and how many more there are on how many pages. Returns how many
/// diagnostics are not shown.
pub(crate) fn print_kinds(diagnostics: &[Diagnostic], mut print: impl FnMut(String)) -> usize {
    let mut left = 0;
    for Kind { all, .. } in kinds(diagnostics) {
        print(describe(all[0]));
        let more = all.len() - 1;
        if more > 0 {
            let files: BTreeSet<_> = all.iter().map(|each| &each.path).collect();
            let (more, all) = (grouped(more), grouped(all.len()));
            print(format!("    and {more} more; {all} in {}", counted(files.len(), "file")));
        }
        left += more;
    }
    left
}

/// Prints the number of diagnostics of each rule.
pub(crate) fn print_table(diagnostics: &[Diagnostic], mut print: impl FnMut(String)) {
    for Kind { severity, all } in kinds(diagnostics) {
        print(format!("{:>7}  {:<8} {}", grouped(all.len()), word(severity), all[0].rule));
    }
}

/// A diagnostic as `path:line:column: severity: message [code]`, with its help below.
pub(crate) fn describe(diagnostic: &Diagnostic) -> String {
    let Diagnostic { path, line, column, severity, rule, message, help } = diagnostic;
    let place = match (line, column) {
        (0, _) => path.clone(),
        (line, 0) => format!("{path}:{line}"),
        (line, column) => format!("{path}:{line}:{column}"),
    };
    let help = help.as_deref().map(printable_line);
    let help = help.map(|help| format!("\n    help: {help}")).unwrap_or_default();
    let found = format!("{place}: {}: {message} [{rule}]", word(*severity));
    printable_line(&found) + &help
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

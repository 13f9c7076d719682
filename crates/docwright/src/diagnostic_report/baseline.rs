//! A file of known diagnostics, so that only new ones count: one line of JSON each, sorted.
//!
//! A diagnostic is identified by its file, rule, and message, never by its line: moved text creates no new
//! diagnostics. Their number on a page does count.

use std::{collections::BTreeMap, path::Path};

use docwright_site::{Diagnostic, Severity};
use docwright_types::stored_diagnostic::without_places;
use serde::{Deserialize, Serialize};

use crate::baseline_file;

/// Known diagnostics.
#[derive(Debug, Default)]
pub(super) struct Baseline(BTreeMap<KnownDiagnostic, usize>);

/// Identity of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct KnownDiagnostic {
    path: String,
    code: String,
    message: String,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    known: KnownDiagnostic,
    /// How many such diagnostics there are.
    count: usize,
}

/// Diagnostics compared with a baseline.
#[derive(Debug, Default)]
pub(super) struct Compared {
    pub(super) new: Vec<Diagnostic>,
    pub(super) known: Vec<Diagnostic>,
    /// Number of known diagnostics that no longer exist.
    pub(super) gone: usize,
}

impl Baseline {
    /// Reads a file from [`write`](Self::write).
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let mut known = BTreeMap::new();
        for line in baseline_file::read::<Line>(file)? {
            *known.entry(line.known).or_insert(0) += line.count;
        }
        Ok(Self(known))
    }

    /// A baseline with all errors and warnings of a report.
    pub(super) fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut known = BTreeMap::new();
        for diagnostic in diagnostics.iter().filter(|each| each.severity != Severity::Note) {
            *known.entry(KnownDiagnostic::of(diagnostic)).or_insert(0) += 1;
        }
        Self(known)
    }

    /// Writes the file atomically.
    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let line = |(known, count): (&KnownDiagnostic, &usize)| Line {
            known: known.clone(),
            count: *count,
        };
        baseline_file::write(file, self.0.iter().map(line))
    }

    /// Divides diagnostics into new and known ones. Notes are in no baseline, and stay with the new ones.
    pub(super) fn compare(mut self, diagnostics: Vec<Diagnostic>) -> Compared {
        let mut compared = Compared::default();
        for diagnostic in diagnostics {
            let known = (diagnostic.severity != Severity::Note)
                .then(|| {
                    self.0.get_mut(&KnownDiagnostic::of(&diagnostic)).filter(|left| **left > 0)
                })
                .flatten();
            match known {
                Some(left) => {
                    *left -= 1;
                    compared.known.push(diagnostic);
                }
                None => compared.new.push(diagnostic),
            }
        }
        compared.gone = self.0.values().sum();
        compared
    }
}

impl KnownDiagnostic {
    fn of(diagnostic: &Diagnostic) -> Self {
        Self {
            path: diagnostic.path.clone(),
            code: diagnostic.rule.code().to_owned(),
            message: without_places(&diagnostic.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use docwright_site::Rule;

    use super::*;

    fn broken(path: &str, line: u32, target: &str) -> Diagnostic {
        let message = format!("broken link to `{target}`");
        Diagnostic::new(Rule::BrokenLink, path, message).at(line, 1)
    }

    #[test]
    fn moved_diagnostic_is_known_and_second_is_new() {
        let baseline = Baseline::of(&[broken("a.mdx", 3, "/x"), broken("b.mdx", 3, "/gone")]);
        let found =
            vec![broken("a.mdx", 90, "/x"), broken("a.mdx", 95, "/x"), broken("c.mdx", 1, "/x")];
        let compared = baseline.compare(found);
        let lines = |found: &[Diagnostic]| found.iter().map(|each| each.line).collect::<Vec<_>>();
        assert_eq!((lines(&compared.known), lines(&compared.new)), (vec![90], vec![95, 1]));
        assert_eq!(compared.gone, 1);
    }

    #[test]
    fn baseline_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.jsonl");
        let found =
            vec![broken("b.mdx", 1, "/x"), broken("a.mdx", 7, "/x"), broken("a.mdx", 9, "/x")];
        Baseline::of(&found).write(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let first =
            r#"{"path":"a.mdx","code":"broken-link","message":"broken link to `/x`","count":2}"#;
        assert_eq!(text.lines().next(), Some(first));
        assert_eq!(text.lines().count(), 2);
        let compared = Baseline::read(&file).unwrap().compare(found);
        assert_eq!((compared.new.len(), compared.known.len(), compared.gone), (0, 3, 0));
        fs::write(&file, format!("{first}\nnonsense\n")).unwrap();
        let error = format!("{:#}", Baseline::read(&file).unwrap_err());
        assert!(error.contains(":2 isn't a line of a baseline; `--write-baseline"), "{error}");
    }
}

//! Diagnostics: errors in a documentation repository, their positions, and their remedies.
//!
//! An author's error is data, never a failure: the page renders as far as possible.

mod rule;

use serde::{Deserialize, Serialize};

pub use rule::Rule;

/// The importance of a [`Diagnostic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that readers will miss: a broken link, a missing page, text that can't be parsed.
    Error,
    /// Works, but most likely not as its author intended.
    Warning,
    /// A limit of docwright itself rather than an error of the author.
    Note,
}

/// A diagnostic about one position in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Path of the file below the docs root, with `/` between its parts.
    pub path: String,
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// 1-based column in characters; 0 for the whole line.
    pub column: u32,
    /// Its severity.
    pub severity: Severity,
    /// The violated rule; in JSON `code`, such as `broken-link`.
    #[serde(rename = "code")]
    pub rule: Rule,
    /// The error in one sentence, without a period.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic about a whole file; [`at`](Self::at) sets a position.
    pub fn new(rule: Rule, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: 0,
            column: 0,
            severity: rule.severity(),
            rule,
            message: message.into(),
            help: None,
        }
    }

    /// Sets another severity than the rule's.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Narrows the diagnostic to a 1-based line and column (0: unknown).
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// Adds a hint how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_survive_a_pipe() {
        let diagnostic = Diagnostic::new(Rule::RemoteSpec, "a.mdx", "m").at(3, 4).help("h");
        let text = serde_json::to_string(&diagnostic).unwrap();
        assert_eq!(
            text,
            r#"{"path":"a.mdx","line":3,"column":4,"severity":"note","code":"remote-spec","message":"m","help":"h"}"#
        );
        assert_eq!(serde_json::from_str::<Diagnostic>(&text).unwrap(), diagnostic);
    }
}

//! What is wrong in a documentation repository, where, and how to fix it.
//!
//! A mistake of an author is data, never a failure: the page renders as far as it goes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// How much a [`Diagnostic`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that readers will miss: a broken link, a missing page, text that can't be parsed.
    Error,
    /// Something that works, but most likely not as its author meant.
    Warning,
    /// A limit of docwright itself rather than a mistake of the author.
    Note,
}

/// One finding about one place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Path of the file below the docs root, with `/` between its parts.
    pub path: String,
    /// 1-based line; 0 when the whole file is meant.
    pub line: u32,
    /// 1-based column in characters; 0 when the whole line is meant.
    pub column: u32,
    /// How much it matters.
    pub severity: Severity,
    /// Stable kebab-case name of the rule, such as `broken-link`.
    pub code: Cow<'static, str>,
    /// What is wrong, in one sentence without a full stop at its end.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding about a whole file; [`at`](Self::at) narrows it to a place.
    pub fn new(
        severity: Severity,
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            line: 0,
            column: 0,
            severity,
            code: Cow::Borrowed(code),
            message: message.into(),
            help: None,
        }
    }

    /// An [`Error`](Severity::Error) about a whole file.
    pub fn error(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, path, message)
    }

    /// A [`Warning`](Severity::Warning) about a whole file.
    pub fn warning(
        code: &'static str,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Warning, code, path, message)
    }

    /// A [`Note`](Severity::Note) about a whole file.
    pub fn note(code: &'static str, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, path, message)
    }

    /// Narrows the finding to a 1-based line and column (0: unknown).
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// Adds what to do about it.
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
        let diagnostic = Diagnostic::note("remote-spec", "a.mdx", "m").at(3, 4).help("h");
        let text = serde_json::to_string(&diagnostic).unwrap();
        assert_eq!(
            text,
            r#"{"path":"a.mdx","line":3,"column":4,"severity":"note","code":"remote-spec","message":"m","help":"h"}"#
        );
        assert_eq!(serde_json::from_str::<Diagnostic>(&text).unwrap(), diagnostic);
    }
}

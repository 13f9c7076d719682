//! Redirects of `docs.json`: the target of an address, for links and checks.
//!
//! [`RedirectIndex`] finds the redirect of a path, [`pattern`] matches sources with wildcards, and [`prepared`]
//! defines how a host responds.

mod index;
pub mod pattern;
pub mod prepared;

use super::{Content, document::Document, slug};
use crate::{Diagnostic, Rule};

pub use index::RedirectIndex;

/// Whether a source has parts that match more than one path.
pub fn has_wildcard(source: &str) -> bool {
    source.contains('*') || source.split('/').any(|part| part.starts_with(':') && part.len() > 1)
}

/// A path or an address without its query and fragment, which no host compares.
pub(crate) fn without_suffix(path: &str) -> &str {
    path.split(['#', '?']).next().unwrap_or_default()
}

/// Redirects that run in a circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedirectLoop;

/// Redirects that are broken or loop.
pub(super) fn check(content: &Content, document: &Document<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let redirects = content.config.redirects.iter();
    for redirect in redirects.filter(|redirect| !has_wildcard(&redirect.source)) {
        let report = |rule, message: String, help: &str| {
            document.at(&redirect.source, Diagnostic::new(rule, "", message).help(help))
        };
        match content.redirects.follow(&redirect.source) {
            Err(RedirectLoop) => {
                let message = format!("the redirect from {} runs in a circle", redirect.source);
                diagnostics.push(report(
                    Rule::RedirectLoop,
                    message,
                    "let one of its steps lead to a page",
                ));
            }
            Ok(Some(end))
                if !end.contains("://")
                    && content.pages.contains_key(&slug::of_reference(&redirect.source)) =>
            {
                let message =
                    format!("the redirect from {} hides the page of that address", redirect.source);
                diagnostics.push(report(
                    Rule::RedirectHidesPage,
                    message,
                    "remove the redirect or the page",
                ));
            }
            Ok(_) => {}
        }
    }
}

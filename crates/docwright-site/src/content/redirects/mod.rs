//! Redirects of `docs.json`: the target of an address, for links and checks.
//!
//! [`RedirectIndex`] finds the redirect of a path, [`pattern`] matches sources with wildcards, and [`prepared`]
//! defines how a host responds.

mod index;
pub mod pattern;
pub mod prepared;

use super::{Content, config::Redirect, document::Document, slug};
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
        let path = without_suffix(&redirect.source).trim_matches('/');
        let has_page = !path.is_empty() && content.pages.contains_key(&slug::of_reference(path));
        if content.redirects.follow(&redirect.source) == Err(RedirectLoop) {
            let message = format!("the redirect from {} runs in a circle", redirect.source);
            let help = "let one of its steps lead to a page";
            diagnostics.push(report(Rule::RedirectLoop, message, help));
        } else if has_page && !leads_to_itself(redirect) {
            let message = format!(
                "the redirect from {} is never used: a page has that path",
                redirect.source
            );
            let help = "remove the redirect or the page";
            diagnostics.push(report(Rule::UnusedRedirect, message, help));
        }
    }
}

/// Whether a redirect only says that a path exists, such as `/page` to `/page/`.
fn leads_to_itself(redirect: &Redirect) -> bool {
    let path = |text: &str| slug::of_reference(without_suffix(text));
    path(&redirect.source) == path(&redirect.destination)
}

//! Redirects of `docs.json`: the target of an address, for links and checks.
//!
//! [`pattern`] matches sources with wildcards; [`prepared`] defines how a host responds.

pub mod pattern;
pub mod prepared;

use super::{Content, config::Redirect, document::Document, slug};
use crate::{Diagnostic, Rule};
use pattern::Pattern;

/// Maximum length of a chain of redirects; real sites have chains of 200.
pub const MAXIMUM_STEPS: usize = 250;

/// The destination of a path (with its leading slash) under the first redirect that matches.
pub fn apply(redirects: &[Redirect], path: &str) -> Option<(String, bool)> {
    redirects.iter().find_map(|redirect| {
        let destination = if has_wildcard(&redirect.source) {
            Pattern::new(&redirect.source, &redirect.destination).apply(path)?
        } else {
            let source = without_suffix(&redirect.source).trim_matches('/');
            (source == path.trim_matches('/')).then(|| redirect.destination.clone())?
        };
        Some((destination, redirect.permanent))
    })
}

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

/// The final path after all redirects; an error if they loop.
pub fn follow(redirects: &[Redirect], path: &str) -> Result<Option<String>, RedirectLoop> {
    let mut current = path.to_owned();
    for step in 0..MAXIMUM_STEPS {
        let plain = without_suffix(&current);
        match apply(redirects, plain) {
            Some((next, _)) if next.contains("://") => return Ok(Some(next)),
            Some((next, _)) if without_suffix(&next) == plain => {
                return Ok(Some(next));
            }
            Some((next, _)) => current = next,
            None => return Ok((step > 0).then_some(current)),
        }
    }
    Err(RedirectLoop)
}

/// Redirects that are broken or loop.
pub(super) fn check(content: &Content, document: &Document<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let redirects = &content.config.redirects;
    for redirect in redirects.iter().filter(|redirect| !has_wildcard(&redirect.source)) {
        let report = |rule, message: String, help: &str| {
            document.at(&redirect.source, Diagnostic::new(rule, "", message).help(help))
        };
        match follow(redirects, &redirect.source) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_found() {
        let redirect = |source: &str, destination: &str| Redirect {
            source: source.to_owned(),
            destination: destination.to_owned(),
            permanent: true,
        };
        let circle = [redirect("/a", "/b"), redirect("/b", "/a")];
        assert_eq!(follow(&circle, "/a"), Err(RedirectLoop));
        let chain = [redirect("/a", "/b"), redirect("/b", "/c")];
        assert_eq!(follow(&chain, "/a"), Ok(Some("/c".to_owned())));
        assert_eq!(follow(&chain, "/x"), Ok(None));
    }
}

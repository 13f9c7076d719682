//! Redirects of `docs.json`: matching and substitution.
//!
//! `:name` matches one segment, `:name*` the rest of a path, `*` anything; what they match is put
//! into the destination.

use super::{Content, config::Redirect, document::Document, slug};
use crate::{Diagnostic, Rule};

/// A chain of redirects may be this long; real sites have chains of 200.
pub const MAXIMUM_STEPS: usize = 250;

/// The destination of a path (with its leading slash) under the first redirect that matches.
pub fn apply(redirects: &[Redirect], path: &str) -> Option<(String, bool)> {
    redirects.iter().find_map(|redirect| {
        let destination = substitute(&redirect.source, &redirect.destination, path)?;
        Some((destination, redirect.permanent))
    })
}

/// Whether a source holds parts that match more than one path.
pub fn has_wildcard(source: &str) -> bool {
    source.contains('*') || source.split('/').any(|part| part.starts_with(':') && part.len() > 1)
}

fn substitute(source: &str, destination: &str, path: &str) -> Option<String> {
    let trimmed = |path: &str| path.trim_matches('/').to_owned();
    if !has_wildcard(source) {
        let source = source.split(['#', '?']).next().unwrap_or(source);
        return (trimmed(source) == trimmed(path)).then(|| destination.to_owned());
    }
    let source = trimmed(source);
    let path = trimmed(path);
    let captures =
        captures(&source.split('/').collect::<Vec<_>>(), &path.split('/').collect::<Vec<_>>())?;
    let mut result = destination.to_owned();
    // Longer names first, so that `:ab` is not taken for `:a`.
    let mut captures = captures;
    captures.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    for (name, value) in captures {
        result = result.replacen(&name, &value, if name == "*" { 1 } else { usize::MAX });
    }
    Some(result)
}

fn captures(pattern: &[&str], path: &[&str]) -> Option<Vec<(String, String)>> {
    let Some((first, pattern_rest)) = pattern.split_first() else {
        return path.is_empty().then(Vec::new);
    };
    if first.starts_with(':') && first.ends_with('*') || *first == "*" {
        // The rest of the path, less what the pattern still needs behind it.
        let taken = path.len().checked_sub(pattern_rest.len())?;
        let mut found = captures(pattern_rest, &path[taken..])?;
        found.push(((*first).to_owned(), path[..taken].join("/")));
        return Some(found);
    }
    let (segment, path_rest) = path.split_first()?;
    if first.starts_with(':') && first.len() > 1 {
        let mut found = captures(pattern_rest, path_rest)?;
        found.push(((*first).to_owned(), (*segment).to_owned()));
        return Some(found);
    }
    if let Some(prefix) = first.strip_suffix('*') {
        // `/a/x-*` also takes what lies below.
        let rest = segment.strip_prefix(prefix)?;
        let below = if pattern_rest.is_empty() { path_rest } else { &[] };
        let captured =
            std::iter::once(rest).chain(below.iter().copied()).collect::<Vec<_>>().join("/");
        let mut found =
            if pattern_rest.is_empty() { Vec::new() } else { captures(pattern_rest, path_rest)? };
        found.push(("*".to_owned(), captured));
        return Some(found);
    }
    (first == segment).then(|| captures(pattern_rest, path_rest)).flatten()
}

/// Redirects that run in a circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedirectLoop;

/// Where a path ends after all redirects; an error if they run in a circle.
pub fn follow(redirects: &[Redirect], path: &str) -> Result<Option<String>, RedirectLoop> {
    let mut current = path.to_owned();
    for step in 0..MAXIMUM_STEPS {
        let plain = current.split(['#', '?']).next().unwrap_or_default();
        match apply(redirects, plain) {
            Some((next, _)) if next.contains("://") => return Ok(Some(next)),
            Some((next, _)) if next.split(['#', '?']).next() == Some(plain) => {
                return Ok(Some(next));
            }
            Some((next, _)) => current = next,
            None => return Ok((step > 0).then_some(current)),
        }
    }
    Err(RedirectLoop)
}

/// Redirects that lead nowhere or in circles.
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

    fn to(source: &str, destination: &str, path: &str) -> Option<String> {
        substitute(source, destination, path)
    }

    #[test]
    fn patterns_capture_and_substitute() {
        assert_eq!(to("/a", "/b", "/a/").as_deref(), Some("/b"));
        assert_eq!(to("/a/:id", "/b/:id", "/a/7").as_deref(), Some("/b/7"));
        assert_eq!(to("/a/:rest*", "/b/:rest*", "/a/x/y").as_deref(), Some("/b/x/y"));
        assert_eq!(to("/a/x-*", "/b/*", "/a/x-1").as_deref(), Some("/b/1"));
        assert_eq!(to("/a/*", "/b/*", "/a/x/y").as_deref(), Some("/b/x/y"));
        assert_eq!(to("/a/:id", "/b/:id", "/c/7"), None);
    }

    #[test]
    fn circles_are_found() {
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

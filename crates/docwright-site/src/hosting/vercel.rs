//! `vercel.json`: redirects, and addresses without `.html` or a trailing slash.

use serde_json::{Value, json};

use super::rule::Rule;
use crate::content::redirects::pattern::Part;

/// Longest source and destination, in characters.
const LENGTH: usize = 4096;

/// Why Vercel can't say a rule.
pub(super) fn refuses(rule: &Rule, base: &str) -> Option<String> {
    let too_long = source(rule, base).len() > LENGTH || rule.location(base, name).len() > LENGTH;
    too_long.then(|| "is longer than the host takes".to_owned())
}

/// Number of redirects in addition to the site's.
pub(super) fn extra(base: &str) -> usize {
    slashes(base).len()
}

/// The file.
pub(super) fn text(rules: &[Rule], base: &str) -> String {
    let redirects = rules.iter().map(|rule| {
        json!({
            "source": source(rule, base),
            "destination": rule.location(base, name),
            "permanent": rule.permanent,
        })
    });
    let mut file = json!({
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "cleanUrls": true,
        "redirects": slashes(base).into_iter().chain(redirects).collect::<Value>(),
    });
    if base.is_empty() {
        file["trailingSlash"] = json!(false);
    }
    format!("{file:#}\n")
}

/// Below a path, the homepage needs the slash that `trailingSlash` takes from every address: its links are
/// relative to it. Other pages must not have one.
fn slashes(base: &str) -> Vec<Value> {
    if base.is_empty() {
        return Vec::new();
    }
    let redirect = |source: String, destination: String| json!({ "source": source, "destination": destination, "permanent": true });
    let (path, page) = (escaped(base), name(0));
    vec![
        redirect(path.clone(), format!("{base}/")),
        redirect(format!("{path}/{page}([^/\\\\].*)/"), format!("{base}/{page}")),
    ]
}

/// A source in the syntax of `path-to-regexp`.
fn source(rule: &Rule, base: &str) -> String {
    let mut source = escaped(base);
    let mut number = 0;
    for (place, part) in rule.parts.iter().enumerate() {
        let is_last = place + 1 == rule.parts.len();
        source.push('/');
        let (text, pattern) = match part {
            Part::Text(text) => {
                source += &escaped(text);
                continue;
            }
            Part::Segment => ("", r"[^/\\]+"),
            Part::Rest => ("", r"[^/\\].*"),
            Part::Beginning(text) if is_last => (text.as_str(), r"[^/\\].*"),
            Part::Beginning(text) => (text.as_str(), r"[^/\\]+"),
        };
        source += &format!("{}{}({pattern})", escaped(text), name(number));
        number += 1;
    }
    source
}

/// The name of a wildcard by its number.
fn name(number: usize) -> String {
    format!(":w{number}")
}

fn escaped(text: &str) -> String {
    let special = [':', '*', '+', '?', '(', ')', '{', '}', '\\'];
    let letters = text.chars().flat_map(|letter| {
        let mark = special.contains(&letter).then_some('\\');
        mark.into_iter().chain(std::iter::once(letter))
    });
    letters.collect()
}

//! A function of `CloudFront` for requests of viewers: redirects, and the file of an address, since a
//! bucket behind it knows nothing of pages.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{Site, rule::Rule};

/// Size limit of a function, by `CloudFront`'s quotas. Bytes.
const LENGTH: usize = 10 * 1024;

/// The part that is the same for every site.
const HANDLER: &str = include_str!("cloudfront.js");

/// Bytes left for rules.
pub(super) fn room(site: &Site<'_>) -> usize {
    LENGTH.saturating_sub(text(site, &[]).len())
}

/// The file.
pub(super) fn text(site: &Site<'_>, rules: &[Rule]) -> String {
    let endings: BTreeSet<_> = site.files.iter().filter_map(|path| ending(path)).collect();
    // The address of a page can look like that of a file.
    let pages = site.files.iter().filter_map(|path| path.strip_suffix(".html"));
    let alike: Vec<_> = pages
        .filter(|page| ending(page).is_some_and(|ending| endings.contains(ending)))
        .filter(|page| !site.files.contains(*page))
        .map(|page| format!("{}/{page}", site.base))
        .collect();
    let mut text = String::from(
        "// Made by docwright: a function for viewer requests, runtime cloudfront-js-2.0.\n\
         // Each build makes it anew.\n",
    );
    let _ = writeln!(text, "const base = {};", json(site.base));
    let _ = writeln!(text, "const endings = {};", json(&endings));
    let _ = writeln!(text, "const pages = {};", json(&alike));
    for (name, exact) in [("moved", true), ("patterns", false)] {
        let brackets = if exact { ('{', '}') } else { ('[', ']') };
        let _ = writeln!(text, "const {name} = {}", brackets.0);
        for rule in rules.iter().filter(|rule| rule.exact.is_some() == exact) {
            text += &entry(rule, site.base);
        }
        let _ = writeln!(text, "{};", brackets.1);
    }
    text + HANDLER
}

/// Size of a rule in the file.
pub(super) fn entry(rule: &Rule, base: &str) -> String {
    if let Some(path) = &rule.exact {
        let path = format!("{base}/{path}");
        let location = json(&rule.location(base, |_| String::new()));
        format!("{}: [{}, {location}],\n", json(path.trim_end_matches('/')), rule.status())
    } else {
        let location = json(&rule.location(base, |number| format!("\0{}\0", number + 1)));
        let location = matched(&location);
        let regex = rule.regex(base).replace('/', "\\/");
        format!("[/{regex}/, {}, (found) => {location}],\n", rule.status())
    }
}

/// A JSON string with placeholders for wildcards, as an expression.
fn matched(text: &str) -> String {
    let mut expression = String::new();
    for (number, piece) in text.split("\\u0000").enumerate() {
        let _ = match number % 2 {
            0 => write!(expression, "{piece}"),
            _ => write!(expression, "\" + found[{piece}] + \""),
        };
    }
    expression
}

/// The extension of a name.
fn ending(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map(|(_, ending)| ending)
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

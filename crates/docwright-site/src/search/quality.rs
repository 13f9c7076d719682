//! How good a page is for any query: its place in the navigation, its age, and links to
//! it from other pages.

use super::{Document, Kind};

/// Factor on the score of a page that isn't in the navigation.
const UNLISTED: f64 = 0.5;
/// Factor for pages that say that something newer replaces them.
const DEPRECATED: f64 = 0.5;
/// Factor for changelogs, which mention everything.
const CHANGELOG: f64 = 0.45;
/// Factor for pages of a version that isn't the default.
const OTHER_VERSION: f64 = 0.3;
/// Gain of each doubling of the pages that link to a page, and the most that they gain.
const LINKED: f64 = 0.065;
const MOST_LINKED: f64 = 0.3;
/// Words in a path or division that say that a page is of the past.
const PAST: &[&str] = &["deprecated", "legacy", "archive", "archived", "sunset", "obsolete"];
const CHANGES: &[&str] = &[
    "changelog",
    "changelogs",
    "change-log",
    "release-notes",
    "releases-notes",
    "releasenotes",
    "whats-new",
    "release notes",
    "change log",
    "what's new",
    "changes",
];

/// The factor of each page, in order. `linked` has the pages that link to each.
pub(super) fn factors(documents: &[&Document], linked: &[usize]) -> Vec<f64> {
    let factor = |(document, linked): (&&Document, &usize)| {
        // Authors mean "before the others", and a factor on the score puts a page before much better ones.
        let mut factor = document.boost.max(0.0).sqrt();
        if !document.listed {
            factor *= UNLISTED;
        }
        if document.deprecated || is_past(document) {
            factor *= DEPRECATED;
        }
        if document.kind == Kind::Changelog {
            factor *= CHANGELOG;
        }
        if !document.is_default {
            factor *= OTHER_VERSION;
        }
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let gain = LINKED * (1.0 + *linked as f64).log2();
        factor * (1.0 + gain.min(MOST_LINKED))
    };
    documents.iter().zip(linked).map(factor).collect()
}

/// Whether a name or path says that its pages are lists of changes.
pub(super) fn is_changelog(path: &str, title: &str) -> bool {
    let path = path.trim_end_matches(".html").to_lowercase();
    path.split('/').any(|part| CHANGES.contains(&part))
        || CHANGES.contains(&title.to_lowercase().trim())
}

fn is_past(document: &Document) -> bool {
    let says = |text: &str| {
        let text = text.to_lowercase();
        text.split(|letter: char| !letter.is_alphanumeric()).any(|word| PAST.contains(&word))
    };
    says(&document.title)
        || document.path.split('/').rev().skip(1).any(says)
        || document.breadcrumbs.iter().any(|name| says(name))
        || document.description.to_lowercase().starts_with("deprecated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_changes_are_recognized() {
        assert!(is_changelog("changelog.html", "News"));
        assert!(is_changelog("sdk/release-notes/v2.html", "v2"));
        assert!(is_changelog("a.html", "What's New"));
        assert!(!is_changelog("guides/track-changes.html", "Track changes"));
    }
}

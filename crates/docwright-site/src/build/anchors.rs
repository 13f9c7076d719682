//! Links to anchors, checked after all pages are rendered.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Diagnostic, Rule,
    content::{Page, closest::closest},
    render::{AnchorLink, Rendered},
};

/// Prefixes of field ids on the format's own pages of operations.
const FIELD_PREFIXES: &[&str] =
    &["body-", "parameter-", "response-", "header-", "authorization-", "param-"];

/// A link to an anchor that its target page lacks.
#[derive(Debug)]
pub(super) struct DeadLink<'a> {
    /// The page that contains it.
    pub(super) page: &'a Page,
    /// The link.
    pub(super) link: &'a AnchorLink,
    /// The certain target; the link is changed to it.
    pub(super) meant: Option<&'a str>,
    /// A possible target.
    pub(super) near: Option<&'a str>,
}

/// What is known of the anchors of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageAnchors<'a> {
    /// The page.
    pub(super) page: &'a Page,
    /// Every id on it.
    pub(super) ids: &'a [String],
    /// Its links to anchors.
    pub(super) links: &'a [AnchorLink],
}

impl<'a> PageAnchors<'a> {
    /// Those of a rendered body.
    pub(super) fn of(page: &'a Page, rendered: &'a Rendered) -> Self {
        Self { page, ids: &rendered.ids, links: &rendered.anchor_links }
    }
}

/// The anchors of each page, by slug.
pub(super) type Places<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The anchors of all pages.
pub(super) fn places<'a>(pages: &[PageAnchors<'a>]) -> Places<'a> {
    let ids = |ids: &'a [String]| ids.iter().map(String::as_str).collect();
    pages.iter().map(|page| (page.page.slug.as_str(), ids(page.ids))).collect()
}

/// Links to anchors that their target pages lack.
pub(super) fn dead_links<'a>(pages: &[PageAnchors<'a>], places: &Places<'a>) -> Vec<DeadLink<'a>> {
    let mut dead = Vec::new();
    for PageAnchors { page, links, .. } in pages {
        for link in *links {
            let Some(ids) = places.get(link.slug.as_str()) else { continue };
            let fragment = link.fragment.as_str();
            if ids.contains(fragment) || fragment.starts_with(":~:") {
                continue;
            }
            let meant = field(fragment, ids).or_else(|| same_letters(fragment, ids));
            let near = meant.or_else(|| closest(fragment, ids.iter().copied()));
            dead.push(DeadLink { page, link, meant, near });
        }
    }
    dead
}

/// The only anchor with the same letters and digits as a fragment: authors guess hyphens.
fn same_letters<'a>(fragment: &str, ids: &BTreeSet<&'a str>) -> Option<&'a str> {
    let wanted = letters(fragment);
    let mut found = ids.iter().copied().filter(|id| !wanted.is_empty() && letters(id) == wanted);
    found.next().filter(|_| found.next().is_none())
}

/// The field of an API page for a fragment in the format's own style.
fn field<'a>(fragment: &str, ids: &BTreeSet<&'a str>) -> Option<&'a str> {
    let name = FIELD_PREFIXES.iter().find_map(|prefix| fragment.strip_prefix(prefix))?;
    let wanted = letters(name);
    let named = |id: &&str| id.strip_prefix("param-").is_some_and(|id| letters(id) == wanted);
    ids.iter().copied().find(named)
}

/// The only anchor that a fragment can mean: it differs in dashes, in a leading number, or in one letter of a
/// long name.
pub(super) fn certain<'a>(fragment: &str, ids: &BTreeSet<&'a str>) -> Option<&'a str> {
    let named = field(fragment, ids).or_else(|| same_letters(fragment, ids));
    let parameter = || ids.get(format!("param-{fragment}").as_str()).copied();
    let only = |same: &dyn Fn(&str) -> bool| {
        let mut found = ids.iter().copied().filter(|id| same(id));
        found.next().filter(|_| found.next().is_none())
    };
    let wanted = unnumbered(&letters(fragment)).to_owned();
    let numbered = || only(&|id| wanted.len() > 5 && unnumbered(&letters(id)) == wanted);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let misspelt = || {
        only(&|id| {
            let id = letters(id);
            wanted.len() > 9 && digits(&id) == digits(&wanted) && is_one_apart(&wanted, &id)
        })
    };
    named.or_else(parameter).or_else(numbered).or_else(misspelt)
}

/// Without the number of a step.
fn unnumbered(letters: &str) -> &str {
    letters.strip_prefix("step").unwrap_or(letters).trim_start_matches(|c: char| c.is_ascii_digit())
}

/// Whether two texts differ by one added, missing, or replaced letter.
fn is_one_apart(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let length = one.len().max(other.len());
    one.len().abs_diff(other.len()) <= 1 && start + end + 1 >= length
}

fn letters(id: &str) -> String {
    id.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The diagnostic for such a link; none if it is valid by the rules of the format.
pub(super) fn broken_anchor(dead: &DeadLink<'_>) -> Option<Diagnostic> {
    let link = dead.link;
    let is_field = |id: &str| {
        id.starts_with("param-") && FIELD_PREFIXES.iter().any(|p| link.fragment.starts_with(p))
    };
    if dead.meant.is_some_and(is_field) {
        return None;
    }
    let message = format!("anchor `#{}` not found on /{}", link.fragment, link.slug);
    let help = match (dead.meant, dead.near) {
        (Some(meant), _) => format!("use `#{meant}`; the link works until then"),
        (None, Some(near)) => format!("did you mean `#{near}`?"),
        (None, None) => "correct the part behind `#`, or add a heading".to_owned(),
    };
    let diagnostic = Diagnostic::new(Rule::BrokenAnchor, &link.path, message);
    Some(diagnostic.at(link.line, link.column).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchor_is_suggested_only_if_certain() {
        let ids = BTreeSet::from([
            "1-install-the-cli",
            "create-organization",
            "enable-webhooks",
            "param-api_key",
            "list-users-v1",
        ]);
        for (fragment, expected) in [
            ("install-the-cli", Some("1-install-the-cli")),
            ("step-2-install-the-cli", Some("1-install-the-cli")),
            ("create-organization", Some("create-organization")),
            ("create-organizations", Some("create-organization")),
            ("api_key", Some("param-api_key")),
            ("disable-webhooks", None),
            ("list-users-v2", None),
            ("install", None),
        ] {
            assert_eq!(certain(fragment, &ids), expected, "{fragment}");
        }
        let twice = BTreeSet::from(["1-run-the-tests", "2-run-the-tests"]);
        assert_eq!(certain("run-the-tests", &twice), None, "two places can be meant");
    }

    #[test]
    fn anchor_is_found_by_its_letters() {
        let ids = BTreeSet::from(["_meta", "a-b", "ab", "param-messages-role", "messages-role"]);
        assert_eq!(same_letters("meta", &ids), Some("_meta"));
        assert_eq!(same_letters("a_b", &ids), None, "two places can be meant");
        assert_eq!(same_letters("?", &ids), None);
        assert_eq!(field("body-messages-role", &ids), Some("param-messages-role"));
        assert_eq!(field("messages-role", &ids), None);
    }
}

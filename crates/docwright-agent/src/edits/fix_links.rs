//! Fixes broken links if the compiler is certain of their targets; the summary lists the others.

use std::collections::BTreeMap;

use super::links;
use crate::{
    checker::{BrokenLink, Checker, LinkError},
    workspace::{Refusal, Workspace},
};

/// Links of each kind that the summary lists.
const SHOWN: usize = 5;

pub(super) fn fix_links(
    workspace: &mut Workspace,
    checker: &dyn Checker,
) -> Result<String, Refusal> {
    let broken = checker.broken_links(workspace.changes()).map_err(Refusal)?;
    let total = broken.len();
    if total == 0 {
        return Ok("No broken links; nothing to fix".to_owned());
    }
    let mut by_file: BTreeMap<&str, Vec<&BrokenLink>> = BTreeMap::new();
    let mut left = Left::default();
    for link in &broken {
        match &link.meant {
            Some(_) => by_file.entry(&link.path).or_default().push(link),
            None => left.add(Why::of(link), link),
        }
    }
    let (mut fixed, mut files) = (0, 0);
    for (path, links) in by_file {
        let text = match workspace.read(path) {
            Ok(text) if path.ends_with(".mdx") || path.ends_with(".md") => text,
            _ => {
                left.add_all(Why::Elsewhere, links);
                continue;
            }
        };
        let (changed, missed) = repair(&text, &links);
        let count = links.len() - missed.len();
        left.add_all(Why::Hidden, missed);
        if count > 0 {
            workspace.write(path, changed)?;
            fixed += count;
            files += 1;
        }
    }
    let done = match fixed {
        0 => format!("None of {total} broken links has a certain target; nothing to fix"),
        _ => format!("Fix broken links ({fixed} of {total}, in {files} files)"),
    };
    Ok(format!("{done}{}", left.describe()))
}

/// The text with replaced links, and the links that were not found in it.
fn repair<'a>(text: &str, broken: &[&'a BrokenLink]) -> (String, Vec<&'a BrokenLink>) {
    let mut places: Vec<_> = links::addresses(text);
    let mut changes = Vec::new();
    let mut missed = Vec::new();
    for link in broken {
        let line = usize::try_from(link.line).unwrap_or(usize::MAX);
        // A component starts before the line of its address.
        let here = places.iter().position(|place| place.line == line && place.href == link.href);
        let after = || {
            places.iter().position(|place| {
                place.line > line && place.line <= line + REACH && place.href == link.href
            })
        };
        match (here.or_else(after), &link.meant) {
            (Some(at), Some(meant)) => changes.push((places.remove(at).range, meant)),
            _ => missed.push(*link),
        }
    }
    changes.sort_by_key(|(range, _)| range.start);
    let (mut changed, mut at) = (String::with_capacity(text.len()), 0);
    for (range, meant) in changes {
        changed.push_str(&text[at..range.start]);
        changed.push_str(meant);
        at = range.end;
    }
    changed.push_str(&text[at..]);
    (changed, missed)
}

/// Lines of a component before its address.
const REACH: usize = 12;

/// Why a link stays unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// No page is a certain target.
    NoPage,
    /// Several pages are possible.
    Several,
    /// No anchor on the page is a certain target.
    NoPlace,
    /// The redirects loop.
    Circle,
    /// It isn't on a page.
    Elsewhere,
    /// Code generates it, or its form is not supported here.
    Hidden,
}

impl Why {
    fn of(link: &BrokenLink) -> Self {
        match link.reason {
            LinkError::NoPage if link.perhaps.len() > 1 => Self::Several,
            LinkError::NoPage => Self::NoPage,
            LinkError::NoPlace => Self::NoPlace,
            LinkError::Circle => Self::Circle,
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::NoPage => "The page doesn't exist, and no other page certainly matches",
            Self::Several => "Several pages match",
            Self::NoPlace => "The page has no such anchor, and no other anchor certainly matches",
            Self::Circle => "The redirects loop",
            Self::Elsewhere => "They are in a file that isn't a page",
            Self::Hidden => "Code generates them, or their form isn't supported",
        }
    }
}

/// The unchanged links, by reason.
#[derive(Default)]
struct Left<'a>(BTreeMap<Why, Vec<&'a BrokenLink>>);

impl<'a> Left<'a> {
    fn add(&mut self, why: Why, link: &'a BrokenLink) {
        self.0.entry(why).or_default().push(link);
    }

    fn add_all(&mut self, why: Why, links: Vec<&'a BrokenLink>) {
        for link in links {
            self.add(why, link);
        }
    }

    fn describe(&self) -> String {
        let total: usize = self.0.values().map(Vec::len).sum();
        if total == 0 {
            return String::new();
        }
        let mut text = format!("\n\nUnchanged: {total}\n");
        for (why, links) in &self.0 {
            text.push_str(&format!("\n- {} ({}):\n", why.sentence(), links.len()));
            for link in links.iter().take(SHOWN) {
                let BrokenLink { path, line, href, perhaps, .. } = link;
                let perhaps: Vec<_> =
                    perhaps.iter().take(3).map(|address| format!("`{address}`")).collect();
                let perhaps = match perhaps.as_slice() {
                    [] => String::new(),
                    some => format!(" (perhaps {})", some.join(" or ")),
                };
                text.push_str(&format!("  - `{path}:{line}`: `{href}`{perhaps}\n"));
            }
            if links.len() > SHOWN {
                text.push_str(&format!("  - and {} more\n", links.len() - SHOWN));
            }
        }
        text.trim_end().to_owned()
    }
}

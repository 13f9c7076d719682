//! Broken links, with their intended targets.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    BuildError, STACK,
    anchors::{DeadLink, PageAnchors, Places, broken_anchor, certain, dead_links, places},
    ignore::Ignores,
};
use crate::{
    Rule,
    content::{
        Content,
        link_suggestion::{LinkSuggestion, Meanings},
    },
    render::{self, BrokenLink, RenderContext},
    source::Source,
};

/// Why a link is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BrokenLinkReason {
    /// The page or file doesn't exist.
    NoPage,
    /// The page lacks the anchor.
    NoPlace,
    /// Redirects run in a circle.
    Circle,
}

impl BrokenLinkReason {
    /// The rule that reports it.
    const fn rule(self) -> Rule {
        match self {
            Self::NoPage | Self::Circle => Rule::BrokenLink,
            Self::NoPlace => Rule::BrokenAnchor,
        }
    }
}

/// A broken link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkToRepair {
    /// The file that contains it, below the docs root.
    pub path: String,
    /// 1-based line where it starts, or the component that contains it.
    pub line: u32,
    /// As its author wrote it.
    pub href: String,
    /// Why it is broken.
    pub reason: BrokenLinkReason,
    /// The certain replacement, if known.
    pub meant: Option<String>,
    /// Possible replacements.
    pub perhaps: Vec<String>,
}

/// The links that [`check`](super::check()) reports as broken, sorted by position.
pub fn links_to_repair(source: &Source) -> Result<Vec<LinkToRepair>, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build()?;
    threads.install(|| {
        let (content, _) = Content::load(source)?;
        let (context, _) = RenderContext::without_colors(source, &content);
        let pages: Vec<_> = content.pages.values().collect();
        let rendered: Vec<_> =
            pages.par_iter().map(|page| render::render_page(&context, page)).collect();
        let both = pages.iter().copied().zip(&rendered);
        let both: Vec<_> = both.map(|(page, rendered)| PageAnchors::of(page, rendered)).collect();
        let places = places(&both);
        let meanings = Meanings::new(&context.links);
        // A snippet can be on many pages, and its links are found on each.
        let mut found: BTreeSet<LinkToRepair> = rendered
            .iter()
            .flat_map(|rendered| &rendered.broken_links)
            .map(|link| to_page(link, &meanings, &places))
            .collect();
        let dead = dead_links(&both, &places);
        let dead = dead.iter().filter(|dead| broken_anchor(dead).is_some());
        found.extend(dead.map(|dead| to_place(dead, &meanings, &places)));
        let (mut ignores, _) = Ignores::read(source);
        found
            .retain(|link| ignores.ignored_by(&link.path, link.line, link.reason.rule()).is_none());
        Ok(found.into_iter().collect())
    })
}

fn to_page(link: &BrokenLink, meanings: &Meanings<'_>, places: &Places<'_>) -> LinkToRepair {
    let BrokenLink { path, line, href, runs_in_circle } = link;
    let reason = if *runs_in_circle { BrokenLinkReason::Circle } else { BrokenLinkReason::NoPage };
    let (meant, perhaps) = match meanings.of(path, href) {
        _ if *runs_in_circle => (None, Vec::new()),
        LinkSuggestion::Certain(address) => match with_suffix(&address, href, places) {
            Some(address) => (Some(address), Vec::new()),
            // The page exists and the anchor doesn't, so it can be the wrong page.
            None => (None, vec![address]),
        },
        LinkSuggestion::OneOf(slugs) => {
            (None, slugs.iter().map(|slug| format!("/{slug}")).collect())
        }
        LinkSuggestion::Unknown(slug) => {
            (None, slug.map(|slug| format!("/{slug}")).into_iter().collect())
        }
    };
    LinkToRepair { path: path.clone(), line: *line, href: href.clone(), reason, meant, perhaps }
}

/// An address with the link's query and fragment; `None` if the page lacks the anchor.
fn with_suffix(address: &str, href: &str, places: &Places<'_>) -> Option<String> {
    let href = href.trim();
    let suffix = &href[href.find(['?', '#']).unwrap_or(href.len())..];
    let Some((query, fragment)) = suffix.split_once('#').filter(|(_, place)| !place.is_empty())
    else {
        return Some(format!("{address}{suffix}"));
    };
    let Some(ids) = places.get(address.trim_start_matches('/')) else {
        return Some(format!("{address}{suffix}"));
    };
    if ids.contains(fragment) {
        return Some(format!("{address}{suffix}"));
    }
    certain(fragment, ids).map(|place| format!("{address}{query}#{place}"))
}

fn to_place(dead: &DeadLink<'_>, meanings: &Meanings<'_>, places: &Places<'_>) -> LinkToRepair {
    let link = dead.link;
    let known = places.get(link.slug.as_str());
    let place = known.and_then(|ids| certain(&link.fragment, ids));
    let before = link.href.split('#').next().unwrap_or_default();
    let with = |place: &str| format!("{before}#{place}");
    let meant = place.map(with).or_else(|| meanings.part(&link.slug, &link.fragment));
    let perhaps = dead.near.map(with).filter(|_| meant.is_none());
    LinkToRepair {
        path: link.path.clone(),
        line: link.line,
        href: link.href.clone(),
        reason: BrokenLinkReason::NoPlace,
        meant,
        perhaps: perhaps.into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repair(pages: &[(&str, &str)]) -> Vec<(String, Option<String>, Vec<String>)> {
        let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000000"},"navigation":{"pages":["index","guides/set-up"]}}"##;
        let files = std::iter::once(("docs.json", config)).chain(pages.iter().copied());
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let found = links_to_repair(&Source::from_files(files)).unwrap();
        found.into_iter().map(|link| (link.href, link.meant, link.perhaps)).collect()
    }

    #[test]
    fn anchor_must_be_on_suggested_page() {
        let target = ("guides/set-up.mdx", "## 1. Install it\n\n## Check the result\n");
        let text = "[a](/guides/Set-Up) [b](/guides/setup?x=1#check-the-result) [c](/guides/setup#gone) [d](/guides/set-up#install-it) [e](/guides/set-up#check-a-result)";
        let found = repair(&[("index.mdx", text), target]);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [
                ("/guides/Set-Up".to_owned(), some("/guides/set-up"), vec![]),
                (
                    "/guides/set-up#check-a-result".to_owned(),
                    None,
                    vec!["/guides/set-up#check-the-result".to_owned()]
                ),
                (
                    "/guides/set-up#install-it".to_owned(),
                    some("/guides/set-up#1-install-it"),
                    vec![]
                ),
                ("/guides/setup#gone".to_owned(), None, vec!["/guides/set-up".to_owned()]),
                (
                    "/guides/setup?x=1#check-the-result".to_owned(),
                    some("/guides/set-up?x=1#check-the-result"),
                    vec![]
                ),
            ]
        );
    }
}

//! Links to anchors whose ids changed between two states of the files.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use rayon::prelude::*;
use serde_json::Value;

use super::{BuildError, STACK};
use crate::{
    content::{Content, links::Resolution},
    render::{self, AnchorLink, RenderContext},
    source::Source,
};

/// Characters that end a URL in Markdown or JSX.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'\'')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'(')
    .add(b')')
    .add(b'{')
    .add(b'}');

/// A link to an anchor that has a new id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedLink {
    /// The file that contains it, below the docs root.
    pub path: String,
    /// The link as written; every such link of the file has the same target.
    pub href: String,
    /// The new link to that target.
    pub to: String,
}

/// The ids of each page in their order, by slug.
type Ids = BTreeMap<String, Vec<String>>;

/// The links of `after` to anchors that had another id in `before`, sorted. Anchors are matched by their order,
/// so pages that gained or lost any are left out.
pub fn moved_links(before: &Source, after: &Source) -> Result<Vec<MovedLink>, BuildError> {
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build()?;
    threads.install(|| {
        let (old, _) = places(before)?;
        let (new, links) = places(after)?;
        let renamed = renamed(&old, &new);
        // A snippet can be on many pages, and its links can have another target on each.
        let mut meant: BTreeMap<(String, String), BTreeSet<Option<String>>> = BTreeMap::new();
        for link in links {
            let to = renamed.get(&(link.slug.as_str(), link.fragment.as_str()));
            let to = to.map(|id| with_fragment(&link.href, id));
            meant.entry((link.path, link.href)).or_default().insert(to);
        }
        let moved = meant.into_iter().filter_map(|((path, href), to)| {
            let mut to = to.into_iter();
            match (to.next(), to.next()) {
                (Some(Some(to)), None) => Some(MovedLink { path, href, to }),
                _ => None,
            }
        });
        Ok(moved.collect())
    })
}

/// The new ids of anchors by slug and old id.
fn renamed<'a>(old: &'a Ids, new: &'a Ids) -> BTreeMap<(&'a str, &'a str), &'a str> {
    let mut renamed = BTreeMap::new();
    for (slug, ids) in old {
        let Some(now) = new.get(slug).filter(|now| now.len() == ids.len()) else { continue };
        for (id, now) in ids.iter().zip(now).filter(|(id, now)| id != now) {
            renamed.entry((slug.as_str(), id.as_str())).or_insert(now.as_str());
        }
    }
    renamed
}

/// The ids of all pages, and the links to them.
fn places(source: &Source) -> Result<(Ids, Vec<AnchorLink>), BuildError> {
    let (content, _) = Content::load(source)?;
    let (context, _) = RenderContext::without_colors(source, &content);
    let pages: Vec<_> = content.pages.values().collect();
    let rendered: Vec<_> = pages
        .par_iter()
        .map(|page| {
            let rendered = render::render_page(&context, page);
            (page.slug.clone(), rendered.ids, rendered.anchor_links)
        })
        .collect();
    let mut links = links_of_configuration(source, &context);
    let mut ids = Ids::new();
    for (slug, own, anchors) in rendered {
        ids.insert(slug, own);
        links.extend(anchors);
    }
    Ok((ids, links))
}

/// Links of the configuration to anchors: in redirects, the navigation, the navigation bar.
fn links_of_configuration(source: &Source, context: &RenderContext<'_>) -> Vec<AnchorLink> {
    let mut links = Vec::new();
    for path in ["docs.json", "mint.json"] {
        let value = source.text(path).and_then(|text| serde_json::from_str(text).ok());
        let Some(value) = value else { continue };
        let mut texts = BTreeSet::new();
        collect_texts(&value, &mut texts);
        let found = texts.into_iter().filter_map(|href| {
            let Resolution::Page { slug, suffix } = context.links.resolve(path, href) else {
                return None;
            };
            let (_, fragment) = suffix.split_once('#')?;
            let fragment = percent_decode_str(fragment).decode_utf8_lossy().into_owned();
            let (href, path) = (href.to_owned(), path.to_owned());
            Some(AnchorLink { href, slug, fragment, path, line: 0, column: 0 })
        });
        links.extend(found);
    }
    links
}

fn collect_texts<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::String(text) if text.starts_with('/') && text.contains('#') => {
            found.insert(text);
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, found)),
        Value::Object(entries) => entries.values().for_each(|value| collect_texts(value, found)),
        _ => {}
    }
}

fn with_fragment(href: &str, id: &str) -> String {
    let before = href.split('#').next().unwrap_or_default();
    format!("{before}#{}", utf8_percent_encode(id, ENCODED))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = r##"{"theme":"mint","name":"S","colors":{"primary":"#000000"},"navigation":{"pages":["index","a/b"]},"redirects":[{"source":"/old","destination":"/a/b#set-up-a-repo"}]}"##;

    fn source(pages: &[(&str, &str)]) -> Source {
        let files = std::iter::once(("docs.json", CONFIG)).chain(pages.iter().copied());
        Source::from_files(files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())))
    }

    fn moved(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<(String, String, String)> {
        let found = moved_links(&source(before), &source(after)).unwrap();
        found.into_iter().map(|link| (link.path, link.href, link.to)).collect()
    }

    fn triple(path: &str, href: &str, to: &str) -> (String, String, String) {
        (path.to_owned(), href.to_owned(), to.to_owned())
    }

    #[test]
    fn links_follow_heading_that_changed() {
        let target = |word: &str| {
            format!(
                "## Set up a {word}\n\n[x](#set-up-a-repo) [y](#fixed)\n\n## Fixed\n\n<Accordion title=\"A (new) {word}\">x</Accordion>\n"
            )
        };
        let index = "[a](/a/b?x=1#set-up-a-repo) [b](a/b.mdx#set-up-a-repo) <Card title=\"C\" href=\"/a/b#a-new-repo\" /> [c](/a/b#fixed)";
        let (old, new) = (target("repo"), target("repository"));
        let found = moved(
            &[("index.mdx", index), ("a/b.mdx", &old)],
            &[("index.mdx", index), ("a/b.mdx", &new)],
        );
        assert_eq!(
            found,
            [
                triple("a/b.mdx", "#set-up-a-repo", "#set-up-a-repository"),
                triple("docs.json", "/a/b#set-up-a-repo", "/a/b#set-up-a-repository"),
                triple("index.mdx", "/a/b#a-new-repo", "/a/b#a-new-repository"),
                triple("index.mdx", "/a/b?x=1#set-up-a-repo", "/a/b?x=1#set-up-a-repository"),
                triple("index.mdx", "a/b.mdx#set-up-a-repo", "a/b.mdx#set-up-a-repository"),
            ]
        );
    }

    #[test]
    fn link_follows_its_heading_when_another_takes_its_id() {
        let index = "[a](#repo) [b](#repository)\n\n";
        let found = moved(
            &[("index.mdx", &format!("{index}## Repo\n\n## Repository\n"))],
            &[("index.mdx", &format!("{index}## Repository\n\n## Repository\n"))],
        );
        assert_eq!(
            found,
            [
                triple("index.mdx", "#repo", "#repository"),
                triple("index.mdx", "#repository", "#repository-2"),
            ]
        );
    }

    #[test]
    fn link_of_snippet_stays_where_pages_disagree() {
        let snippet = ("snippets/s.mdx", "[a](#repo)\n");
        let page = |word: &str| format!("import S from '/snippets/s.mdx'\n\n<S />\n\n## {word}\n");
        let (old, new) = (page("Repo"), page("Repository"));
        let fixed = page("Repo {#repo}");
        let found = moved(
            &[snippet, ("index.mdx", &old), ("a/b.mdx", &fixed)],
            &[snippet, ("index.mdx", &new), ("a/b.mdx", &fixed)],
        );
        assert_eq!(found, []);
    }
}

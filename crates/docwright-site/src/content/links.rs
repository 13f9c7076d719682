//! Resolves links from their written form to their targets.

use std::{collections::HashMap, sync::RwLock};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::{Content, SETTINGS_FILE, closest::closest_slug, document, redirects, slug};
use crate::source::Source;

/// Characters that must be escaped in a URL path segment.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

/// Files that docwright makes at the root of every site.
const GENERATED: &[&str] = &["llms.txt", "llms-full.txt", "sitemap.xml", "robots.txt", "skill.md"];

/// The base path of sites that don't have a host to themselves.
const MOUNT: &str = "docs/";

/// Endings of files that are served as they are.
const PUBLISHED: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "mp4", "webm", "mp3", "wav", "json",
    "yaml", "yml", "css", "js", "woff", "woff2", "ttf", "otf", "eot", "pdf", "txt", "xml", "csv",
    "zip",
];

/// Whether a file of the docs root is a file of the site as well.
pub fn is_published(path: &str) -> bool {
    let (stem, extension) = path.rsplit_once('.').unwrap_or((path, ""));
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let configuration = matches!(path, "docs.json" | "mint.json" | SETTINGS_FILE)
        || matches!(name, "package" | "package-lock" | "tsconfig");
    PUBLISHED.contains(&extension.to_ascii_lowercase().as_str()) && !configuration
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// A page of this site.
    Page {
        /// Its slug.
        slug: String,
        /// Query and fragment as written (`?a=b#c`), or nothing.
        suffix: String,
    },
    /// A file of the site that is not a page, by its path below the root.
    File {
        /// Its path.
        path: String,
        /// Query and fragment as written, or nothing.
        suffix: String,
    },
    /// A place on the same page, without the `#`.
    Anchor(String),
    /// Another site, or any scheme; unchanged.
    External(String),
    /// Redirects that run in a circle.
    Loop,
    /// A missing page, with the most likely intended slug.
    Missing {
        /// The slug.
        slug: String,
    },
}

/// Resolves the links of a site.
#[derive(Debug)]
pub struct Links<'a> {
    pub(super) content: &'a Content,
    source: &'a Source,
    /// Slugs in lower case, for links whose letter case is wrong.
    by_lower_case: HashMap<String, &'a str>,
    /// The most likely intended pages for missing slugs, cached since many pages share a broken link.
    closest: RwLock<HashMap<String, Option<String>>>,
}

impl<'a> Links<'a> {
    /// A resolver for a site.
    pub fn new(content: &'a Content, source: &'a Source) -> Self {
        let by_lower_case =
            content.pages.keys().map(|slug| (slug.to_lowercase(), slug.as_str())).collect();
        Self { content, source, by_lower_case, closest: RwLock::default() }
    }

    /// The target of `href` in the file at `path`.
    pub fn resolve(&self, path: &str, href: &str) -> Resolution {
        let href = href.trim();
        if has_scheme(href) || href.starts_with("//") {
            return Resolution::External(href.to_owned());
        }
        if let Some(fragment) = href.strip_prefix('#') {
            return Resolution::Anchor(decode(fragment));
        }
        let end = href.find(['?', '#']).unwrap_or(href.len());
        let (written, suffix) = (decode(&href[..end]).replace('\\', "/"), &href[end..]);
        if written.is_empty() {
            let own = slug::of_path(path);
            return Resolution::Page { slug: own, suffix: suffix.to_owned() };
        }
        let candidates = candidates(path, &written);
        let found = candidates.iter().find_map(|candidate| self.find(candidate, suffix));
        found.unwrap_or_else(|| self.missing(&candidates, suffix))
    }

    /// Whether the site will have a file at a path, other than a page.
    pub fn has_file(&self, path: &str) -> bool {
        self.source.contains(path) && is_published(path) || GENERATED.contains(&path)
    }

    /// A page or file at a path below the root, without following redirects.
    pub(super) fn find(&self, path: &str, suffix: &str) -> Option<Resolution> {
        let slug = slug::of_reference(path);
        if let Some((slug, _)) = self.content.pages.get_key_value(&slug) {
            return Some(Resolution::Page { slug: slug.clone(), suffix: suffix.to_owned() });
        }
        if self.has_file(path) {
            return Some(Resolution::File { path: path.to_owned(), suffix: suffix.to_owned() });
        }
        None
    }

    fn missing(&self, candidates: &[String], suffix: &str) -> Resolution {
        let Some(first) = candidates.first() else {
            return Resolution::Missing { slug: String::new() };
        };
        match self.content.redirects.follow(&format!("/{first}")) {
            Err(redirects::RedirectLoop) => return Resolution::Loop,
            Ok(Some(end)) if end.contains("://") => return Resolution::External(end),
            Ok(Some(end)) => {
                let at = end.find(['?', '#']).unwrap_or(end.len());
                let own_suffix = if end.len() > at { &end[at..] } else { suffix };
                if let Some(found) = self.find(end[..at].trim_matches('/'), own_suffix) {
                    return found;
                }
            }
            Ok(None) => {}
        }
        let slug = slug::of_reference(first);
        if slug == "index" {
            // A site without a page for its root opens at its first page.
            return Resolution::File { path: "index.html".to_owned(), suffix: suffix.to_owned() };
        }
        Resolution::Missing { slug }
    }

    /// The page most likely meant by a slug that does not exist. It compares with many pages, so it is for messages
    /// only.
    pub fn closest(&self, slug: &str) -> Option<String> {
        if let Some(known) = self.closest.read().ok().and_then(|known| known.get(slug).cloned()) {
            return known;
        }
        let same = self.by_lower_case.get(&slug.to_lowercase()).copied();
        let found = same.or_else(|| closest_slug(slug, &self.content.pages)).map(str::to_owned);
        if let Ok(mut known) = self.closest.write() {
            known.insert(slug.to_owned(), found.clone());
        }
        found
    }
}

/// Possible paths of a link, likeliest first. A relative link is resolved from its file; many authors mean the
/// root, so that is tried too.
pub(super) fn candidates(path: &str, written: &str) -> Vec<String> {
    if written.starts_with('/') {
        let trimmed =
            written.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>();
        let path = trimmed.join("/");
        // Sites that are mounted below a path are written with it; it is this one as good as always.
        let below = path.strip_prefix(MOUNT).map(str::to_owned);
        return std::iter::once(path).chain(below).collect();
    }
    let from_file = document::join(path, written);
    // `sub/page` on a page `dir/page` can also be meant as seen from that page's own address.
    let from_page = document::join(&format!("{}/x", slug::of_path(path)), written);
    let from_root = document::join("x", written);
    let mut all: Vec<_> = [from_file, from_root, from_page].into_iter().flatten().collect();
    all.dedup();
    all
}

fn has_scheme(href: &str) -> bool {
    href.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
    })
}

pub(super) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Whether a text is an address on another host.
pub fn is_remote(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Path of the HTML file of a page below the site root: `guides/start` → `guides/start.html`.
pub fn output_path(slug: &str) -> String {
    format!("{slug}.html")
}

/// The relative address from one file of the site to another, both below the site root, with
/// every part percent-encoded as a URL path needs it.
pub fn relative(from: &str, to: &str) -> String {
    let (mut folder, mut rest) = (from.rsplit_once('/').map(|(folder, _)| folder), to);
    // The folders that both are in.
    while let Some(path) = folder
        && let Some((first, after)) = rest.split_once('/')
    {
        let (own, inner) =
            path.split_once('/').map_or((path, None), |(own, inner)| (own, Some(inner)));
        if own != first {
            break;
        }
        (folder, rest) = (inner, after);
    }
    let mut address = "../".repeat(folder.map_or(0, |folder| 1 + folder.matches('/').count()));
    address.extend(utf8_percent_encode(rest, PATH));
    address
}

/// A relative address that is seen to be one: `./llms.txt`.
pub fn from_here(relative: String) -> String {
    if relative.starts_with("../") { relative } else { format!("./{relative}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_and_encoded() {
        assert_eq!(relative("index.html", "a/b.html"), "a/b.html");
        assert_eq!(relative("a/b.html", "a/c.html"), "c.html");
        assert_eq!(relative("a/b/c.html", "a.html"), "../../a.html");
        assert_eq!(relative("a/b/c.html", "a/c/b/d.html"), "../c/b/d.html");
        assert_eq!(relative("a/b/c.html", "ab/b/c.html"), "../../ab/b/c.html");
        assert_eq!(relative("a/b/c.html", "a/b"), "../b");
        assert_eq!(relative("a.html", "b/"), "b/");
        assert_eq!(relative("a/b/c.html", "x/y z.png"), "../../x/y%20z.png");
        assert_eq!(relative("a.html", "ä:b.html"), "%C3%A4%3Ab.html");
    }

    #[test]
    fn schemes_differ_from_paths() {
        assert!(has_scheme("mailto:a@b.c") && has_scheme("https://a.b"));
        assert!(!has_scheme("a/b:c") && !has_scheme("/a:b") && !has_scheme("1:2"));
    }

    fn site() -> (Source, Content) {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let source = Source::from_files([
            file(
                "docs.json",
                r##"{"theme":"mint","name":"S","colors":{"primary":"#000000"},
                "navigation":{"pages":["index","a/one","a/two"]},
                "redirects":[{"source":"/old","destination":"/a/one"},{"source":"/x","destination":"/y"},{"source":"/y","destination":"/x"}]}"##,
            ),
            file("index.mdx", ""),
            file("a/one.mdx", ""),
            file("a/two.mdx", ""),
            file("images/p.png", "x"),
        ]);
        let content = Content::load(&source).unwrap().0;
        (source, content)
    }

    #[test]
    fn links_are_resolved_as_authors_write_them() {
        let (source, content) = site();
        let links = Links::new(&content, &source);
        let page = |slug: &str, suffix: &str| Resolution::Page {
            slug: slug.to_owned(),
            suffix: suffix.to_owned(),
        };
        for (href, expected) in [
            ("/a/two", page("a/two", "")),
            ("two#part", page("a/two", "#part")),
            ("./two.mdx?x=1", page("a/two", "?x=1")),
            ("../index", page("index", "")),
            ("/a/two/", page("a/two", "")),
            ("/old#z", page("a/one", "#z")),
            ("/", page("index", "")),
            ("/docs/a/two#x", page("a/two", "#x")),
            ("#here", Resolution::Anchor("here".to_owned())),
            (
                "/images/p.png",
                Resolution::File { path: "images/p.png".to_owned(), suffix: String::new() },
            ),
            ("/x", Resolution::Loop),
            ("/a/tvo", Resolution::Missing { slug: "a/tvo".to_owned() }),
            ("https://e.org", Resolution::External("https://e.org".to_owned())),
        ] {
            assert_eq!(links.resolve("a/one.mdx", href), expected, "{href}");
        }
        assert_eq!(links.closest("a/tvo").as_deref(), Some("a/two"));
        assert_eq!(links.closest("A/Two").as_deref(), Some("a/two"));
    }
}

//! What the author means: configuration, navigation, pages, snippets, links.
//!
//! Turns a [`Source`](crate::source::Source) into a [`Content`]. Reads no MDX bodies and makes no
//! HTML; whatever is wrong becomes a diagnostic.

pub mod config;
pub mod frontmatter;
pub mod links;
pub mod navigation;

use std::collections::BTreeMap;

use config::Config;
use frontmatter::Frontmatter;
use navigation::Navigation;

/// The content model of a site: everything that is known before a page body is rendered.
#[derive(Debug)]
pub struct Content {
    /// `docs.json` or a translated `mint.json`.
    pub config: Config,
    /// The navigation tree.
    pub navigation: Navigation,
    /// Every page, by slug.
    pub pages: BTreeMap<String, Page>,
}

/// A page of the site.
#[derive(Debug, Clone)]
pub struct Page {
    /// Address below the site root without extension or slashes at its ends; the root page is
    /// `index`, a `dir/index.mdx` is `dir`.
    pub slug: String,
    /// Path of its source file; for a page generated from an API description, of that description.
    pub path: String,
    /// Its frontmatter; for a generated page, what the description says.
    pub frontmatter: Frontmatter,
    /// Byte offset of the body in the file, after the frontmatter.
    pub body_offset: usize,
    /// 1-based line at which the body begins.
    pub body_line: u32,
    /// Where its text comes from.
    pub kind: PageKind,
    /// Whether readers can come upon it (navigation, search, sitemap, `llms.txt`).
    pub visibility: Visibility,
    /// `lang` attribute of its division, or of the site (`en`).
    pub language: String,
}

/// Where the text of a page comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum PageKind {
    /// An `.mdx` or `.md` file.
    File,
    /// An operation of an API description, made from a navigation entry.
    Operation {
        /// Upper-case HTTP method, or `WEBHOOK`.
        method: String,
        /// Path template or webhook name.
        path: String,
        /// The description of the operation, in Markdown.
        description: String,
    },
}

/// The visibility matrix of the authoring format, resolved for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a row of a matrix of yes and no")]
pub struct Visibility {
    /// Listed in the sidebar.
    pub navigation: bool,
    /// In the site's own search.
    pub search: bool,
    /// In `sitemap.xml`.
    pub sitemap: bool,
    /// Indexable by search engines (no `noindex`).
    pub engines: bool,
    /// In `llms.txt` and `llms-full.txt`.
    pub llms: bool,
}

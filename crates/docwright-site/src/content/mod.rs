//! The content model: configuration, navigation, pages, snippets, and links.
//!
//! Turns a [`Source`] into a [`Content`]. Reads no MDX bodies and creates no HTML; every problem becomes a
//! diagnostic.

pub mod closest;
pub mod config;
pub mod document;
mod documented;
pub mod frontmatter;
pub mod key;
pub mod languages;
mod legacy;
pub mod link_suggestion;
pub mod links;
pub mod navigation;
pub mod openapi;
mod pages;
pub mod redirects;
pub mod slug;
mod string_places;
pub mod stylesheets;
mod visibility;
pub mod words;
pub mod yaml;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use config::Config;
use document::Document;
use documented::Descriptions;
use frontmatter::Frontmatter;
use navigation::Navigation;
pub use pages::{is_markdown, is_page_path, is_snippet};
use redirects::RedirectIndex;

use crate::{Diagnostic, source::Source};

/// Settings for docwright only, at the docs root. The file isn't part of the site.
pub const SETTINGS_FILE: &str = "docwright.yaml";

/// The content model of a site: everything that is known before a page body is rendered.
#[derive(Debug)]
pub struct Content {
    /// `docs.json` or a translated `mint.json`.
    pub config: Config,
    /// The redirects of the configuration.
    pub redirects: RedirectIndex,
    /// The navigation tree.
    pub navigation: Navigation,
    /// Every page, by slug.
    pub pages: BTreeMap<String, Page>,
    /// The API specs of the repository, by path.
    pub specs: Vec<openapi::Spec>,
    /// URLs of referenced API specs on other hosts that are unavailable.
    pub missing_specs: BTreeSet<String>,
}

/// The reason why nothing can be rendered.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ContentError {
    /// Neither `docs.json` nor `mint.json`.
    #[error(
        "no docs.json (or mint.json) in the docs root; add one, or use the folder that contains it"
    )]
    NoConfiguration,
    /// The configuration is not JSON.
    #[error(
        "{path}:{line}:{column}: invalid JSON: {message}; correct it, nothing can be rendered without it"
    )]
    Syntax {
        /// `docs.json` or `mint.json`.
        path: &'static str,
        /// 1-based line.
        line: usize,
        /// 1-based column.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// The configuration is not a JSON object.
    #[error("{path} must hold one JSON object, between {{ and }}")]
    NotAnObject {
        /// `docs.json` or `mint.json`.
        path: &'static str,
    },
}

impl Content {
    /// Loads the files of a docs root. Errors become diagnostics; it fails only without a readable
    /// configuration.
    pub fn load(source: &Source) -> Result<(Self, Vec<Diagnostic>), ContentError> {
        let mut diagnostics = Vec::new();
        let document = Document::read(source, &mut diagnostics)?;
        let config = Config::read(&document, &mut diagnostics);
        let mut pages = pages::discover(source, &navigation::listed(&document), &mut diagnostics);
        let specs = openapi::discover(source, &mut diagnostics);
        let (navigation, given) =
            navigation::build(source, &document, &specs, &mut pages, &mut diagnostics);
        let mut missing_specs = openapi::named_elsewhere(&document.root, source);
        missing_specs.retain(|address| specs.iter().all(|spec| spec.path != *address));
        let descriptions = Descriptions { specs: &specs, given: &given, missing: &missing_specs };
        documented::resolve(source, &descriptions, &mut pages, &mut diagnostics);
        let redirects = RedirectIndex::new(&config.redirects);
        let mut content = Self { config, redirects, navigation, pages, specs, missing_specs };
        visibility::resolve(&mut content);
        languages::assign(&mut content);
        redirects::check(&content, &document, &mut diagnostics);
        Ok((content, diagnostics))
    }
}

/// The canonical address in the configuration of a docs root, if any.
pub fn canonical(source: &Source) -> Option<String> {
    let mut ignored = Vec::new();
    let document = Document::read(source, &mut ignored).ok()?;
    Config::read(&document, &mut ignored).canonical().map(str::to_owned)
}

/// Whether pages of a docs root show the date of their last change. If not, the caller doesn't need to ask git.
pub fn shows_dates(source: &Source) -> bool {
    let mut ignored = Vec::new();
    let document = Document::read(source, &mut ignored);
    let everywhere = document.is_ok_and(|document| Config::read(&document, &mut ignored).timestamp);
    everywhere
        || source.paths().filter(|path| is_markdown(path)).any(|path| {
            let yaml = source.text(path).and_then(|text| frontmatter::split(text).yaml);
            yaml.is_some_and(|yaml| yaml.lines().any(|line| line.trim() == "timestamp: true"))
        })
}

/// A page of the site.
#[derive(Debug, Clone)]
pub struct Page {
    /// Address below the site root without extension or slashes at its ends; the root page is
    /// `index`, a `dir/index.mdx` is `dir`.
    pub slug: String,
    /// Path of its source file; for a page generated from an API spec, of that description.
    pub path: String,
    /// Its frontmatter; for a generated page, data from the description.
    pub frontmatter: Arc<Frontmatter>,
    /// Byte offset of the body in the file, after the frontmatter.
    pub body_offset: usize,
    /// 1-based line where the body starts.
    pub body_line: u32,
    /// The source of its text.
    pub kind: PageKind,
    /// The part of an API spec that it shows, if it names an existing one.
    pub part: Option<openapi::Part>,
    /// URLs of API specs on other hosts that can have the named part, if no available description has it.
    pub missing_specs: Vec<String>,
    /// Whether readers can find it (navigation, search, sitemap, `llms.txt`).
    pub visibility: Visibility,
    /// `lang` attribute of its division, or of the site (`en`).
    pub language: String,
}

/// The source of a page's text.
#[derive(Debug, Clone, PartialEq)]
pub enum PageKind {
    /// An `.mdx` or `.md` file.
    File,
    /// A part of an API spec, named in its frontmatter like in a file's.
    Generated {
        /// MDX from the description for the top of its page (`x-mint.content`).
        content: String,
    },
}

/// The visibility matrix of the authoring format, resolved for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

//! A page's MDX tree to HTML.
//!
//! Owns Markdown elements, code blocks, and the built-in components (one file each in
//! [`components`]). Knows nothing of the page around the body (that is `theme`) and never fails:
//! what can't be rendered is rendered as far as it goes, with a diagnostic.

pub mod code;
pub mod components;
mod element;
pub mod icons;
pub mod math;
pub mod mermaid;
mod renderer;
mod tags;
mod value;

pub use element::Element;
pub use renderer::PageRenderer;
pub use value::Value;

use crate::Diagnostic;

/// The body of a page, rendered.
#[derive(Debug, Clone, Default)]
pub struct Rendered {
    /// The body as HTML, links relative to the page's own file.
    pub html: String,
    /// Its headings, for the contents list.
    pub contents: Vec<ContentsEntry>,
    /// `<Panel>` content, which replaces the contents list.
    pub panel: Option<String>,
    /// Request and response examples, for the right column.
    pub examples: Option<String>,
    /// Titles of the page's `<View>`s, in order; empty without any.
    pub views: Vec<String>,
    /// Whether there is an `<Update>` (a changelog page).
    pub has_updates: bool,
    /// Every id on the page, for links into it.
    pub ids: Vec<String>,
    /// Links to a place on a page of this site, to be checked against that page's `ids`.
    pub anchor_links: Vec<AnchorLink>,
    /// What was found wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// An entry of the contents list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentsEntry {
    /// Heading level, 2 to 4; a step or an update counts as the level below the heading it is in.
    pub level: u8,
    /// Id of the heading.
    pub id: String,
    /// Its text, as HTML-escaped inline text.
    pub title: String,
    /// Index of the `<View>` it is in.
    pub view: Option<usize>,
}

/// A link with a fragment, to this site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorLink {
    /// The page it leads to.
    pub slug: String,
    /// The id it names, decoded.
    pub fragment: String,
    /// Source file it stands in (a snippet's own path), 1-based line and column.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
}

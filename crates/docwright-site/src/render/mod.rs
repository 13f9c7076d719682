//! A page's MDX tree to HTML.
//!
//! Owns Markdown elements, code blocks, and the built-in components (one file each in
//! [`components`]). Knows nothing of the page around the body (that is `theme`) and never fails:
//! what can't be rendered is rendered as far as it goes, with a diagnostic.

mod api;
mod attributes;
pub mod code;
pub mod components;
mod context;
mod dimensions;
mod element;
mod evaluate;
mod footnotes;
mod heading_id;
mod headings;
mod height;
mod html_element;
pub mod icons;
mod image_actions;
mod jsx;
mod links;
mod markdown;
pub mod math;
pub mod mermaid;
mod module;
mod month;
mod nodes;
mod reads;
mod related;
mod renderer;
mod scripted;
mod sections;
mod snippets;
pub mod svg;
mod tags;
mod whole_links;
mod word_breaks;

use std::{collections::BTreeSet, sync::Arc};

pub use crate::mdx::Value;
pub use api::ApiView;
pub use context::{DeadAnchors, RenderContext, SharedContext};
pub use element::Element;
pub use height::estimated_height;
pub(crate) use markdown::markdown_of_parsed;
pub use markdown::{PageMarkdown, markdown_version};
pub use month::Month;
pub use nodes::plain_text;
pub use reads::{LinkTargets, Read, Reads};
pub use related::RelatedLink;
pub use renderer::PageRenderer;
pub use scripted::PageScripts;
pub(crate) use tags::without_tags;
pub use whole_links::at_site;
pub(crate) use word_breaks::breakable_title;

use maud::html;
pub(crate) use module::Module;
use serde::{Deserialize, Serialize};

use crate::{
    Diagnostic,
    content::{Page, PageKind},
};

/// Renders the body of a page.
pub fn render_page(context: &RenderContext<'_>, page: &Page) -> Rendered {
    render_parsed(context, page, &Arc::new(parse_page(context, page)))
}

/// Renders a body that [`parse_page`] parsed.
pub(crate) fn render_parsed(
    context: &RenderContext<'_>,
    page: &Page,
    module: &Arc<Module>,
) -> Rendered {
    let mut renderer = PageRenderer::new(context, page, Arc::clone(module));
    for error in &module.errors {
        renderer.report(error.rule(), error.message.clone(), error.help, error.line, error.column);
    }
    let body = renderer.body(&module.nodes);
    let sections = renderer.api_sections();
    let footnotes = renderer.footnote_list();
    let related = renderer.related();
    let mut scripts = renderer.page_scripts();
    scripts.extend(renderer.diagram_scripts.scripts());
    let mut rendered = renderer.rendered;
    rendered.scripts = scripts;
    rendered.related = related;
    rendered.html = html! { (body) (sections) (footnotes) }.into_string();
    rendered
}

/// Parses the body of a page.
pub(crate) fn parse_page(context: &RenderContext<'_>, page: &Page) -> Module {
    Module::parse(body_of(context, page), page.body_line)
}

/// The body of a page as its author wrote it.
fn body_of<'p>(context: &RenderContext<'p>, page: &'p Page) -> &'p str {
    match &page.kind {
        PageKind::File => &context.source.text(&page.path).unwrap_or_default()[page.body_offset..],
        PageKind::Generated { content } => content,
    }
}

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
    /// The operation that the page documents.
    pub api: Option<ApiView>,
    /// What the page shows of an API spec, as Markdown.
    pub api_markdown: String,
    /// How many `<Update>`s there are; a page with any is a changelog.
    pub update_count: usize,
    /// Its updates, for the feed.
    pub updates: Vec<FeedItem>,
    /// Pages that its author calls related.
    pub related: Vec<RelatedLink>,
    /// Every id on the page, for links into it.
    pub ids: Vec<String>,
    /// Links to a place on a page of this site, to be checked against that page's `ids`.
    pub anchor_links: Vec<AnchorLink>,
    /// Links that lead to no page or file.
    pub broken_links: Vec<BrokenLink>,
    /// Links and images on other hosts.
    pub external_links: Vec<ExternalLink>,
    /// Classes that its author gave to elements.
    pub classes: BTreeSet<String>,
    /// What its interactive components need.
    pub scripts: PageScripts,
    /// What was found wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// An update of a changelog, as its feed has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedItem {
    /// Its title.
    pub title: String,
    /// Its id on the page.
    pub id: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its text, without code and components.
    pub text: String,
}

/// An entry of the contents list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentsEntry {
    /// Heading level, 2 to 4; a step or an update counts as the level below the heading it is in.
    pub level: u8,
    /// Id of the heading.
    pub id: String,
    /// Its text, as HTML-escaped inline text.
    pub title: String,
    /// Whether what it is in is closed until the reader opens it.
    pub folded: bool,
    /// The month of an update, if its label or description says so.
    pub month: Option<Month>,
}

/// A link that leads to no page or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    /// As its author wrote it.
    pub href: String,
    /// Whether its redirects run in a circle.
    pub runs_in_circle: bool,
    /// Source file it stands in (a snippet's own path).
    pub path: String,
    /// 1-based line.
    pub line: u32,
}

/// A link to another host, or an image there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExternalLink {
    /// Source file it stands in (a snippet's own path).
    pub path: String,
    /// 1-based line; 0 if it is not known.
    pub line: u32,
    /// 1-based column; 0 if it is not known.
    pub column: u32,
    /// Where it leads, as its author wrote it.
    pub url: String,
}

impl ExternalLink {
    /// Whether an address can be asked for over HTTP.
    pub fn is_web(address: &str) -> bool {
        ["http://", "https://", "//"].iter().any(|start| address.starts_with(start))
    }
}

/// A link with a fragment, to this site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorLink {
    /// As its author wrote it.
    pub href: String,
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

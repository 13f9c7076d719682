//! The renderer of one page: what Markdown elements and components may ask for.

use maud::Markup;

use super::code::Highlighter;
use super::components::Nesting;
use super::icons::Icons;
use super::mermaid::Diagrams;
use super::{Element, value::Value};
use crate::mdx::Node;

/// Renders one page and gathers what the rest of the site needs to know of it.
#[derive(Debug)]
pub struct PageRenderer<'site> {
    _site: std::marker::PhantomData<&'site ()>,
    /// The built-in components around the present place; theirs to keep.
    pub(super) nesting: Nesting,
}

impl<'site> PageRenderer<'site> {
    /// Renders nodes in the present scope.
    pub fn nodes(&mut self, nodes: &[Node]) -> Markup {
        let _ = nodes;
        todo!()
    }

    /// Renders a prop that holds Markdown (`caption`, `description`) as inline content.
    pub fn inline_markdown(&mut self, markdown: &str) -> Markup {
        let _ = markdown;
        todo!()
    }

    /// Renders a value where text or JSX may stand, such as `title`. Text is escaped.
    pub fn value(&mut self, value: &Value) -> Markup {
        let _ = value;
        todo!()
    }

    /// The icon that `icon` and `iconType` of an element name, as inline SVG or an image; empty
    /// without one. An unknown name gives a diagnostic.
    pub fn icon(&mut self, element: &Element<'_>) -> Markup {
        let _ = element;
        todo!()
    }

    /// An icon of docwright's own by its Lucide name; never fails for a name that exists.
    pub fn glyph(&self, name: &str) -> Markup {
        let _ = name;
        todo!()
    }

    /// The address to write for a link as the author wrote it: relative to this page, with
    /// `.html`. `None` when nothing is there: the link is rendered without an address, and a
    /// diagnostic says so.
    pub fn link(&mut self, href: &str, line: u32, column: u32) -> Option<String> {
        let _ = (href, line, column);
        todo!()
    }

    /// The address to write for an image or another file. A missing one keeps its address and
    /// gives a diagnostic.
    pub fn asset(&mut self, src: &str, line: u32, column: u32) -> String {
        let _ = (src, line, column);
        todo!()
    }

    /// An id by the heading rules of the authoring format, unique on the page.
    pub fn unique_id(&mut self, text: &str) -> String {
        let _ = text;
        todo!()
    }

    /// An id that its author chose: kept as written, and known as one of the page's.
    pub fn claim_id(&mut self, id: &str) -> String {
        let _ = id;
        todo!()
    }

    /// The Markdown of nodes as it stands in the source.
    pub fn source(&self, nodes: &[Node]) -> &str {
        let _ = nodes;
        todo!()
    }

    /// The value of a `style` prop as CSS declarations.
    pub fn style(&mut self, value: &Value) -> Option<String> {
        let _ = value;
        todo!()
    }

    /// Adds an entry to the contents list, at `level` or one below the present heading.
    pub fn add_contents_entry(&mut self, level: Option<u8>, id: &str, title: &str) {
        let _ = (level, id, title);
        todo!()
    }

    /// A number that no other call on this page gave, for ids that need no meaning.
    pub fn next_number(&mut self) -> u32 {
        todo!()
    }

    /// A warning at an element.
    pub fn warn(&mut self, element: &Element<'_>, code: &'static str, message: String, help: &str) {
        let _ = (element, code, message, help);
        todo!()
    }

    /// A warning at a line of the source.
    pub fn warn_at(&mut self, line: u32, code: &'static str, message: String, help: &str) {
        let _ = (line, code, message, help);
        todo!()
    }

    /// The highlighter of the site.
    pub fn highlighter(&self) -> &'site Highlighter {
        todo!()
    }

    /// The icon library of the site.
    pub fn icons(&self) -> &'site Icons {
        todo!()
    }

    /// The diagrams of the site.
    pub fn diagrams(&self) -> &'site Diagrams {
        todo!()
    }

    /// Moves content to the right column instead of the body (`Panel`, request and response
    /// examples).
    pub fn add_panel(&mut self, html: Markup) {
        let _ = html;
        todo!()
    }

    /// Adds a request or response example to the right column.
    pub fn add_example(&mut self, html: Markup) {
        let _ = html;
        todo!()
    }

    /// Registers a `<View>` and renders its children inside it.
    pub fn view(&mut self, title: &str, children: &[Node]) -> (usize, Markup) {
        let _ = (title, children);
        todo!()
    }

    /// Marks the page as a changelog.
    pub fn mark_updates(&mut self) {
        todo!()
    }
}

/// The text of nodes without markup, as `mdast-util-to-string` gives it.
pub fn plain_text(nodes: &[Node]) -> String {
    let _ = nodes;
    todo!()
}

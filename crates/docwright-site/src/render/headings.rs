//! Headings: ids, links to themselves, entries of the contents list.

use maud::{Markup, PreEscaped, html};

use super::{PageRenderer, heading_id::plain_id, nodes::plain_text, word_breaks::breakable};
use crate::mdx::Node;

impl PageRenderer<'_> {
    /// A Markdown heading.
    pub(super) fn heading(&mut self, level: u8, id: Option<&str>, node: &Node) -> Markup {
        let title = plain_text(&node.children);
        let inner = self.nodes(&node.children);
        self.heading_markup(level, id, &title, &inner, true)
    }

    /// A heading with a text and content. With `anchor`, it links to itself and is in the contents list.
    pub fn heading_markup(
        &mut self,
        level: u8,
        id: Option<&str>,
        title: &str,
        inner: &Markup,
        anchor: bool,
    ) -> Markup {
        // A heading without text has no anchor, and an empty one isn't a heading.
        let anchor = anchor && !title.trim().is_empty();
        if !anchor && inner.0.trim().is_empty() {
            return html! {};
        }
        let id = match id {
            Some(id) => self.claim_id(id),
            None => self.unique_id(title),
        };
        let alias = self.alias(title, &id);
        self.set_heading_level(level);
        if anchor && level <= 3 {
            self.add_contents_entry(Some(level), &id, title);
        }
        let level = level.clamp(1, 6);
        let html = html! {
            (PreEscaped(format!("<h{level} id=\""))) (id) (PreEscaped("\">"))
            @if let Some(alias) = alias { span id=(alias) {} }
            (breakable(inner))
            @if anchor && !self.in_link { a.dw-heading-anchor href={ "#" (encode(&id)) } aria-label={ "Link to " (title) } {} }
            (PreEscaped(format!("</h{level}>")))
        };
        html
    }

    /// The id that code hosts would generate, if different: many links use it.
    fn alias(&mut self, title: &str, id: &str) -> Option<String> {
        let plain = plain_id(title);
        if plain.is_empty() || plain == id || self.has_id(&plain) {
            return None;
        }
        Some(self.claim_id(&plain))
    }
}

/// Encodes a fragment: only spaces and percent signs need it.
pub(super) fn encode(id: &str) -> String {
    id.replace('%', "%25").replace(' ', "%20")
}

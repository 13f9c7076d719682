//! The body of a long page in sections, which browsers lay out once readers come near them.
//!
//! All text is in the page from the start: links, searching in the page, and printing find it.

use maud::{Markup, PreEscaped, html};

use super::{PageRenderer, estimated_height};
use crate::mdx::{Node, NodeKind};

/// Bytes of HTML from which a page is long.
const LONG_PAGE: usize = 150_000;
/// Sections begin at headings up to this level.
const DEEPEST: u8 = 3;

/// Part of a body, from a heading to the next one.
struct Section {
    /// Level of its heading; 0 before the first one.
    level: u8,
    html: String,
}

impl PageRenderer<'_> {
    /// The body of the page.
    pub(super) fn body(&mut self, nodes: &[Node]) -> Markup {
        let mut sections = vec![Section { level: 0, html: String::new() }];
        for node in nodes {
            let html = self.nodes(std::slice::from_ref(node)).0;
            let heading = match node.kind {
                NodeKind::Heading { depth, .. } if depth <= DEEPEST => Some(depth),
                _ => None,
            };
            match (heading, sections.last_mut()) {
                (None, Some(section)) => section.html.push_str(&html),
                (level, _) => sections.push(Section { level: level.unwrap_or_default(), html }),
            }
        }
        let size: usize = sections.iter().map(|section| section.html.len()).sum();
        let is_deferred = size >= LONG_PAGE && self.has_typography();
        html! { @for section in &sections { (section.render(is_deferred)) } }
    }

    /// Pages without typography are laid out by their author, who counts on what stands in what.
    fn has_typography(&self) -> bool {
        !matches!(self.page.frontmatter.mode.as_str(), "custom" | "frame")
    }
}

impl Section {
    fn render(&self, is_deferred: bool) -> Markup {
        let html = PreEscaped(&self.html);
        if !is_deferred || self.level == 0 {
            return html! { (html) };
        }
        let height = format!("--height:{}px", estimated_height(&self.html));
        html! { div.dw-section.dw-prose data-deferred=(self.level) style=(height) { (html) } }
    }
}

//! The fallback without scripts for a component that shows some content only later.

use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use super::PageRenderer;
use crate::{mdx::Node, render::without_tags};

impl PageRenderer<'_> {
    /// The children of a component, unless `shown` already contains all their words.
    pub(super) fn unscripted(&self, children: &[Node], shown: &Markup) -> Markup {
        if children.is_empty() {
            return html! {};
        }
        // A separate renderer, because the page's data is already recorded.
        let mut plain =
            PageRenderer::new(self.context, self.page, Arc::clone(&self.frame().module));
        plain.frames.clone_from(&self.frames);
        plain.code.is_off = true;
        let markup = plain.nodes(children).0;
        let wanted = letters(&markup);
        if wanted.is_empty() || letters(&shown.0).contains(&wanted) {
            return html! {};
        }
        html! { noscript { (PreEscaped(without_ids(&markup))) } }
    }
}

/// Letters and digits of the text in markup.
fn letters(html: &str) -> String {
    without_tags(html).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// Removes ids, which belong to the version with scripts.
fn without_ids(html: &str) -> String {
    let mut parts = html.split(" id=\"");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push_str(part.split_once('"').map_or(part, |(_, rest)| rest));
    }
    clean
}

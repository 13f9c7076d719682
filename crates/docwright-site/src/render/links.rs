//! Links and images in Markdown.

use maud::{Markup, html};

use super::PageRenderer;
use crate::mdx::Node;

impl PageRenderer<'_> {
    pub(super) fn markdown_link(&mut self, url: &str, title: Option<&str>, node: &Node) -> Markup {
        let url = self.interpolate(url);
        let address = self.link(&url, node.line, node.column);
        let outer = std::mem::replace(&mut self.in_link, true);
        let inner = self.nodes(&node.children);
        self.in_link = outer;
        anchor(address.as_deref(), title, outer, &inner)
    }

    pub(super) fn markdown_image(
        &mut self,
        url: &str,
        alt: &str,
        title: Option<&str>,
        node: &Node,
    ) -> Markup {
        let url = self.interpolate(url);
        let src = self.asset(&url, node.line, node.column);
        let size = self.size_of(&url);
        let loading = self.image_loading();
        html! {
            img src=(src) alt=(alt) title=[title] loading=[loading] data-zoom[!self.in_link]
                width=[size.map(|(width, _)| width)] height=[size.map(|(_, height)| height)];
        }
    }
}

/// A link; without an address, or inside another link, only its content.
fn anchor(address: Option<&str>, title: Option<&str>, inside_link: bool, inner: &Markup) -> Markup {
    match address {
        Some(_) if inside_link => inner.clone(),
        Some(address) => {
            let external = address.starts_with("http://")
                || address.starts_with("https://")
                || address.starts_with("//");
            html! { a.link.dw-link href=(safe(address)) title=[title] rel=[external.then_some("noopener")] { (inner) } }
        }
        None => html! { span.dw-broken-link title="This link is broken" { (inner) } },
    }
}

/// An address that runs code when it is followed is left out.
pub(super) fn safe(address: &str) -> &str {
    let compact: String = address
        .chars()
        .filter(|letter| !letter.is_whitespace() && !letter.is_control())
        .take(12)
        .collect();
    let lower = compact.to_ascii_lowercase();
    if lower.starts_with("javascript:") || lower.starts_with("vbscript:") { "#" } else { address }
}

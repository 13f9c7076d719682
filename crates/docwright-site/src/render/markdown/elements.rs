//! Authors' HTML elements: pure containers are replaced by their children, and pictures become Markdown.
//! Others, such as tables, are valid in Markdown.

use super::{MarkdownVersion, blocks::Piece, props::Props};
use crate::mdx::{Attribute, Node, NodeKind};

impl MarkdownVersion<'_> {
    /// An element as Markdown; `None` if it stays as it is.
    pub(super) fn html_element(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
    ) -> Option<Piece> {
        let is_block = matches!(node.kind, NodeKind::Jsx { inline: false, .. });
        let props = &Props { version: self, attributes, node };
        let text = match name {
            "" | "div" | "section" | "article" | "main" | "aside" | "header" | "footer"
            | "center" | "figure" | "figcaption" | "details" | "p" | "span" | "font"
                if is_block =>
            {
                self.content(name, node)
            }
            "" | "div" | "p" | "span" | "font" | "center" if !is_multi_line(node, self.body) => {
                self.line(node)
            }
            "summary" => format!("**{}**", self.line(node)),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if is_block => {
                let level = name[1..].parse().unwrap_or(2);
                format!("{} {}", "#".repeat(level), self.line(node))
            }
            "img" => {
                let alt = props.text("alt").unwrap_or_default();
                let address = props.address("src")?;
                format!("![{}]({address})", alt.replace('[', "\\[").replace(']', "\\]"))
            }
            "iframe" => {
                let address = props.address("src")?;
                format!("[{}]({address})", props.label("title").unwrap_or_else(|| address.clone()))
            }
            // Their contents aren't text.
            "style" | "script" => String::new(),
            _ => return None,
        };
        Some(Piece { text, is_block: is_block || name == "summary" })
    }
}

fn is_multi_line(node: &Node, body: &str) -> bool {
    body.get(node.span.clone()).is_some_and(|text| text.contains('\n'))
}

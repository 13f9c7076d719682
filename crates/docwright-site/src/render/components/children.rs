//! Inspects the children of a component before rendering.

use maud::Markup;

use crate::mdx::{Node, NodeKind};
use crate::render::{Element, PageRenderer};

/// Renders children in an inline position: a single paragraph loses its `p`.
pub(super) fn inline(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    match element.children {
        [Node { kind: NodeKind::Paragraph, children, .. }] => page.nodes(children),
        children => page.nodes(children),
    }
}

/// Whether a node shows nothing: white space or a comment.
pub(super) fn is_blank(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Text { value } => value.trim().is_empty(),
        NodeKind::Expression { value, .. } => {
            let value = value.trim();
            value.is_empty() || value.starts_with("/*") && value.ends_with("*/")
        }
        NodeKind::Paragraph => node.children.iter().all(is_blank),
        _ => false,
    }
}

/// Whether all visible children are elements with this name.
pub(super) fn are_all(element: &Element<'_>, wanted: &str) -> bool {
    element.children.iter().filter(|node| !is_blank(node)).all(|node| match &node.kind {
        NodeKind::Jsx { name, .. } => name == wanted,
        _ => false,
    })
}

//! `<CodeGroup>`: code in several languages, one at a time.

use maud::{Markup, html};

use super::{
    Component,
    tabs::{Panel, TabSet},
};
use crate::{
    mdx::{AttributeValue, Node, NodeKind},
    render::{
        Element, PageRenderer,
        code::{CodeBlock, Meta, block},
    },
};

pub(super) const CODE_GROUP: Component = Component {
    names: &["CodeGroup"],
    props: &["dropdown", "title", "isRunnable", "isFileName"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    group(element.children, "code-group", page)
}

/// The code blocks among nodes as a set of tabs.
pub(super) fn group(nodes: &[Node], class: &'static str, page: &mut PageRenderer<'_>) -> Markup {
    let mut panels = Vec::new();
    collect(nodes, page, &mut panels);
    TabSet { class, panels, default: 0, synced: true }.render(page)
}

fn collect(nodes: &[Node], page: &mut PageRenderer<'_>, panels: &mut Vec<Panel>) {
    for node in nodes {
        match &node.kind {
            NodeKind::Code { language, meta, value } => {
                let mut meta = Meta::parse(meta.as_deref().unwrap_or_default());
                // The tab carries title and icon, so the block shows neither.
                let icon = meta.icon.take().and_then(|icon| page.find_icon(&icon));
                let title = meta
                    .title
                    .take()
                    .or_else(|| language.clone())
                    .unwrap_or_else(|| "Code".to_owned());
                let code = page.interpolate(value);
                let language = language.as_deref();
                let body = block(
                    &CodeBlock { language, code: &code, meta, icon: html! {} },
                    page.highlighter(),
                );
                panels.push(Panel { icon, title, id: None, body });
            }
            NodeKind::Jsx { name, .. } if name.is_empty() => collect(&node.children, page, panels),
            NodeKind::Text { value } if value.trim().is_empty() => {}
            NodeKind::Paragraph if node.children.iter().all(is_empty) => {}
            _ => {
                let body = page.nodes(std::slice::from_ref(node));
                if !body.0.trim().is_empty() {
                    panels.push(Panel { icon: None, title: title_of(node), id: None, body });
                }
            }
        }
    }
}

fn is_empty(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Text { value } if value.trim().is_empty())
}

fn title_of(node: &Node) -> String {
    let NodeKind::Jsx { attributes, .. } = &node.kind else { return "Code".to_owned() };
    let titled = attributes
        .iter()
        .find(|attribute| matches!(attribute.name.as_str(), "title" | "filename" | "language"));
    match titled.map(|attribute| &attribute.value) {
        Some(AttributeValue::Text(title)) => title.clone(),
        _ => "Code".to_owned(),
    }
}

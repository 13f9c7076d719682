//! Code blocks from expressions and components, as fences.

use std::sync::Arc;

use super::{MarkdownVersion, blocks::Piece, unmarked};
use crate::{
    content::document,
    mdx::{Attribute, Node, NodeKind},
    render::{
        Element, PageRenderer, code::Meta, components, evaluate::interpolate, renderer::Frame,
    },
};

impl MarkdownVersion<'_> {
    /// The fences of a component, if it shows only code.
    pub(super) fn fences(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
    ) -> Option<String> {
        let fences = if name == "CodeBlock" {
            vec![fence(name, attributes, node, &mut self.renderer())?]
        } else if self.mentions_code(name) {
            let mut page = self.renderer();
            let nodes = page.scripted_nodes(name, attributes, node)?;
            fences_of(&nodes, &mut page)?
        } else {
            return None;
        };
        (!fences.is_empty()).then(|| fences.join("\n\n"))
    }

    /// The text of an expression that is shown as code.
    pub(super) fn expression_fence(&self, around: &str, node: &Node) -> Option<String> {
        let lines = match around {
            group if is_code_group(group) => 1,
            "Tab" => 2,
            _ => return None,
        };
        let element = Element {
            name: "CodeBlock",
            attributes: Vec::new(),
            children: std::slice::from_ref(node),
            line: node.line,
            column: node.column,
            inline: false,
        };
        let fence = components::as_fence(&element, &mut self.renderer())?;
        // The first and the last line are the fence's own.
        (fence.lines().count() >= lines + 2).then_some(fence)
    }

    /// A fence in a group below its title, by which readers select it; `None` without a title.
    pub(super) fn choice_of_code(
        &self,
        language: Option<&str>,
        meta: &str,
        code: &str,
    ) -> Option<Piece> {
        let title = Meta::parse(meta).title?;
        let code = if self.depth > 0 { interpolate(code, &self.scope) } else { code.to_owned() };
        if self.depth > 0 && !self.has_room_for(code.len()) {
            return None;
        }
        let fence = components::fence_of(language.unwrap_or_default(), &unmarked(code));
        Some(Piece::block(titled(&unmarked(title), &fence)))
    }

    /// A renderer at this place. Its diagnostics are dropped, because the page's renderer already reports them.
    pub(super) fn renderer(&self) -> PageRenderer<'_> {
        let (mut page, children_slot) = match self.used_in {
            Some((outer, children)) => {
                let mut page = outer.renderer();
                let slot = page.keep_children(children);
                (page, slot)
            }
            None => (PageRenderer::new(self.context, self.page, Arc::clone(&self.module)), None),
        };
        page.frames.push(Frame {
            path: self.path.to_owned(),
            module: Arc::clone(&self.module),
            scope: self.scope.clone(),
            children: None,
            children_slot,
        });
        page
    }

    /// Whether the file that declares a component mentions code blocks. Others don't have to run.
    fn mentions_code(&self, name: &str) -> bool {
        let base = name.split('.').next().unwrap_or(name);
        let import = self.module.imports.iter().find(|import| import.local == base);
        let file = import.and_then(|import| {
            if import.is_snippet() && import.imported.is_none() {
                return None;
            }
            let path = document::join(self.path, &import.target)?;
            self.context.text(&path)
        });
        let own = || self.module.code.iter().any(|code| code == base);
        match (import, file) {
            (Some(_), file) => file.is_some_and(|text| text.contains("<CodeBlock")),
            (None, _) => own() && self.module.code_text.contains("<CodeBlock"),
        }
    }
}

/// A fence below its title, where it has one.
pub(super) fn below_title(fence: &str) -> String {
    let (info, code) = fence.split_once('\n').unwrap_or((fence, ""));
    match info.split_once(' ') {
        Some((language, title)) => titled(title, &format!("{language}\n{code}")),
        None => fence.to_owned(),
    }
}

fn titled(title: &str, fence: &str) -> String {
    let title = title.replace('<', "\\<").replace('*', "\\*");
    format!("**{title}**\n\n{fence}")
}

/// Whether an element is a group of selectable code blocks.
pub(super) fn is_code_group(element: &str) -> bool {
    matches!(element, "CodeGroup" | "RequestExample" | "ResponseExample")
}

fn fence(
    name: &str,
    attributes: &[Attribute],
    node: &Node,
    page: &mut PageRenderer<'_>,
) -> Option<String> {
    let attributes = page.evaluate_attributes(attributes, node);
    let (line, column) = (node.line, node.column);
    let children = &node.children;
    components::as_fence(&Element { name, attributes, children, line, column, inline: false }, page)
}

/// The fences of nodes; `None` if they show anything else.
fn fences_of(nodes: &[Node], page: &mut PageRenderer<'_>) -> Option<Vec<String>> {
    let mut fences = Vec::new();
    for node in nodes {
        match &node.kind {
            NodeKind::Text { value } if value.trim().is_empty() => {}
            NodeKind::Jsx { name, attributes, .. } if name == "CodeBlock" => {
                fences.push(fence(name, attributes, node, page)?);
            }
            NodeKind::Jsx { name, .. } if matches!(name.as_str(), "CodeGroup" | "div" | "") => {
                fences.extend(fences_of(&node.children, page)?);
            }
            _ => return None,
        }
    }
    Some(fences)
}

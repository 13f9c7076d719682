//! The Markdown version of a page: what an agent reads instead of the HTML.
//!
//! The author's own text, with imports and exports taken out, snippets put in, links made whole, and
//! what is for readers only left out.

mod code;

use std::{cell::Cell, sync::Arc};

use super::{
    Element, RenderContext, Value,
    api::{channel_of, operation_of, unavailable},
    evaluate::{Scope, evaluate, interpolate, size_of},
    module::Module,
    whole_links::{Edit, WholeLinks, edited, take_room, without_marks},
};
use crate::{
    content::{Page, PageKind, document, frontmatter},
    mdx::{self, Attribute, AttributeValue, Node, NodeKind},
};

/// Snippets inside snippets end here.
const MAXIMUM_DEPTH: usize = 8;
/// What snippets and whole links add to a Markdown version at most, those within snippets counted again. Bytes.
const MAXIMUM_LENGTH: usize = 4 * 1024 * 1024;
/// What each use of a snippet counts besides its text.
const USE: usize = 256;

/// The body of a page as Markdown. Each link to this site begins with a mark, because agents take texts out
/// of their place; [`at_site`](super::at_site) replaces the marks.
pub fn markdown_version(context: &RenderContext<'_>, page: &Page) -> String {
    let mut text = match &page.kind {
        PageKind::Generated { content } => expanded(context, page, content),
        PageKind::File => {
            let text = context.source.text(&page.path).unwrap_or_default();
            expanded(context, page, &text[page.body_offset..])
        }
    };
    if matches!(page.kind, PageKind::Generated { .. }) || documents_api(page) {
        text.push_str("\n\n");
        text.push_str(&description(context, page));
    }
    tidy(&text)
}

/// The body of a page with snippets and whole links put in.
fn expanded(context: &RenderContext<'_>, page: &Page, body: &str) -> String {
    let body = &*without_marks(body);
    if is_plain(body) {
        return body.to_owned();
    }
    let module = Arc::new(Module::parse(body, page.body_line));
    let scope = context.constants(&page.path, &module);
    let path = &page.path;
    let left = &Cell::new(MAXIMUM_LENGTH);
    let (depth, used_in) = (0, None);
    let version = MarkdownVersion { context, page, path, module, scope, depth, used_in, left };
    version.expand(body)
}

/// What an API description says of the page, in which nothing is MDX.
fn description(context: &RenderContext<'_>, page: &Page) -> String {
    let text = api(context, page);
    let text = &*without_marks(&text);
    if !may_link(text) {
        return text.to_owned();
    }
    let (scope, left) = (&Scope::default(), &Cell::new(MAXIMUM_LENGTH));
    let links = WholeLinks { links: &context.links, path: &page.path, body: text, scope, left };
    let mut edits = Vec::new();
    let mut waiting = mdx::parse_markdown(text).nodes;
    while let Some(node) = waiting.pop() {
        links.complete(&node, &mut edits);
        waiting.extend(node.children);
    }
    edited(text, edits)
}

fn documents_api(page: &Page) -> bool {
    let frontmatter = &page.frontmatter;
    frontmatter.openapi.is_some()
        || frontmatter.asyncapi.is_some()
        || frontmatter.openapi_schema.is_some()
}

/// The description of the page's operation or channel.
fn api(context: &RenderContext<'_>, page: &Page) -> String {
    if !context.content.config.markdown_schema {
        return String::new();
    }
    if let Some((_, channel)) = channel_of(context.content, page) {
        return channel.markdown();
    }
    match operation_of(context.content, page) {
        Some((_, found)) => found.markdown(),
        None => unavailable(page).map_or_else(String::new, |part| part.markdown()),
    }
}

/// Pages where nothing is to be done need not be parsed again.
fn is_plain(body: &str) -> bool {
    let needles = ["import ", "export ", "<Snippet", "<Visibility", "<CodeBlock"];
    let has_code = needles.iter().any(|needle| body.contains(needle));
    !has_code && !may_link(body)
}

fn may_link(text: &str) -> bool {
    ["](", "]:", "href=", "src="].iter().any(|needle| text.contains(needle))
}

/// No white space at the ends, and no runs of empty lines outside of code.
fn tidy(text: &str) -> String {
    let mut tidied = String::with_capacity(text.len());
    let mut empty = 0;
    let mut fence: Option<&str> = None;
    for line in text.trim().lines() {
        let start = line.trim();
        let marks = start.len() - start.trim_start_matches(['`', '~']).len();
        match fence {
            Some(open) if start.len() == marks && start.starts_with(open) => fence = None,
            Some(_) => {}
            None if start.starts_with("```") || start.starts_with("~~~") => {
                fence = Some(&start[..marks]);
            }
            None => {}
        }
        empty = if start.is_empty() && fence.is_none() { empty + 1 } else { 0 };
        if empty < 2 {
            tidied.push_str(line.trim_end());
            tidied.push('\n');
        }
    }
    tidied
}

fn unmarked(text: String) -> String {
    without_marks(&text).into_owned()
}

fn is_for_agents(name: &str, attributes: &[Attribute]) -> bool {
    let is_for = |attribute: &Attribute| {
        attribute.name == "for"
            && matches!(&attribute.value, AttributeValue::Text(text) if text == "agents")
    };
    name == "Visibility" && attributes.iter().any(is_for)
}

/// Edits that take away the tags around what a component holds.
fn tags(node: &Node) -> Vec<Edit> {
    let (Some(first), Some(last)) = (node.children.first(), node.children.last()) else {
        return Vec::new();
    };
    let tags = [node.span.start..first.span.start, last.span.end..node.span.end];
    tags.map(|tag| Edit { start: tag.start, end: tag.end, text: String::new() }).into()
}

/// A page, or a snippet in it.
struct MarkdownVersion<'a> {
    context: &'a RenderContext<'a>,
    page: &'a Page,
    path: &'a str,
    module: Arc<Module>,
    scope: Scope,
    depth: usize,
    /// Of a snippet: where it is used, and what stands between the tags there.
    used_in: Option<(&'a MarkdownVersion<'a>, &'a [Node])>,
    /// What snippets and whole links may still bring in.
    left: &'a Cell<usize>,
}

impl MarkdownVersion<'_> {
    fn expand(&self, body: &str) -> String {
        let mut edits = Vec::new();
        self.collect(&self.module.nodes, "", body, &mut edits);
        edits.extend(self.module.statements.iter().map(|span| Edit {
            start: span.start,
            end: span.end,
            text: String::new(),
        }));
        edited(body, edits)
    }

    /// Whether snippets may bring in so much more; takes that room.
    fn has_room_for(&self, bytes: usize) -> bool {
        take_room(self.left, bytes)
    }

    /// Gathers what is replaced among nodes that stand between the tags of `around`.
    fn collect(&self, nodes: &[Node], around: &str, body: &str, edits: &mut Vec<Edit>) {
        let (path, scope, left) = (self.path, &self.scope, self.left);
        let links = WholeLinks { links: &self.context.links, path, body, scope, left };
        for node in nodes {
            let (inside, replacement) = match &node.kind {
                NodeKind::Jsx { name, attributes, .. } => {
                    let replacement = self.replacement(name, attributes, node);
                    let fences = || self.fences(name, attributes, node, body).map(unmarked);
                    (name.as_str(), replacement.or_else(fences))
                }
                NodeKind::Code { .. } if self.depth > 0 => {
                    let code = body.get(node.span.clone());
                    let code = code.map(|code| unmarked(interpolate(code, &self.scope)));
                    (around, code.filter(|code| self.has_room_for(code.len())))
                }
                NodeKind::Expression { value, .. } => {
                    let text = || evaluate(value, &self.scope).to_text().filter(|_| self.depth > 0);
                    let text = self.expression_fence(around, node, body).or_else(text);
                    (around, text.map(unmarked).filter(|text| self.has_room_for(text.len())))
                }
                _ => (around, None),
            };
            if let Some(text) = replacement {
                edits.push(Edit { start: node.span.start, end: node.span.end, text });
                continue;
            }
            if let NodeKind::Jsx { name, attributes, .. } = &node.kind
                && is_for_agents(name, attributes)
            {
                edits.extend(tags(node));
            }
            links.complete(node, edits);
            self.collect(&node.children, inside, body, edits);
        }
    }

    fn replacement(&self, name: &str, attributes: &[Attribute], node: &Node) -> Option<String> {
        let text_of = |key: &str| {
            attributes.iter().find(|attribute| attribute.name == key).and_then(|attribute| {
                match &attribute.value {
                    AttributeValue::Text(text) => Some(text.clone()),
                    _ => None,
                }
            })
        };
        if name == "Visibility" {
            return (text_of("for").as_deref() == Some("humans")).then(String::new);
        }
        let path = if name == "Snippet" {
            let file = text_of("file")?;
            ["snippets", "_snippets"]
                .iter()
                .map(|folder| format!("{folder}/{file}"))
                .find(|path| self.context.source.contains(path))?
        } else {
            let import = self.module.imports.iter().find(|import| {
                import.local == name && import.is_snippet() && import.imported.is_none()
            })?;
            document::join(self.path, &import.target)?
        };
        let text = self.context.source.text(&path).filter(|_| self.depth < MAXIMUM_DEPTH)?;
        let module = self.context.snippet(&path)?;
        let values = attributes.iter().map(|attribute| {
            let value = match &attribute.value {
                AttributeValue::True => Value::Bool(true),
                AttributeValue::Text(text) => Value::Text(text.clone()),
                AttributeValue::Known(value) => value.clone(),
                AttributeValue::Expression(expression) => evaluate(expression, &self.scope),
            };
            (attribute.name.clone(), value)
        });
        let element = Element {
            name,
            attributes: values.collect(),
            children: &[],
            line: node.line,
            column: node.column,
            inline: false,
        };
        let constants = self.context.constants(&path, &module);
        let props = element.attributes.iter().map(|(_, value)| 2 * value.size()).sum::<usize>();
        if !self.has_room_for(USE + text.len() + props + size_of(&constants)) {
            return None;
        }
        let scope = super::PageRenderer::props_scope(&element, constants);
        let inner = MarkdownVersion {
            context: self.context,
            page: self.page,
            path: &path,
            module,
            scope,
            depth: self.depth + 1,
            used_in: Some((self, &node.children)),
            left: self.left,
        };
        let body = without_marks(&text[frontmatter::split(text).body_offset..]);
        Some(inner.expand(&body).trim().to_owned())
    }
}

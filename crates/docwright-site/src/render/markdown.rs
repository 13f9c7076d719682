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
    whole_links::{Edit, SITE, complete_links, edited},
};
use crate::{
    content::{Page, PageKind, document, frontmatter},
    mdx::{self, Attribute, AttributeValue, Node, NodeKind},
};

/// Snippets inside snippets end here.
const MAXIMUM_DEPTH: usize = 8;
/// What snippets may bring into a Markdown version, those within snippets counted again. Bytes.
const MAXIMUM_LENGTH: usize = 4 * 1024 * 1024;
/// What each use of a snippet counts besides its text.
const USE: usize = 256;

/// The body of a page as Markdown. With `whole_links`, each link to this site begins with a mark that
/// [`at_address`] replaces: agents take texts out of where they stood.
pub fn markdown_version(context: &RenderContext<'_>, page: &Page, whole_links: bool) -> String {
    let mut text = match &page.kind {
        PageKind::Generated { content } => expanded(context, page, content, whole_links),
        PageKind::File => {
            let text = context.source.text(&page.path).unwrap_or_default();
            expanded(context, page, &text[page.body_offset..], whole_links)
        }
    };
    if matches!(page.kind, PageKind::Generated { .. }) || documents_api(page) {
        text.push_str("\n\n");
        text.push_str(&description(context, page, whole_links));
    }
    tidy(&text)
}

/// A Markdown version of a site at an address.
pub fn at_address(markdown: String, address: Option<&str>) -> String {
    match address {
        Some(address) if markdown.contains(SITE) => markdown.replace(SITE, address),
        _ => markdown,
    }
}

/// The body of a page with snippets put in.
fn expanded(context: &RenderContext<'_>, page: &Page, body: &str, whole_links: bool) -> String {
    let body = body.replace(SITE, "\u{fffd}");
    if is_plain(&body, whole_links) {
        return body;
    }
    let module = Arc::new(Module::parse(&body, page.body_line));
    let scope = context.constants(&page.path, &module);
    let path = &page.path;
    let left = &Cell::new(MAXIMUM_LENGTH);
    let (depth, used_in) = (0, None);
    let version = MarkdownVersion {
        context,
        page,
        path,
        module,
        scope,
        depth,
        used_in,
        left,
        whole_links,
    };
    version.expand(&body)
}

/// What an API description says of the page, in which nothing is MDX.
fn description(context: &RenderContext<'_>, page: &Page, whole_links: bool) -> String {
    let text = api(context, page).replace(SITE, "\u{fffd}");
    if !whole_links || !may_link(&text) {
        return text;
    }
    let mut edits = Vec::new();
    let (links, scope) = (&context.links, Scope::default());
    let left = &Cell::new(MAXIMUM_LENGTH);
    let mut waiting = mdx::parse_markdown(&text);
    while let Some(node) = waiting.pop() {
        complete_links(links, &page.path, &node, (&text, &scope), &mut edits);
        waiting.extend(node.children);
    }
    edited(&text, edits)
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
fn is_plain(body: &str, whole_links: bool) -> bool {
    let needles = ["import ", "export ", "<Snippet", "<Visibility", "<CodeBlock"];
    let has_code = needles.iter().any(|needle| body.contains(needle));
    !(has_code || whole_links && may_link(body))
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
    whole_links: bool,
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
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Gathers what is replaced among nodes that stand between the tags of `around`.
    fn collect(&self, nodes: &[Node], around: &str, body: &str, edits: &mut Vec<Edit>) {
        for node in nodes {
            let (inside, replacement) = match &node.kind {
                NodeKind::Jsx { name, attributes, .. } => {
                    let replacement = self.replacement(name, attributes, node, body);
                    let fences = || self.fences(name, attributes, node, body);
                    (name.as_str(), replacement.or_else(fences))
                }
                NodeKind::Code { .. } if self.depth > 0 => {
                    let code = body.get(node.span.clone());
                    let code = code.map(|code| interpolate(code, &self.scope));
                    (around, code.filter(|code| self.has_room_for(code.len())))
                }
                NodeKind::Expression { value, .. } => {
                    let text = || evaluate(value, &self.scope).to_text().filter(|_| self.depth > 0);
                    let text = self.expression_fence(around, node, body).or_else(text);
                    (around, text.filter(|text| self.has_room_for(text.len())))
                }
                _ => (around, None),
            };
            if let Some(text) = replacement {
                edits.push(Edit { start: node.span.start, end: node.span.end, text });
                continue;
            }
            if self.whole_links {
                let written = (body, &self.scope);
                complete_links(&self.context.links, self.path, node, written, edits);
            }
            self.collect(&node.children, inside, body, edits);
        }
    }

    fn replacement(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
        body: &str,
    ) -> Option<String> {
        let text_of = |key: &str| {
            attributes.iter().find(|attribute| attribute.name == key).and_then(|attribute| {
                match &attribute.value {
                    AttributeValue::Text(text) => Some(text.clone()),
                    _ => None,
                }
            })
        };
        if name == "Visibility" {
            return match text_of("for").as_deref() {
                Some("humans") => Some(String::new()),
                Some("agents") => {
                    let (first, last) = (node.children.first()?, node.children.last()?);
                    body.get(first.span.start..last.span.end).map(str::to_owned)
                }
                _ => None,
            };
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
            whole_links: self.whole_links,
        };
        let body = &text[frontmatter::split(text).body_offset..];
        Some(inner.expand(body).trim().to_owned())
    }
}

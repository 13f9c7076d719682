//! The Markdown version of a page, which agents read instead of the HTML.
//!
//! It is the author's text without imports and exports, with expanded snippets, with components as plain
//! Markdown, with complete links, and without parts for readers only.

mod blocks;
mod code;
mod components;
mod elements;
mod props;

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use sha2::{Digest, Sha256};

use super::{
    Element, RenderContext, Value,
    attributes::is_event_handler,
    body_of,
    evaluate::{Scope, evaluate, interpolate, size_of},
    module::Module,
    nodes::variable_name,
    parse_page,
    whole_links::{Edit, WholeLinks, edited, take_room, without_marks},
};
use crate::{
    content::{Page, document, frontmatter},
    mdx::{self, Attribute, AttributeValue, Node, NodeKind},
};
use blocks::{Piece, margin_at, without};
use code::{below_title, is_code_group};

/// Maximum nesting of snippets.
const MAXIMUM_DEPTH: usize = 8;
/// Maximum size that snippets and complete links add to a Markdown version, in bytes. Nested snippets count
/// again.
const MAXIMUM_LENGTH: usize = 4 * 1024 * 1024;
/// Maximum nesting of snippets and the children of their uses.
const MAXIMUM_OPENED: usize = 24;
/// The cost of each use of a snippet, in addition to its text.
const USE: usize = 256;

/// The body of a page as Markdown.
#[derive(Debug, Default)]
pub struct PageMarkdown {
    /// Each link to this site starts with a mark, because agents read texts out of context;
    /// [`at_site`](super::at_site) replaces the marks.
    pub text: String,
    /// A hash of the props of the page's components: icons and colors change a page even if its text stays.
    pub props: [u8; 32],
}

/// The Markdown version of the body of a page.
pub fn markdown_version(context: &RenderContext<'_>, page: &Page, api: &str) -> PageMarkdown {
    markdown_of_parsed(context, page, Arc::new(parse_page(context, page)), api)
}

/// The Markdown version of a body that [`parse_page`] parsed.
pub(crate) fn markdown_of_parsed(
    context: &RenderContext<'_>,
    page: &Page,
    module: Arc<Module>,
    api: &str,
) -> PageMarkdown {
    let props = RefCell::default();
    let mut text = expanded(context, page, module, &props);
    if !api.is_empty() {
        text.push_str("\n\n");
        text.push_str(&description(context, page, api));
    }
    let mut text = tidy(&text);
    // A site has the Markdown of all its pages in memory.
    text.shrink_to_fit();
    PageMarkdown { text, props: props.into_inner().finalize().into() }
}

/// The body of a page with expanded snippets, components, and complete links.
fn expanded(
    context: &RenderContext<'_>,
    page: &Page,
    module: Arc<Module>,
    props: &RefCell<Sha256>,
) -> String {
    let written = body_of(context, page);
    let body = &*without_marks(written);
    if is_plain(body) {
        return body.to_owned();
    }
    let is_changed = body != written;
    let module = if is_changed { Arc::new(Module::parse(body, page.body_line)) } else { module };
    let version = MarkdownVersion {
        context,
        page,
        path: &page.path,
        body,
        scope: context.constants(&page.path, &module),
        module,
        depth: 0,
        used_in: None,
        left: &Cell::new(MAXIMUM_LENGTH),
        opened: &Cell::new(0),
        step: &Cell::new(None),
        props,
    };
    version.expand("")
}

/// The text of a page's API spec, which isn't MDX.
fn description(context: &RenderContext<'_>, page: &Page, text: &str) -> String {
    let text = &*without_marks(text);
    if !can_link(text) {
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
    edited(text, 0..text.len(), edits)
}

/// Whether a page needs no changes, so it doesn't have to be parsed again.
fn is_plain(body: &str) -> bool {
    let needles = ["import ", "export ", "<", "{"];
    let is_mdx = needles.iter().any(|needle| body.contains(needle));
    !is_mdx && !can_link(body)
}

fn can_link(text: &str) -> bool {
    ["](", "]:", "href=", "src="].iter().any(|needle| text.contains(needle))
}

/// Trims the text and removes repeated empty lines outside code.
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

/// A page, or a snippet in it.
struct MarkdownVersion<'a> {
    context: &'a RenderContext<'a>,
    page: &'a Page,
    path: &'a str,
    body: &'a str,
    module: Arc<Module>,
    scope: Scope,
    depth: usize,
    /// Of a snippet: where it is used, and the children there.
    used_in: Option<(&'a MarkdownVersion<'a>, &'a [Node])>,
    /// The remaining size for snippets and complete links.
    left: &'a Cell<usize>,
    /// The number of open snippets and children of their uses.
    opened: &'a Cell<usize>,
    /// The number of the last step, inside of `Steps`.
    step: &'a Cell<Option<u32>>,
    /// The hash of the components' props.
    props: &'a RefCell<Sha256>,
}

/// The context of a node.
#[derive(Clone, Copy)]
struct Around<'n> {
    /// The name of the innermost element.
    element: &'n str,
    /// The prefix of a block's lines here; `None` where blocks aren't allowed.
    margin: Option<&'n str>,
}

impl MarkdownVersion<'_> {
    /// The whole text, inside an element.
    fn expand(&self, element: &str) -> String {
        let mut edits = Vec::new();
        self.collect(&self.module.nodes, Around { element, margin: Some("") }, &mut edits);
        edits.extend(self.module.statements.iter().map(|span| Edit {
            start: span.start,
            end: span.end,
            text: String::new(),
        }));
        edited(self.body, 0..self.body.len(), edits)
    }

    /// Whether there is room for a number of bytes. Takes that room.
    fn has_room_for(&self, bytes: usize) -> bool {
        take_room(self.left, bytes)
    }

    fn links(&self) -> WholeLinks<'_> {
        let (path, body, scope, left) = (self.path, self.body, &self.scope, self.left);
        WholeLinks { links: &self.context.links, path, body, scope, left }
    }

    /// Collects the edits for nodes.
    fn collect(&self, nodes: &[Node], around: Around<'_>, edits: &mut Vec<Edit>) {
        for node in nodes {
            if let Some(piece) = self.piece(node, around.element) {
                edits.push(piece.placed(node, self.body, around.margin));
                continue;
            }
            self.links().complete(node, edits);
            let own_margin = || {
                let first = node.children.first()?;
                Some(margin_at(self.body, first.span.start))
            };
            match &node.kind {
                NodeKind::ListItem { .. } | NodeKind::BlockQuote if around.margin.is_some() => {
                    let margin = own_margin();
                    self.collect(
                        &node.children,
                        Around { margin: margin.as_deref(), ..around },
                        edits,
                    );
                }
                NodeKind::TableCell
                | NodeKind::Heading { .. }
                | NodeKind::Link { .. }
                | NodeKind::Emphasis
                | NodeKind::Strong
                | NodeKind::Delete => {
                    self.collect(&node.children, Around { margin: None, ..around }, edits);
                }
                NodeKind::Jsx { name, .. } => {
                    let is_html = name.starts_with(|letter: char| letter.is_ascii_lowercase());
                    let margin = around.margin.filter(|_| !is_html);
                    self.collect(&node.children, Around { element: name, margin }, edits);
                }
                _ => self.collect(&node.children, around, edits),
            }
        }
    }

    /// The replacement of a whole node, unless it stays as written.
    fn piece(&self, node: &Node, around: &str) -> Option<Piece> {
        match &node.kind {
            NodeKind::Jsx { name, attributes, inline } => {
                if let Some(text) = self.replacement(name, attributes, node, around) {
                    return Some(Piece { text, is_block: !inline });
                }
                if let Some(text) = self.fences(name, attributes, node) {
                    let is_choice = name == "CodeBlock" && is_code_group(around);
                    let text = if is_choice { below_title(&text) } else { text };
                    return Some(Piece::block(unmarked(text)));
                }
                if self.is_own_code(name, attributes) {
                    return None;
                }
                let is_component = name.starts_with(|letter: char| letter.is_ascii_uppercase());
                let piece = if is_component {
                    self.component(name, attributes, node)
                } else {
                    self.html_element(name, attributes, node)
                };
                if piece.is_some() {
                    self.record_props(name, attributes);
                }
                piece
            }
            NodeKind::Code { language, meta, value } => {
                let meta = meta.as_deref().filter(|_| is_code_group(around));
                let choice =
                    meta.and_then(|meta| self.choice_of_code(language.as_deref(), meta, value));
                choice.or_else(|| self.code_of_snippet(node))
            }
            NodeKind::Expression { value, inline } => {
                if let Some(fence) = self.expression_fence(around, node).map(unmarked) {
                    return self.has_room_for(fence.len()).then(|| Piece::block(fence));
                }
                let text = self.expression(value)?;
                self.has_room_for(text.len()).then_some(Piece { text, is_block: !inline })
            }
            _ => None,
        }
    }

    /// A fence of a snippet, with the snippet's props put in.
    fn code_of_snippet(&self, node: &Node) -> Option<Piece> {
        let code = self.body.get(node.span.clone()).filter(|_| self.depth > 0)?;
        let code = without(code, &margin_at(self.body, node.span.start));
        let code = unmarked(interpolate(&code, &self.scope));
        self.has_room_for(code.len()).then(|| Piece::inline(code))
    }

    /// The text of an expression, if known.
    fn expression(&self, expression: &str) -> Option<String> {
        let trimmed = expression.trim();
        if matches!(trimmed, "children" | "props.children") {
            let (outer, children) = self.used_in?;
            let span = children.first()?.span.start..children.last()?.span.end;
            if !self.has_room_for(USE + span.len()) {
                return None;
            }
            return self.open(|| outer.blocks(children, span, "", "\n\n"));
        }
        if let Some(variable) = variable_name(trimmed) {
            return self
                .context
                .content
                .config
                .variables
                .get(variable)
                .map(|text| unmarked(text.clone()));
        }
        if self.left.get() == 0 {
            return None;
        }
        match evaluate(expression, &self.scope) {
            Value::Null if trimmed.is_empty() || trimmed.starts_with("/*") => Some(String::new()),
            Value::Bool(_) => None,
            value => value.to_text().map(unmarked),
        }
    }

    /// Expands a snippet or children, unless they are nested too deeply.
    fn open(&self, inside: impl FnOnce() -> String) -> Option<String> {
        let opened = self.opened.get();
        if opened >= MAXIMUM_OPENED {
            return None;
        }
        self.opened.set(opened + 1);
        let text = inside();
        self.opened.set(opened);
        Some(text)
    }

    /// Whether an element is defined by the author's code.
    fn is_own_code(&self, name: &str, attributes: &[Attribute]) -> bool {
        let base = name.split('.').next().unwrap_or(name);
        let has_handler = |attribute: &Attribute| {
            attribute.name == "dangerouslySetInnerHTML" || is_event_handler(&attribute.name)
        };
        self.module.imports.iter().any(|import| import.local == base)
            || self.module.code.iter().any(|code| code == base)
            || attributes.iter().any(has_handler)
    }

    /// Records the props of an element, except addresses, which are in the text.
    fn record_props(&self, name: &str, attributes: &[Attribute]) {
        let mut props = self.props.borrow_mut();
        for attribute in
            attributes.iter().filter(|each| !["href", "src", "img"].contains(&&*each.name))
        {
            props.update(format!("{name} {} {:?}\n", attribute.name, attribute.value));
        }
    }

    fn replacement(
        &self,
        name: &str,
        attributes: &[Attribute],
        node: &Node,
        around: &str,
    ) -> Option<String> {
        let text_of = |key: &str| {
            attributes.iter().find(|attribute| attribute.name == key).and_then(|attribute| {
                match &attribute.value {
                    AttributeValue::Text(text) => Some(text.clone()),
                    _ => None,
                }
            })
        };
        if name == "Visibility" && text_of("for").as_deref() == Some("humans") {
            return Some(String::new());
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
        let text = self.context.text(&path).filter(|_| self.depth < MAXIMUM_DEPTH)?;
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
        let body = without_marks(&text[frontmatter::split(text).body_offset..]);
        let inner = MarkdownVersion {
            path: &path,
            body: &body,
            module,
            scope: super::PageRenderer::props_scope(&element, constants),
            depth: self.depth + 1,
            used_in: Some((self, &node.children)),
            ..*self
        };
        self.open(|| inner.expand(around).trim().to_owned())
    }
}

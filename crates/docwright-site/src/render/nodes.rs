//! Markdown nodes to HTML.

use maud::{Markup, PreEscaped, html};

use super::{
    PageRenderer, Value, code,
    evaluate::{evaluate, interpolate},
    math,
};
use crate::{
    Rule,
    mdx::{Align, Node, NodeKind},
};

/// Inline code that is longer can break where it stands in a table; breaks after hyphens make `--strict`
/// hard to read. Characters.
const LONGEST_UNBROKEN: usize = 26;

impl PageRenderer<'_> {
    /// Renders nodes in the present scope.
    pub fn nodes(&mut self, nodes: &[Node]) -> Markup {
        let mut html = String::new();
        for node in nodes {
            if !self.spend(node.own_size()) {
                break;
            }
            html.push_str(&self.node(node).0);
            // Elements on lines of their own stay words of their own.
            if matches!(node.kind, NodeKind::Jsx { inline: false, .. }) {
                html.push('\n');
            }
        }
        PreEscaped(html)
    }

    fn node(&mut self, node: &Node) -> Markup {
        match &node.kind {
            NodeKind::Paragraph => self.paragraph(node),
            NodeKind::Heading { depth, id } => self.heading(*depth, id.as_deref(), node),
            NodeKind::ThematicBreak => html! { hr; },
            NodeKind::BlockQuote => html! { blockquote { (self.nodes(&node.children)) } },
            NodeKind::List { ordered, start, .. } => self.list(node, *ordered, *start),
            NodeKind::ListItem { .. } => self.nodes(&node.children),
            NodeKind::Code { language, meta, value } => {
                self.fence(language.as_deref(), meta.as_deref(), value, node)
            }
            NodeKind::Math { value } => self.math(value, true, node),
            NodeKind::InlineMath { value } => self.math(value, false, node),
            NodeKind::Text { value } => html! { (value) },
            NodeKind::Emphasis => html! { em { (self.nodes(&node.children)) } },
            NodeKind::Strong => html! { strong { (self.nodes(&node.children)) } },
            NodeKind::Delete => html! { del { (self.nodes(&node.children)) } },
            NodeKind::InlineCode { value } => {
                let code = self.interpolate(value);
                let long = (code.chars().count() > LONGEST_UNBROKEN).then_some("dw-long-code");
                html! { code class=[long] { (code) } }
            }
            NodeKind::Break => html! { br; },
            NodeKind::Link { url, title } => self.markdown_link(url, title.as_deref(), node),
            NodeKind::Image { url, alt, title } => {
                self.markdown_image(url, alt, title.as_deref(), node)
            }
            NodeKind::Table { align } => self.table(align, node),
            NodeKind::TableRow | NodeKind::TableCell => self.nodes(&node.children),
            NodeKind::FootnoteReference { identifier, label } => {
                self.footnote_reference(identifier, label)
            }
            NodeKind::FootnoteDefinition { identifier, .. } => {
                self.footnote_definition(identifier, &node.children)
            }
            NodeKind::Jsx { name, attributes, inline } => self.jsx(name, attributes, *inline, node),
            NodeKind::Expression { value, .. } => self.expression(value, node),
            NodeKind::Esm { .. } => html! {},
            NodeKind::Html { value } => {
                let classes =
                    value.split("class=\"").skip(1).filter_map(|rest| rest.split('"').next());
                let words = classes.flat_map(str::split_whitespace).map(str::to_owned);
                self.rendered.classes.extend(words);
                PreEscaped(value.clone())
            }
            NodeKind::Slot { index } => self.show_slot(*index),
        }
    }

    /// A paragraph that holds a block (a card in a sentence, say) can't be a `<p>`: browsers would
    /// end it there.
    fn paragraph(&mut self, node: &Node) -> Markup {
        let inner = self.nodes(&node.children);
        if inner.0.trim().is_empty() {
            return inner;
        }
        if holds_block(&node.children) {
            html! { div.dw-paragraph { (inner) } }
        } else {
            html! { p { (inner) } }
        }
    }

    fn list(&mut self, node: &Node, ordered: bool, start: u32) -> Markup {
        let loose = is_loose(node);
        let tasks = node
            .children
            .iter()
            .any(|item| matches!(item.kind, NodeKind::ListItem { checked: Some(_), .. }));
        let mut items = String::new();
        for item in &node.children {
            items.push_str(&self.list_item(item, loose).0);
        }
        let items = PreEscaped(items);
        let class = tasks.then_some("dw-task-list");
        if ordered {
            html! { ol class=[class] start=[(start != 1).then_some(start)] { (items) } }
        } else {
            html! { ul class=[class] { (items) } }
        }
    }

    fn list_item(&mut self, item: &Node, loose: bool) -> Markup {
        let checked = match item.kind {
            NodeKind::ListItem { checked, .. } => checked,
            _ => None,
        };
        let mut inner = String::new();
        for child in &item.children {
            let unwrapped = !loose && matches!(child.kind, NodeKind::Paragraph);
            let html = if unwrapped { self.nodes(&child.children) } else { self.node(child) };
            inner.push_str(&html.0);
        }
        let inner = PreEscaped(inner);
        if let Some(done) = checked {
            html! { li.dw-task { input type="checkbox" disabled checked[done] aria-label="task"; " " (inner) } }
        } else {
            html! { li { (inner) } }
        }
    }

    fn table(&mut self, align: &[Align], node: &Node) -> Markup {
        let mut rows = node.children.iter();
        let head = rows.next().map(|row| self.table_row(row, align, true));
        let mut body = String::new();
        for row in rows {
            body.push_str(&self.table_row(row, align, false).0);
        }
        scrolling_table(&html! {
            table {
                thead { (head.unwrap_or_default()) }
                @if !body.is_empty() { tbody { (PreEscaped(body)) } }
            }
        })
    }

    fn table_row(&mut self, row: &Node, align: &[Align], head: bool) -> Markup {
        let mut cells = String::new();
        for (index, cell) in row.children.iter().enumerate() {
            let class = match align.get(index) {
                Some(Align::Left) => Some("dw-align-left"),
                Some(Align::Center) => Some("dw-align-center"),
                Some(Align::Right) => Some("dw-align-right"),
                _ => None,
            };
            let inner = self.nodes(&cell.children);
            let cell = if head {
                html! { th class=[class] { (inner) } }
            } else {
                html! { td class=[class] { (inner) } }
            };
            cells.push_str(&cell.0);
        }
        html! { tr { (PreEscaped(cells)) } }
    }

    fn fence(
        &mut self,
        language: Option<&str>,
        meta: Option<&str>,
        value: &str,
        node: &Node,
    ) -> Markup {
        let value = self.interpolate(value);
        code::fence(language, meta, &value, self, node.line)
    }

    fn math(&mut self, tex: &str, display: bool, node: &Node) -> Markup {
        if self.context.content.config.without_math {
            return if display {
                html! { p { "$$" (tex) "$$" } }
            } else {
                html! { "$" (tex) "$" }
            };
        }
        match math::render(tex, display) {
            Ok(markup) => markup,
            Err(reason) => {
                let message = format!("this formula can't be read: {reason}");
                self.report(Rule::InvalidMath, message, "correct the TeX", node.line, node.column);
                html! { code.dw-math-error { (tex) } }
            }
        }
    }

    /// An expression in text.
    fn expression(&mut self, expression: &str, node: &Node) -> Markup {
        let trimmed = expression.trim();
        if trimmed == "children" || trimmed == "props.children" {
            let size = self.frame().children.as_ref().map_or(0, String::len);
            let children = if self.spend(size) { self.frame().children.clone() } else { None };
            return PreEscaped(children.unwrap_or_default());
        }
        if let Some(variable) = variable_name(trimmed) {
            return self.variable(variable, node);
        }
        match evaluate(expression, &self.frame().scope) {
            value if value.has_code() => self.scripted_text(expression, node.line, node.column),
            Value::Text(text) if self.shows_text_as_code(&text) => {
                self.text_as_code(&text, node.line)
            }
            value => self.value(&value),
        }
    }

    /// Whether the text of an expression is code at this place: in a group of code blocks all of it
    /// is, in a tab what has several lines.
    pub(super) fn shows_text_as_code(&self, text: &str) -> bool {
        let text = text.trim();
        let is_code = self.nesting.collects_code()
            || (self.nesting.is_directly_in("Tab") && text.contains('\n'));
        is_code && !text.is_empty()
    }

    /// A code block of the text of an expression.
    pub(super) fn text_as_code(&mut self, text: &str, line: u32) -> Markup {
        code::fence_with(None, code::Meta::default(), text.trim_matches(['\n', '\r']), self, line)
    }

    /// `{{name}}`: a variable of the configuration, or the text as it stands.
    fn variable(&mut self, name: &str, node: &Node) -> Markup {
        let variables = &self.context.content.config.variables;
        if let Some(value) = variables.get(name) {
            return html! { (value) };
        }
        if !variables.is_empty() {
            let message = format!("undefined variable `{name}`");
            let help = "add it to `variables` in docs.json, or write \\{\\{ where braces are text";
            self.report(Rule::UnknownVariable, message, help, node.line, node.column);
        }
        html! { "{{" (name) "}}" }
    }

    /// Renders a value where text or JSX can stand, such as `title`. Text is escaped.
    pub fn value(&mut self, value: &Value) -> Markup {
        match value {
            Value::Null | Value::Bool(_) | Value::Object(_) => html! {},
            Value::Number(number) => html! { (number) },
            Value::Text(text) if self.spend(text.len()) => html! { (text) },
            Value::Text(_) => html! {},
            Value::Array(items) => {
                let mut html = String::new();
                for item in items {
                    html.push_str(&self.value(item).0);
                }
                PreEscaped(html)
            }
            Value::Jsx(nodes) => self.nodes(nodes),
            Value::Code(code) => self.scripted_text(code, 0, 0),
        }
    }

    /// Renders a prop that holds Markdown (`caption`, `description`) as inline content.
    pub fn inline_markdown(&mut self, markdown: &str) -> Markup {
        let parsed = crate::mdx::parse(markdown, 1);
        match parsed.nodes.as_slice() {
            [Node { kind: NodeKind::Paragraph, children, .. }] => self.nodes(children),
            nodes => self.nodes(nodes),
        }
    }

    /// Puts the props of the snippet around it into a text: `{name}` where `name` is known.
    pub(super) fn interpolate(&self, text: &str) -> String {
        let scope = &self.frame().scope;
        if self.frames.len() == 1 || scope.is_empty() || !text.contains('{') {
            return text.to_owned();
        }
        interpolate(text, scope)
    }
}

/// A table in a container that scrolls sideways where the table is wider, also by keyboard.
pub(super) fn scrolling_table(table: &Markup) -> Markup {
    html! { div.dw-table-container tabindex="0" role="group" aria-label="table" { (table) } }
}

/// The text of nodes without markup, as `mdast-util-to-string` gives it.
pub fn plain_text(nodes: &[Node]) -> String {
    let mut text = String::new();
    collect_text(nodes, &mut text);
    text
}

fn collect_text(nodes: &[Node], text: &mut String) {
    for node in nodes {
        match &node.kind {
            NodeKind::Text { value }
            | NodeKind::InlineCode { value }
            | NodeKind::InlineMath { value } => text.push_str(value),
            NodeKind::Image { alt, .. } => text.push_str(alt),
            NodeKind::Break => text.push(' '),
            _ => collect_text(&node.children, text),
        }
    }
}

fn is_loose(list: &Node) -> bool {
    matches!(list.kind, NodeKind::List { spread: true, .. })
        || list
            .children
            .iter()
            .any(|item| matches!(item.kind, NodeKind::ListItem { spread: true, .. }))
}

/// Elements and components that can stand in a sentence.
const PHRASING: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "br", "button", "cite", "code", "data", "del", "dfn", "em",
    "i", "img", "input", "ins", "kbd", "label", "mark", "math", "picture", "q", "s", "samp",
    "small", "span", "strong", "sub", "sup", "svg", "time", "u", "var", "video", "audio", "wbr",
    "iframe", "path", "Icon", "Badge", "Tooltip", "Latex", "",
];

/// Whether an element can stand in a sentence.
pub(super) fn is_phrasing(name: &str) -> bool {
    PHRASING.contains(&name)
}

fn holds_block(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match &node.kind {
        NodeKind::Jsx { name, .. } => {
            !PHRASING.contains(&name.as_str()) || holds_block(&node.children)
        }
        NodeKind::Math { .. } => true,
        _ => holds_block(&node.children),
    })
}

/// The name in `{name}`, the inside of `{{name}}`.
pub(super) fn variable_name(expression: &str) -> Option<&str> {
    let name = expression.strip_prefix('{')?.strip_suffix('}')?.trim();
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    plain.then_some(name)
}

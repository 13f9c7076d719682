//! `CodeBlock`: a fence as a JSX component.

use maud::{Markup, html};

use super::Component;
use super::props::prop;
use crate::Rule;
use crate::mdx::{Node, NodeKind};
use crate::render::code::{LineSet, Meta, fence_with};
use crate::render::evaluate::evaluate;
use crate::render::{Element, PageRenderer, Value, plain_text};

/// Takes the options of a fence as props.
pub(super) const CODE_BLOCK: Component = Component {
    names: &["CodeBlock"],
    about: "Code with the options of a fence as props, for your own components.",
    props: &[
        prop("language", r#"="js""#, "Language; also `lang`"),
        prop("filename", r#"="main.js""#, "Title; also `title`"),
        prop("lines", "={true}", "Show line numbers"),
        prop("wrap", "={true}", "Wrap long lines"),
        prop("nocopy", "={true}", "Hide the copy button"),
        prop("expandable", "={true}", "Collapse long code"),
        prop("highlight", r#"="[1]""#, "Highlighted lines"),
        prop("focus", r#"="[1]""#, "Focused lines; the others are dimmed"),
        prop("icon", r#"="star""#, "Icon next to the title"),
        prop("lang", r#"="js""#, "Same as `language`"),
        prop("title", r#"="main.js""#, "Same as `filename`"),
    ],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let found = CodeText::of(element, page);
    if found.text.trim().is_empty() {
        if !found.failed {
            let help = "put the code between its tags: <CodeBlock>{`…`}</CodeBlock>";
            let message = "<CodeBlock> contains no code".to_owned();
            page.warn(element, Rule::EmptyComponent, message, help);
        }
        return html! {};
    }
    let language = language(element).or(found.language);
    fence_with(language.as_deref(), meta(element), &found.text, page, element.line)
}

/// A code block as a Markdown fence; `None` if it contains Markdown that isn't code yet.
pub(crate) fn as_fence(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Option<String> {
    let found = CodeText::of(element, page);
    if !found.is_exact || found.text.trim().is_empty() {
        return None;
    }
    let language = language(element).or(found.language).unwrap_or_default();
    let title = element.text("filename").or_else(|| element.text("title")).unwrap_or_default();
    // A title requires a language before it, and neither can contain the end of the fence's line.
    let language = if language.is_empty() && !title.is_empty() { "text" } else { &language };
    Some(fence_of(&format!("{language} {title}"), &found.text))
}

/// A Markdown fence for any code.
pub(crate) fn fence_of(info: &str, code: &str) -> String {
    let info = info.replace(['`', '\n', '\r'], " ");
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(3.max(longest + 1));
    format!("{marks}{}\n{}\n{marks}", info.trim(), code.trim_end_matches(['\n', '\r']))
}

fn language(element: &Element<'_>) -> Option<String> {
    element.text("language").or_else(|| element.text("lang"))
}

/// The code between the tags of a code block.
#[derive(Debug, Default)]
struct CodeText {
    /// The language of the fence inside, if there is one.
    language: Option<String>,
    text: String,
    /// It is a fence or values of expressions, so its white space is exact.
    is_exact: bool,
    /// An expression couldn't be evaluated, which was already reported.
    failed: bool,
}

impl CodeText {
    fn of(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Self {
        let mut found = Self { is_exact: true, ..Self::default() };
        found.add(element.children, page);
        let trimmed = found.text.trim_matches(['\n', '\r']);
        found.text = trimmed.to_owned();
        found
    }

    /// Adds the text of nodes. Returns whether a fence was found, after which the rest is ignored.
    fn add(&mut self, nodes: &[Node], page: &mut PageRenderer<'_>) -> bool {
        nodes.iter().any(|node| match &node.kind {
            NodeKind::Code { language, value, .. } => {
                self.language.clone_from(language);
                self.text = page.interpolate(value);
                self.is_exact = true;
                true
            }
            NodeKind::Slot { index } => {
                page.in_slot(*index, |page, nodes| self.add(nodes, page)).unwrap_or(false)
            }
            NodeKind::Expression { value, inline } => {
                if !inline {
                    self.begin_line();
                }
                self.add_expression(value, node, page)
            }
            NodeKind::Paragraph => {
                self.begin_line();
                self.add(&node.children, page)
            }
            // Text from code, in which nothing was parsed as Markdown.
            NodeKind::Text { value } if node.line == 0 => {
                self.text.push_str(value);
                false
            }
            _ => {
                let text = plain_text(std::slice::from_ref(node));
                self.is_exact &= text.trim().is_empty();
                self.text.push_str(&text);
                false
            }
        })
    }

    /// Starts a new line if the source has one here.
    fn begin_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn add_expression(
        &mut self,
        expression: &str,
        node: &Node,
        page: &mut PageRenderer<'_>,
    ) -> bool {
        let is_children = matches!(expression.trim(), "children" | "props.children");
        if is_children && let Some(slot) = page.frame().children_slot {
            return page.in_slot(slot, |page, nodes| self.add(nodes, page)).unwrap_or(false);
        }
        let value = match evaluate(expression, &page.frame().scope) {
            value if value.has_code() => {
                let before = page.rendered.diagnostics.len();
                let value = page.scripted_value(expression, node.line, node.column);
                self.failed |= page.rendered.diagnostics.len() > before;
                value
            }
            value => value,
        };
        self.add_value(&value, page)
    }

    fn add_value(&mut self, value: &Value, page: &mut PageRenderer<'_>) -> bool {
        match value {
            Value::Array(items) => items.iter().any(|item| self.add_value(item, page)),
            Value::Jsx(nodes) => self.add(nodes, page),
            // As in React, booleans aren't shown.
            Value::Bool(_) => false,
            value => {
                self.text.push_str(&value.to_text().unwrap_or_default());
                false
            }
        }
    }
}

fn meta(element: &Element<'_>) -> Meta {
    let is = |prop| element.flag(prop).unwrap_or(false);
    let lines = |prop| element.text(prop).map(|text| LineSet::parse(&text)).unwrap_or_default();
    Meta {
        title: element.text("filename").or_else(|| element.text("title")),
        icon: element.text("icon"),
        highlight: lines("highlight"),
        focus: lines("focus"),
        lines: is("lines"),
        expandable: is("expandable"),
        wrap: is("wrap"),
        copy: !is("nocopy"),
        ..Meta::default()
    }
}

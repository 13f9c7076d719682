//! `CodeBlock`: a fence in the words of JSX.

use maud::{Markup, html};

use super::Component;
use crate::Rule;
use crate::mdx::{Node, NodeKind};
use crate::render::code::{LineSet, Meta, fence_with};
use crate::render::evaluate::evaluate;
use crate::render::{Element, PageRenderer, plain_text};

/// Takes the options of a fence as props.
pub(super) const CODE_BLOCK: Component = Component {
    names: &["CodeBlock"],
    props: &[
        "language",
        "lang",
        "filename",
        "title",
        "icon",
        "lines",
        "wrap",
        "nocopy",
        "expandable",
        "highlight",
        "focus",
    ],
    required: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let mut language = element.text("language").or_else(|| element.text("lang"));
    let code = match fence(element.children) {
        Some((fence_language, code)) => {
            language = language.or_else(|| fence_language.map(str::to_owned));
            code.to_owned()
        }
        None => code_text(element.children, page).trim_matches(['\n', '\r']).to_owned(),
    };
    if code.trim().is_empty() {
        let help = "put the code between its tags: <CodeBlock>{`…`}</CodeBlock>";
        let message = "there is no code in this <CodeBlock>".to_owned();
        page.warn(element, Rule::EmptyComponent, message, help);
        return html! {};
    }
    fence_with(language.as_deref(), meta(element), &code, page, element.line)
}

/// The fence that a code block is written around.
fn fence(children: &[Node]) -> Option<(Option<&str>, &str)> {
    children.iter().find_map(|node| match &node.kind {
        NodeKind::Code { language, value, .. } => Some((language.as_deref(), value.as_str())),
        _ => None,
    })
}

/// Text, and the values of expressions such as {`…`}.
fn code_text(children: &[Node], page: &PageRenderer<'_>) -> String {
    let text = |node: &Node| match &node.kind {
        NodeKind::Expression { value, .. } => {
            evaluate(value, &page.frame().scope).to_text().unwrap_or_default()
        }
        _ => plain_text(std::slice::from_ref(node)),
    };
    children.iter().map(text).collect()
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

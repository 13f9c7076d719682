//! `CodeBlock`: a fence in the words of JSX.

use maud::{Markup, html};

use super::Component;
use super::props::prop;
use crate::Rule;
use crate::mdx::{Node, NodeKind};
use crate::render::code::{LineSet, Meta, fence_with};
use crate::render::evaluate::evaluate;
use crate::render::{Element, PageRenderer, plain_text};

/// Takes the options of a fence as props.
pub(super) const CODE_BLOCK: Component = Component {
    names: &["CodeBlock"],
    about: "Code, with the options of a fence as props, for components of your own.",
    props: &[
        prop("language", r#"="js""#, "Its language; also `lang`"),
        prop("filename", r#"="main.js""#, "Its title; also `title`"),
        prop("lines", "={true}", "Numbers of lines"),
        prop("wrap", "={true}", "Long lines are wrapped"),
        prop("nocopy", "={true}", "No button to copy it"),
        prop("expandable", "={true}", "Long code is cut off until it is opened"),
        prop("highlight", r#"="[1]""#, "Lines that are marked"),
        prop("focus", r#"="[1]""#, "Lines that stand out, the others paler"),
        prop("icon", r#"="star""#, "Icon beside the title"),
        prop("lang", r#"="js""#, "Same as `language`"),
        prop("title", r#"="main.js""#, "Same as `filename`"),
    ],
    ignored: &[],
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

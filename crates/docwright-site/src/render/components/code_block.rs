//! `<CodeBlock>`: a fence as a component.

use maud::Markup;

use super::Component;
use crate::render::{
    Element, PageRenderer,
    code::{CodeBlock, Meta, block},
    plain_text,
};

pub(super) const CODE_BLOCK: Component = Component {
    names: &["CodeBlock"],
    props: &[
        "language",
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
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let meta = meta(element);
    let text = plain_text(element.children);
    let code = if text.is_empty() { expression_text(element, page) } else { text };
    let icon = page.icon(element);
    let language = element.text("language");
    block(
        &CodeBlock { language: language.as_deref(), code: code.trim_matches('\n'), meta, icon },
        page.highlighter(),
    )
}

/// `{`…`}` between the tags.
fn expression_text(element: &Element<'_>, page: &mut PageRenderer<'_>) -> String {
    let rendered = page.nodes(element.children).into_string();
    rendered.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The props as the line behind a fence would say them.
fn meta(element: &Element<'_>) -> Meta {
    let lines = ["highlight", "focus"].into_iter().filter_map(|name| {
        let lines = element.text(name)?;
        Some(format!("{name}={{{}}}", lines.trim_matches(['[', ']'])))
    });
    let flag = |name: &str| element.flag(name) == Some(true);
    Meta {
        title: element.text("filename").or_else(|| element.text("title")),
        lines: flag("lines"),
        wrap: flag("wrap"),
        copy: !flag("nocopy"),
        expandable: flag("expandable"),
        ..Meta::parse(&lines.collect::<Vec<_>>().join(" "))
    }
}

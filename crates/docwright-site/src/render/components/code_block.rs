//! `<CodeBlock>`: a fence as a component.

use maud::Markup;

use super::Component;
use crate::render::{
    Element, PageRenderer,
    code::{CodeBlock, Meta},
    plain_text,
};

pub(super) const CODE_BLOCK: Component = Component {
    names: &["CodeBlock"],
    props: &["language", "filename", "title", "icon", "lines", "wrap", "nocopy", "expandable", "highlight", "focus"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let meta = meta(element);
    let text = plain_text(element.children);
    let value = if text.is_empty() { expression_text(element, page) } else { text };
    CodeBlock { meta: &meta, value: value.trim_matches('\n'), titled: true }.render(page)
}

/// `{`…`}` between the tags.
fn expression_text(element: &Element<'_>, page: &mut PageRenderer<'_>) -> String {
    let rendered = page.nodes(element.children).into_string();
    rendered.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The props as the line behind a fence would say them.
fn meta(element: &Element<'_>) -> Meta {
    let mut rest = String::new();
    for name in ["highlight", "focus"] {
        if let Some(lines) = element.text(name) {
            rest.push_str(&format!("{name}={{{}}} ", lines.trim_matches(['[', ']'])));
        }
    }
    let mut meta = Meta::parse(element.text("language").as_deref(), Some(&rest));
    meta.title = element.text("filename").or_else(|| element.text("title"));
    meta.icon = element.text("icon");
    let flag = |name: &str| element.flag(name) == Some(true);
    (meta.numbered, meta.wrapped, meta.uncopyable, meta.expandable) =
        (flag("lines"), flag("wrap"), flag("nocopy"), flag("expandable"));
    meta
}

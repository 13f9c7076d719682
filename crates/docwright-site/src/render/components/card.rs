//! `<Card>`: a box that may be a link as a whole.

use maud::{Markup, html};

use super::{Component, safe_color};
use crate::render::{Element, PageRenderer, Value};

pub(super) const CARD: Component = Component {
    names: &["Card"],
    props: &[
        "title",
        "icon",
        "iconType",
        "color",
        "href",
        "horizontal",
        "img",
        "cta",
        "arrow",
        "type",
        "target",
        "disabled",
        "description",
    ],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let href = element.text("href").and_then(|href| page.link(&href, element.line, element.column));
    let outer = page.enter_link(href.is_some());
    let inner = content(element, page, href.as_deref());
    page.leave_link(outer);
    let horizontal = element.flag("horizontal") == Some(true);
    let kind = element.text("type");
    let style = element
        .text("color")
        .as_deref()
        .and_then(safe_color)
        .map(|color| format!("--card-icon:{color}"));
    let external = href.as_deref().is_some_and(is_external);
    match href.filter(|_| !outer) {
        Some(href) => html! {
            a.card href=(href) rel=[external.then_some("noopener")] data-type=[kind] data-horizontal[horizontal] style=[style] { (inner) }
        },
        None => {
            html! { div.card data-type=[kind] data-horizontal[horizontal] style=[style] { (inner) } }
        }
    }
}

fn content(element: &Element<'_>, page: &mut PageRenderer<'_>, href: Option<&str>) -> Markup {
    let image = match element.value("img") {
        Some(Value::Text(src)) => {
            let src = src.clone();
            let address = page.asset(&src, element.line, element.column);
            Some(html! { img.card-image src=(address) alt="" loading="lazy"; })
        }
        Some(value @ Value::Jsx(_)) => Some(page.value(&value.clone())),
        _ => None,
    };
    let icon = page.icon(element);
    let title = element.value("title").cloned().map(|title| page.value(&title));
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    let arrow = element.flag("arrow").unwrap_or(false) || href.is_some_and(is_external);
    html! {
        @if let Some(image) = image { (image) }
        @if !icon.0.is_empty() { span.card-icon { (icon) } }
        div.card-content {
            @if let Some(title) = title { p.card-title { (title) } }
            @if let Some(description) = description { p { (description) } }
            @if !body.0.trim().is_empty() { div.card-body { (body) } }
            @if let Some(cta) = element.text("cta") { span.card-cta { (cta) " " (page.glyph("arrow-right")) } }
        }
        @if arrow && href.is_some() { span.card-arrow { (page.glyph("arrow-up-right")) } }
    }
}

fn is_external(href: &str) -> bool {
    href.starts_with("http://") || href.starts_with("https://") || href.starts_with("//")
}

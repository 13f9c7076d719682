//! `Card`: a box, optionally with a link.

use maud::{Markup, html};

use super::css_color::color_prop;
use super::props::Label;
use super::props::prop;
use super::root::Root;
use super::{Component, callout, link, props};
use crate::render::{Element, PageRenderer, Value, plain_text};

/// With `href`, the whole card is a link; `type` gives it the look of a callout.
pub(super) const CARD: Component = Component {
    names: &["Card"],
    about: "A box with a title, text, and an optional link. With `href`, the whole card is a link.",
    props: &[
        prop("title", r#"="Start""#, "Title"),
        prop("href", r#"="/second""#, "Link"),
        prop("img", r#"="/picture.svg""#, "Image above the title"),
        prop("horizontal", "={true}", "Icon next to the text"),
        prop("color", r##"="#7c3aed""##, "Color of the icon"),
        prop("cta", r#"="Read more""#, "Text of the link at the end"),
        prop("arrow", "={true}", "Show an arrow; the default is only for links to other sites"),
        prop("target", r#"="_blank""#, "`_blank` opens a new tab"),
        prop("type", r#"="tip""#, "Kind of callout whose style it uses"),
        prop("description", r#"="All of it""#, "Text, in addition to its children"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["disabled"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = props::label(element, page, "title");
    let cta = props::label(element, page, "cta");
    let preset = callout::preset_prop(element, page, "type");
    let color = color_prop(element, page, "color");
    let mut root = Root::new(element, page, "card dw-card");
    if let Some(color) = color {
        root.declare("--card-icon", &color);
    }
    let href = link::href(element, page);
    let own_icon = page.icon(element);
    let icon = match preset {
        Some(preset) if own_icon.0.is_empty() => preset.icon(page),
        _ => own_icon,
    };
    let image = image(element, page);
    let has_arrow = href.is_some() && element.flag("arrow").unwrap_or_else(|| is_external(element));
    let target = element.text("target").filter(|target| target == "_blank");
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    let untitled = href.as_deref().filter(|_| title.is_none());
    html! {
        div class=(root.class) id=[root.id] style=[root.style] data-link[href.is_some()]
            data-horizontal[element.flag("horizontal").unwrap_or(false)]
            data-type=[preset.map(|preset| preset.kind)] {
            (image)
            @if !icon.0.is_empty() { span.dw-card-icon data-component-part="card-icon" { (icon) } }
            @if let Some(href) = untitled {
                a.dw-card-link href=(href) target=[&target] aria-label=(name(element, cta.as_ref())) {}
            }
            div.dw-card-content data-component-part="card-content-container" {
                @if let Some(title) = title {
                    p.dw-card-title data-component-part="card-title" {
                        @if let Some(href) = &href {
                            a.dw-card-link href=(href) target=[&target] { (title.html) }
                        } @else { (title.html) }
                    }
                }
                @if let Some(description) = description { p { (description) } }
                @if !body.0.trim().is_empty() { div.dw-card-body.dw-prose data-component-part="card-content" { (body) } }
                @if let Some(cta) = cta {
                    span.dw-card-cta data-component-part="card-cta" { (cta.html) " " (page.glyph("arrow-right")) }
                }
            }
            @if has_arrow { span.dw-card-arrow { (page.glyph("arrow-up-right")) } }
        }
    }
}

/// The picture on top, by its address or as JSX.
fn image(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    match element.value("img") {
        Some(Value::Text(source)) if !source.trim().is_empty() => {
            let size = page.size_of(source);
            let source = page.asset(source, element.line, element.column);
            let loading = page.image_loading();
            html! {
                img.dw-card-image src=(source) alt="" loading=[loading]
                    width=[size.map(|size| size.0)] height=[size.map(|size| size.1)];
            }
        }
        Some(value @ Value::Jsx(_)) => page.value(value),
        _ => html! {},
    }
}

/// The accessible name of a link without a title.
fn name(element: &Element<'_>, cta: Option<&Label>) -> String {
    let text = plain_text(element.children);
    let text = text.split_whitespace().take(12).collect::<Vec<_>>().join(" ");
    match cta {
        Some(cta) => cta.text.clone(),
        None if text.is_empty() => element.text("href").unwrap_or_default(),
        None => text,
    }
}

fn is_external(element: &Element<'_>) -> bool {
    element.text("href").is_some_and(|href| link::is_external(&href))
}

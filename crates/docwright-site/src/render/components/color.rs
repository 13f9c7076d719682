//! `Color`, `Color.Row` and `Color.Item`: a palette.

use maud::{Markup, html};

use super::css_color::{css_color, report};
use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer, Value};

/// Swatches in a grid, or in rows.
pub(super) const COLOR: Component = Component {
    names: &["Color"],
    about: "Colors to copy.",
    props: &[required("variant", r#"="table""#, "`compact` or `table`")],
    ignored: &[],
    render,
};

/// A row of swatches under a title.
pub(super) const ROW: Component = Component {
    names: &["Color.Row"],
    about: "A row of colors.",
    props: &[prop("title", r#"="Brand""#, "Title")],
    ignored: &[],
    render: render_row,
};

/// One swatch, whose value can be copied; `value` can differ between light and dark.
pub(super) const ITEM: Component = Component {
    names: &["Color.Item"],
    about: "One color.",
    props: &[
        prop("name", r#"="Teal""#, "Name"),
        required("value", r##"="#0f766e""##, "CSS color, or `{light, dark}`"),
    ],
    ignored: &[],
    render: render_item,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let variant = props::choice(element, page, "variant", &["compact", "table"]);
    let root = Root::new(element, page, "color dw-color");
    html! {
        div class=(root.class) id=[root.id] style=[root.style]
            data-variant=(variant.unwrap_or("compact")) {
            (page.nodes(element.children))
        }
    }
}

fn render_row(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let title = props::label(element, page, "title");
    let root = Root::new(element, page, "color-row dw-color-row");
    html! {
        div class=(root.class) id=[root.id] style=[root.style] {
            @if let Some(title) = title { p.dw-color-row-title { (title.html) } }
            (page.nodes(element.children))
        }
    }
}

fn render_item(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let name = props::label(element, page, "name");
    let root = Root::new(element, page, "color-item dw-color-item");
    let (light, dark) = modes(element.value("value"));
    let shown = if light == dark { vec![&light] } else { vec![&light, &dark] };
    let color = |value: &String| css_color(value).unwrap_or_else(|| "transparent".to_owned());
    for value in &shown {
        if css_color(value).is_none() && !value.is_empty() {
            report(value, element, page);
        }
    }
    let swatch = format!("--swatch:{};--swatch-dark:{}", color(&light), color(&dark));
    html! {
        div class=(root.class) id=[root.id] style=[root.style] data-copy-text=(light) {
            @if !light.is_empty() {
                button.dw-color-swatch type="button" data-copy aria-label={ "Copy " (light) }
                    style=(swatch) {}
            }
            @if let Some(name) = name { span.dw-color-name { (name.html) } }
            @for value in shown.iter().filter(|value| !value.is_empty()) { code { (value) } }
        }
    }
}

/// The values in light mode and in dark mode; a single value is used for both.
pub(crate) fn modes(value: Option<&Value>) -> (String, String) {
    let of_mode = |mode: &str| match value {
        Some(Value::Object(modes)) => {
            modes.iter().rev().find(|(key, _)| key == mode).map(|(_, value)| props::text(value))
        }
        value => value.map(props::text),
    };
    match (of_mode("light"), of_mode("dark")) {
        (Some(light), Some(dark)) => (light, dark),
        (light, dark) => {
            let either = light.or(dark).unwrap_or_default();
            (either.clone(), either)
        }
    }
}

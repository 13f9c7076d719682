//! `<Color>` with `<Color.Row>` and `<Color.Item>`: a palette to copy from.

use maud::{Markup, html};

use super::{Component, safe_color};
use crate::render::{Element, PageRenderer, Value};

pub(super) const COLOR: Component =
    Component { names: &["Color"], props: &["variant"], render: palette };
pub(super) const ROW: Component =
    Component { names: &["Color.Row"], props: &["title"], render: row };
pub(super) const ITEM: Component =
    Component { names: &["Color.Item"], props: &["name", "value"], render: item };

fn palette(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    html! { div.color data-variant=[element.text("variant")] { (page.nodes(element.children)) } }
}

fn row(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    html! {
        div.color-row {
            @if let Some(title) = element.text("title") { p.color-row-title { (title) } }
            (page.nodes(element.children))
        }
    }
}

fn item(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let (light, dark) = match element.value("value") {
        Some(Value::Object(pair)) => {
            let find = |key: &str| {
                pair.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.to_text())
            };
            (find("light"), find("dark"))
        }
        Some(value) => (value.to_text(), value.to_text()),
        None => (None, None),
    };
    let shown = light.clone().or_else(|| dark.clone()).unwrap_or_default();
    let style =
        |color: Option<&str>| color.and_then(safe_color).unwrap_or("transparent").to_owned();
    let swatch = format!(
        "--swatch:{};--swatch-dark:{}",
        style(light.as_deref()),
        style(dark.as_deref().or(light.as_deref()))
    );
    html! {
        div.color-item data-copy-text=(shown) {
            button.color-swatch type="button" data-copy style=(swatch) aria-label={ "Copy " (shown) } {}
            span.color-name { (element.text("name").unwrap_or_default()) }
            code { (shown) }
            (page.nodes(element.children))
        }
    }
}

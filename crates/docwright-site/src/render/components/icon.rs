//! `<Icon>`: an icon in a sentence.

use maud::{Markup, html};

use super::{Component, safe_color};
use crate::render::{Element, PageRenderer};

pub(super) const ICON: Component = Component {
    names: &["Icon"],
    props: &["icon", "src", "name", "iconType", "color", "size"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let icon = page.icon(element);
    if icon.0.is_empty() {
        return icon;
    }
    let mut style = String::new();
    if let Some(size) = element.number("size").filter(|size| (1.0..=512.0).contains(size)) {
        style.push_str(&format!("--icon-size:{size}px;"));
    }
    if let Some(color) = element.text("color").as_deref().and_then(safe_color) {
        style.push_str(&format!("color:{color}"));
    }
    let class = element.text("className").unwrap_or_default();
    html! { span class={ "inline-icon " (class) } style=[(!style.is_empty()).then_some(style)] { (icon) } }
}

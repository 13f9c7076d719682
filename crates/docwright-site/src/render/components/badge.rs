//! `<Badge>`: a small label in a sentence.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer};

pub(super) const BADGE: Component = Component {
    names: &["Badge"],
    props: &[
        "color", "size", "shape", "icon", "iconType", "stroke", "disabled", "intent", "variant",
    ],
    render,
};

const COLORS: &[&str] = &[
    "gray",
    "blue",
    "green",
    "yellow",
    "orange",
    "red",
    "purple",
    "white",
    "surface",
    "white-destructive",
    "surface-destructive",
];

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let written = element.text("color").or_else(|| element.text("intent"));
    let color = match written.as_deref() {
        None => "gray",
        Some("info" | "primary") => "blue",
        Some("success") => "green",
        Some("warning") => "orange",
        Some("danger" | "error") => "red",
        Some(color) => COLORS.iter().copied().find(|known| *known == color).unwrap_or("gray"),
    };
    let size = element.text("size").filter(|size| matches!(size.as_str(), "xs" | "sm" | "lg"));
    let icon = page.icon(element);
    let extra = element.text("className").unwrap_or_default();
    html! {
        span class={ "badge " (extra) } data-badge data-color=(color) data-size=(size.as_deref().unwrap_or("md"))
            data-shape=[element.text("shape")] data-stroke[element.flag("stroke") == Some(true)]
            data-disabled[element.flag("disabled") == Some(true)] {
            (icon) (page.nodes(element.children))
        }
    }
}

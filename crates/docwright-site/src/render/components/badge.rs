//! `Badge`: a label within a line.

use maud::{Markup, html};

use super::props::prop;
use super::root::Root;
use super::{Component, children, props};
use crate::render::{Element, PageRenderer};

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

/// A pill of text; `intent` is an undocumented way to choose its color by meaning.
pub(super) const BADGE: Component = Component {
    names: &["Badge"],
    about: "A label in a line of text.",
    props: &[
        prop(
            "color",
            r#"="green""#,
            "`gray`, `blue`, `green`, `yellow`, `orange`, `red`, `purple`, `white`, `surface`, `white-destructive`, or `surface-destructive`",
        ),
        prop("size", r#"="lg""#, "`xs`, `sm`, `md`, or `lg`"),
        prop("shape", r#"="pill""#, "`rounded` or `pill`"),
        prop("stroke", "={true}", "Outline instead of a background"),
        prop("disabled", "={true}", "Dimmed"),
        prop("intent", r#"="success""#, "Color by meaning"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["variant"],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let color = props::choice(element, page, "color", COLORS).or_else(|| intent(element));
    let size = props::choice(element, page, "size", &["xs", "sm", "md", "lg"]);
    let shape = props::choice(element, page, "shape", &["rounded", "pill"]);
    let root = Root::new(element, page, "dw-badge");
    let icon = page.icon(element);
    html! {
        span class=(root.class) id=[root.id] style=[root.style] data-badge
            data-color=(color.unwrap_or("gray")) data-size=(size.unwrap_or("md"))
            data-shape=(shape.unwrap_or("rounded"))
            data-stroke[element.flag("stroke").unwrap_or(false)]
            data-disabled[element.flag("disabled").unwrap_or(false)] {
            (icon) (children::inline(element, page))
        }
    }
}

fn intent(element: &Element<'_>) -> Option<&'static str> {
    match element.text("intent")?.as_str() {
        "info" | "primary" | "note" => Some("blue"),
        "success" | "check" | "tip" => Some("green"),
        "warning" | "warn" | "caution" => Some("orange"),
        "danger" | "error" | "critical" => Some("red"),
        _ => None,
    }
}

//! `Icon`: an icon within a line.

use maud::{Markup, html};

use super::css_color::color_prop;
use super::props::prop;
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// Larger sizes, in pixels, are rejected as a typo.
const LARGEST_ICON: f64 = 1024.0;

/// Shows an icon by name, or a picture by `src`; `name` is an undocumented alias of `icon`.
pub(super) const ICON: Component = Component {
    names: &["Icon"],
    about: "An icon in a line.",
    props: &[
        prop("icon", r#"="star""#, "Name of the icon library, a path, or a URL; also `name`"),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
        prop("src", r#"="/picture.svg""#, "Path or URL of an image"),
        prop("name", r#"="star""#, "Same as `icon`"),
        prop("color", r##"="#7c3aed""##, "Color"),
        prop("size", "={32}", "Size in pixels"),
    ],
    ignored: &[],
    render,
};

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    if ["icon", "src", "name"].iter().all(|prop| element.value(prop).is_none()) {
        props::report_missing(element, page, "icon");
    }
    let color = color_prop(element, page, "color");
    let mut root = Root::new(element, page, "dw-inline-icon");
    if let Some(size) = size(element) {
        root.declare("--icon-size", &format!("{size}px"));
    }
    if let Some(color) = color {
        root.declare("color", &color);
    }
    let icon = page.icon(element);
    html! {
        @if !icon.0.is_empty() {
            span class=(root.class) id=[root.id] style=[root.style] { (icon) }
        }
    }
}

/// The size in pixels, even if written with its unit.
fn size(element: &Element<'_>) -> Option<f64> {
    let text = element.text("size")?;
    let size: f64 = text.trim().trim_end_matches("px").trim().parse().ok()?;
    (size > 0.0 && size <= LARGEST_ICON).then_some(size)
}

//! `<Note>` and its kin, and `<Callout>` with an icon and colour of its own.

use maud::{Markup, html};

use super::{Component, safe_color};
use crate::render::{Element, PageRenderer};

const PROPS: &[&str] = &["title", "icon", "iconType", "type"];

macro_rules! typed {
    ($constant:ident, $name:literal, $function:ident, $kind:literal, $label:literal, $glyph:literal) => {
        pub(super) const $constant: Component =
            Component { names: &[$name], props: PROPS, render: $function };

        fn $function(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
            callout(element, page, $kind, $label, $glyph)
        }
    };
}

typed!(NOTE, "Note", note, "note", "Note", "info");
typed!(WARNING, "Warning", warning, "warning", "Warning", "triangle-alert");
typed!(INFO, "Info", info, "info", "Info", "info");
typed!(TIP, "Tip", tip, "tip", "Tip", "lightbulb");
typed!(CHECK, "Check", check, "check", "Check", "circle-check");
typed!(DANGER, "Danger", danger, "danger", "Danger", "octagon-alert");

pub(super) const CALLOUT: Component = Component {
    names: &["Callout"],
    props: &["icon", "iconType", "color", "title", "type"],
    render: custom,
};

fn custom(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    match element.text("type").as_deref() {
        Some("warning") => warning(element, page),
        Some("tip") => tip(element, page),
        Some("check" | "success") => check(element, page),
        Some("danger" | "error") => danger(element, page),
        Some("note") => note(element, page),
        _ => callout(element, page, "callout", "Callout", ""),
    }
}

fn callout(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    kind: &str,
    label: &str,
    glyph: &str,
) -> Markup {
    let own = page.icon(element);
    let icon = if own.0.is_empty() && !glyph.is_empty() { page.glyph(glyph) } else { own };
    let color = element.text("color");
    let style = color.as_deref().and_then(safe_color).map(|color| format!("--callout:{color}"));
    let title = element.value("title").cloned().map(|title| page.value(&title));
    let body = page.nodes(element.children);
    html! {
        div.callout data-callout=(kind) role="note" aria-label=(label) style=[style] {
            @if !icon.0.is_empty() { span.callout-icon { (icon) } }
            div.callout-content {
                @if let Some(title) = title { p.callout-title { (title) } }
                (body)
            }
        }
    }
}

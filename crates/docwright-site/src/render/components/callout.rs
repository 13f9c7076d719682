//! `Note`, `Warning`, `Info`, `Tip`, `Check`, `Danger`, and `Callout` with a custom icon and color.

use maud::{Markup, html};

use super::css_color::color_prop;
use super::props::prop;
use super::root::Root;
use super::{Component, props};
use crate::render::{Element, PageRenderer};

/// A kind of callout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Preset {
    /// Its value of `data-callout-type`, and of the `type` of cards.
    pub(super) kind: &'static str,
    /// The label for screen readers.
    label: &'static str,
    /// The Lucide name of its icon.
    glyph: &'static str,
}

impl Preset {
    /// The icon of the kind.
    pub(super) fn icon(self, page: &PageRenderer<'_>) -> Markup {
        page.glyph(self.glyph)
    }
}

const PRESETS: [Preset; 6] = [
    Preset { kind: "note", label: "Note", glyph: "circle-alert" },
    Preset { kind: "warning", label: "Warning", glyph: "triangle-alert" },
    Preset { kind: "info", label: "Info", glyph: "info" },
    Preset { kind: "tip", label: "Tip", glyph: "lightbulb" },
    Preset { kind: "check", label: "Check", glyph: "circle-check" },
    Preset { kind: "danger", label: "Danger", glyph: "octagon-alert" },
];

/// The names of the kinds.
const KINDS: &[&str] = &["note", "warning", "info", "tip", "check", "danger"];

/// The typed callouts; `title` and `icon` are undocumented but common.
pub(super) const TYPED: Component = Component {
    names: &["Note", "Warning", "Info", "Tip", "Check", "Danger"],
    about: "A callout with a fixed icon and color.",
    props: &[
        prop("title", r#"="Mind""#, "Title"),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &["type"],
    render: render_typed,
};

/// A callout with a custom icon and color.
pub(super) const CALLOUT: Component = Component {
    names: &["Callout"],
    about: "A callout with your own icon and color.",
    props: &[
        prop("title", r#"="Mind""#, "Title"),
        prop("color", r##"="#7c3aed""##, "Color"),
        prop(
            "type",
            r#"="info""#,
            "Kind of callout: `info`, `warning`, `note`, `tip`, `check`, or `danger`",
        ),
        prop(
            "icon",
            r#"="star""#,
            "Icon: a name of the icon library, a path, a URL, or inline SVG",
        ),
        prop("iconType", r#"="regular""#, "Style of a Font Awesome icon"),
    ],
    ignored: &[],
    render: render_custom,
};

/// The kind in a prop.
pub(super) fn preset_prop(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    prop: &str,
) -> Option<Preset> {
    let kind = props::choice(element, page, prop, KINDS)?;
    PRESETS.into_iter().find(|preset| preset.kind == kind)
}

fn render_typed(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let preset = PRESETS.into_iter().find(|preset| preset.label == element.name);
    let root = Root::new(element, page, "callout dw-callout");
    render(element, page, preset, root)
}

fn render_custom(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let preset = preset_prop(element, page, "type");
    let color = color_prop(element, page, "color");
    let mut root = Root::new(element, page, "callout dw-callout");
    if let Some(color) = color {
        root.declare("--callout", &color);
    }
    render(element, page, preset, root)
}

fn render(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    preset: Option<Preset>,
    root: Root,
) -> Markup {
    let title = props::label(element, page, "title");
    let own_icon = page.icon(element);
    let icon = match preset {
        Some(preset) if own_icon.0.is_empty() => preset.icon(page),
        _ => own_icon,
    };
    html! {
        div class=(root.class) id=[root.id] style=[root.style]
            data-callout-type=(preset.map_or("callout", |preset| preset.kind))
            role="note" aria-label=(preset.map_or("Callout", |preset| preset.label)) {
            @if !icon.0.is_empty() { span.dw-callout-icon data-component-part="callout-icon" { (icon) } }
            div.dw-callout-content.dw-prose data-component-part="callout-content" {
                @if let Some(title) = title { p.dw-callout-title { (title.html) } }
                (page.nodes(element.children))
            }
        }
    }
}

//! The colors of diagrams: what the renderer is given, and what each color is in dark mode.
//!
//! The renderer draws for light mode. The colors it was given become variables that the theme can
//! set; any other (an author's own, or one the renderer made up) gets a counterpart of the same
//! hue whose lightness is mirrored, so that text stays as readable on its shape as it was.

use std::fmt::Write;

use csscolorparser::Color;
use serde_json::{Map, Value, json};

/// A color of the renderer's theme: name of its variable, value in light and in dark mode. The
/// light values differ from each other, since the renderer's output is recognized by them.
const PARTS: &[(&str, &str, &str)] = &[
    ("text", "#1f2328", "#e6edf3"),
    ("node", "#f6f8fb", "#1b222c"),
    ("node-border", "#8c96a3", "#6b7685"),
    ("line", "#59636e", "#9aa4b0"),
    ("cluster", "#eef1f5", "#161c24"),
    ("cluster-border", "#c4ccd6", "#3d4753"),
    ("label", BACKGROUND, "#10151b"),
    ("note", "#fff8e1", "#332b14"),
    ("note-border", "#d9b55b", "#8a733a"),
    ("activation", "#e1e6ed", "#2c3642"),
];

/// What the renderer paints behind labels: the value of `label`.
const BACKGROUND: &str = "#fdfdfe";

/// Colors of things that only have to differ: branches, slices. Of middling lightness, so that
/// they stand out in both modes.
const SERIES: [&str; 12] = [
    "#4c7fd9", "#3f9c6b", "#c9812f", "#a666c4", "#cc5f6a", "#3a9aa6", "#8a8f3a", "#c26a9b",
    "#6f7fc9", "#5f9a4a", "#b5743f", "#7f8a96",
];

/// The face whose widths are compiled in.
const FONT: &str = "Inter";

/// The renderer's configuration: colors for light mode, and what mermaid.js 11 draws by default
/// where the renderer follows a later version. What authors write in a diagram goes before it.
pub(super) fn config() -> Value {
    let classic = json!({ "theme": "base", "look": "classic", "layout": "dagre" });
    let wrapping = json!({
        "theme": "base", "look": "classic", "layout": "dagre", "wrappingWidth": 200, "minNodeWidth": 0,
    });
    json!({
        "theme": "base", "look": "classic", "fontFamily": FONT,
        "themeVariables": variables(),
        "flowchart": wrapping, "state": wrapping,
        "class": classic, "er": classic, "requirement": classic, "sequence": classic,
        "swimlane": classic, "venn": classic,
    })
}

/// The variables of the renderer's theme that have the color of each part.
const ROLES: &[(&str, &[&str])] = &[
    (
        "text",
        &[
            "primaryTextColor",
            "secondaryTextColor",
            "tertiaryTextColor",
            "textColor",
            "titleColor",
            "nodeTextColor",
            "actorTextColor",
            "signalTextColor",
            "labelTextColor",
            "loopTextColor",
            "noteTextColor",
            "classText",
            "pieTitleTextColor",
            "pieLegendTextColor",
            "commitLabelColor",
            "tagLabelColor",
            "relationLabelColor",
            "labelColor",
        ],
    ),
    ("node", &["primaryColor", "mainBkg", "actorBkg", "labelBoxBkgColor", "tagLabelBackground"]),
    (
        "node-border",
        &[
            "primaryBorderColor",
            "nodeBorder",
            "actorBorder",
            "labelBoxBorderColor",
            "tagLabelBorder",
            "activationBorderColor",
        ],
    ),
    (
        "line",
        &[
            "lineColor",
            "defaultLinkColor",
            "arrowheadColor",
            "signalColor",
            "actorLineColor",
            "transitionColor",
            "relationColor",
        ],
    ),
    ("cluster", &["clusterBkg", "secondaryColor", "tertiaryColor"]),
    (
        "cluster-border",
        &["clusterBorder", "secondaryBorderColor", "tertiaryBorderColor", "pieOuterStrokeColor"],
    ),
    (
        "label",
        &[
            "background",
            "edgeLabelBackground",
            "labelBackgroundColor",
            "commitLabelBackground",
            "pieStrokeColor",
            "attributeBackgroundColorOdd",
            "rowOdd",
        ],
    ),
    ("note", &["noteBkgColor"]),
    ("note-border", &["noteBorderColor"]),
    ("activation", &["activationBkgColor", "attributeBackgroundColorEven", "rowEven"]),
];

/// The variables of the renderer's theme.
fn variables() -> Value {
    let light = |name: &str| {
        PARTS.iter().find(|(part, ..)| *part == name).map_or("#000000", |(_, light, _)| *light)
    };
    let mut variables = Map::new();
    variables.insert("fontFamily".to_owned(), FONT.into());
    for (part, names) in ROLES {
        variables.extend(names.iter().map(|name| ((*name).to_owned(), light(part).into())));
    }
    for (index, color) in SERIES.iter().enumerate() {
        variables.insert(format!("pie{}", index + 1), (*color).into());
        if index < 8 {
            variables.insert(format!("git{index}"), (*color).into());
            variables.insert(format!("gitBranchLabel{index}"), light("text").into());
        }
    }
    Value::Object(variables)
}

/// The variables with their values in both modes.
pub(super) fn stylesheet() -> String {
    let mut light = String::new();
    let mut both = String::new();
    for (name, value, dark) in PARTS {
        // Writing to a string can't fail.
        let _ = write!(light, "--diagram-{name}:{value};");
        let _ = write!(both, "--diagram-{name}:light-dark({value},{dark});");
    }
    format!(":root{{{light}}}\n@supports (color:light-dark(red,red)){{:root{{{both}}}}}\n")
}

/// A color of the renderer's output as it stands in the page; `None` if it is no color, such as
/// `none` or `url(#…)`.
pub(super) fn adapt(color: &str) -> Option<String> {
    let parsed = csscolorparser::parse(color.trim()).ok()?;
    if parsed.a == 0.0 {
        return None;
    }
    // What shines through behind a label would make it hard to read.
    let opaque = Color { a: 1.0, ..parsed }.to_css_hex().to_string();
    if let Some((name, ..)) = PARTS.iter().find(|(_, light, _)| *light == opaque) {
        return Some(format!("var(--diagram-{name})"));
    }
    let dark = mirrored(&parsed);
    Some(format!("light-dark({},{})", parsed.to_css_hex(), dark.to_css_hex()))
}

/// The color of text in light and in dark mode.
pub(super) fn text() -> [Color; 2] {
    let part = PARTS.iter().find(|(name, ..)| *name == "text");
    part.map_or(["#000", "#fff"], |(_, light, dark)| [*light, *dark])
        .map(|color| csscolorparser::parse(color).unwrap_or_default())
}

/// The color of the same hue at the other end of the scale: white becomes the dark of a page,
/// black its text.
pub(super) fn mirrored(color: &Color) -> Color {
    let [lightness, a, b, alpha] = color.to_oklaba();
    Color::from_oklaba(0.95 - 0.78 * lightness, a * 0.9, b * 0.9, alpha).clamp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_values_differ() {
        for (index, (name, light, _)) in PARTS.iter().enumerate() {
            assert!(PARTS[index + 1..].iter().all(|(_, other, _)| other != light), "{name}");
            assert_eq!(adapt(light), Some(format!("var(--diagram-{name})")));
        }
    }

    #[test]
    fn other_colors_get_a_dark_counterpart() {
        assert_eq!(adapt("#fff").as_deref(), Some("light-dark(#ffffff,#0f0f0f)"));
        assert!(adapt("lightblue").is_some_and(|color| color.starts_with("light-dark(#add8e6,")));
        assert!(adapt("hsl(240, 60%, 86.27%)").is_some());
        assert_eq!(adapt("none"), None);
        assert_eq!(adapt("transparent"), None);
        assert_eq!(adapt("url(#a)"), None);
    }
}

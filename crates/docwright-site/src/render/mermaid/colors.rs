//! The colors of diagrams: what the renderer is given, and what each color is in dark mode.
//!
//! The renderer draws for light mode. The colors it was given become variables that the theme can
//! set; any other (an author's own, or one the renderer made up) gets a counterpart of the same
//! hue whose lightness is mirrored, so that text stays as readable on its shape as it was.

use std::fmt::Write;

use csscolorparser::Color;
use mermaid_rs_renderer::Theme;

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

/// What the renderer paints behind everything, and behind labels: the value of `label`.
pub(super) const BACKGROUND: &str = "#fdfdfe";

/// Colors of things that only have to differ: branches, slices. Of middling lightness, so that
/// they stand out in both modes.
const SERIES: [&str; 12] = [
    "#4c7fd9", "#3f9c6b", "#c9812f", "#a666c4", "#cc5f6a", "#3a9aa6", "#8a8f3a", "#c26a9b",
    "#6f7fc9", "#5f9a4a", "#b5743f", "#7f8a96",
];

/// A font no machine has: the renderer then falls back to its own table of widths, instead of the
/// fonts that happen to be installed. The page's font is what readers see.
pub(super) const NO_FONT: &str = "docwright-diagram";

/// The theme that the renderer draws with.
pub(super) fn theme() -> Theme {
    let light = |name: &str| {
        let part = PARTS.iter().find(|(part, ..)| *part == name);
        part.map_or_else(|| "#000000".to_owned(), |(_, light, _)| (*light).to_owned())
    };
    Theme {
        font_family: NO_FONT.to_owned(),
        primary_color: light("node"),
        primary_text_color: light("text"),
        primary_border_color: light("node-border"),
        line_color: light("line"),
        edge_label_background: light("label"),
        cluster_background: light("cluster"),
        cluster_border: light("cluster-border"),
        background: light("label"),
        sequence_actor_fill: light("node"),
        sequence_actor_border: light("node-border"),
        sequence_actor_line: light("line"),
        sequence_note_fill: light("note"),
        sequence_note_border: light("note-border"),
        sequence_activation_fill: light("activation"),
        sequence_activation_border: light("node-border"),
        text_color: light("text"),
        pie_title_text_color: light("text"),
        pie_section_text_color: light("text"),
        pie_legend_text_color: light("text"),
        git_colors: series(),
        git_inv_colors: series(),
        git_branch_label_colors: std::array::from_fn(|_| light("text")),
        git_commit_label_color: light("text"),
        git_commit_label_background: light("label"),
        git_tag_label_color: light("text"),
        git_tag_label_background: light("node"),
        git_tag_label_border: light("node-border"),
        pie_colors: series(),
        pie_stroke_color: light("label"),
        pie_outer_stroke_color: light("cluster-border"),
        ..Theme::modern()
    }
}

/// The first colors of the series.
fn series<const LENGTH: usize>() -> [String; LENGTH] {
    std::array::from_fn(|index| SERIES[index % SERIES.len()].to_owned())
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
    let color = color.trim();
    if let Some((name, ..)) = PARTS.iter().find(|(_, light, _)| *light == color) {
        return Some(format!("var(--diagram-{name})"));
    }
    let parsed = csscolorparser::parse(color).ok()?;
    if parsed.a == 0.0 {
        return None;
    }
    let dark = mirrored(&parsed);
    Some(format!("light-dark({},{})", parsed.to_css_hex(), dark.to_css_hex()))
}

/// The color of the same hue at the other end of the scale: white becomes the dark of a page,
/// black its text.
fn mirrored(color: &Color) -> Color {
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

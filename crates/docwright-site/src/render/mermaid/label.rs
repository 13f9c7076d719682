//! Colors of labels on fills that authors chose.
//!
//! An author chooses a fill for light mode, and often leaves the text as it is. In dark mode the fill has another
//! lightness, so there the text is chosen anew: by its contrast with the fill.

use csscolorparser::Color;

use super::colors;

/// WCAG 2.2 asks this of text (success criterion 1.4.3).
const TEXT: f32 = 4.5;

/// A fill in both modes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fill {
    light: Color,
    dark: Color,
}

impl Fill {
    /// The fill that a style declares, if it is a color that hides what is behind it.
    pub(super) fn in_style(style: &str) -> Option<Self> {
        let light = csscolorparser::parse(declared(style, "fill")?).ok()?;
        let dark = colors::mirrored(&light);
        (light.a > 0.5).then_some(Self { light, dark })
    }

    /// The color of text on it: the written one, or that of other text. Where it can't be read, it becomes dark or
    /// light. What the author wrote stays in light mode, for which it was written.
    pub(super) fn label(&self, written: Option<&Color>) -> String {
        let [ink, paper] = colors::text();
        let light = written.unwrap_or(&ink);
        let dark = written.map_or_else(|| paper, colors::mirrored);
        let in_light = if written.is_some() { *light } else { readable(light, &self.light) };
        let in_dark = readable(&dark, &self.dark);
        format!("light-dark({},{})", in_light.to_css_hex(), in_dark.to_css_hex())
    }
}

/// The value of a property in a style, without `!important`.
pub(super) fn declared<'s>(style: &'s str, property: &str) -> Option<&'s str> {
    let mut declarations = style.split(';').filter_map(|each| each.split_once(':'));
    let (_, value) = declarations.find(|(name, _)| name.trim() == property)?;
    Some(value.trim().trim_end_matches("!important").trim_end())
}

/// The color if it can be read on a fill; otherwise black or white, of which one always can.
fn readable(color: &Color, fill: &Color) -> Color {
    if contrast(color, fill) >= TEXT {
        return *color;
    }
    let ends = [Color::from_rgba8(0, 0, 0, 255), Color::from_rgba8(255, 255, 255, 255)];
    let [dark, light] = ends;
    if contrast(&dark, fill) > contrast(&light, fill) { dark } else { light }
}

fn contrast(one: &Color, other: &Color) -> f32 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Relative luminance, as WCAG defines it.
fn luminance(color: &Color) -> f32 {
    let [red, green, blue, _] = color.to_linear_rgba();
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_can_be_read_on_every_fill_in_both_modes() {
        for fill in
            ["#f96", "#0d9373", "#777", "#fff", "#000", "gold", "#4a5568", "#ff571a", "#e1f5fe"]
        {
            let found = Fill::in_style(&format!("fill:{fill} !important;stroke:#000"));
            let found = found.expect("it is a color");
            let label = found.label(None);
            let (light, dark) =
                label.trim_start_matches("light-dark(").split_once(',').expect("two");
            for (text, fill) in [(light, &found.light), (dark.trim_end_matches(')'), &found.dark)] {
                let text = csscolorparser::parse(text).expect("it is a color");
                assert!(contrast(&text, fill) >= TEXT, "{label} on {fill}");
            }
        }
    }

    #[test]
    fn written_color_stays_in_light_mode() {
        let fill = Fill::in_style("fill:#0d9373").expect("it is a color");
        let white = Color::from_rgba8(255, 255, 255, 255);
        assert_eq!(fill.label(Some(&white)), "light-dark(#ffffff,#ffffff)");
    }

    #[test]
    fn fill_that_hides_nothing_is_none() {
        for style in ["", "stroke:#000", "fill:none", "fill:#ffffff22", "fill:url(#a)"] {
            assert_eq!(Fill::in_style(style), None, "{style}");
        }
    }
}

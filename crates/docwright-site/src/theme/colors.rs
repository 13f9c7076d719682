//! The author's colors, adjusted where text in them could not be read.

use crate::{
    Diagnostic, Rule,
    content::config::{Colors, Config, DEFAULT_PRIMARY, Pair, is_hex},
};

/// WCAG 2.2 asks this of text (success criterion 1.4.3).
const TEXT: f64 = 4.5;
/// WCAG 2.2 asks 4.5 of text (success criterion 1.4.3); some of it stands on a tint of its color.
const CONTRAST: f64 = 5.4;
/// WCAG 2.2 asks 3 of what shows a state (success criterion 1.4.11).
const DECORATION: f64 = 3.0;
/// Colors of less contrast look the same.
const SAME: f64 = 1.1;
/// So much sets a button apart from the page, and leaves white text on it readable.
const APART: f64 = 1.5;
const WHITE: [f64; 3] = [255.0, 255.0, 255.0];
/// Page background in dark mode, as in `tokens.css`.
const DARK: [f64; 3] = [12.0, 13.0, 16.0];
/// Text in light and in dark mode, as in `tokens.css`.
const INK: [[f64; 3]; 2] = [[27.0, 31.0, 36.0], [230.0, 232.0, 235.0]];
/// Channels of a gray differ by less.
const GRAY: f64 = 16.0;

/// Colors for emphasis, as CSS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Palette {
    /// Decoration in light mode.
    pub(super) light: String,
    /// Text and links in light mode.
    pub(super) light_text: String,
    /// Decoration in dark mode.
    pub(super) dark: String,
    /// Text and links in dark mode.
    pub(super) dark_text: String,
    /// Buttons in light mode.
    pub(super) button: String,
    /// Buttons in dark mode.
    pub(super) button_dark: String,
    /// Text on buttons.
    pub(super) on_button: String,
}

impl Palette {
    /// The palette of a configuration, to be read on its page backgrounds.
    pub(super) fn new(colors: &Colors, backgrounds: &Pair) -> Self {
        let (on_light, on_dark) = page_colors(backgrounds);
        let (primary, light, dark) =
            (parse(&colors.primary), parse(&colors.light), parse(&colors.dark));
        // `light` is for dark mode and `primary` for light mode; `dark` is for buttons.
        // Light buttons get dark text; others are darkened until white can be read on them.
        let (button, on_button) = if luminance(dark) > 0.35 {
            (dark, "#111")
        } else {
            (readable(dark, WHITE, CONTRAST), "#fff")
        };
        Self {
            light: css(emphasis(primary, on_light, DECORATION)),
            light_text: css(emphasis(primary, on_light, CONTRAST)),
            dark: css(emphasis(light, on_dark, DECORATION)),
            dark_text: css(emphasis(light, on_dark, CONTRAST)),
            button: css(set_apart(button, on_light)),
            button_dark: css(set_apart(button, on_dark)),
            on_button: on_button.to_owned(),
        }
    }
}

/// The page backgrounds in light and dark mode.
fn page_colors(backgrounds: &Pair) -> ([f64; 3], [f64; 3]) {
    let color = |given: &Option<String>, usual| match given {
        Some(color) if is_hex(color) => parse(color),
        _ => usual,
    };
    (color(&backgrounds.light, WHITE), color(&backgrounds.dark, DARK))
}

/// Colors of the author's that can't be read as text on the page, with the ones that readers see instead.
pub fn unreadable_colors(config: &Config) -> Vec<Diagnostic> {
    let colors = &config.colors;
    let (on_light, on_dark) = page_colors(&config.background.color);
    // Where the author chose none for dark mode, docwright chooses.
    let light = (colors.light != colors.primary).then_some(&colors.light);
    [("primary", Some(&colors.primary), on_light, "light"), ("light", light, on_dark, "dark")]
    .into_iter()
    .filter_map(|(key, color, background, mode)| {
        let color = color.filter(|color| *color != DEFAULT_PRIMARY)?;
        let ratio = contrast(parse(color), background);
        let shown = css(emphasis(parse(color), background, CONTRAST));
        let message = format!(
            "`colors.{key}` `{color}` can't be read as text in {mode} mode: its contrast is {ratio:.1}:1"
        );
        let help = format!("choose a color with a contrast of 4.5:1; text has `{shown}` until then");
        let diagnostic = || Diagnostic::new(Rule::UnreadableColor, &config.path, message).help(help);
        (ratio < TEXT).then(diagnostic)
    })
    .collect()
}

/// The color of text on a color of the author's: white where that can be read.
pub(super) fn text_on(color: &str) -> &'static str {
    if contrast(parse(color), WHITE) >= TEXT { "#fff" } else { "#111" }
}

/// The color of a button. One of the very color of the page would look like bare text.
fn set_apart(color: [f64; 3], background: [f64; 3]) -> [f64; 3] {
    if contrast(color, background) < SAME { readable(color, background, APART) } else { color }
}

/// A color for emphasis that can be read on a background. A gray in the middle would look like
/// less than the text around it, so a gray that can't be read becomes the color of text.
fn emphasis(color: [f64; 3], background: [f64; 3], least: f64) -> [f64; 3] {
    let channels = color.iter().copied();
    let spread = channels.clone().fold(0.0, f64::max) - channels.fold(255.0, f64::min);
    if spread < GRAY && contrast(color, background) < least {
        return INK[usize::from(luminance(background) <= 0.4)];
    }
    readable(color, background, least)
}

/// The color, moved towards black or white until it stands out from a background.
fn readable(color: [f64; 3], background: [f64; 3], least: f64) -> [f64; 3] {
    let target = if luminance(background) > 0.4 { [0.0; 3] } else { WHITE };
    let mut mixed = color;
    for step in 0..=20 {
        let share = f64::from(step) / 20.0;
        mixed = [0, 1, 2].map(|index: usize| color[index] + (target[index] - color[index]) * share);
        if contrast(mixed, background) >= least {
            break;
        }
    }
    mixed
}

fn parse(hex: &str) -> [f64; 3] {
    let digits: Vec<_> =
        hex.trim_start_matches('#').chars().filter_map(|digit| digit.to_digit(16)).collect();
    let pair = |index: usize| match digits.len() {
        3 | 4 => digits.get(index).map_or(0, |digit| digit * 17),
        _ => {
            digits.get(index * 2).copied().unwrap_or(0) * 16
                + digits.get(index * 2 + 1).copied().unwrap_or(0)
        }
    };
    [0, 1, 2].map(|index| f64::from(pair(index)))
}

/// The channels of a color as the format's custom properties have them: `22 163 74`.
pub(super) fn channels(hex: &str) -> String {
    parse(hex).map(|channel| channel.to_string()).join(" ")
}

fn css(color: [f64; 3]) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 255"
    )]
    let [red, green, blue] = color.map(|channel| channel.round().clamp(0.0, 255.0) as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Relative luminance, as WCAG defines it.
fn luminance(color: [f64; 3]) -> f64 {
    let linear = color.map(|channel| {
        let share = channel / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_palette_can_be_read() {
        for primary in ["#ffffff", "#000000", "#0d0d0d", "#0D9373", "#faff69", "#f00", "#15803d"] {
            let colors =
                Colors { primary: primary.into(), light: primary.into(), dark: primary.into() };
            let palette = Palette::new(&colors, &Pair::default());
            assert!(contrast(parse(&palette.light_text), WHITE) >= 4.5, "{primary}");
            assert!(contrast(parse(&palette.dark_text), DARK) >= 4.5, "{primary}");
            for (button, page) in [(&palette.button, WHITE), (&palette.button_dark, DARK)] {
                assert!(contrast(parse(&palette.on_button), parse(button)) >= 4.5, "{primary}");
                let apart = contrast(parse(button), page);
                assert!(apart >= SAME || primary == "#faff69", "{primary}: {apart}");
            }
        }
    }

    #[test]
    fn gray_of_one_mode_is_text_in_the_other() {
        let colors =
            Colors { primary: "#131415".into(), light: "#131415".into(), dark: "#131415".into() };
        let palette = Palette::new(&colors, &Pair::default());
        assert_eq!([palette.light_text, palette.dark_text], ["#131415", "#e6e8eb"]);
    }

    #[test]
    fn unreadable_colors_are_reported_for_their_mode() {
        let found = |primary: &str, light: &str| {
            let colors =
                Colors { primary: primary.into(), light: light.into(), dark: "#000".into() };
            let config = Config { colors, ..Config::default() };
            unreadable_colors(&config).into_iter().map(|found| found.message).collect::<Vec<_>>()
        };
        assert_eq!(found("#15803d", "#4ade80"), Vec::<String>::new());
        assert_eq!(
            found("#faff69", "#faff69"),
            [
                "`colors.primary` `#faff69` can't be read as text in light mode: its contrast is 1.1:1"
            ]
        );
        assert_eq!(
            found("#111827", "#222222"),
            ["`colors.light` `#222222` can't be read as text in dark mode: its contrast is 1.2:1"]
        );
    }
}

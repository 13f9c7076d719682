//! Contrast of two colors by the Web Content Accessibility Guidelines 2.2.

use syntaxmate::RgbColor;

/// Normal text needs 4.5 at level AA (success criterion 1.4.3). The rest is for the tint of marked lines.
const NEEDED: f64 = 5.0;

/// The color if it is readable on `background`. Otherwise, the nearest readable mixture with black or white,
/// whichever has more contrast with the background.
pub(super) fn readable(color: RgbColor, background: RgbColor) -> RgbColor {
    let end = if luminance(background) > 0.18 { 0 } else { 255 };
    (0..=20_u16)
        .map(|step| mix(color, end, step))
        .find(|mixed| ratio(*mixed, background) >= NEEDED)
        .unwrap_or(RgbColor { red: end, green: end, blue: end })
}

/// Contrast ratio of two colors, 1 to 21.
pub(super) fn ratio(left: RgbColor, right: RgbColor) -> f64 {
    let (left, right) = (luminance(left), luminance(right));
    (left.max(right) + 0.05) / (left.min(right) + 0.05)
}

/// Relative luminance, 0 (black) to 1 (white).
fn luminance(color: RgbColor) -> f64 {
    let [red, green, blue] = [color.red, color.green, color.blue].map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// A mixture of a color and the gray `end`, in `step` twentieths.
fn mix(color: RgbColor, end: u8, step: u16) -> RgbColor {
    let channel = |from: u8| {
        let mixed = (u16::from(from) * (20 - step) + u16::from(end) * step) / 20;
        u8::try_from(mixed).unwrap_or(end)
    };
    RgbColor { red: channel(color.red), green: channel(color.green), blue: channel(color.blue) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: RgbColor = RgbColor { red: 255, green: 255, blue: 255 };
    const BLACK: RgbColor = RgbColor { red: 0, green: 0, blue: 0 };

    #[test]
    fn ratio_agrees_with_the_guidelines() {
        assert!((ratio(WHITE, BLACK) - 21.0).abs() < 1e-9);
        // The lightest gray that passes on white.
        let gray = RgbColor { red: 0x76, green: 0x76, blue: 0x76 };
        assert!((ratio(gray, WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn only_unreadable_colors_move() {
        let red = RgbColor { red: 0xcf, green: 0x22, blue: 0x2e };
        assert_eq!(readable(red, WHITE), red);
        assert_ne!(readable(WHITE, WHITE), WHITE);
        assert_ne!(readable(BLACK, BLACK), BLACK);
    }
}

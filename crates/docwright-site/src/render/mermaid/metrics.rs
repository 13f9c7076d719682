//! Widths of text in diagrams, compiled in, so that a picture is the same on every machine.
//!
//! They are those of Inter, the face of the theme. Faces that stand in for it are about as wide or
//! narrower.

use merman::svg::TextStyle;
use unicode_normalization::UnicodeNormalization;

/// Advance widths of Inter 4, weight 400, from the space to the tilde, in thousandths of an em.
const ASCII: [u16; 95] = [
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610,
    618, 646, 593, 620, 566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601,
    590, 746, 743, 269, 571, 672, 565, 903, 753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682,
    679, 629, 365, 360, 365, 471, 456, 323, 562, 612, 571, 612, 583, 370, 613, 591, 242, 242, 549,
    242, 876, 591, 600, 612, 612, 376, 528, 327, 591, 562, 818, 546, 562, 552, 426, 333, 426, 662,
];

/// What bold text is wider by.
const BOLD: f64 = 1.06;

/// The width of a line of text in pixels.
pub(super) fn width(text: &str, style: &TextStyle) -> f64 {
    let thousandths: f64 = text.chars().map(|letter| f64::from(advance(letter))).sum();
    let is_bold = style.font_weight.as_deref().is_some_and(|weight| {
        weight.starts_with("bold") || weight.parse::<u16>().is_ok_and(|weight| weight >= 600)
    });
    thousandths / 1000.0 * style.font_size * if is_bold { BOLD } else { 1.0 }
}

/// Width of a character, in thousandths of an em.
fn advance(letter: char) -> u16 {
    match letter {
        ' '..='~' => ASCII[letter as usize - ' ' as usize],
        '\u{a0}' => ASCII[0],
        // Marks, joiners and variants have no width of their own.
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{300}'..='\u{36f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{fe00}'..='\u{fe0f}' => 0,
        // Ideographs, syllables, full-width forms, and emoji are as wide as they are high.
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f000}'..='\u{3ffff}' => 1000,
        '\u{2018}' | '\u{2019}' | '\u{b7}' => 300,
        '\u{2014}' | '\u{2026}' | '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' => 950,
        // A letter with accents is as wide as without.
        _ => match std::iter::once(letter).nfd().next() {
            Some(base) if base != letter => advance(base),
            _ => 640,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_depends_on_letters_size_and_weight() {
        let style = |weight: Option<&str>| TextStyle {
            font_size: 16.0,
            font_weight: weight.map(str::to_owned),
            ..TextStyle::default()
        };
        let plain = style(None);
        assert!(width("iiii", &plain) < width("mmmm", &plain) / 3.0);
        assert!((width("é", &plain) - width("e", &plain)).abs() < 0.001);
        assert!((width("中文", &plain) - 32.0).abs() < 0.001);
        assert!((width("한", &plain) - 16.0).abs() < 0.001);
        assert!(width("a", &style(Some("700"))) > width("a", &plain));
        assert!((width("a", &style(Some("400"))) - width("a", &plain)).abs() < 0.001);
    }
}

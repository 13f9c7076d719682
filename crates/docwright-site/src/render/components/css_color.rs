//! Colors that authors give, checked before they go into a `style` attribute.

use crate::Rule;
use crate::render::{Element, PageRenderer};

/// Longer texts aren't colors.
const LONGEST_COLOR: usize = 100;

/// The color in a prop. An invalid color gives a diagnostic and is ignored.
pub(super) fn color_prop(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    prop: &str,
) -> Option<String> {
    let written = element.text(prop).filter(|color| !color.trim().is_empty())?;
    let color = css_color(&written);
    if color.is_none() {
        report(&written, element, page);
    }
    color
}

/// Reports a text that should be a color.
pub(super) fn report(written: &str, element: &Element<'_>, page: &mut PageRenderer<'_>) {
    let message = format!("`{written}` isn't a CSS color");
    let help = "use a color such as `#3b82f6`, `rgb(59 130 246)` or `royalblue`";
    page.warn(element, Rule::InvalidColor, message, help);
}

/// A text as a CSS color: any notation of CSS Color 4 except `color()`, or a custom property. Texts that end
/// the declaration or load a file are rejected.
pub(super) fn css_color(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "#%(),./+-_ ".contains(character);
    if text.len() > LONGEST_COLOR || !text.chars().all(is_plain) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    if is_variable(text) || matches!(lower.as_str(), "currentcolor" | "transparent" | "inherit") {
        return Some(text.to_owned());
    }
    csscolorparser::parse(text).ok()?;
    // The parser takes `3b82f6` for a color; browsers do not.
    let is_bare_hex = lower.bytes().all(|byte| byte.is_ascii_hexdigit())
        && csscolorparser::parse(&format!("#{text}")).is_ok();
    Some(if is_bare_hex { format!("#{text}") } else { text.to_owned() })
}

/// `var(--name)`, without a fallback.
fn is_variable(text: &str) -> bool {
    let name = text.strip_prefix("var(--").and_then(|rest| rest.strip_suffix(')'));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::css_color;

    #[test]
    fn colors_in_the_notations_of_css_are_kept() {
        for color in [
            "#fff",
            "#3B82F6",
            "#3b82f680",
            "rgb(51, 255, 87)",
            "rgb(59 130 246)",
            "rgba(51, 87, 255, 0.7)",
            "hsl(180, 70%, 55%)",
            "oklch(70% 0.2 145)",
            "tomato",
            "currentColor",
            "transparent",
            "var(--brand-500)",
        ] {
            assert_eq!(css_color(color).as_deref(), Some(color));
        }
        assert_eq!(css_color(" 3b82f6 ").as_deref(), Some("#3b82f6"));
    }

    #[test]
    fn other_text_is_refused_as_a_color() {
        for text in [
            "",
            "red;background:url(//a)",
            "url(x)",
            "red\"",
            "red}",
            "expression(alert(1))",
            "var(--a,url(x))",
            "var(--)",
            "#ggg",
            "primary",
            "linear-gradient(red, blue)",
            "\\72 ed",
            "/*red*/",
            "red/**/",
        ] {
            assert_eq!(css_color(text), None, "{text}");
        }
        assert_eq!(css_color(&"(".repeat(1_000_000)), None);
        assert_eq!(css_color(&"rgb(".repeat(25)), None);
    }
}

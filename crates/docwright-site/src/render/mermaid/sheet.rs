//! Styles of a diagram: its own style sheet, reduced to what the picture needs, and declarations.

use std::fmt::Write;

use super::clean::{ID, Seen};
use super::{colors, label::Fill};

/// Style properties that hold a color.
const COLORS: &[&str] =
    &["fill", "stroke", "stop-color", "color", "flood-color", "background-color", "background"];

/// Other style properties that pass. The font is that of the theme.
#[rustfmt::skip]
const PROPERTIES: &[&str] = &[
    "alignment-baseline", "animation", "border-bottom", "border-radius", "cursor", "display",
    "dominant-baseline", "fill-opacity", "font-size", "font-style", "font-weight", "height",
    "letter-spacing", "line-height", "margin", "max-width", "mix-blend-mode", "opacity",
    "overflow", "padding", "paint-order", "rx", "ry", "stroke-dasharray", "stroke-dashoffset",
    "stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-width", "text-align",
    "text-anchor", "text-decoration", "transform", "vertical-align", "visibility",
    "white-space", "width", "word-break", "word-wrap",
];

/// The rules of a style sheet that select something in the picture, below its id.
pub(super) fn sheet(css: &str, seen: &Seen<'_>) -> String {
    let mut kept = String::new();
    let mut rest = css;
    while let Some((selectors, after)) = rest.split_once('{') {
        let selectors = selectors.trim();
        if selectors.starts_with('@') {
            rest = after_block(after);
            continue;
        }
        let Some((declared, after)) = after.split_once('}') else { break };
        rest = after;
        let selectors: Vec<_> =
            selectors.split(',').map(str::trim).filter_map(|it| selector(it, seen)).collect();
        let declared = declarations(declared, None);
        if !selectors.is_empty() && !declared.is_empty() {
            let _ = write!(kept, "{}{{{}}}", selectors.join(","), declared.trim_end_matches(';'));
        }
    }
    kept
}

/// What follows a block whose opening brace was read.
fn after_block(css: &str) -> &str {
    let mut depth = 1;
    for (index, byte) in css.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &css[index + 1..];
        }
    }
    ""
}

/// A selector below the picture's id, if all its classes are those of elements.
fn selector(selector: &str, seen: &Seen<'_>) -> Option<String> {
    let below = selector.strip_prefix('#')?;
    let is_plain = below.chars().all(|letter| {
        letter.is_alphanumeric() || matches!(letter, ' ' | '.' | '-' | '_' | '>' | '*' | '#')
    });
    let mut classes = below.split('.').skip(1).map(|rest| {
        let end = rest.find([' ', '>', '#', '*']).unwrap_or(rest.len());
        &rest[..end]
    });
    (is_plain && !below.contains('#') && classes.all(|class| seen.classes.contains(class)))
        .then(|| format!("#{ID}{below}"))
}

/// The declarations that are known, colors adapted: that of text to the fill of the author's that it stands on.
pub(super) fn declarations(css: &str, fill: Option<&Fill>) -> String {
    let mut kept = String::new();
    for declaration in css.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let (property, value) = (property.trim(), value.trim());
        let (value, important) = match value.strip_suffix("!important") {
            Some(value) => (value.trim_end(), "!important"),
            None => (value, ""),
        };
        let written = || csscolorparser::parse(value).ok();
        let value = if let ("color", Some(fill), Some(color)) = (property, fill, written()) {
            Some(fill.label(Some(&color)))
        } else if COLORS.contains(&property) {
            color(value)
        } else if property == "animation" {
            // The theme has the frames, so that they are there once.
            value.strip_prefix("dash ").map(|value| format!("dw-dash {value}"))
        } else if PROPERTIES.contains(&property) {
            reference(value).filter(|value| !value.contains("undefined"))
        } else {
            None
        };
        if let Some(value) = value {
            let _ = write!(kept, "{property}:{value}{important};");
        }
    }
    kept
}

/// A color as it stands in the page, or another value that a color property can have.
pub(super) fn color(value: &str) -> Option<String> {
    colors::adapt(value).or_else(|| reference(value))
}

/// A value with its references to ids of the picture marked; `None` if it refers elsewhere or
/// could end what it stands in.
pub(super) fn reference(value: &str) -> Option<String> {
    let local = value.replace("url(#", "");
    let lower = local.to_ascii_lowercase();
    let bad = ["url(", "javascript:", "expression(", "@import", "image-set("];
    if bad.iter().any(|bad| lower.contains(bad)) || local.contains(['{', '}', '\\']) {
        return None;
    }
    Some(value.replace("url(#", &format!("url(#{ID}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_without_an_element_are_dropped() {
        let seen = Seen { classes: ["node", "label"].into(), ..Seen::default() };
        let css = "#m{fill:#123456;font-family:x}@keyframes a{from{x:y;}}#m .node rect,#m .gone{stroke-width:1px}\
                   #m .gone{opacity:1}body{opacity:1}#m [data-look=\"neo\"].node{opacity:1}#m .label{margin:0}";
        let kept = sheet(css, &seen).replace(ID, "p-");
        assert!(kept.starts_with("#p-m{fill:light-dark(#123456,"), "{kept}");
        assert!(kept.ends_with("#p-m .node rect{stroke-width:1px}#p-m .label{margin:0}"), "{kept}");
    }

    #[test]
    fn declarations_stay_important_and_harmless() {
        assert_eq!(
            declarations("stroke-width:4px !important", None),
            "stroke-width:4px!important;"
        );
        assert_eq!(declarations("undefined;;;undefined", None), "");
        assert_eq!(
            declarations("width:url(//x);position:fixed;font-family:a;opacity:1}b{x", None),
            ""
        );
    }
}

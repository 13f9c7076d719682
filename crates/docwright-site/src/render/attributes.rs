//! Converts JSX attributes to HTML.

use maud::html;

use super::Value;

/// Names that are not merely lower-cased.
const RENAMED: &[(&str, &str)] = &[
    ("className", "class"),
    ("htmlFor", "for"),
    ("httpEquiv", "http-equiv"),
    ("acceptCharset", "accept-charset"),
    ("xlinkHref", "xlink:href"),
    ("xmlLang", "xml:lang"),
    ("xmlSpace", "xml:space"),
    ("strokeWidth", "stroke-width"),
    ("strokeLinecap", "stroke-linecap"),
    ("strokeLinejoin", "stroke-linejoin"),
    ("strokeDasharray", "stroke-dasharray"),
    ("strokeDashoffset", "stroke-dashoffset"),
    ("strokeMiterlimit", "stroke-miterlimit"),
    ("strokeOpacity", "stroke-opacity"),
    ("fillRule", "fill-rule"),
    ("fillOpacity", "fill-opacity"),
    ("clipRule", "clip-rule"),
    ("clipPath", "clip-path"),
    ("stopColor", "stop-color"),
    ("stopOpacity", "stop-opacity"),
    ("fontFamily", "font-family"),
    ("fontSize", "font-size"),
    ("fontWeight", "font-weight"),
    ("fontStyle", "font-style"),
    ("textAnchor", "text-anchor"),
    ("textDecoration", "text-decoration"),
    ("dominantBaseline", "dominant-baseline"),
    ("letterSpacing", "letter-spacing"),
    ("alignmentBaseline", "alignment-baseline"),
    ("markerEnd", "marker-end"),
    ("markerStart", "marker-start"),
    ("pointerEvents", "pointer-events"),
    ("shapeRendering", "shape-rendering"),
    ("colorInterpolationFilters", "color-interpolation-filters"),
    ("floodColor", "flood-color"),
    ("floodOpacity", "flood-opacity"),
];
/// SVG attributes with capital letters.
const CAPITALS: &[&str] = &[
    "viewBox",
    "preserveAspectRatio",
    "gradientUnits",
    "gradientTransform",
    "patternUnits",
    "patternTransform",
    "clipPathUnits",
    "markerWidth",
    "markerHeight",
    "refX",
    "refY",
    "stdDeviation",
    "baseFrequency",
    "numOctaves",
    "maskUnits",
    "textLength",
    "lengthAdjust",
    "spreadMethod",
    "attributeName",
    "repeatCount",
    "filterUnits",
];
const BOOLEAN: &[&str] = &[
    "allowfullscreen",
    "async",
    "autofocus",
    "autoplay",
    "checked",
    "controls",
    "default",
    "defer",
    "disabled",
    "hidden",
    "inert",
    "loop",
    "multiple",
    "muted",
    "novalidate",
    "open",
    "playsinline",
    "readonly",
    "required",
    "reversed",
    "selected",
    "webkitallowfullscreen",
    "mozallowfullscreen",
];

/// The HTML name of a JSX attribute; `None` if it can't be one.
pub(super) fn html_name(name: &str) -> Option<String> {
    if let Some((_, html)) = RENAMED.iter().find(|(jsx, _)| *jsx == name) {
        return Some((*html).to_owned());
    }
    if CAPITALS.contains(&name) {
        return Some(name.to_owned());
    }
    let valid = !name.is_empty()
        && name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| {
            letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.')
        });
    valid.then(|| name.to_ascii_lowercase())
}

/// Whether an attribute is present or not, without a value.
pub(super) fn is_boolean(name: &str) -> bool {
    BOOLEAN.contains(&name)
}

/// `onClick` and the like.
pub(super) fn is_event_handler(name: &str) -> bool {
    name.len() > 2
        && name[..2].eq_ignore_ascii_case("on")
        && name.as_bytes()[2].is_ascii_alphabetic()
}

/// Adds ` name="value"`, escaped.
pub(super) fn push(html: &mut String, name: &str, value: &str) {
    html.push(' ');
    html.push_str(name);
    html.push_str("=\"");
    html.push_str(&html! { (value) }.0);
    html.push('"');
}

/// CSS properties that accept plain numbers; for others, a number means pixels.
const UNITLESS: &[&str] = &[
    "opacity",
    "zIndex",
    "flex",
    "flexGrow",
    "flexShrink",
    "fontWeight",
    "lineHeight",
    "order",
    "zoom",
    "columns",
    "gridRow",
    "gridColumn",
    "columnCount",
    "fillOpacity",
    "strokeOpacity",
    "aspectRatio",
    "scale",
    "tabSize",
    "orphans",
    "widows",
];

/// A `style` object as CSS.
pub(super) fn style(properties: &[(String, Value)]) -> String {
    let mut css = String::new();
    for (name, value) in properties {
        let value = match value {
            Value::Number(number)
                if *number != 0.0
                    && !UNITLESS.contains(&name.as_str())
                    && !name.starts_with("--") =>
            {
                format!("{number}px")
            }
            value => match value.to_text() {
                Some(text) => text,
                None => continue,
            },
        };
        if value.contains([';', '{', '}']) {
            continue;
        }
        if !css.is_empty() {
            css.push(';');
        }
        push_property(&mut css, name);
        css.push(':');
        css.push_str(&value);
    }
    css
}

/// The value of a `style` attribute, which can be an object or text.
pub(super) fn declarations(style: &Value) -> Option<String> {
    match style {
        Value::Object(properties) => Some(self::style(properties)),
        style => style.to_text(),
    }
}

/// `fontSize` → `font-size`, `WebkitX` → `-webkit-x`.
fn push_property(css: &mut String, name: &str) {
    if name.starts_with("--") {
        css.push_str(name);
        return;
    }
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            css.push('-');
        }
        css.push(letter.to_ascii_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_html_names() {
        assert_eq!(html_name("className").as_deref(), Some("class"));
        assert_eq!(html_name("allowFullScreen").as_deref(), Some("allowfullscreen"));
        assert_eq!(html_name("viewBox").as_deref(), Some("viewBox"));
        assert_eq!(html_name("data-x").as_deref(), Some("data-x"));
        assert_eq!(html_name("a\"b"), None);
        assert!(
            is_event_handler("onClick") && is_event_handler("onclick") && !is_event_handler("on")
        );
    }

    #[test]
    fn styles_become_css() {
        let properties = [
            ("fontSize".to_owned(), Value::Number(12.0)),
            ("lineHeight".to_owned(), Value::Number(1.5)),
            ("color".to_owned(), Value::Text("red;x:y".to_owned())),
            ("--a".to_owned(), Value::Text("b".to_owned())),
        ];
        assert_eq!(style(&properties), "font-size:12px;line-height:1.5;--a:b");
    }
}

//! From the renderer's SVG to markup that is safe and at home in a page.
//!
//! Only known elements and attributes pass, no reference leaves the picture, ids can be made
//! distinct, colors follow the mode of the page, and fonts are those of the page.

use std::fmt::Write;

use super::super::tags::{Attributes, tag_end};
use super::colors;

/// Elements that pass, with their text.
const ELEMENTS: &[&str] = &[
    "a",
    "circle",
    "clipPath",
    "defs",
    "ellipse",
    "g",
    "line",
    "linearGradient",
    "marker",
    "mask",
    "path",
    "polygon",
    "polyline",
    "radialGradient",
    "rect",
    "stop",
    "svg",
    "text",
    "title",
    "tspan",
];

/// Attributes that pass as they are; colors, ids, references and styles are looked into.
const ATTRIBUTES: &[&str] = &[
    "clip-path",
    "cx",
    "cy",
    "d",
    "dominant-baseline",
    "dx",
    "dy",
    "fill-opacity",
    "font-size",
    "font-style",
    "font-weight",
    "gradientTransform",
    "gradientUnits",
    "height",
    "letter-spacing",
    "marker-end",
    "marker-mid",
    "marker-start",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "mask",
    "offset",
    "opacity",
    "orient",
    "points",
    "r",
    "refX",
    "refY",
    "rx",
    "ry",
    "stop-opacity",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "text-decoration",
    "textLength",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "xml:space",
    "y",
    "y1",
    "y2",
];

/// Attributes and style properties that hold a color.
const COLORS: &[&str] = &["fill", "stroke", "stop-color", "color", "flood-color"];

/// Stands before every id until [`Svg::with_ids`] replaces it. No output has it otherwise: control
/// characters are dropped.
const ID: char = '\u{1}';

/// A clean SVG.
#[derive(Debug, Clone)]
pub(super) struct Svg {
    /// The `svg` element, with [`ID`] before each id.
    pub markup: String,
    /// Its height in pixels.
    pub height: f64,
}

impl Svg {
    /// The markup with a prefix before each id.
    pub(super) fn with_ids(&self, prefix: &str) -> String {
        self.markup.replace(ID, prefix)
    }
}

/// Cleans the SVG of a diagram of a `kind`; `None` if it is not well formed.
pub(super) fn clean(svg: &str, kind: &str) -> Option<Svg> {
    let mut writer = Writer::default();
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        let tag = &rest[at + 1..];
        let end = tag_end(tag)?;
        writer.tag(&tag[..end], kind)?;
        rest = &tag[end + 1..];
    }
    (writer.open == 0 && writer.height > 0.0 && writer.height.is_finite())
        .then_some(Svg { markup: writer.markup, height: writer.height })
}

#[derive(Default)]
struct Writer {
    markup: String,
    /// Open elements that pass.
    open: usize,
    /// Open elements inside one that does not pass, itself included.
    dropped: usize,
    width: f64,
    height: f64,
}

impl Writer {
    fn text(&mut self, text: &str) {
        if self.dropped == 0 && self.open > 0 {
            push_text(text, &mut self.markup);
        }
    }

    fn tag(&mut self, tag: &str, kind: &str) -> Option<()> {
        if tag.starts_with(['!', '?']) {
            return Some(());
        }
        let closes = tag.strip_prefix('/');
        let empty = tag.ends_with('/');
        let tag = closes.unwrap_or(tag).trim_end_matches('/');
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if self.dropped > 0 || !ELEMENTS.contains(&name) {
            match (closes.is_some(), empty) {
                (true, _) => self.dropped = self.dropped.checked_sub(1)?,
                (false, false) => self.dropped += 1,
                (false, true) => {}
            }
            return Some(());
        }
        if name == "rect" && self.is_backdrop(attributes) {
            return Some(());
        }
        if closes.is_some() {
            self.open = self.open.checked_sub(1)?;
            self.markup.push_str("</");
            self.markup.push_str(name);
            self.markup.push('>');
            return Some(());
        }
        self.markup.push('<');
        self.markup.push_str(name);
        if self.open == 0 {
            self.root(attributes, kind)?;
        } else {
            for (key, value) in Attributes(attributes) {
                self.attribute(name, key, value);
            }
        }
        self.markup.push_str(if empty { "/>" } else { ">" });
        self.open += usize::from(!empty);
        Some(())
    }

    /// Whether a rectangle is the background of the whole picture, which is the page's matter.
    fn is_backdrop(&self, attributes: &str) -> bool {
        let length = |name| {
            let value = Attributes(attributes).find(|(key, _)| *key == name);
            value.and_then(|(_, value)| value.parse::<f64>().ok()).unwrap_or_default()
        };
        let fill = Attributes(attributes).find(|(key, _)| *key == "fill");
        fill.is_some_and(|(_, fill)| fill == colors::BACKGROUND)
            && length("width") > self.width * 0.9
            && length("height") > self.height * 0.9
    }

    /// The attributes of the `svg` element itself: its size, and what it is to readers.
    fn root(&mut self, attributes: &str, kind: &str) -> Option<()> {
        let (_, view_box) = Attributes(attributes).find(|(key, _)| *key == "viewBox")?;
        let numbers: Vec<&str> = view_box.split_whitespace().collect();
        let [_, _, width, height] = numbers[..] else { return None };
        self.width = width.parse().ok()?;
        self.height = height.parse().ok()?;
        // Writing to a string can't fail.
        let _ = write!(
            self.markup,
            " role=\"graphics-document document\" aria-roledescription=\"{kind}\" \
             width=\"{:.0}\" height=\"{:.0}\" viewBox=\"{}\"",
            self.width,
            self.height,
            rounded(view_box)
        );
        Some(())
    }

    fn attribute(&mut self, element: &str, key: &str, value: &str) {
        let value = match key {
            "id" => format!("{ID}{value}"),
            "href" if element == "a" => match external(value) {
                Some(link) => link.to_owned(),
                None => return,
            },
            "style" => style(value),
            "fill" | "stroke" | "stop-color" => match colors::adapt(value) {
                Some(color) => color,
                None => match reference(value) {
                    Some(value) => value,
                    None => return,
                },
            },
            _ if ATTRIBUTES.contains(&key) => match reference(value) {
                Some(value) => rounded(&value),
                None => return,
            },
            _ => return,
        };
        if value.is_empty() {
            return;
        }
        self.markup.push(' ');
        self.markup.push_str(key);
        self.markup.push_str("=\"");
        push_text(&value.replace('"', "&quot;"), &mut self.markup);
        self.markup.push('"');
    }
}

/// A value with its references to ids of the picture marked; `None` if it refers elsewhere.
fn reference(value: &str) -> Option<String> {
    let local = value.replace("url(#", "");
    let lower = local.to_ascii_lowercase();
    if ["url(", "javascript:", "expression(", "@import"].iter().any(|bad| lower.contains(bad)) {
        return None;
    }
    Some(value.replace("url(#", &format!("url(#{ID}")))
}

/// The declarations of a style that are known, colors adapted.
fn style(value: &str) -> String {
    let mut css = String::new();
    for declaration in value.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let (property, value) = (property.trim(), value.trim());
        let value = if COLORS.contains(&property) {
            colors::adapt(value).or_else(|| reference(value))
        } else if ATTRIBUTES.contains(&property) || property == "mix-blend-mode" {
            reference(value)
        } else {
            None
        };
        if let Some(value) = value {
            let _ = write!(css, "{property}:{value};");
        }
    }
    css
}

/// A link that can leave the picture: an address on the web.
fn external(link: &str) -> Option<&str> {
    let lower = link.trim().to_ascii_lowercase();
    ["https://", "http://", "mailto:"]
        .iter()
        .any(|scheme| lower.starts_with(scheme))
        .then_some(link)
}

/// Numbers with at most two decimals: a hundredth of a pixel can't be seen.
fn rounded(value: &str) -> String {
    let mut short = String::with_capacity(value.len());
    let mut decimals = None;
    for character in value.chars() {
        decimals = match (decimals, character) {
            (None, '.') => Some(0),
            (Some(count), digit) if digit.is_ascii_digit() => Some(count + 1),
            _ => None,
        };
        if decimals.is_none_or(|count| count <= 2) {
            short.push(character);
        }
    }
    short
}

/// Text as it is, entities and all, without control characters.
fn push_text(text: &str, markup: &mut String) {
    let kept = text.chars().filter(|character| !character.is_control() || *character == ID);
    for character in kept {
        match character {
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            other => markup.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(inside: &str) -> String {
        let svg = format!("<svg viewBox=\"0 0 10 20.5\">{inside}</svg>");
        let svg = clean(&svg, "flowchart").expect("it is well formed").with_ids("p-");
        let start = svg.find('>').map_or(0, |end| end + 1);
        svg[start..].trim_end_matches("</svg>").to_owned()
    }

    #[test]
    fn known_markup_passes_with_short_numbers_and_own_ids() {
        assert_eq!(
            cleaned("<path id=\"a\" d=\"M 1.23456 2\" marker-end=\"url(#b)\"/>"),
            "<path id=\"p-a\" d=\"M 1.23 2\" marker-end=\"url(#p-b)\"/>"
        );
        assert_eq!(cleaned("<text x=\"1\">a &amp; b</text>"), "<text x=\"1\">a &amp; b</text>");
    }

    #[test]
    fn scripts_and_external_resources_are_dropped() {
        assert_eq!(cleaned("<script>alert(1)</script>a"), "a");
        assert_eq!(cleaned("<foreignObject><p>x</p></foreignObject>"), "");
        assert_eq!(cleaned("<image href=\"https://x/y.png\"/>"), "");
        assert_eq!(cleaned("<g onload=\"alert(1)\" class=\"x\"></g>"), "<g></g>");
        assert_eq!(cleaned("<a href=\"javascript:alert(1)\">x</a>"), "<a>x</a>");
        assert_eq!(cleaned("<rect fill=\"url(https://x/)\"/>"), "<rect/>");
        assert_eq!(
            cleaned("<rect style=\"fill:none;background:url(//x)\"/>"),
            "<rect style=\"fill:none;\"/>"
        );
        assert_eq!(
            cleaned("<a href=\"https://example.com\">x</a>"),
            "<a href=\"https://example.com\">x</a>"
        );
    }

    #[test]
    fn broken_markup_is_refused() {
        for svg in [
            "",
            "<svg",
            "<svg viewBox=\"0 0 1 1\">",
            "</svg>",
            "<svg></svg>",
            "<svg viewBox=\"0 0 NaN NaN\"></svg>",
        ] {
            assert!(clean(svg, "flowchart").is_none(), "{svg}");
        }
    }
}

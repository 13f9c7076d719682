//! From the renderer's SVG to markup that is safe and at home in a page.
//!
//! Only known elements and attributes pass, no reference leaves the picture, ids can be made
//! distinct, links are left to the page, and colors follow the mode of the page.

use std::collections::HashSet;
use std::fmt::Write;

use super::super::tags::{Attributes, tag_end};
use super::{
    label::{Fill, declared},
    sheet,
};
use crate::render::icons::Icons;

/// Elements of SVG that pass, with their text.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "a", "circle", "clipPath", "defs", "desc", "ellipse", "feDropShadow", "filter",
    "foreignObject", "g", "line", "linearGradient", "marker", "mask", "path", "pattern",
    "polygon", "polyline", "radialGradient", "rect", "stop", "svg", "symbol", "text", "title",
    "tspan", "use",
];

/// Elements of HTML that pass in labels; of others their text passes.
#[rustfmt::skip]
const LABEL_ELEMENTS: &[&str] = &[
    "a", "b", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "hr", "i",
    "ins", "kbd", "li", "mark", "ol", "p", "pre", "s", "small", "span", "strike", "strong",
    "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
];

/// Elements whose text isn't for readers.
#[rustfmt::skip]
const HIDDEN: &[&str] = &[
    "script", "style", "iframe", "object", "embed", "template", "noscript", "textarea",
    "select", "math",
];

/// Elements of HTML without content.
const EMPTY: &[&str] = &["br", "hr"];

/// Elements that only count where something refers to them.
const REFERRED: &[&str] = &["marker", "symbol", "filter", "linearGradient", "clipPath"];

/// Attributes that pass as they are; colors, ids, references, and styles are looked into.
#[rustfmt::skip]
const ATTRIBUTES: &[&str] = &[
    "alignment-baseline", "class", "clip-path", "clip-rule", "colspan", "cx", "cy", "d",
    "data-id", "dominant-baseline", "dx", "dy", "fill-opacity", "fill-rule", "filter",
    "flood-opacity", "font-size", "font-style", "font-weight", "gradientTransform",
    "gradientUnits", "height", "letter-spacing", "marker-end", "marker-mid", "marker-start",
    "markerHeight", "markerUnits", "markerWidth", "mask", "offset", "opacity", "orient",
    "patternUnits", "points", "preserveAspectRatio", "r", "refX", "refY", "rowspan", "rx", "ry",
    "stdDeviation", "stop-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
    "stroke-opacity", "stroke-width", "text-anchor", "text-decoration", "textLength", "title",
    "transform", "transform-origin", "viewBox", "width", "x", "x1", "x2", "xml:space", "y",
    "y1", "y2",
];

/// Stands before every id until [`Svg::finish`] replaces it. No output has it otherwise: control
/// characters are dropped.
pub(super) const ID: char = '\u{1}';

/// Stands before and after the address of a link until [`Svg::finish`] replaces it.
const LINK: char = '\u{2}';

/// A clean SVG.
#[derive(Debug, Clone)]
pub(super) struct Svg {
    /// The `svg` element, with [`ID`] before each id and [`LINK`] around each link.
    pub markup: String,
    /// Its height in pixels.
    pub height: f64,
    /// Where its first node stands, in per cent of its width from the left.
    pub start: Option<f64>,
    /// What kind of diagram it is, in the renderer's words.
    pub kind: String,
}

impl Svg {
    /// The markup with a prefix before each id, and with each link as it is from the page.
    pub(super) fn finish(
        &self,
        prefix: &str,
        mut link: impl FnMut(&str) -> Option<String>,
    ) -> String {
        let markup = self.markup.replace(ID, prefix);
        if !markup.contains(LINK) {
            return markup;
        }
        let mut finished = String::with_capacity(markup.len());
        for (index, part) in markup.split(LINK).enumerate() {
            match index % 2 {
                0 => finished.push_str(part),
                _ => push_value(&link(&unescaped(part)).unwrap_or_default(), &mut finished),
            }
        }
        finished
    }
}

/// Cleans the SVG of a diagram; `None` if it isn't well formed.
pub(super) fn clean(svg: &str) -> Option<Svg> {
    let mut writer = Writer { seen: Seen::in_markup(svg), ..Writer::default() };
    let mut rest = svg;
    while let Some(at) = rest.find('<') {
        writer.text(&rest[..at]);
        let tag = &rest[at + 1..];
        let end = tag_end(tag)?;
        writer.tag(&tag[..end])?;
        rest = &tag[end + 1..];
    }
    let is_whole = writer.open.is_empty() && writer.height > 0.0 && writer.height.is_finite();
    is_whole.then(|| Svg {
        markup: writer.markup,
        height: writer.height,
        start: writer.start.filter(|start| (0.0..=100.0).contains(start)),
        kind: writer.kind,
    })
}

/// What the elements of a picture refer to, and which classes they have.
#[derive(Default)]
pub(super) struct Seen<'a> {
    pub(super) ids: HashSet<&'a str>,
    pub(super) classes: HashSet<&'a str>,
}

impl<'a> Seen<'a> {
    fn in_markup(svg: &'a str) -> Self {
        let after = |start: &'static str, end: &'static [char]| {
            svg.split(start).skip(1).filter_map(move |rest| rest.split(end).next())
        };
        let ids = after("url(#", &[')']).chain(after("href=\"#", &['"']));
        let classes = after("class=\"", &['"']).flat_map(str::split_whitespace);
        Self { ids: ids.collect(), classes: classes.collect() }
    }
}

/// An element that isn't closed yet.
struct Open<'a> {
    name: &'a str,
    is_written: bool,
    /// How far it is moved to the right.
    x: f64,
}

#[derive(Default)]
struct Writer<'a> {
    markup: String,
    seen: Seen<'a>,
    open: Vec<Open<'a>>,
    /// Open elements inside one that doesn't pass, itself included.
    dropped: usize,
    /// Whether the text is that of the style sheet.
    is_style: bool,
    /// The open node or cluster: how many elements are around it, and the fill that its author chose.
    node: Option<(usize, Option<Fill>)>,
    /// How many of the open elements stand around a label in HTML; none outside labels.
    label: Option<usize>,
    left: f64,
    width: f64,
    height: f64,
    start: Option<f64>,
    kind: String,
}

impl<'a> Writer<'a> {
    fn text(&mut self, text: &str) {
        if self.is_style {
            let css = sheet::sheet(text, &self.seen);
            let _ = write!(self.markup, "<style>{css}</style>");
        } else if self.dropped == 0 && !self.open.is_empty() {
            push_text(text, &mut self.markup);
        }
    }

    fn tag(&mut self, tag: &'a str) -> Option<()> {
        if tag.starts_with(['!', '?']) {
            return Some(());
        }
        if let Some(name) = tag.strip_prefix('/') {
            return self.close(name.trim());
        }
        let is_empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        if name == "style" && self.open.len() == 1 && self.dropped == 0 && !is_empty {
            self.is_style = true;
            self.dropped = 1;
            return Some(());
        }
        if self.dropped > 0 || !self.passes(name, attributes) {
            self.dropped += usize::from(!is_empty);
            return Some(());
        }
        let is_label = self.label.is_some();
        let is_written = if is_label { LABEL_ELEMENTS.contains(&name) } else { true };
        if is_written && is_label && name == "i" && self.icon(attributes) {
            self.dropped += usize::from(!is_empty);
            return Some(());
        }
        if is_written {
            self.markup.push('<');
            self.markup.push_str(name);
            if self.open.is_empty() {
                self.root(attributes)?;
            } else {
                self.attributes(name, attributes);
            }
            // HTML has no empty elements but its own; SVG in HTML has.
            self.markup.push_str(if is_empty && !is_label { "/>" } else { ">" });
        }
        if is_empty || is_label && EMPTY.contains(&name) {
            if is_written && is_label && !EMPTY.contains(&name) {
                let _ = write!(self.markup, "</{name}>");
            }
            return Some(());
        }
        let x = self.open.last().map_or(-self.left, |open| open.x) + moved(attributes);
        if self.start.is_none() && name == "g" && has_class(attributes, &["node"]) {
            self.start = Some(x / self.width * 100.0);
        }
        if name == "g" && has_class(attributes, &["node", "cluster"]) {
            self.node = Some((self.open.len(), None));
        }
        self.open.push(Open { name, is_written, x });
        if name == "foreignObject" {
            self.label = Some(self.open.len());
        }
        Some(())
    }

    fn close(&mut self, name: &str) -> Option<()> {
        self.is_style = false;
        if self.dropped > 0 {
            self.dropped -= 1;
            return Some(());
        }
        if self.label.is_some() && EMPTY.contains(&name) {
            return Some(());
        }
        let open = self.open.pop()?;
        if self.node.as_ref().is_some_and(|(depth, _)| self.open.len() <= *depth) {
            self.node = None;
        }
        if open.is_written {
            let _ = write!(self.markup, "</{name}>");
        }
        if self.label.is_some_and(|depth| self.open.len() < depth) {
            self.label = None;
        }
        (open.name == name).then_some(())
    }

    /// Whether an element, or at least its text, passes.
    fn passes(&self, name: &str, attributes: &str) -> bool {
        if self.label.is_some() {
            return !HIDDEN.contains(&name);
        }
        let id = || Attributes(attributes).find(|(key, _)| *key == "id").map(|(_, id)| id);
        ELEMENTS.contains(&name)
            && (!REFERRED.contains(&name) || id().is_some_and(|id| self.seen.ids.contains(id)))
    }

    /// Draws the icon of `<i class="fa fa-…">`, which mermaid.js leaves to a font.
    fn icon(&mut self, attributes: &str) -> bool {
        let classes = Attributes(attributes).find(|(key, _)| *key == "class").map(|(_, all)| all);
        let name = classes
            .into_iter()
            .flat_map(str::split_whitespace)
            .find_map(|class| class.strip_prefix("fa-"));
        let Some(icon) = name.and_then(|name| Icons::new("fontawesome").find(name, None)) else {
            return false;
        };
        let _ = write!(self.markup, "<span class=\"dw-diagram-icon\">{}</span>", icon.0);
        true
    }

    /// The attributes of the `svg` element itself: its size, and what it is to readers.
    fn root(&mut self, attributes: &str) -> Option<()> {
        let value = |name| Attributes(attributes).find(|(key, _)| *key == name).map(|(_, it)| it);
        let view_box = value("viewBox")?;
        let numbers: Vec<f64> =
            view_box.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let [left, _, width, height] = numbers[..] else { return None };
        (self.left, self.width, self.height) = (left, width, height);
        value("aria-roledescription").unwrap_or_default().clone_into(&mut self.kind);
        // Writing to a string can't fail.
        let _ = write!(
            self.markup,
            " id=\"{ID}{}\" role=\"graphics-document document\" width=\"{width:.0}\" \
             height=\"{height:.0}\" style=\"--natural:{width:.0}px\" viewBox=\"{}\"",
            value("id").unwrap_or_default(),
            rounded(view_box)
        );
        for name in ["aria-labelledby", "aria-describedby"] {
            if let Some(id) = value(name) {
                let _ = write!(self.markup, " {name}=\"{ID}{id}\"");
            }
        }
        if let Some(class) = value("class") {
            let _ = write!(self.markup, " class=\"{class}\"");
        }
        Some(())
    }

    /// The attributes of another element. The first shape of a node decides what its label stands on.
    fn attributes(&mut self, element: &str, attributes: &str) {
        let style = Attributes(attributes).find(|(key, _)| *key == "style").map(|(_, style)| style);
        if let (Some((_, fill @ None)), Some(style)) = (&mut self.node, style)
            && self.label.is_none()
        {
            *fill = Fill::in_style(style);
        }
        // A label without a color of its own gets one for the fill.
        let is_bare = element == "span"
            && style.is_none_or(|style| declared(style, "color").is_none())
            && has_class(attributes, &["nodeLabel"]);
        let fill = self.node.as_ref().and_then(|(_, fill)| fill.as_ref()).filter(|_| is_bare);
        let color = fill.map(|fill| format!("color:{}!important", fill.label(None)));
        for (key, value) in Attributes(attributes) {
            if key != "style" || color.is_none() {
                self.attribute(element, key, value);
            }
        }
        if let Some(color) = color {
            let declared = style.map(|style| sheet::declarations(style, None)).unwrap_or_default();
            self.write("style", &(declared + &color));
        }
    }

    fn attribute(&mut self, element: &str, key: &str, value: &str) {
        let value = match key {
            "id" if REFERRED.contains(&element) || matches!(element, "title" | "desc") => {
                format!("{ID}{value}")
            }
            "href" | "xlink:href" if element == "a" => match link(value) {
                Some(link) => link,
                None => return,
            },
            "href" | "xlink:href" if element == "use" => match value.strip_prefix('#') {
                Some(id) => format!("#{ID}{id}"),
                None => return,
            },
            "style" => {
                sheet::declarations(value, self.node.as_ref().and_then(|(_, fill)| fill.as_ref()))
            }
            "fill" | "stroke" | "stop-color" | "flood-color" => match sheet::color(value) {
                Some(color) => color,
                None => return,
            },
            _ if ATTRIBUTES.contains(&key) => match sheet::reference(value) {
                Some(value) if matches!(key, "class" | "data-id" | "title") => value,
                Some(value) => rounded(&value),
                None => return,
            },
            _ => return,
        };
        if value.is_empty() {
            return;
        }
        self.write(if key == "xlink:href" { "href" } else { key }, &value);
    }

    fn write(&mut self, key: &str, value: &str) {
        self.markup.push(' ');
        self.markup.push_str(key);
        self.markup.push_str("=\"");
        push_text(&value.replace('"', "&quot;"), &mut self.markup);
        self.markup.push('"');
    }
}

/// A link that can leave the picture: an address on the web, or one of the site, which the page
/// knows.
fn link(value: &str) -> Option<String> {
    let lower = value.trim().to_ascii_lowercase();
    let is_web = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    if is_web {
        return Some(value.to_owned());
    }
    let is_local = lower.starts_with(['/', '#', '.']) && !lower.starts_with("//");
    is_local.then(|| format!("{LINK}{value}{LINK}"))
}

/// How far `transform="translate(x, y)"` moves an element to the right.
fn moved(attributes: &str) -> f64 {
    let transform = Attributes(attributes).find(|(key, _)| *key == "transform");
    transform
        .and_then(|(_, value)| value.trim().strip_prefix("translate("))
        .and_then(|numbers| numbers.split([',', ' ', ')']).next()?.parse().ok())
        .unwrap_or_default()
}

fn has_class(attributes: &str, names: &[&str]) -> bool {
    Attributes(attributes).any(|(key, value)| {
        key == "class" && value.split_whitespace().any(|it| names.contains(&it))
    })
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
    let is_ours = |character: char| character == ID || character == LINK;
    for character in text.chars() {
        match character {
            '<' => markup.push_str("&lt;"),
            '>' => markup.push_str("&gt;"),
            '\n' => markup.push('\n'),
            other if !other.is_control() || is_ours(other) => markup.push(other),
            _ => {}
        }
    }
}

/// Text as the value of an attribute.
fn push_value(text: &str, markup: &mut String) {
    push_text(&text.replace('&', "&amp;").replace('"', "&quot;"), markup);
}

/// The text of an attribute's value.
fn unescaped(value: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(value.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(inside: &str) -> String {
        let svg = format!("<svg id=\"m\" viewBox=\"0 0 10 20.5\">{inside}</svg>");
        let svg = clean(&svg).expect("it is well formed");
        let svg = svg.finish("p-", |link| Some(format!("..{link}.html")));
        let start = svg.find('>').map_or(0, |end| end + 1);
        svg[start..].trim_end_matches("</svg>").to_owned()
    }

    #[test]
    fn known_markup_passes_with_short_numbers_and_own_ids() {
        assert_eq!(
            cleaned(
                "<marker id=\"a\"/><marker id=\"b\"/>\
                 <path id=\"c\" d=\"M 1.23456 2\" marker-end=\"url(#b)\"/>"
            ),
            "<marker id=\"p-b\"/><path d=\"M 1.23 2\" marker-end=\"url(#p-b)\"/>"
        );
        assert_eq!(cleaned("<text x=\"1\">a &amp; b</text>"), "<text x=\"1\">a &amp; b</text>");
    }

    #[test]
    fn labels_keep_markup_and_text_of_unknown_elements() {
        assert_eq!(
            cleaned(
                "<foreignObject><div xmlns=\"http://www.w3.org/1999/xhtml\" onclick=\"x()\">\
                 <p>a<br/><i>b</i> <blink>c</blink><span/><img src=\"https://x/\"/></p>\
                 <script>d</script></div></foreignObject>"
            ),
            "<foreignObject><div><p>a<br><i>b</i> c<span></span></p></div></foreignObject>"
        );
    }

    #[test]
    fn icons_of_fonts_are_drawn() {
        let icon = cleaned("<foreignObject><i class=\"fa fa-car\"></i></foreignObject>");
        assert!(icon.contains("<span class=\"dw-diagram-icon\"><svg"), "{icon}");
    }

    #[test]
    fn label_on_fill_of_an_author_gets_a_color_for_it() {
        let node = |fill: &str, label: &str| {
            cleaned(&format!(
                "<g class=\"node\"><rect style=\"{fill}\"/><g class=\"label\"><foreignObject><div>\
                 <span class=\"nodeLabel\"{label}><p>a</p></span></div></foreignObject></g></g>"
            ))
        };
        let plain = node("", "");
        assert!(plain.contains("<span class=\"nodeLabel\"><p>a"), "{plain}");
        let filled = node("fill:#4a5568 !important", " style=\"font-weight:bold\"");
        let label = "style=\"font-weight:bold;color:light-dark(#ffffff,#000000)!important\"><p>a";
        assert!(filled.contains(label), "{filled}");
        let written = node("fill:#0d9373", " style=\"color:#fff !important\"");
        assert!(written.contains("color:light-dark(#ffffff,#ffffff)!important;"), "{written}");
    }

    #[test]
    fn scripts_and_external_resources_are_dropped() {
        assert_eq!(cleaned("<script>alert(1)</script>a"), "a");
        assert_eq!(cleaned("<image href=\"https://x/y.png\"/>"), "");
        assert_eq!(cleaned("<g onload=\"alert(1)\" class=\"x\"></g>"), "<g class=\"x\"></g>");
        assert_eq!(cleaned("<use href=\"https://x/y.svg#a\"/>"), "<use/>");
        assert_eq!(cleaned("<rect fill=\"url(https://x/)\"/>"), "<rect/>");
        assert_eq!(
            cleaned("<rect style=\"fill:none;background:url(//x)\"/>"),
            "<rect style=\"fill:none;\"/>"
        );
    }

    #[test]
    fn links_lead_to_the_web_or_to_pages() {
        for (written, expected) in [
            ("javascript:alert(1)", "<a>x</a>"),
            ("data:text/html,x", "<a>x</a>"),
            ("//x.example", "<a>x</a>"),
            ("https://example.com?a&amp;b", "<a href=\"https://example.com?a&amp;b\">x</a>"),
            ("/guide", "<a href=\"../guide.html\">x</a>"),
        ] {
            assert_eq!(cleaned(&format!("<a xlink:href=\"{written}\">x</a>")), expected);
        }
    }

    #[test]
    fn broken_markup_is_refused() {
        for svg in [
            "",
            "<svg",
            "<svg viewBox=\"0 0 1 1\">",
            "</svg>",
            "<svg></svg>",
            "<svg viewBox=\"0 0 1 1\"><g></svg></g>",
            "<svg viewBox=\"0 0 NaN NaN\"></svg>",
        ] {
            assert!(clean(svg).is_none(), "{svg}");
        }
    }
}

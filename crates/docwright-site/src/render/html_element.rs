//! HTML and SVG elements as JSX writes them.

use maud::{Markup, PreEscaped};

use super::{
    Element, PageRenderer, Value, attributes,
    dimensions::Dimensions,
    links::safe,
    nodes::{plain_text, scrolling_table},
    renderer::MISSING_IMAGE,
};
use crate::{
    Rule,
    content::stylesheets::relative_urls,
    mdx::{Node, NodeKind},
};

const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];
/// Addresses of files, by element.
const FILES: &[(&str, &str)] = &[
    ("img", "src"),
    ("video", "src"),
    ("video", "poster"),
    ("audio", "src"),
    ("source", "src"),
    ("track", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("script", "src"),
];

impl PageRenderer<'_> {
    pub(super) fn html_element(&mut self, element: &Element<'_>) -> Markup {
        let name = element.name;
        match heading_level(name) {
            Some(level) if element.flag("noAnchor") != Some(true) => {
                return self.html_heading(level, element);
            }
            _ => {}
        }
        let mut html = String::with_capacity(64);
        html.push('<');
        html.push_str(name);
        let mut linkless = false;
        let dimensions = Dimensions::of(element);
        for (attribute, value) in &element.attributes {
            if attribute == "style" || Dimensions::owns(element, attribute) {
                continue;
            }
            if name == "a" && attribute == "href" {
                linkless = !self.push_link(value, element, &mut html);
            } else if FILES.contains(&(name, attribute.as_str())) {
                self.push_file(attribute, value, element, &mut html);
            } else if attribute.eq_ignore_ascii_case("srcset") {
                self.push_source_set(value, element, &mut html);
            } else {
                self.push_attribute(attribute, value, element, &mut html);
            }
        }
        if let Some(style) = dimensions.style(element.value("style")) {
            let exists = |path: &str| self.context.source.contains(path);
            attributes::push(&mut html, "style", &relative_urls(&style, &self.output, exists));
        }
        dimensions.push(element, self.natural_size(element), &mut html);
        if name == "img" {
            self.push_image_defaults(element, &mut html);
        }
        if name == "iframe" {
            push_frame_defaults(element, &mut html);
        }
        if linkless {
            // Quotes in values are escaped: this is the attribute itself.
            match html.find(" class=\"") {
                Some(at) => html.insert_str(at + " class=\"".len(), "dw-broken-link "),
                None => html.push_str(" class=\"dw-broken-link\""),
            }
        }
        html.push('>');
        if name == "img" {
            return self.with_actions(element, PreEscaped(html));
        }
        if VOID.contains(&name) {
            return PreEscaped(html);
        }
        let outer = self.enter_link(name == "a");
        html.push_str(&self.element_children(element).0);
        self.leave_link(outer);
        html.push_str("</");
        html.push_str(name);
        html.push('>');
        // Rows that stick to the window would stick to the container.
        if name == "table" && !html.contains("sticky") {
            return scrolling_table(&PreEscaped(html));
        }
        PreEscaped(html)
    }

    /// What authors write on lines of their own inside a `<p>`, Markdown wraps into another.
    fn element_children(&mut self, element: &Element<'_>) -> Markup {
        let raw = matches!(element.name, "style" | "script");
        if raw {
            return PreEscaped(raw_text(element.children).replace("</", "<\\/"));
        }
        let phrasing = matches!(
            element.name,
            "p" | "a"
                | "span"
                | "button"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "summary"
                | "label"
                | "b"
                | "strong"
                | "em"
                | "i"
                | "kbd"
                | "sup"
                | "sub"
        );
        match element.children {
            [Node { kind: NodeKind::Paragraph, children, .. }] if phrasing => {
                self.element_nodes(element.name, children)
            }
            children if element.name == "details" => {
                self.folded_nodes(children, element.flag("open").unwrap_or(false))
            }
            children => self.element_nodes(element.name, children),
        }
    }

    /// Readers see a summary while what it opens is closed.
    fn element_nodes(&mut self, name: &str, children: &[Node]) -> Markup {
        let around = self.closed;
        self.closed -= u32::from(name == "summary" && around > 0);
        let markup = self.nodes(children);
        self.closed = around;
        markup
    }

    fn html_heading(&mut self, level: u8, element: &Element<'_>) -> Markup {
        let title = plain_text(element.children);
        let inner = self.element_children(element);
        let id = element.text("id");
        let heading = self.heading_markup(level, id.as_deref(), title.trim(), &inner, level > 1);
        let mut extra = String::new();
        for (attribute, value) in
            element.attributes.iter().filter(|(name, _)| name != "id" && name != "noAnchor")
        {
            self.push_attribute(attribute, value, element, &mut extra);
        }
        PreEscaped(heading.0.replacen(" id=", &format!("{extra} id="), 1))
    }

    fn push_link(&mut self, value: &Value, element: &Element<'_>, html: &mut String) -> bool {
        let Some(href) = value.to_text() else { return false };
        let Some(address) = self.link(&href, element.line, element.column) else { return false };
        attributes::push(html, "href", safe(&address));
        true
    }

    fn push_file(
        &mut self,
        attribute: &str,
        value: &Value,
        element: &Element<'_>,
        html: &mut String,
    ) {
        if let Some(src) = value.to_text() {
            let address = self.asset(&src, element.line, element.column);
            // Only images have a placeholder that can stand for them.
            if address != MISSING_IMAGE || matches!(element.name, "img" | "image") {
                attributes::push(html, attribute, safe(&address));
            }
        }
    }

    /// Addresses separated by commas, each with a width or density perhaps.
    fn push_source_set(&mut self, value: &Value, element: &Element<'_>, html: &mut String) {
        let Some(set) = value.to_text().filter(|set| !set.contains("data:")) else { return };
        let candidates = set.split(',').map(str::trim).filter(|candidate| !candidate.is_empty());
        let candidates = candidates.filter_map(|candidate| {
            let (address, descriptor) =
                candidate.split_once(char::is_whitespace).unwrap_or((candidate, ""));
            let address = self.asset(address, element.line, element.column);
            let is_there = address != MISSING_IMAGE;
            is_there.then(|| format!("{} {}", safe(&address), descriptor.trim()).trim().to_owned())
        });
        let candidates: Vec<_> = candidates.collect();
        if !candidates.is_empty() {
            attributes::push(html, "srcset", &candidates.join(", "));
        }
    }

    fn push_image_defaults(&mut self, element: &Element<'_>, html: &mut String) {
        let has = |name: &str| element.value(name).is_some();
        if !has("alt") {
            attributes::push(html, "alt", "");
        }
        if !has("loading")
            && let Some(loading) = self.image_loading()
        {
            attributes::push(html, "loading", loading);
        }
        if !self.in_link && element.flag("noZoom") != Some(true) {
            html.push_str(" data-zoom");
        }
    }

    fn push_attribute(
        &mut self,
        name: &str,
        value: &Value,
        element: &Element<'_>,
        html: &mut String,
    ) {
        // The stylesheet gives frames no border; HTML has no such attribute any more.
        if element.name == "iframe" && name.eq_ignore_ascii_case("frameborder") {
            return;
        }
        if matches!(
            name,
            "key" | "ref" | "noZoom" | "noAnchor" | "children" | "actions" | "actionsPlacement"
        ) {
            return;
        }
        if attributes::is_event_handler(name) || name == "dangerouslySetInnerHTML" {
            return;
        }
        let Some(name) = attributes::html_name(name) else {
            let message = format!("`{name}` can't be the name of an attribute");
            self.report(
                Rule::InvalidAttribute,
                message,
                "correct its name",
                element.line,
                element.column,
            );
            return;
        };
        match value {
            Value::Object(properties) if name == "style" => {
                let style = attributes::style(properties);
                attributes::push(html, "style", &style);
            }
            Value::Bool(true) if attributes::is_boolean(&name) => {
                html.push(' ');
                html.push_str(&name);
            }
            Value::Bool(false) if attributes::is_boolean(&name) => {}
            Value::Null => {}
            value => {
                if let Some(text) = value.to_text() {
                    if name == "id" {
                        self.keep_id(&text);
                    }
                    if name != "srcdoc" {
                        attributes::push(html, &name, safe(&text));
                    }
                }
            }
        }
    }
}

/// A frame has a title, and is loaded once the reader is near it, unless its author says otherwise.
fn push_frame_defaults(element: &Element<'_>, html: &mut String) {
    if element.value("title").is_none() {
        attributes::push(html, "title", &frame_title(element));
    }
    if element.value("loading").is_none() {
        attributes::push(html, "loading", "lazy");
    }
}

/// What a frame shows, for those who hear the page: where it comes from, as far as anybody said.
fn frame_title(element: &Element<'_>) -> String {
    let src = element.text("src").unwrap_or_default();
    let address = src.split_once("//").map_or(src.as_str(), |(_, rest)| rest);
    let host = address.split(['/', '?', '#']).find(|part| !part.is_empty());
    host.unwrap_or("Frame").to_owned()
}

fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// The text of `<style>{`…`}</style>`, which Markdown must not touch.
fn raw_text(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in nodes {
        match &node.kind {
            NodeKind::Text { value } => text.push_str(value),
            NodeKind::Expression { value, .. } => text.push_str(value.trim().trim_matches('`')),
            _ => text.push_str(&raw_text(&node.children)),
        }
    }
    text
}

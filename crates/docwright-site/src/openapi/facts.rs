//! What a schema says about a value, as lines below a field: options, limits, formats, examples.

use serde_json::Value as Json;

use super::{
    document::Document,
    example::plain,
    label::type_label,
    nodes::{codes, fact, inline_code, link, paragraph, text, untitled_code},
    schema::Schema,
};
use crate::mdx::Node;

/// Longest value within a line. Longer ones are code blocks. Bytes.
const LONGEST_INLINE: usize = 120;

/// The lines of a schema. `name` is that of the field, which a title only repeats.
pub(super) fn facts<'a>(document: &Document<'a>, view: &Schema<'a>, name: &str) -> Vec<Node> {
    let mut facts = Facts { document, nodes: Vec::new() };
    facts.all(view, name);
    for part in view.lost() {
        facts.all(&part, name);
    }
    // An array of simple values has no fields of its own: what its items allow stands here.
    let mut holder = view.clone();
    for _ in 0..4 {
        let Some(items) = holder.get("items").filter(|items| items.is_object()) else { break };
        holder = document.schema(items);
        if holder.has_properties() || !holder.choices().is_empty() {
            break;
        }
        facts.all(&holder, name);
        for part in holder.lost() {
            facts.all(&part, name);
        }
    }
    facts.nodes
}

struct Facts<'d, 'a> {
    document: &'d Document<'a>,
    nodes: Vec<Node>,
}

impl<'a> Facts<'_, 'a> {
    fn all(&mut self, view: &Schema<'a>, name: &str) {
        self.title(view, name);
        self.options(view);
        self.limits(view);
        self.format(view);
        self.flags(view);
        self.examples(view);
        self.more(view);
    }

    fn add(&mut self, label: &str, value: impl Into<String>) {
        self.nodes.push(fact(label, value));
    }

    fn title(&mut self, view: &Schema<'a>, name: &str) {
        let title = view.text("title").filter(|title| !is_same_text(title, name));
        let title = title.filter(|title| self.document.budget().take_text(title.len()));
        if let Some(title) = title {
            self.nodes.push(paragraph(vec![text(format!("Title: {title}"))]));
        }
    }

    fn options(&mut self, view: &Schema<'a>) {
        if let Some(options) = view.get("enum").and_then(Json::as_array) {
            let about = option_texts(view, options);
            let mut line = vec![text("Available options: ")];
            let options = options.iter().filter(|value| self.document.has_room_for(value));
            for (index, value) in options.enumerate() {
                if index > 0 {
                    line.push(text(", "));
                }
                line.push(inline_code(plain(value)));
                if let Some(about) = about.get(index).filter(|about| !about.is_empty()) {
                    line.push(text(format!(" ({about})")));
                }
            }
            self.nodes.push(paragraph(line));
        }
        if let Some(only) = view.get("const").filter(|only| self.document.has_room_for(only)) {
            self.add("Allowed value", plain(only));
        }
    }

    fn limits(&mut self, view: &Schema<'a>) {
        let span = |lowest: Option<Limit>, highest: Option<Limit>, unit: &str| {
            Some(match (lowest, highest) {
                (Some(low), Some(high)) => {
                    format!("{} {} {unit} {} {}", low.value, low.sign(), high.sign(), high.value)
                }
                (Some(low), None) => {
                    format!("{unit} {} {}", if low.strict { ">" } else { "≥" }, low.value)
                }
                (None, Some(high)) => format!("{unit} {} {}", high.sign(), high.value),
                (None, None) => return None,
            })
        };
        let range = span(
            limit(view, "minimum", Some("exclusiveMinimum")),
            limit(view, "maximum", Some("exclusiveMaximum")),
            "x",
        );
        if let Some(range) = range {
            self.add("Required range", range);
        }
        for (label, lowest, highest) in [
            ("Required length", "minLength", "maxLength"),
            ("Required number of items", "minItems", "maxItems"),
            ("Required number of properties", "minProperties", "maxProperties"),
            ("Required number of matching items", "minContains", "maxContains"),
        ] {
            let range = span(limit(view, lowest, None), limit(view, highest, None), "length");
            if let Some(range) = range {
                self.add(label, range);
            }
        }
        if let Some(multiple) = view.get("multipleOf").and_then(Json::as_number) {
            let line = vec![text("Must be a multiple of "), inline_code(multiple.to_string())];
            self.nodes.push(paragraph(line));
        }
        if let Some(pattern) = view.text("pattern") {
            self.add("Pattern", pattern);
        }
    }

    fn format(&mut self, view: &Schema<'a>) {
        let label = type_label(self.document, view);
        if let Some(format) =
            view.text("format").filter(|format| !label.contains(&format!("<{format}>")))
        {
            self.add("Format", format);
        }
        for (key, label) in
            [("contentMediaType", "Content type"), ("contentEncoding", "Content encoding")]
        {
            if let Some(value) = view.text(key) {
                self.add(label, value);
            }
        }
    }

    fn flags(&mut self, view: &Schema<'a>) {
        let mut say = |words: &str| self.nodes.push(paragraph(vec![text(words)]));
        if view.is("uniqueItems") {
            say("All items are unique.");
        }
        let is_closed = |key| view.get(key) == Some(&Json::Bool(false));
        if is_closed("additionalProperties") || is_closed("unevaluatedProperties") {
            say("No other properties are allowed.");
        }
        if view.get("additionalProperties") == Some(&Json::Bool(true)) {
            say("Other properties are allowed.");
        }
        if is_closed("unevaluatedItems") || is_closed("items") || is_closed("additionalItems") {
            say("No other items are allowed.");
        }
        for (name, names) in
            view.get("dependentRequired").and_then(Json::as_object).into_iter().flatten()
        {
            let line =
                vec![text("With "), inline_code(name.as_str()), text(", these are required: ")];
            self.nodes.push(codes(line, names.as_array().into_iter().flatten().map(plain)));
        }
    }

    fn examples(&mut self, view: &Schema<'a>) {
        let mut examples: Vec<&Json> = view.examples().unwrap_or_default();
        if let Some(example) = view.get("example").filter(|example| !examples.contains(example)) {
            examples.insert(0, example);
        }
        examples.retain(|example| !example.is_null() && self.document.has_room_for(example));
        let is_short =
            |example: &&Json| !example.is_object() && plain(example).len() <= LONGEST_INLINE;
        let (short, long): (Vec<&Json>, Vec<_>) = examples.into_iter().partition(is_short);
        if !short.is_empty() {
            let label = if short.len() == 1 { "Example: " } else { "Examples: " };
            self.nodes.push(codes(vec![text(label)], short.into_iter().map(plain)));
        }
        for example in long {
            self.nodes.push(paragraph(vec![text("Example:")]));
            let (language, code) = match example {
                Json::String(text) => ("text", text.clone()),
                value => ("json", serde_json::to_string_pretty(value).unwrap_or_default()),
            };
            self.nodes.push(untitled_code(language, code));
        }
    }

    /// What few specs have: XML and links to other documents.
    fn more(&mut self, view: &Schema<'a>) {
        for (key, value) in view.get("xml").and_then(Json::as_object).into_iter().flatten() {
            self.add(&format!("XML {key}"), plain(value));
        }
        self.nodes.extend(view.get("externalDocs").and_then(external));
    }
}

/// Whether two texts differ in signs and letter case at most.
pub(super) fn is_same_text(one: &str, other: &str) -> bool {
    let letters = |text: &str| {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    letters(one) == letters(other)
}

/// The link of an `externalDocs`.
pub(super) fn external(docs: &Json) -> Option<Node> {
    let url = docs.get("url")?.as_str()?;
    let about = docs.get("description").and_then(Json::as_str).unwrap_or(url);
    Some(paragraph(vec![text("More: "), link(url, vec![text(about)])]))
}

/// Texts about options, in their order, from the extensions that generators write.
fn option_texts(view: &Schema<'_>, options: &[Json]) -> Vec<String> {
    let keys = ["x-enum-descriptions", "x-enumDescriptions", "x-enum-varnames", "x-enumNames"];
    let Some(texts) = keys.iter().find_map(|key| view.get(key)) else { return Vec::new() };
    let text_of = |(index, option): (usize, &Json)| {
        let text = match texts {
            Json::Array(texts) => texts.get(index),
            texts => texts.get(plain(option)),
        };
        text.and_then(Json::as_str).unwrap_or_default().to_owned()
    };
    options.iter().enumerate().map(text_of).collect()
}

/// A limit and whether it is itself forbidden.
struct Limit {
    value: String,
    strict: bool,
}

impl Limit {
    const fn sign(&self) -> &'static str {
        if self.strict { "<" } else { "≤" }
    }
}

/// An exclusive limit is a number in 3.1, and a flag beside the limit in 3.0.
fn limit(view: &Schema<'_>, key: &str, exclusive: Option<&str>) -> Option<Limit> {
    let exclusive = exclusive.and_then(|key| view.get(key));
    if let Some(Json::Number(limit)) = exclusive {
        return Some(Limit { value: limit.to_string(), strict: true });
    }
    let value = view.get(key)?.as_number()?.to_string();
    Some(Limit { value, strict: exclusive == Some(&Json::Bool(true)) })
}

//! Schemas as fields: a row for each property, with nested properties.

use serde_json::Value as Json;

use super::{
    Settings,
    budget::{MAXIMUM_FIELDS, Overrun},
    document::{Document, Schema},
    example::plain,
    label::type_label,
    nodes::{component, inline_code, paragraph, text, word},
};
use crate::mdx::{Node, Value};

/// Maximum nesting of fields; a spec can be deeper.
const MAXIMUM_DEPTH: usize = 12;

/// The position of a schema's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Request,
    Response,
}

/// Renders fields and counts them.
#[derive(Debug)]
pub(super) struct Fields<'s, 'a> {
    document: Document<'a>,
    side: Side,
    settings: &'s Settings,
    /// The number of fields that can still be added: recursive schemas would exceed any page.
    left: usize,
    /// Names of the surrounding schemas.
    around: Vec<&'a str>,
}

impl<'s, 'a> Fields<'s, 'a> {
    pub(super) fn new(document: &Document<'a>, side: Side, settings: &'s Settings) -> Self {
        let document = document.clone();
        Self { document, side, settings, left: MAXIMUM_FIELDS, around: Vec::new() }
    }

    /// The content of a body: its properties, or the one value that it is.
    pub(super) fn body(&mut self, schema: &'a Json) -> Vec<Node> {
        let view = self.document.schema(schema);
        if view.has_properties() || view.alternatives().nth(1).is_some() {
            let mut nodes = self.description(&view);
            nodes.extend(self.inside(&view));
            return nodes;
        }
        let name = match self.side {
            Side::Request => "body",
            Side::Response => "response",
        };
        vec![self.field(name, schema, false, "body")]
    }

    /// One field. `place` is `path`, `query`, `header`, `cookie` or `body`.
    pub(super) fn field(
        &mut self,
        name: &str,
        schema: &'a Json,
        required: bool,
        place: &str,
    ) -> Node {
        let view = self.document.schema(schema);
        self.field_of(name, &view, required, place)
    }

    /// One field of a schema that is ready.
    pub(super) fn field_of(
        &mut self,
        name: &str,
        view: &Schema<'a>,
        required: bool,
        place: &str,
    ) -> Node {
        self.left = self.left.saturating_sub(1);
        self.document.budget().take_text(name.len() + 32);
        let mut props = match self.side {
            Side::Request => vec![(place, word(name))],
            Side::Response => vec![("name", word(name))],
        };
        props.push(("type", word(type_label(&self.document, view))));
        if required {
            props.push(("required", Value::Bool(true)));
        }
        if view.is("deprecated") {
            props.push(("deprecated", Value::Bool(true)));
        }
        let default = view.get("default").filter(|default| !default.is_null());
        if let Some(default) = default.filter(|default| self.document.has_room_for(default)) {
            props.push(("default", word(plain(default))));
        }
        let post = self.pills_of(view);
        if !post.is_empty() {
            props.push(("post", Value::Array(post.into_iter().map(Value::Text).collect())));
        }
        if let Some(pre) = view.get("x-mint").and_then(|mint| mint.get("pre")) {
            props.push(("pre", Value::Array(texts(pre).into_iter().map(Value::Text).collect())));
        }
        let mut children = self.description(view);
        children.extend(facts(&self.document, view));
        children.extend(self.nested(view));
        let kind = match self.side {
            Side::Request => "ParamField",
            Side::Response => "ResponseField",
        };
        component(kind, props, children)
    }

    fn description(&self, view: &Schema<'a>) -> Vec<Node> {
        let own = view.text("description");
        // The items' description is better than none.
        let items = view.get("items").map(|items| self.document.schema(items));
        let of_items = items.as_ref().and_then(|items| items.text("description"));
        self.document.markdown(own.or(of_items).unwrap_or_default())
    }

    /// The collapsed contents of a field.
    fn nested(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let mut holder = view.clone();
        for _ in 0..4 {
            let is_list = holder.types() == ["array"] || holder.get("type").is_none();
            let Some(items) = holder.get("items").filter(|_| is_list) else { break };
            holder = self.document.schema(items);
        }
        let inside = self.inside(&holder);
        if inside.is_empty() {
            return Vec::new();
        }
        let has_options = holder.alternatives().nth(1).is_some();
        let title =
            if has_options && !holder.has_properties() { "options" } else { "child attributes" };
        let props =
            vec![("title", word(title)), ("defaultOpen", Value::Bool(self.settings.expanded))];
        vec![component("Expandable", props, inside)]
    }

    /// The properties of a schema and its alternatives; nothing for a plain value, or for a schema that is
    /// already being rendered around this place.
    fn inside(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let is_around = view.name.is_some_and(|name| self.around.contains(&name));
        if is_around || self.around.len() >= MAXIMUM_DEPTH || !self.has_room() {
            return Vec::new();
        }
        if !self.document.budget().take_steps(view.len()) {
            return Vec::new();
        }
        self.around.push(view.name.unwrap_or_default());
        let mut nodes = Vec::new();
        let required = view.required();
        for (name, schema) in view.properties() {
            if !self.has_room() {
                break;
            }
            if self.is_on_this_side(schema) && self.document.budget().take_row() {
                nodes.push(self.field(name, schema, required.contains(name), "body"));
            }
        }
        let any = view.get("additionalProperties").filter(|any| is_worth_showing(any));
        if let Some(any) = any.filter(|_| self.has_room()) {
            nodes.push(self.field("{key}", any, false, "body"));
        }
        nodes.extend(self.alternatives(view));
        self.around.pop();
        nodes
    }

    /// Whether another field can be added.
    fn has_room(&self) -> bool {
        if self.left == 0 {
            self.document.budget().record(Overrun::Fields);
        }
        self.left > 0 && !self.document.budget().is_spent()
    }

    /// `oneOf` and `anyOf` as tabs.
    fn alternatives(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let alternatives: Vec<_> =
            view.alternatives().map(|each| self.document.schema(each)).collect();
        if let [only] = alternatives.as_slice() {
            return self.inside(only);
        }
        let is_plain = alternatives.iter().all(|schema| {
            !schema.has_properties()
                && schema.alternatives().next().is_none()
                && schema.get("items").is_none()
                && schema.text("description").is_none()
                && schema.get("enum").is_none()
        });
        if is_plain {
            return Vec::new();
        }
        let mut tabs = Vec::new();
        for (number, schema) in alternatives.iter().enumerate() {
            if !self.has_room() || !self.document.budget().take_row() {
                break;
            }
            tabs.push(self.alternative(number, schema));
        }
        if tabs.is_empty() {
            return tabs;
        }
        vec![component("Tabs", vec![("sync", Value::Bool(false))], tabs)]
    }

    fn alternative(&mut self, number: usize, schema: &Schema<'a>) -> Node {
        let label = type_label(&self.document, schema);
        let named = schema.text("title").or(schema.name).map(str::to_owned);
        let title = named.unwrap_or_else(|| match label.as_str() {
            "any" | "object" => format!("Option {}", number + 1),
            label => label.to_owned(),
        });
        let mut content = self.description(schema);
        content.extend(facts(&self.document, schema));
        let inside = self.inside(schema);
        content.extend(if inside.is_empty() { self.nested(schema) } else { inside });
        if content.is_empty() {
            content.push(paragraph(vec![inline_code(label)]));
        }
        component("Tab", vec![("title", word(title))], content)
    }

    /// Requests omit read-only fields; responses omit write-only fields.
    fn is_on_this_side(&self, schema: &'a Json) -> bool {
        let schema = self.document.schema(schema);
        match self.side {
            Side::Request => !schema.is("readOnly"),
            Side::Response => !schema.is("writeOnly"),
        }
    }

    fn pills_of(&self, view: &Schema<'a>) -> Vec<String> {
        let mut pills = Vec::new();
        if view.is("readOnly") {
            pills.push("read-only".to_owned());
        }
        if view.is("writeOnly") {
            pills.push("write-only".to_owned());
        }
        for key in &self.settings.pills {
            match view.get(key) {
                Some(Json::Bool(true)) => pills.push(key.clone()),
                Some(value) => pills.extend(texts(value)),
                None => {}
            }
        }
        if let Some(post) = view.get("x-mint").and_then(|mint| mint.get("post")) {
            pills.extend(texts(post));
        }
        pills
    }
}

fn is_worth_showing(schema: &Json) -> bool {
    schema.as_object().is_some_and(|keywords| !keywords.is_empty())
}

fn texts(value: &Json) -> Vec<String> {
    match value {
        Json::String(one) if !one.is_empty() => vec![one.clone()],
        Json::Number(number) => vec![number.to_string()],
        Json::Array(many) => many.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Constraints of a value, in sentences.
fn facts(document: &Document<'_>, view: &Schema<'_>) -> Vec<Node> {
    let mut facts = Vec::new();
    let list = |label: &str, values: &[&Json]| {
        listed(label, values.iter().copied().filter(|value| document.has_room_for(value)))
    };
    let items = view.get("items").and_then(Json::as_object);
    let options = view.get("enum").or_else(|| items?.get("enum")).and_then(Json::as_array);
    if let Some(options) = options {
        facts.push(list("Available options", &options.iter().collect::<Vec<_>>()));
    }
    if let Some(only) = view.get("const") {
        facts.push(list("Allowed value", &[only]));
    }
    for (label, lowest, highest) in [
        (
            "Required range",
            range(view, "minimum", "exclusiveMinimum"),
            range(view, "maximum", "exclusiveMaximum"),
        ),
        ("Required length", number(view, "minLength"), number(view, "maxLength")),
        ("Required number of items", number(view, "minItems"), number(view, "maxItems")),
    ] {
        let unit = if label == "Required range" { "x" } else { "length" };
        let span = match (lowest, highest) {
            (Some((low, strict)), Some((high, strict_high))) => {
                format!("{low} {} {unit} {} {high}", sign(strict), sign(strict_high))
            }
            (Some((low, strict)), None) => {
                format!("{unit} {} {low}", if strict { ">" } else { "≥" })
            }
            (None, Some((high, strict))) => format!("{unit} {} {high}", sign(strict)),
            (None, None) => continue,
        };
        facts.push(paragraph(vec![text(format!("{label}: ")), inline_code(span)]));
    }
    if let Some(multiple) = number(view, "multipleOf") {
        facts.push(paragraph(vec![text("Must be a multiple of "), inline_code(multiple.0)]));
    }
    if let Some(pattern) = view.text("pattern") {
        facts.push(paragraph(vec![text("Pattern: "), inline_code(pattern)]));
    }
    match (view.get("example"), view.examples()) {
        (Some(example), _) if !example.is_object() && !example.is_null() => {
            facts.push(list("Example", &[example]));
        }
        (None, Some(examples))
            if examples.iter().all(|example| !example.is_object()) && !examples.is_empty() =>
        {
            let label = if examples.len() == 1 { "Example" } else { "Examples" };
            facts.push(list(label, &examples));
        }
        _ => {}
    }
    facts
}

fn sign(strict: bool) -> &'static str {
    if strict { "<" } else { "≤" }
}

fn number(view: &Schema<'_>, key: &str) -> Option<(String, bool)> {
    Some((view.get(key)?.as_number()?.to_string(), false))
}

/// A limit and whether it is itself forbidden: a number in 3.1, a flag beside the limit in 3.0.
fn range(view: &Schema<'_>, key: &str, exclusive: &str) -> Option<(String, bool)> {
    match view.get(exclusive) {
        Some(Json::Number(limit)) => Some((limit.to_string(), true)),
        other => Some((number(view, key)?.0, other == Some(&Json::Bool(true)))),
    }
}

fn listed<'a>(label: &str, values: impl Iterator<Item = &'a Json>) -> Node {
    let mut children = vec![text(format!("{label}: "))];
    for (index, value) in values.enumerate() {
        if index > 0 {
            children.push(text(", "));
        }
        children.push(inline_code(plain(value)));
    }
    paragraph(children)
}

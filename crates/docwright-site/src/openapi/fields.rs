//! Schemas as fields: a row for each property, with nested properties.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::{
    Settings,
    budget::{MAXIMUM_FIELDS, Overrun},
    document::Document,
    example::plain,
    facts::facts,
    label::type_label,
    nodes::{anchored, component, fact, inline_code, link, paragraph, text, word},
    once::Place,
    operation::media,
    schema::Schema,
};
use crate::mdx::{Node, NodeKind, Value};

/// Maximum nesting of fields; a spec can be deeper.
const MAXIMUM_DEPTH: usize = 24;
/// Nesting of fields that links can lead to. Addresses of deeper ones would be most of a large page.
const LINKED_DEPTH: usize = 2;
/// The highest level of headings in descriptions of fields: below those of the table of contents.
const IN_FIELDS: u8 = 4;
/// Longer defaults have a line of their own. Bytes.
const LONGEST_DEFAULT: usize = 80;
/// Keywords with schemas that are shown below a field, besides properties and alternatives.
const PARTS: [&str; 14] = [
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "contentSchema",
    "unevaluatedProperties",
    "unevaluatedItems",
    "discriminator",
];

/// The position of a schema's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Request,
    Response,
}

/// Renders fields and counts them.
#[derive(Debug)]
pub(super) struct Fields<'s, 'a> {
    pub(super) document: Document<'a>,
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

    /// The content of a body: its properties, or the one value that it is. `title` names it for links to its fields.
    pub(super) fn body(&mut self, schema: &'a Json, title: &str) -> Vec<Node> {
        let view = self.document.schema(schema);
        if view.has_properties() || !view.choices().is_empty() {
            let inside = self.inside(&view, title);
            let mut nodes = self.description(&view);
            nodes.extend(facts(&self.document, &view, view.name.unwrap_or_default()));
            nodes.extend(inside);
            return nodes;
        }
        let name = match self.side {
            Side::Request => "body",
            Side::Response => "response",
        };
        vec![self.field(name, schema, false, "body")]
    }

    /// A parameter or header. Its own values override those of its schema.
    pub(super) fn parameter(&mut self, name: &str, parameter: &'a Json, place: &str) -> Node {
        let required = parameter.get("required").and_then(Json::as_bool).unwrap_or(false);
        let schema = parameter_schema(&self.document, parameter);
        let mut node = self.field_of(name, &schema, required, place);
        let said = |key: &str| parameter.get(key);
        let content = media(parameter);
        if let [(kind, _)] = content.as_slice() {
            node.children.push(fact("Content type", *kind));
        }
        for (key, label) in [("style", "Style"), ("explode", "Explode")] {
            node.children.extend(said(key).map(|value| fact(label, plain(value))));
        }
        for (key, words) in [
            ("allowEmptyValue", "The value can be empty."),
            ("allowReserved", "Reserved characters are sent as they are."),
        ] {
            let is_set = said(key) == Some(&Json::Bool(true));
            node.children.extend(is_set.then(|| paragraph(vec![text(words)])));
        }
        let examples = said("examples").and_then(Json::as_object);
        for example in examples.into_iter().flatten().map(|(_, each)| self.document.resolve(each).0)
        {
            let said = |key| example.get(key).and_then(Json::as_str);
            let about = said("summary").into_iter().chain(said("description"));
            let about = self.document.described_below(IN_FIELDS, about);
            if let Some(value) = example.get("value").filter(|_| !about.is_empty()) {
                node.children.push(fact("Example", plain(value)));
                node.children.extend(about);
            }
        }
        node
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
        self.document.places().count();
        self.document.budget().take_text(name.len() + 32);
        let mut props = match self.side {
            Side::Request => vec![(place, word(name))],
            Side::Response => vec![("name", word(name))],
        };
        props.push(("type", word(type_label(&self.document, view))));
        if self.around.len() > LINKED_DEPTH {
            props.push(("id", word("")));
        }
        if required {
            props.push(("required", Value::Bool(true)));
        }
        if view.is("deprecated") {
            props.push(("deprecated", Value::Bool(true)));
        }
        let default = view.get("default").filter(|default| !default.is_null());
        let default = default.filter(|default| self.document.has_room_for(default)).map(plain);
        if let Some(default) = default.as_ref().filter(|default| default.len() <= LONGEST_DEFAULT) {
            props.push(("default", word(default.as_str())));
        }
        let post = self.pills_of(view);
        if !post.is_empty() {
            props.push(("post", Value::Array(post.into_iter().map(Value::Text).collect())));
        }
        if let Some(pre) = view.get("x-mint").and_then(|mint| mint.get("pre")) {
            props.push(("pre", Value::Array(texts(pre).into_iter().map(Value::Text).collect())));
        }
        let mut children = self.description(view);
        if let Some(default) = default.filter(|default| default.len() > LONGEST_DEFAULT) {
            children.push(paragraph(vec![text("Default: "), inline_code(default)]));
        }
        children.extend(facts(&self.document, view, name));
        children.extend(self.nested(view, name));
        let kind = match self.side {
            Side::Request => "ParamField",
            Side::Response => "ResponseField",
        };
        component(kind, props, children)
    }

    /// The descriptions of a schema and its parts, each once.
    pub(super) fn description(&self, view: &Schema<'a>) -> Vec<Node> {
        let (mut texts, mut known) = (Vec::new(), HashSet::new());
        let mut add = |text: Option<&'a str>| {
            let text = text.filter(|text| !text.trim().is_empty());
            texts.extend(text.filter(|text| known.insert(*text)));
        };
        add(view.text("description"));
        view.lost().iter().for_each(|part| add(part.text("description")));
        // Items have no line of their own.
        let mut holder = view.clone();
        for _ in 0..4 {
            let Some(items) = holder.get("items").filter(|items| items.is_object()) else { break };
            holder = self.document.schema(items);
            add(holder.text("description"));
            holder.lost().iter().for_each(|part| add(part.text("description")));
        }
        self.document.described_below(IN_FIELDS, texts)
    }

    /// The collapsed contents of a field.
    pub(super) fn nested(&mut self, view: &Schema<'a>, title: &str) -> Vec<Node> {
        let mut holder = view.clone();
        for _ in 0..4 {
            if has_inside(&holder) {
                break;
            }
            let Some(items) = holder.get("items").filter(|items| items.is_object()) else { break };
            holder = self.document.schema(items);
        }
        let inside = self.inside(&holder, title);
        if inside.is_empty() || is_link(&inside) {
            return inside;
        }
        let has_options = !holder.choices().is_empty();
        let title =
            if has_options && !holder.has_properties() { "options" } else { "child attributes" };
        let props =
            vec![("title", word(title)), ("defaultOpen", Value::Bool(self.settings.expanded))];
        vec![component("Expandable", props, inside)]
    }

    /// The properties of a schema and its alternatives; nothing for a plain value. A schema that the page has shown
    /// is a link. `title` names an anonymous schema.
    pub(super) fn inside(&mut self, view: &Schema<'a>, title: &str) -> Vec<Node> {
        if !self.has_room() || !self.document.budget().take_steps(view.len()) || !has_inside(view) {
            return Vec::new();
        }
        let key = view.value.map(|value| self.document.places().key(value, self.side));
        if let Some(place) = key.and_then(|key| self.document.places().find(key)) {
            return vec![same_fields(&place)];
        }
        let is_around = view.name.is_some_and(|name| self.around.contains(&name));
        if is_around || self.around.len() >= MAXIMUM_DEPTH {
            return Vec::new();
        }
        let opened = key.map(|key| self.document.places().open(key, view.name.unwrap_or(title)));
        self.around.push(view.name.unwrap_or_default());
        let nodes = self.rows(view);
        self.around.pop();
        let id =
            key.zip(opened).and_then(|(key, opened)| self.document.places().close(key, opened));
        match id {
            Some(id) if !nodes.is_empty() => vec![anchored(&id, nodes)],
            _ => nodes,
        }
    }

    fn rows(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let required = view.required();
        for (name, schema) in view.properties() {
            if !self.has_room() {
                break;
            }
            if self.is_on_this_side(schema) {
                nodes.extend(self.row(name, schema, required.contains(name)));
            }
        }
        if let Some(any) = view.get("additionalProperties").filter(|any| is_worth_showing(any)) {
            nodes.extend(self.row("{key}", any, false));
        }
        nodes.extend(self.choices(view));
        nodes.extend(self.parts(view));
        nodes
    }

    /// A field within a body, if there is room.
    pub(super) fn row(&mut self, name: &str, schema: &'a Json, required: bool) -> Option<Node> {
        let has_room = self.has_room() && self.document.budget().take_row();
        has_room.then(|| self.field(name, schema, required, "body"))
    }

    /// Whether another field can be added.
    pub(super) fn has_room(&self) -> bool {
        if self.left == 0 {
            self.document.budget().record(Overrun::Fields);
        }
        self.left > 0 && !self.document.budget().is_spent()
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

/// The schema of a parameter with the parameter's own values.
fn parameter_schema<'a>(document: &Document<'a>, parameter: &'a Json) -> Schema<'a> {
    let own = parameter.get("schema").or_else(|| media(parameter).first()?.1.get("schema"));
    let schema = own.map_or_else(Schema::empty, |schema| document.schema(schema));
    let more = ["description", "example", "deprecated", "x-mint"];
    let more = more.into_iter().filter_map(|key| Some((key, parameter.get(key)?)));
    let examples = parameter.get("examples").and_then(Json::as_object).map(|examples| {
        let values = examples.values().filter_map(|each| document.resolve(each).0.get("value"));
        values.collect()
    });
    document.with(&schema, more, examples)
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

/// Whether a schema has more than a line about its value.
fn has_inside(view: &Schema<'_>) -> bool {
    let is_part = |key: &&str| match view.get(key) {
        Some(Json::Object(entries)) => !entries.is_empty(),
        Some(Json::Array(items)) => *key != "not" && !items.is_empty(),
        _ => false,
    };
    view.has_properties() || !view.choices().is_empty() || PARTS.iter().any(is_part) || {
        view.lost().iter().any(|part| part.get("not").is_some_and(Json::is_object))
            || view.get("items").is_some_and(Json::is_array)
    }
}

/// The link to fields that the page has shown.
fn same_fields(place: &Place) -> Node {
    let title = vec![inline_code(place.title.as_str())];
    paragraph(vec![text(SAME_FIELDS), link(format!("#{}", place.id), title)])
}

/// The text before such a link.
const SAME_FIELDS: &str = "Same fields as ";

fn is_link(nodes: &[Node]) -> bool {
    let [node] = nodes else { return false };
    let first = node.children.first().map(|child| &child.kind);
    matches!(first, Some(NodeKind::Text { value }) if value == SAME_FIELDS)
}

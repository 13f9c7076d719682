//! Schemas as forms: types, options, limits, and parts, without what only readers need.
//!
//! A schema with parts has a number in a table, and other schemas refer to it by that number. So each schema is
//! there once, recursive ones are finite, and the script creates the fields of a part when the reader adds it.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value, json};

use super::object;
use crate::openapi::{
    choices::discriminator_values,
    document::{Document, size_of},
    fields::Side,
    label::type_label,
    once::Key,
    schema::Schema,
};

/// Maximum size of the data that depends on the spec, in bytes of JSON.
const MAXIMUM_BYTES: usize = 40_000;
/// Longest example of a field, in bytes of JSON.
pub(super) const LONGEST_EXAMPLE: usize = 1_000;
/// Longest default of a field, in bytes of JSON.
const LONGEST_DEFAULT: usize = 1_000;
/// Longest list of options, in bytes of JSON. Readers type the value of a longer one.
const LONGEST_OPTIONS: usize = 8_000;
/// Longest pattern that the form checks, in bytes.
const LONGEST_PATTERN: usize = 200;
/// Limits of a value that the form checks.
const LIMITS: [&str; 8] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// The schemas of one page's forms.
#[derive(Debug)]
pub(super) struct Forms<'d, 'a> {
    document: &'d Document<'a>,
    /// Bytes that are left.
    left: usize,
    table: Vec<Value>,
    /// Numbers by content: generators write the same schema at many places.
    numbers: HashMap<Key, usize>,
    /// Schemas with a number that aren't in the table yet. Those near the top of a body come first.
    queue: VecDeque<(usize, Schema<'a>)>,
}

impl<'d, 'a> Forms<'d, 'a> {
    pub(super) fn new(document: &'d Document<'a>) -> Self {
        let (table, numbers, queue) = (Vec::new(), HashMap::new(), VecDeque::new());
        Self { document, left: MAXIMUM_BYTES, table, numbers, queue }
    }

    /// Takes the room of a value. Returns whether enough was left; if not, nothing more is.
    pub(super) fn take(&mut self, value: &Value) -> bool {
        let rest = self.left.checked_sub(size_of(value));
        self.left = rest.unwrap_or(0);
        rest.is_some()
    }

    /// Takes the room of a value if it has at most `longest` bytes and enough are left.
    pub(super) fn has_room_for(&mut self, value: &Value, longest: usize) -> bool {
        let size = size_of(value);
        let fits = size <= longest.min(self.left);
        self.left -= if fits { size } else { 0 };
        fits
    }

    /// A schema outside of the table, its room taken.
    pub(super) fn taken(&mut self, value: &'a Value) -> Value {
        let schema = self.schema(value);
        if self.take(&schema) { schema } else { json!({}) }
    }

    /// The table. Its numbers are what other schemas refer to.
    pub(super) fn finish(mut self) -> Value {
        while let Some((number, view)) = self.queue.pop_front() {
            if let Some(form) = self.form(&view).map(Value::from).filter(|form| self.take(form)) {
                self.table[number] = form;
            }
        }
        self.table.into()
    }

    /// A schema, or its number in the table.
    fn schema(&mut self, value: &'a Value) -> Value {
        let view = self.document.schema(value);
        if let Some(simple) = self.simple(&view) {
            return simple.into();
        }
        let is_reference = value.as_object().is_some_and(|words| words.len() == 1);
        let written = if is_reference { self.document.resolve(value).0 } else { value };
        let key = self.document.places().key(written, Side::Request);
        if let Some(number) = self.numbers.get(&key) {
            return (*number).into();
        }
        if self.left == 0 {
            return json!({});
        }
        let number = self.table.len();
        self.table.push(json!({}));
        self.numbers.insert(key, number);
        self.queue.push_back((number, view));
        number.into()
    }

    /// A schema without parts, or a list of such; `None` for others.
    fn simple(&self, view: &Schema<'a>) -> Option<Map<String, Value>> {
        if has_parts(view) {
            return None;
        }
        let mut form = facts(view);
        if let Some(items) = view.get("items").filter(|items| items.is_object()) {
            let items = self.document.schema(items);
            if has_parts(&items) || items.get("items").is_some() {
                return None;
            }
            form.insert("items".to_owned(), facts(&items).into());
        }
        Some(form)
    }

    /// A schema with its parts; `None` if there is no room for them.
    fn form(&mut self, view: &Schema<'a>) -> Option<Map<String, Value>> {
        let mut form = facts(view);
        let mut left = self.left;
        let mut properties = Map::new();
        for (name, property) in view.properties() {
            if self.document.schema(property).is("readOnly") {
                continue;
            }
            let property = self.schema(property);
            left = left.checked_sub(name.len() + size_of(&property))?;
            properties.insert(name.to_owned(), property);
        }
        let required = view.required();
        let required: Vec<_> =
            properties.keys().filter(|name| required.contains(name.as_str())).collect();
        if !required.is_empty() {
            form.insert("required".to_owned(), json!(required));
        }
        if !properties.is_empty() {
            form.insert("properties".to_owned(), properties.into());
        }
        let items = view.get("items").filter(|items| items.is_object());
        let values = values_of_names(view);
        for (key, part) in [("items", items), ("values", values)] {
            if let Some(part) = part {
                form.insert(key.to_owned(), self.schema(part));
            }
        }
        let choices: Vec<_> =
            view.choices().into_iter().filter_map(|(_, list)| self.choice(view, &list)).collect();
        if !choices.is_empty() {
            form.insert("choices".to_owned(), choices.into());
        }
        Some(form)
    }

    /// Alternatives; `None` if they aren't different values, or if one of them is the schema itself.
    fn choice(&mut self, view: &Schema<'a>, list: &[&'a Value]) -> Option<Value> {
        let views: Vec<_> = list.iter().map(|each| self.document.schema(each)).collect();
        let is_itself = |each: &Schema<'_>| each.address.is_some() && each.address == view.address;
        if views.iter().any(is_itself) || views.iter().all(is_condition) {
            return None;
        }
        let discriminator = view.get("discriminator");
        let mapped = discriminator.and_then(|each| each.get("mapping")?.as_object());
        let mut left = self.left;
        let mut options = Vec::new();
        for (number, (value, inner)) in list.iter().zip(&views).enumerate() {
            if !self.document.budget().take_steps(mapped.map_or(0, Map::len)) {
                break;
            }
            let values = discriminator_values(view, value, inner);
            let label = type_label(self.document, inner);
            let title = inner.text("title").or(inner.name).unwrap_or(match label.as_str() {
                "any" | "object" => "",
                label => label,
            });
            let title =
                if title.is_empty() { format!("Option {}", number + 1) } else { title.into() };
            let option = object([
                ("title", Some(title.into())),
                ("schema", Some(self.schema(value))),
                ("values", Some(json!(values)).filter(|_| !values.is_empty())),
            ]);
            let option = Value::from(option);
            let Some(rest) = left.checked_sub(size_of(&option)) else { break };
            left = rest;
            options.push(option);
        }
        let decides = discriminator.and_then(|each| each.get("propertyName")).cloned();
        (options.len() > 1)
            .then(|| object([("by", decides), ("options", Some(options.into()))]).into())
    }
}

/// What a schema says about its value, without its parts.
fn facts(view: &Schema<'_>) -> Map<String, Value> {
    let short = |key: &str, longest: usize| {
        view.get(key).filter(|value| size_of(value) <= longest).cloned()
    };
    let types = view.types();
    let kind = match types.as_slice() {
        [] if view.has_properties() || values_of_names(view).is_some() => Some("object".into()),
        [] => view.get("items").map(|_| "array".into()),
        [one] => Some((*one).into()),
        many => Some(json!(many)),
    };
    let only = view.get("const").map(|only| json!([only]));
    let first = view.get("examples").and_then(Value::as_array).and_then(|all| all.first());
    let example = view.get("example").or(first).filter(|value| size_of(value) <= LONGEST_EXAMPLE);
    let pattern = view.text("pattern").filter(|pattern| pattern.len() <= LONGEST_PATTERN);
    let mut facts = object([
        ("type", kind),
        ("format", view.text("format").map(Value::from)),
        ("encoding", view.text("contentEncoding").map(Value::from)),
        ("media", view.text("contentMediaType").map(Value::from)),
        ("enum", only.or_else(|| short("enum", LONGEST_OPTIONS))),
        ("default", short("default", LONGEST_DEFAULT)),
        ("example", example.cloned()),
        ("nullable", view.is_nullable().then_some(true.into())),
        ("pattern", pattern.map(Value::from)),
    ]);
    for key in LIMITS {
        facts.extend(view.get(key).map(|limit| (key.to_owned(), limit.clone())));
    }
    facts
}

/// Whether a schema has properties, values of any name, or alternatives.
fn has_parts(view: &Schema<'_>) -> bool {
    view.has_properties() || values_of_names(view).is_some() || !view.choices().is_empty()
}

/// The schema of the values of an object whose names are free.
fn values_of_names<'a>(view: &Schema<'a>) -> Option<&'a Value> {
    let is_schema = |value: &&Value| value.as_object().is_some_and(|words| !words.is_empty());
    let patterns = || view.get("patternProperties")?.as_object()?.values().next();
    view.get("additionalProperties").filter(is_schema).or_else(|| patterns().filter(is_schema))
}

/// Whether a schema only limits the values of the schema around it, such as by `required`.
fn is_condition(view: &Schema<'_>) -> bool {
    let parts = ["enum", "const", "items", "format"];
    view.types().is_empty() && !has_parts(view) && parts.iter().all(|key| view.get(key).is_none())
}

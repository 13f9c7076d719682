//! Values that a schema allows, for samples.

use serde_json::{Map, Value};

use super::{document::Document, fields::Side, label::type_label, schema::Schema};

/// Maximum nesting of values.
const MAXIMUM_DEPTH: usize = 8;
/// Members that one sample can have.
const MAXIMUM_MEMBERS: usize = 200;
/// Examples of one body.
const MAXIMUM_EXAMPLES: usize = 8;

/// A value as plain text, without quotes around texts.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The example of a schema: its own, or one generated from its parts.
pub(super) fn example<'a>(document: &Document<'a>, schema: &'a Value, side: Side) -> Value {
    sample(document, schema, side, 0)
}

/// A value of a schema. If it would have too many members, the deepest ones are left out rather than the last ones, so
/// that each object that is shown is whole. `choice` is the alternative of the outermost schema.
fn sample<'a>(document: &Document<'a>, schema: &'a Value, side: Side, choice: usize) -> Value {
    let mut deepest = MAXIMUM_DEPTH;
    let text_left = document.budget().text_left();
    loop {
        let mut sampler = Sampler {
            document,
            side,
            left: MAXIMUM_MEMBERS,
            is_cut: false,
            deepest,
            around: Vec::new(),
            choice,
        };
        let value = sampler.value(schema, 0);
        if !sampler.is_cut || deepest == 0 {
            return value;
        }
        document.budget().restore_text(text_left);
        deepest -= 1;
    }
}

/// A value as its author wrote it, if the page has room.
pub(super) fn written(document: &Document<'_>, value: &Value) -> Option<Value> {
    document.has_room_for(value).then(|| value.clone())
}

/// The examples of a body with their titles: its own, the named ones, or one for each alternative of its schema.
pub(super) fn body_examples<'a>(document: &Document<'a>, media: &'a Value) -> Vec<(String, Value)> {
    let named = media.get("examples").and_then(Value::as_object);
    let named = named.into_iter().flatten().filter_map(|(name, example)| {
        let example = document.resolve(example).0;
        let summary = example.get("summary").and_then(Value::as_str).unwrap_or(name);
        Some((summary.to_owned(), written(document, example.get("value")?)?))
    });
    let own = media.get("example").and_then(|example| written(document, example));
    let own = own.map(|example| ("Example".to_owned(), example));
    let examples: Vec<_> = own.into_iter().chain(named.take(MAXIMUM_EXAMPLES)).collect();
    let Some(schema) = media.get("schema").filter(|_| examples.is_empty()) else { return examples };
    let view = document.schema(schema);
    let choices = view.choices();
    let Some((_, choice)) = choices.first().filter(|_| !has_example(&view)) else {
        return vec![("Example".to_owned(), example(document, schema, Side::Request))];
    };
    let mut examples: Vec<(String, Value)> = Vec::new();
    for (number, alternative) in choice.iter().take(MAXIMUM_EXAMPLES).enumerate() {
        let value = sample(document, schema, Side::Request, number);
        let inner = document.schema(alternative);
        let title = inner.text("title").or(inner.name).map(str::to_owned);
        let title = title.unwrap_or_else(|| type_label(document, &inner));
        if !examples.iter().any(|(_, known)| *known == value) {
            let is_taken = examples.iter().any(|(known, _)| *known == title);
            let title = if is_taken || title == "object" {
                format!("Option {}", number + 1)
            } else {
                title
            };
            examples.push((title, value));
        }
    }
    examples
}

/// Whether a schema says what a value looks like.
fn has_example(view: &Schema<'_>) -> bool {
    ["example", "examples", "default", "const"].iter().any(|key| view.get(key).is_some())
}

struct Sampler<'s, 'a> {
    document: &'s Document<'a>,
    side: Side,
    /// Members that it can still have.
    left: usize,
    /// Whether it had too many.
    is_cut: bool,
    /// The nesting down to which objects and lists are filled.
    deepest: usize,
    around: Vec<&'a str>,
    /// The alternative of the outermost schema that is shown.
    choice: usize,
}

impl<'a> Sampler<'_, 'a> {
    fn value(&mut self, schema: &'a Value, depth: usize) -> Value {
        let view = self.document.schema(schema);
        let given = |key: &str| view.get(key).filter(|value| !value.is_null());
        let first = |key: &str| view.get(key)?.as_array()?.first();
        let known = given("example")
            .or_else(|| first("examples"))
            .or_else(|| given("default"))
            .or_else(|| view.get("const"))
            .or_else(|| first("enum"));
        if let Some(known) = known.and_then(|known| written(self.document, known)) {
            return known;
        }
        let is_around = view.name.is_some_and(|name| self.around.contains(&name));
        if is_around {
            return Value::Object(Map::new());
        }
        if depth > self.deepest
            && let Some(empty) = empty(&view)
        {
            return empty;
        }
        self.around.extend(view.name);
        let value = self.made(&view, depth);
        if view.name.is_some() {
            self.around.pop();
        }
        value
    }

    fn made(&mut self, view: &Schema<'a>, depth: usize) -> Value {
        let mut object = Map::new();
        for (name, property) in view.properties() {
            let budget = self.document.budget();
            self.is_cut |= self.left == 0;
            if self.is_cut || !budget.take_steps(1) || !budget.take_text(name.len() + 16) {
                break;
            }
            let property_view = self.document.schema(property);
            let hidden = match self.side {
                Side::Request => property_view.is("readOnly"),
                Side::Response => property_view.is("writeOnly"),
            };
            if hidden || property_view.is("deprecated") {
                continue;
            }
            self.left -= 1;
            let value = self.value(property, depth + 1);
            object.insert(name.to_owned(), value);
        }
        let choice = if depth == 0 { self.choice } else { 0 };
        if let Some(first) = view.alternatives().nth(choice) {
            let value = self.value(first, depth + 1);
            match value {
                Value::Object(more) => object.extend(more),
                other if object.is_empty() => return other,
                _ => {}
            }
        }
        if !object.is_empty() {
            return Value::Object(object);
        }
        match view.types().first().copied() {
            Some("array") => self.list(view, depth),
            None if view.get("items").is_some() => self.list(view, depth),
            Some("string") => Value::from(string(view.text("format"))),
            Some("integer") => {
                Value::from(view.get("minimum").and_then(Value::as_i64).unwrap_or(123))
            }
            Some("number") => view.get("minimum").cloned().unwrap_or_else(|| Value::from(123)),
            Some("boolean") => Value::from(true),
            _ => match view.get("additionalProperties").filter(|any| any.is_object()) {
                Some(any) => {
                    let value = self.value(any, depth + 1);
                    Value::Object(Map::from_iter([("key".to_owned(), value)]))
                }
                None => Value::Object(Map::new()),
            },
        }
    }

    fn list(&mut self, view: &Schema<'a>, depth: usize) -> Value {
        let items = view.get("items").map(|items| self.value(items, depth + 1));
        Value::Array(items.into_iter().collect())
    }
}

/// What stands for an object or a list that is not filled; `None` for other values.
fn empty(view: &Schema<'_>) -> Option<Value> {
    match view.types().first().copied() {
        Some("string" | "integer" | "number" | "boolean") => None,
        Some("array") => Some(Value::Array(Vec::new())),
        None if view.get("items").is_some() => Some(Value::Array(Vec::new())),
        _ => Some(Value::Object(Map::new())),
    }
}

fn string(format: Option<&str>) -> &'static str {
    match format {
        Some("date-time") => "2023-11-07T05:31:56Z",
        Some("date") => "2023-12-25",
        Some("time") => "05:31:56Z",
        Some("uuid") => "3c90c3cc-0d44-4b50-8888-8dd25736052a",
        Some("email") => "jsmith@example.com",
        Some("uri" | "url") => "https://example.com",
        Some("hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("password") => "<password>",
        Some("binary" | "byte") => "<binary>",
        _ => "<string>",
    }
}

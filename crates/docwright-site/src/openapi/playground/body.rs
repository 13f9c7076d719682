//! The body of an operation's request, for the form of the playground: each content type with its schema, examples,
//! and how its parts are sent.

use serde_json::{Map, Value, json};

use super::{Forms, object};
use crate::openapi::{document::Document, operation::Operation};

/// Maximum number of content types.
const MAXIMUM_TYPES: usize = 20;
/// Maximum number of examples of one content type.
const MAXIMUM_EXAMPLES: usize = 8;
/// Longest example of a body, in bytes of JSON.
const LONGEST_BODY: usize = 8_000;

/// The body; `null` if the request has none.
pub(super) fn body<'a>(operation: &Operation<'a>, forms: &mut Forms<'_, 'a>) -> Value {
    let Some((body, media)) = operation.body().filter(|(_, media)| !media.is_empty()) else {
        return Value::Null;
    };
    let content = media.into_iter().take(MAXIMUM_TYPES);
    let content: Vec<_> = content
        .map(|(kind, media)| content_type(&operation.document, kind, media, forms))
        .collect();
    let required = body.get("required").filter(|required| *required == &Value::Bool(true));
    object([("required", required.cloned()), ("content", Some(content.into()))]).into()
}

fn content_type<'a>(
    document: &Document<'a>,
    kind: &str,
    media: &'a Value,
    forms: &mut Forms<'_, 'a>,
) -> Value {
    let encodings = media.get("encoding").and_then(Value::as_object).into_iter().flatten();
    let encodings: Map<_, _> = encodings
        .map(|(name, value)| (name.clone(), encoding(document.resolve(value).0)))
        .collect();
    let encoding = Some(Value::from(encodings)).filter(|all| all != &json!({}) && forms.take(all));
    let schema = media.get("schema").map(|schema| forms.taken(schema));
    let examples = Some(examples(document, media, forms)).filter(|examples| !examples.is_empty());
    object([
        ("type", Some(kind.into())),
        ("schema", schema),
        ("examples", examples.map(Value::from)),
        ("encoding", encoding),
    ])
    .into()
}

/// How one part of a form is sent.
fn encoding(value: &Value) -> Value {
    let part = |key| value.get(key).cloned();
    object([
        ("contentType", part("contentType")),
        ("style", part("style")),
        ("explode", part("explode")),
        ("reserved", part("allowReserved")),
    ])
    .into()
}

/// The examples that the spec has, with their titles.
fn examples<'a>(
    document: &Document<'a>,
    media: &'a Value,
    forms: &mut Forms<'_, 'a>,
) -> Vec<Value> {
    let named = media.get("examples").and_then(Value::as_object).into_iter().flatten();
    let named = named.filter_map(|(name, example)| {
        let example = document.resolve(example).0;
        let title = example.get("summary").and_then(Value::as_str).unwrap_or(name);
        let value = ["value", "dataValue"].iter().find_map(|key| example.get(*key))?;
        Some((title, value))
    });
    let own = media.get("example").map(|example| ("Example", example));
    let all = own.into_iter().chain(named).take(MAXIMUM_EXAMPLES);
    let fitting = all.filter(|(_, value)| forms.has_room_for(value, LONGEST_BODY));
    fitting.map(|(title, value)| json!({ "title": title, "value": value })).collect()
}

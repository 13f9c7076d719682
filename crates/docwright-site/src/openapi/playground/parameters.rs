//! The parameters of an operation, for the fields of the playground.

use serde_json::Value;

use super::{Forms, forms::LONGEST_EXAMPLE, object};
use crate::openapi::{
    document::Document,
    operation::{Operation, media},
};

/// Maximum number of parameters; the page limits its own.
const MAXIMUM_PARAMETERS: usize = 1_000;

/// Parameters in their order, with what decides how they are written into the request.
pub(super) fn parameters<'a>(operation: &Operation<'a>, forms: &mut Forms<'_, 'a>) -> Value {
    let all = operation.parameters().into_iter().take(MAXIMUM_PARAMETERS);
    all.map(|each| parameter(&operation.document, each, forms)).collect()
}

fn parameter<'a>(
    document: &Document<'a>,
    parameter: &'a Value,
    forms: &mut Forms<'_, 'a>,
) -> Value {
    let part = |key| parameter.get(key).cloned();
    let is_set = |key| part(key).filter(|value| value == &Value::Bool(true));
    let content = media(parameter).into_iter().next();
    let schema =
        parameter.get("schema").or_else(|| content.and_then(|(_, media)| media.get("schema")));
    let written = object([
        ("in", part("in")),
        ("name", part("name")),
        ("required", is_set("required")),
        ("style", part("style")),
        ("explode", part("explode")),
        ("reserved", is_set("allowReserved")),
        ("content", content.map(|(kind, _)| kind.into())),
    ]);
    let mut written = Value::from(written);
    forms.take(&written);
    let example = parameter.get("example").or_else(|| {
        let named = parameter.get("examples").and_then(Value::as_object)?;
        named.values().find_map(|each| document.resolve(each).0.get("value"))
    });
    let example = example.filter(|example| forms.has_room_for(example, LONGEST_EXAMPLE));
    let more = object([
        ("schema", schema.map(|schema| forms.taken(schema))),
        ("example", example.cloned()),
    ]);
    if let Value::Object(members) = &mut written {
        members.extend(more);
    }
    written
}

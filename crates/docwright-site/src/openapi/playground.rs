//! The data of a page's playground as JSON for its script.

use serde_json::{Value, json};

use super::{
    document::Document,
    example::body_example,
    label::{is_file, type_label},
    operation::{Operation, preferred},
};

/// The request form of an operation. `prefill` puts examples into its fields.
pub fn playground(operation: &Operation<'_>, prefill: bool) -> Value {
    let document = &operation.document;
    let credentials = operation.credentials().into_iter().map(|credential| {
        json!({
            "in": credential.place, "name": credential.name, "prefix": credential.prefix,
            "value": credential.default,
        })
    });
    let parameters = operation.parameters().into_iter().map(|parameter| {
        field(document, parameter, parameter.get("schema").unwrap_or(&Value::Null), prefill)
    });
    let servers = operation
        .servers()
        .into_iter()
        .map(|server| json!({ "url": server.url, "description": server.description }));
    json!({
        "method": operation.method,
        "path": operation.path,
        "servers": servers.collect::<Vec<_>>(),
        "credentials": credentials.collect::<Vec<_>>(),
        "parameters": parameters.collect::<Vec<_>>(),
        "body": body(operation),
    })
}

fn field<'a>(
    document: &Document<'a>,
    parameter: &'a Value,
    schema: &'a Value,
    prefill: bool,
) -> Value {
    let view = document.schema(schema);
    let has_room = |value: &&Value| document.has_room_for(value);
    let sample = parameter.get("example").or_else(|| view.get("example"));
    let sample = sample.or_else(|| view.get("default")).filter(has_room);
    json!({
        "in": parameter.get("in"),
        "name": parameter.get("name"),
        "required": parameter.get("required").and_then(Value::as_bool).unwrap_or(false),
        "type": type_label(document, &view),
        "options": view.get("enum").filter(has_room),
        "value": sample.filter(|_| prefill),
        "hint": sample,
    })
}

/// The first content type that a form can make.
fn body(operation: &Operation<'_>) -> Value {
    let document = &operation.document;
    let Some((body, media)) = operation.body() else { return Value::Null };
    let Some((kind, media)) = preferred(&media) else { return Value::Null };
    let view = document.schema(media.get("schema").unwrap_or(&Value::Null));
    let required = view.required();
    let is_form = kind.starts_with("multipart/") || kind.contains("x-www-form-urlencoded");
    let fields: Vec<_> = view
        .properties()
        .filter(|_| is_form && document.budget().take_row())
        .map(|(name, schema)| {
            let inner = document.schema(schema);
            json!({
                "name": name, "required": required.contains(name), "type": type_label(document, &inner),
                "file": is_file(&inner), "options": inner.get("enum").filter(|value| document.has_room_for(value)),
            })
        })
        .collect();
    let sample = body_example(document, media).unwrap_or_else(|| json!({}));
    json!({
        "type": kind, "required": body.get("required"), "fields": fields,
        "sample": if is_form { Value::Null } else { sample },
    })
}

//! Fields that responses always have. A field without a value is sent as null, so it is required anyway: generated
//! clients need no check for missing fields.

use std::collections::BTreeSet;

use serde_json::Value;
use utoipa::openapi::{OpenApi, RefOr, Schema};

/// Path of references between components.
const SCHEMAS: &str = "#/components/schemas/";

/// Makes all properties required in types that occur only in responses. Requests can omit nullable fields.
pub(super) fn require_always_sent(document: &mut OpenApi) {
    // The API spec is our own value, which can be serialized.
    let Ok(whole) = serde_json::to_value(&*document) else { return };
    let (mut asked, mut answered) = (BTreeSet::new(), BTreeSet::new());
    let paths = whole["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    for operation in paths.filter_map(Value::as_object).flat_map(|item| item.values()) {
        collect(&whole, &operation["requestBody"], &mut asked);
        collect(&whole, &operation["responses"], &mut answered);
    }
    let Some(components) = &mut document.components else { return };
    for (name, schema) in &mut components.schemas {
        if answered.contains(name) && !asked.contains(name) {
            require_all(schema);
        }
    }
}

/// The names of all schemas that a part of the API spec refers to, at any depth.
fn collect(whole: &Value, part: &Value, found: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str);
            if let Some(name) = name.and_then(|name| name.strip_prefix(SCHEMAS))
                && found.insert(name.to_owned())
            {
                collect(whole, &whole["components"]["schemas"][name], found);
            }
            fields.values().for_each(|field| collect(whole, field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(whole, item, found)),
        _ => {}
    }
}

fn require_all(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            for (name, property) in &mut object.properties {
                if !object.required.contains(name) {
                    object.required.push(name.clone());
                }
                require_all(property);
            }
        }
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_all),
        _ => {}
    }
}

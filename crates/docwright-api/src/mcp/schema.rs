//! Shapes of tools, from the API spec: name, description, and arguments of an operation. References are resolved,
//! because clients read each schema alone.

use std::collections::{BTreeMap, BTreeSet};

use docwright_operations::permissions;
use docwright_types::key::Scope;
use serde_json::{Map, Value, json};

/// The argument that stands for the header of the same meaning.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotencyKey";
/// References within each other that are resolved.
const MAXIMUM_DEPTH: usize = 8;

/// How an operation looks as a tool.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// The name of the operation with underscores, such as `list_projects`.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    /// Needed to list it. The operation itself checks it.
    pub(super) scope: Scope,
    /// The JSON schema of the arguments.
    pub(super) input: Value,
    /// The arguments of the body.
    pub(super) body: BTreeSet<String>,
}

/// The shapes of all operations that need a key, by the name of the operation. `spec` is the text of the API spec.
pub(super) fn of_operations(spec: &[u8]) -> BTreeMap<String, Shape> {
    let spec: Value = serde_json::from_slice(spec).unwrap_or_default();
    let paths = spec["paths"].as_object().into_iter().flat_map(Map::values);
    let operations = paths.filter_map(Value::as_object).flat_map(Map::values);
    let shapes = operations.filter_map(|operation| {
        let id = operation["operationId"].as_str()?;
        Some((id.to_owned(), shape(id, operation, &spec)?))
    });
    shapes.collect()
}

fn shape(id: &str, operation: &Value, spec: &Value) -> Option<Shape> {
    let scope = permissions::scope_of(id)?;
    let text = |key: &str| operation[key].as_str().unwrap_or_default().to_owned();
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str()?;
        let name = match parameter["in"].as_str()? {
            "path" | "query" => name,
            _ if name == "Idempotency-Key" => IDEMPOTENCY_KEY,
            _ => continue,
        };
        let mut schema = resolved(&parameter["schema"], spec, 0);
        for key in ["description", "example"] {
            if let (Some(fields), false) = (schema.as_object_mut(), parameter[key].is_null()) {
                fields.insert(key.to_owned(), parameter[key].clone());
            }
        }
        if parameter["required"] == true {
            required.push(name.to_owned());
        }
        properties.insert(name.to_owned(), schema);
    }
    let body =
        resolved(&operation["requestBody"]["content"]["application/json"]["schema"], spec, 0);
    let fields = body["properties"].as_object().cloned().unwrap_or_default();
    let names = fields.keys().cloned().collect();
    properties.extend(fields);
    required.extend(
        body["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| Some(name.as_str()?.to_owned())),
    );
    Some(Shape {
        name: snake_case(id),
        title: text("summary"),
        description: text("description"),
        scope,
        input: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        body: names,
    })
}

/// A schema without references.
fn resolved(schema: &Value, spec: &Value, depth: usize) -> Value {
    if depth > MAXIMUM_DEPTH {
        return json!({});
    }
    match schema {
        Value::Object(fields) => {
            if let Some(pointer) = fields.get("$ref").and_then(Value::as_str) {
                let target = spec.pointer(pointer.trim_start_matches('#'));
                return target.map_or(json!({}), |target| resolved(target, spec, depth + 1));
            }
            let fields = fields.iter();
            fields.map(|(key, value)| (key.clone(), resolved(value, spec, depth))).collect()
        }
        Value::Array(items) => items.iter().map(|item| resolved(item, spec, depth)).collect(),
        other => other.clone(),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

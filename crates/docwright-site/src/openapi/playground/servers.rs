//! The servers that the playground offers, with their variables.

use serde_json::{Map, Value};

use super::{Forms, object};
use crate::openapi::operation::Operation;

/// Servers in their order, each with the variables of its address.
pub(super) fn servers<'a>(operation: &Operation<'a>, forms: &mut Forms<'_, 'a>) -> Value {
    let values = operation.server_values().iter();
    values.filter_map(server).take_while(|server| forms.take(server)).collect()
}

fn server(value: &Value) -> Option<Value> {
    let url = value.get("url")?.as_str()?;
    let written = value.get("variables").and_then(Value::as_object).into_iter().flatten();
    let used = written.filter(|(name, _)| url.contains(&format!("{{{name}}}")));
    let variables: Map<_, _> = used
        .map(|(name, variable)| {
            let part = |key| variable.get(key).cloned();
            let parts = object([("default", part("default")), ("enum", part("enum"))]);
            (name.clone(), Value::from(parts))
        })
        .collect();
    let server = object([
        ("url", Some(url.trim_end_matches('/').into())),
        ("description", value.get("description").or_else(|| value.get("name")).cloned()),
        ("variables", Some(variables.into()).filter(|all: &Value| all != &Value::from(Map::new()))),
    ]);
    Some(server.into())
}

//! The ways to authorize a request, for the fields of the playground.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{Forms, object};
use crate::openapi::operation::{Operation, credential};

/// `security`: alternatives, each with the names of the schemes that are sent together. `schemes`: those by name.
pub(super) fn authorization<'a>(
    operation: &Operation<'a>,
    forms: &mut Forms<'_, 'a>,
) -> Map<String, Value> {
    let document = &operation.document;
    let written = document.root.pointer("/components/securitySchemes");
    let mut schemes = Map::new();
    let mut alternatives: Vec<Value> = Vec::new();
    let mut known = HashSet::new();
    for requirement in operation.requirements() {
        let names: Vec<_> = requirement.keys().map(String::as_str).collect();
        let alternative = json!(names);
        if !forms.take(&alternative) {
            break;
        }
        for (name, scopes) in requirement {
            if schemes.contains_key(name) {
                continue;
            }
            let found = written.and_then(|all| document.get(all, name));
            let found = found.and_then(|found| scheme(found, scopes));
            if let Some(found) = found.filter(|found| forms.take(found)) {
                schemes.insert(name.clone(), found);
            }
        }
        // Without one of its schemes, the form can't make the request.
        let is_known = names.iter().all(|name| schemes.contains_key(*name));
        if is_known && known.insert(names) {
            alternatives.push(alternative);
        }
    }
    object([("security", Some(alternatives.into())), ("schemes", Some(schemes.into()))])
}

/// One scheme; `None` if it isn't a value in the request.
fn scheme(scheme: &Value, required: &Value) -> Option<Value> {
    let credential = credential(scheme)?;
    let prefix = Some(credential.prefix).filter(|prefix| !prefix.is_empty());
    let scheme = object([
        ("in", Some(credential.place.into())),
        ("name", Some(credential.name.into())),
        ("prefix", prefix.map(Value::from)),
        ("value", credential.default.map(Value::from)),
        ("flow", client_credentials(scheme, required)),
    ]);
    Some(scheme.into())
}

/// The flow of OAuth 2 that needs no browser: where tokens are issued, and the scopes.
fn client_credentials(scheme: &Value, required: &Value) -> Option<Value> {
    let flow = scheme.pointer("/flows/clientCredentials")?;
    let token_url = flow.get("tokenUrl")?.as_str()?;
    let scopes: Vec<_> =
        flow.get("scopes").and_then(Value::as_object).into_iter().flat_map(Map::keys).collect();
    Some(json!({ "tokenUrl": token_url, "scopes": scopes, "required": required }))
}

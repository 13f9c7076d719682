//! The data of a page's playground as JSON for its script, which creates the form when a reader opens it.
//!
//! It has only what a form and a request need: no descriptions, which the page shows already. Its size has a limit
//! in bytes, so that the page stays small. A schema beyond that limit is `{}`: readers write its value as JSON.

mod authorization;
mod body;
mod forms;
mod origins;
mod parameters;
mod servers;

use serde_json::{Map, Value};

pub use self::origins::{origin, request_origins};

use self::forms::Forms;
use super::operation::Operation;

/// The request form of an operation. `prefill` puts examples into its fields.
pub fn playground(operation: &Operation<'_>, prefill: bool) -> Value {
    let mut forms = Forms::new(&operation.document);
    let mut data = Map::new();
    data.insert("method".to_owned(), operation.method.as_str().into());
    data.insert("path".to_owned(), operation.path.as_str().into());
    if prefill {
        data.insert("prefill".to_owned(), true.into());
    }
    data.insert("servers".to_owned(), servers::servers(operation, &mut forms));
    data.extend(authorization::authorization(operation, &mut forms));
    data.insert("parameters".to_owned(), parameters::parameters(operation, &mut forms));
    data.insert("body".to_owned(), body::body(operation, &mut forms));
    data.insert("schemas".to_owned(), forms.finish());
    data.into()
}

/// Members of an object that have a value.
fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    present.filter(|(_, value)| !value.is_null()).collect()
}

#[cfg(test)]
mod tests;

//! Arguments of a tool, as the types that operations take. Errors name the wrong argument, as those of the API do.

use docwright_http::parameters::{read_query, refuse_nul, wrong_field};
use docwright_operations::{OperationError, idempotency::Idempotency};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::schema::{IDEMPOTENCY_KEY, Shape};

/// Longest idempotency key, as the API spec has it.
const LONGEST_KEY: usize = 255;

/// Arguments whose names the tool knows.
#[derive(Debug)]
pub(super) struct Arguments {
    fields: Map<String, Value>,
    body: Map<String, Value>,
    /// Identifies the call among those with the same idempotency key.
    print: String,
}

impl Arguments {
    /// Reads the arguments of a call. Unknown names are refused, so that a typo isn't taken for an omitted one. Null
    /// counts as omitted.
    pub(super) fn read(shape: &Shape, given: &Value) -> Result<Self, OperationError> {
        let print = hex::encode(Sha256::digest(format!("{}\n{given}", shape.name)));
        let mut fields = match given {
            Value::Null => Map::new(),
            Value::Object(fields) => fields.clone(),
            _ => return Err(OperationError::Invalid("`arguments` must be an object.".to_owned())),
        };
        fields.retain(|_, value| !value.is_null());
        let properties = &shape.input["properties"];
        if let Some(unknown) = fields.keys().find(|name| properties.get(name.as_str()).is_none()) {
            let unknown: String = unknown.chars().take(100).collect();
            return Err(OperationError::Invalid(format!("`{unknown}` is an unknown argument.")));
        }
        let (body, fields) =
            fields.into_iter().partition(|(name, _)| shape.body.contains(name.as_str()));
        Ok(Self { fields, body, print })
    }

    /// A text that identifies an object.
    pub(super) fn text(&self, name: &str) -> Result<String, OperationError> {
        let wrong = |what: &str| OperationError::Invalid(format!("`{name}` {what}."));
        let value = self.fields.get(name).ok_or_else(|| wrong("is missing"))?;
        let text = value.as_str().ok_or_else(|| wrong("must be a string"))?;
        refuse_nul(name, text)?;
        Ok(text.to_owned())
    }

    /// A value of its own type, such as a domain.
    pub(super) fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, OperationError> {
        let wrong = |what: String| OperationError::Invalid(format!("`{name}` {what}."));
        let value = self.fields.get(name).ok_or_else(|| wrong("is missing".to_owned()))?;
        T::deserialize(value).map_err(|error| wrong(error.to_string()))
    }

    /// What the API reads from the query of a URL. Such types read each value from text.
    pub(super) fn query<T: DeserializeOwned>(&self) -> Result<T, OperationError> {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &self.fields {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(is_true) => is_true.to_string(),
                _ => {
                    let sentence = format!("`{name}` must be a text or a number.");
                    return Err(OperationError::Invalid(sentence));
                }
            };
            query.append_pair(name, &text);
        }
        read_query(&query.finish())
    }

    /// What the API reads from the body of a request.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, OperationError> {
        serde_path_to_error::deserialize(Value::Object(self.body.clone())).map_err(wrong_field)
    }

    /// The key with which the call can be repeated.
    pub(super) fn idempotency(&self) -> Result<Idempotency, OperationError> {
        if !self.fields.contains_key(IDEMPOTENCY_KEY) {
            return Ok(Idempotency(None));
        }
        let key = self.text(IDEMPOTENCY_KEY)?;
        let is_right = (1..=LONGEST_KEY).contains(&key.len())
            && key.bytes().all(|byte| (b' '..=b'~').contains(&byte))
            && key.trim() == key;
        if !is_right {
            return Err(OperationError::Invalid(format!(
                "`{IDEMPOTENCY_KEY}` must have 1 to {LONGEST_KEY} ASCII characters."
            )));
        }
        Ok(Idempotency(Some((key, self.print.clone()))))
    }
}

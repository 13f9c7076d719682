//! Arguments of a tool call.

use serde_json::{Map, Value};

use crate::workspace::Refusal;

/// The fields of a call's arguments.
#[derive(Debug)]
pub(super) struct Arguments<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// A required text.
    pub(super) fn text(&self, name: &str) -> Result<&'a str, Refusal> {
        self.optional(name)?.ok_or_else(|| Refusal::new(format!("`{name}` is missing")))
    }

    /// A text, if it is given.
    pub(super) fn optional(&self, name: &str) -> Result<Option<&'a str>, Refusal> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::new(format!("`{name}` must be a string"))),
        }
    }

    /// A path, without the `./` that models often add.
    pub(super) fn path(&self, name: &str) -> Result<&'a str, Refusal> {
        Ok(self.text(name)?.trim_start_matches("./"))
    }

    /// A positive number, if it is given.
    pub(super) fn number(&self, name: &str) -> Result<Option<usize>, Refusal> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
                let number = number.filter(|number| *number > 0);
                number
                    .map(Some)
                    .ok_or_else(|| Refusal::new(format!("`{name}` must be a whole number above 0")))
            }
        }
    }

    /// A boolean; false by default.
    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(Refusal::new(format!("`{name}` must be true or false"))),
        }
    }
}

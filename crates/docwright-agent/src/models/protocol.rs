//! Common parts of the protocols.

use docwright_types::agent_job::Usage;
use serde_json::{Map, Value};

use crate::{run::Turn, tools::Tool};

/// Protocol of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Chat Completions, below the base URL.
    Chat(ChatDialect),
    /// Messages, below `/v1` of the base URL.
    Messages,
}

/// Differences between hosts of Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChatDialect {
    /// The field for the longest response, in tokens.
    pub(super) limit: &'static str,
    /// Whether the usage must be requested.
    pub(super) reports_usage: bool,
}

/// A request to a model.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) instructions: &'a str,
    pub(super) turns: &'a [Turn],
    pub(super) tools: &'a [&'static Tool],
    pub(super) maximum_tokens: Option<u64>,
}

/// How a response ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model finished, or calls tools.
    Whole,
    /// At the limit of tokens.
    CutOff,
    /// By the provider.
    Refused,
}

/// Usage of a response so far.
#[derive(Debug, Default)]
pub(super) struct Received {
    input: u64,
    output: u64,
    pub(super) cost: Option<f64>,
}

impl Received {
    /// Reads the available counts; each covers the whole response so far.
    pub(super) fn count(&mut self, input: &Value, output: &Value) {
        self.input = input.as_u64().unwrap_or(self.input);
        self.output = output.as_u64().unwrap_or(self.output);
    }

    pub(super) fn usage(&self) -> Usage {
        let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Usage {
            input_tokens: tokens(self.input),
            output_tokens: tokens(self.output),
            cost: self.cost,
        }
    }
}

/// Merges a piece into earlier ones: objects by field, texts with these names by appending, and everything else by
/// replacing. So fields that only the host understands are returned to it unchanged.
pub(super) fn merged(whole: &mut Map<String, Value>, piece: &Map<String, Value>, growing: &[&str]) {
    for (name, value) in piece {
        match (whole.get_mut(name), value) {
            (Some(Value::Object(before)), Value::Object(value)) => merged(before, value, growing),
            (Some(Value::String(before)), Value::String(value))
                if growing.contains(&name.as_str()) =>
            {
                before.push_str(value);
            }
            // Later pieces of a call repeat its name as an empty text.
            (Some(_), Value::Null) => {}
            (Some(Value::String(_)), Value::String(value)) if value.is_empty() => {}
            _ => drop(whole.insert(name.clone(), value.clone())),
        }
    }
}

/// The arguments of a call: an object, or text that isn't an object, which the tool refuses.
pub(super) fn object_or_text(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => value,
        _ => Value::from(text),
    }
}

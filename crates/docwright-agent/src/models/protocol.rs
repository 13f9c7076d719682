//! What the protocols of models have in common.

use docwright_types::agent_job::Usage;
use serde_json::{Map, Value};

use crate::{run::Turn, tools::Tool};

/// How hosts of models are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Chat Completions, below the address.
    Chat(ChatDialect),
    /// Messages, below `/v1` of the address.
    Messages,
}

/// What hosts of Chat Completions do differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChatDialect {
    /// The field with the longest response, in tokens.
    pub(super) limit: &'static str,
    /// Whether the usage has to be asked for.
    pub(super) reports_usage: bool,
}

/// What a model is asked.
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
    /// The model was done, or calls tools.
    Whole,
    /// At the limit of tokens.
    CutOff,
    /// By the provider.
    Refused,
}

/// What a response used up so far.
#[derive(Debug, Default)]
pub(super) struct Received {
    input: u64,
    output: u64,
    pub(super) cost: Option<f64>,
}

impl Received {
    /// Takes counts that are there; each is that of the whole response so far.
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

/// Adds a piece to what came before it: objects field by field, texts of these names at their end, and all else in
/// the place of what was there. So fields that only the host understands go back to it as they came.
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

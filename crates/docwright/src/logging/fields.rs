//! The fields of spans and events, in order.

use std::fmt;

use serde_json::{Number, Value};
use tracing::field::{Field, Visit};

/// Names with values. A later value of a name replaces the earlier one.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Value)>);

impl Fields {
    /// Adds all fields of another list.
    pub(super) fn extend(&mut self, others: &Self) {
        for (name, value) in &others.0 {
            self.set(name, value.clone());
        }
    }

    /// Removes a text and returns it.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let index = self.0.iter().position(|(other, _)| *other == name)?;
        match self.0.remove(index).1 {
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    fn set(&mut self, name: &'static str, value: Value) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), Number::from_f64(value).map_or(Value::Null, Value::Number));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.set(field.name(), format!("{value:?}").into());
    }
}

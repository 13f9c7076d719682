//! The channels of `AsyncAPI` specs, as far as navigation needs them.

use serde_json::Value;

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its key in the description.
    pub name: String,
    /// Its title, or its name.
    pub title: String,
}

/// The channels of a spec, in their order.
pub(super) fn channels(spec: &Value) -> Vec<Channel> {
    let is_async = spec.get("asyncapi").is_some();
    let channels = spec.get("channels").and_then(Value::as_object).filter(|_| is_async);
    let read = |(name, value): (&String, &Value)| {
        let title = value.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
        Channel { name: name.clone(), title: title.unwrap_or(name).to_owned() }
    };
    channels.into_iter().flatten().map(read).collect()
}

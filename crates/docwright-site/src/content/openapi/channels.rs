//! The channels of `AsyncAPI` descriptions, as far as navigation needs them.

use serde_json::Value;

use super::{Reference, Spec, candidates};

/// One channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its key in the description.
    pub name: String,
    /// Its title, or its name.
    pub title: String,
}

/// The channels of a description, in the order written.
pub(super) fn channels(spec: &Value) -> Vec<Channel> {
    let is_async = spec.get("asyncapi").is_some();
    let channels = spec.get("channels").and_then(Value::as_object).filter(|_| is_async);
    let read = |(name, value): (&String, &Value)| {
        let title = value.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
        Channel { name: name.clone(), title: title.unwrap_or(name).to_owned() }
    };
    channels.into_iter().flatten().map(read).collect()
}

/// The description and channel that `[spec] channel` in the file at `from` names.
pub fn named_channel<'a>(
    specs: &'a [Spec],
    reference: &str,
    from: &str,
) -> Option<(&'a Spec, &'a Channel)> {
    let reference = reference.trim();
    let find = |name: &str, spec: &'a Spec| {
        spec.channels.iter().find(|channel| channel.name == name).map(|channel| (spec, channel))
    };
    // Names of channels may hold blanks too, as addresses of version 2 do.
    let splits = reference.match_indices(char::is_whitespace).map(|(at, _)| at);
    for at in splits {
        let (spec, name) = (reference[..at].trim(), reference[at..].trim());
        let named = Reference::within(Some(spec));
        if let Some(found) = candidates(specs, &named, from).find_map(|spec| find(name, spec)) {
            return Some(found);
        }
    }
    specs.iter().find_map(|spec| find(reference, spec))
}

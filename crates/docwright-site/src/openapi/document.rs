//! One API description, and what its references mean.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// References to references end here.
const MAXIMUM_STEPS: usize = 32;
/// `allOf` within `allOf` ends here.
const MAXIMUM_DEPTH: usize = 12;

/// A description whose references all lead into itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'a> {
    pub(super) root: &'a Value,
}

/// A schema with its references followed and its parts merged.
#[derive(Debug, Clone)]
pub(super) struct Schema<'a> {
    /// The keywords.
    pub(super) keywords: Cow<'a, Map<String, Value>>,
    /// The name under which the description knows it.
    pub(super) name: Option<String>,
}

impl<'a> Document<'a> {
    /// A description.
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root }
    }

    /// What a value stands for, and the name of what it refers to. A reference that leads nowhere
    /// stands for itself.
    pub(super) fn resolve<'v>(self, value: &'v Value) -> (&'v Value, Option<&'v str>)
    where
        'a: 'v,
    {
        let (mut value, mut name) = (value, None);
        for _ in 0..MAXIMUM_STEPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { break };
            let Some(target) = reference.strip_prefix('#').and_then(|path| part(self.root, path))
            else {
                break;
            };
            name = name.or_else(|| reference.rsplit('/').next());
            value = target;
        }
        (value, name)
    }

    /// A member, its reference followed.
    pub(super) fn get<'v>(self, value: &'v Value, key: &str) -> Option<&'v Value>
    where
        'a: 'v,
    {
        value.get(key).map(|value| self.resolve(value).0)
    }

    /// A schema ready to be shown.
    pub(super) fn schema<'v>(self, value: &'v Value) -> Schema<'v>
    where
        'a: 'v,
    {
        self.merged(value, 0)
    }

    fn merged<'v>(self, value: &'v Value, depth: usize) -> Schema<'v>
    where
        'a: 'v,
    {
        let (target, name) = self.resolve(value);
        let name = name.map(str::to_owned);
        let Some(keywords) = target.as_object() else {
            return Schema { keywords: Cow::Owned(Map::new()), name };
        };
        let parts = keywords.get("allOf").and_then(Value::as_array);
        let beside = value.as_object().filter(|own| own.len() > 1 && own.contains_key("$ref"));
        if parts.is_none() && beside.is_none() || depth > MAXIMUM_DEPTH {
            return Schema { keywords: Cow::Borrowed(keywords), name };
        }
        let mut merged = Map::new();
        // What stands beside a reference says more than what it refers to.
        for (key, value) in beside.into_iter().flatten().filter(|(key, _)| *key != "$ref") {
            merged.insert(key.clone(), value.clone());
        }
        merge(&mut merged, keywords);
        let mut name = name;
        let parts = parts.map(Vec::as_slice).unwrap_or_default();
        for part in parts {
            let part_schema = self.merged(part, depth + 1);
            if parts.len() == 1 {
                name = name.or(part_schema.name);
            }
            merge(&mut merged, &part_schema.keywords);
        }
        merged.remove("allOf");
        Schema { keywords: Cow::Owned(merged), name }
    }
}

/// The part of a description that a JSON Pointer in a reference names, percent-encoded or not.
pub fn part<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    if let Some(found) = root.pointer(pointer) {
        return Some(found);
    }
    let decoded = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
    root.pointer(&decoded)
}

/// Adds what is not there yet; properties and required names add up.
fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, property) in more {
                    if !known.contains_key(name) {
                        known.insert(name.clone(), property.clone());
                    }
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                known.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
            (None, value) => drop(into.insert(key.clone(), value.clone())),
        }
    }
}

impl Schema<'_> {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.keywords.get(key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Whether a property must be given.
    pub(super) fn requires(&self, name: &str) -> bool {
        let required = self.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|each| each.as_str() == Some(name)))
    }

    /// The properties, if there are any.
    pub(super) fn properties(&self) -> Option<&Map<String, Value>> {
        self.get("properties")
            .and_then(Value::as_object)
            .filter(|properties| !properties.is_empty())
    }

    /// The alternatives of `oneOf` or `anyOf`, less `null`.
    pub(super) fn alternatives(&self) -> Vec<&Value> {
        let alternatives = ["oneOf", "anyOf"].iter().find_map(|key| self.get(key)?.as_array());
        let is_null = |value: &&Value| value.get("type").and_then(Value::as_str) != Some("null");
        alternatives.into_iter().flatten().filter(is_null).collect()
    }

    /// The types it names, less `null`.
    pub(super) fn types(&self) -> Vec<&str> {
        match self.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => {
                many.iter().filter_map(Value::as_str).filter(|each| *each != "null").collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether `null` is allowed.
    pub(super) fn is_nullable(&self) -> bool {
        let has_null = |key: &str| {
            let values = self.get(key).and_then(Value::as_array);
            values.is_some_and(|values| {
                values.iter().any(|each| {
                    each.as_str() == Some("null")
                        || each.get("type").and_then(Value::as_str) == Some("null")
                })
            })
        };
        self.is("nullable") || has_null("type") || has_null("oneOf") || has_null("anyOf")
    }
}

//! One schema, its references followed and the parts of `allOf` merged.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value};

use super::document::Address;

/// Maximum number of a schema's types; JSON has seven.
const MAXIMUM_TYPES: usize = 16;
/// Keywords that readers see of each part of a composed schema. Of all others, the first part with it wins.
const SHOWN: [&str; 24] = [
    "title",
    "description",
    "oneOf",
    "anyOf",
    "enum",
    "const",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "example",
    "examples",
    "externalDocs",
    "not",
    "items",
];

/// A schema with its references followed and its parts merged. Everything in it is borrowed from the
/// description.
#[derive(Debug, Clone)]
pub(super) struct Schema<'a> {
    pub(super) keywords: Keywords<'a>,
    /// Its name in the spec.
    pub(super) name: Option<&'a str>,
    /// Its address; `None` if something was added to the schema.
    pub(super) address: Option<Address>,
    /// The value at its address.
    pub(super) value: Option<&'a Value>,
    /// Additional examples.
    pub(super) examples: Option<Rc<[&'a Value]>>,
}

#[derive(Debug, Clone)]
pub(super) enum Keywords<'a> {
    Written(&'a Map<String, Value>),
    Merged(Rc<Merged<'a>>),
}

/// Keywords of several schemas: the first schema with a keyword wins; properties and required names are combined.
#[derive(Debug, Clone, Default)]
pub(super) struct Merged<'a> {
    words: HashMap<&'a str, &'a Value>,
    /// Keywords in [`SHOWN`] of later schemas that an earlier one has with another value, each once.
    lost: Vec<(&'a str, &'a Value)>,
    known_lost: HashSet<(&'a str, Address)>,
    properties: Vec<(&'a str, &'a Value)>,
    known: HashSet<&'a str>,
    required: HashSet<&'a str>,
}

/// Whether readers see two values of a keyword as different. Large ones aren't compared: they count as different.
fn differs(one: &Value, other: &Value) -> bool {
    let is_large = |value: &Value| match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    };
    !std::ptr::eq(one, other) && (is_large(one) || is_large(other) || one != other)
}

/// Whether a schema allows only `null`.
pub(super) fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

impl<'a> Merged<'a> {
    /// Adds a keyword.
    pub(super) fn take(&mut self, key: &'a str, value: &'a Value) {
        match (key, value) {
            ("allOf", _) => {}
            ("properties", Value::Object(properties)) => {
                self.take_properties(properties.iter().map(|(name, value)| (name.as_str(), value)));
            }
            ("required", Value::Array(names)) => {
                self.required.extend(names.iter().filter_map(Value::as_str));
            }
            _ => drop(self.words.entry(key).or_insert(value)),
        }
    }

    /// Adds the keywords of a later schema.
    pub(super) fn take_all(&mut self, schema: &Schema<'a>) {
        for key in SHOWN {
            if let (Some(value), Some(known)) = (schema.get(key), self.words.get(key))
                && differs(value, known)
            {
                self.lose(key, value);
            }
        }
        match &schema.keywords {
            Keywords::Written(written) => {
                written.iter().for_each(|(key, value)| self.take(key, value));
            }
            Keywords::Merged(merged) => {
                merged.words.iter().for_each(|(key, value)| self.take(key, value));
                self.take_properties(merged.properties.iter().copied());
                self.required.extend(&merged.required);
                merged.lost.iter().for_each(|(key, value)| self.lose(key, value));
            }
        }
    }

    fn lose(&mut self, key: &'a str, value: &'a Value) {
        if self.known_lost.insert((key, value)) {
            self.lost.push((key, value));
        }
    }

    /// Forgets keywords that surrounding values replace.
    pub(super) fn forget_lost(&mut self, keys: &[&str]) {
        self.lost.retain(|(key, _)| !keys.contains(key));
    }

    fn take_properties(&mut self, properties: impl Iterator<Item = (&'a str, &'a Value)>) {
        let known = &mut self.known;
        self.properties.extend(properties.filter(|(name, _)| known.insert(name)));
    }
}

impl<'a> Schema<'a> {
    /// A schema in the spec.
    pub(super) fn of(keywords: Keywords<'a>, value: &'a Value) -> Self {
        Self { keywords, name: None, address: Some(value), value: Some(value), examples: None }
    }

    /// The number of its members.
    pub(super) fn len(&self) -> usize {
        match &self.keywords {
            Keywords::Written(written) => {
                let inside = |key| match written.get(key) {
                    Some(Value::Object(entries)) => entries.len(),
                    Some(Value::Array(items)) => items.len(),
                    _ => 0,
                };
                let keys = ["properties", "required", "oneOf", "anyOf"];
                written.len() + keys.into_iter().map(inside).sum::<usize>()
            }
            Keywords::Merged(merged) => {
                let alternatives = self.alternatives().count();
                let members = merged.properties.len() + merged.required.len();
                merged.words.len() + merged.lost.len() + members + alternatives
            }
        }
    }

    /// An empty schema.
    pub(super) fn empty() -> Self {
        Self {
            keywords: Keywords::Merged(Rc::default()),
            name: None,
            address: None,
            value: None,
            examples: None,
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        match &self.keywords {
            Keywords::Written(written) => written.get(key),
            Keywords::Merged(merged) => merged.words.get(key).copied(),
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    pub(super) fn is(&self, key: &str) -> bool {
        self.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The examples, if they are a list.
    pub(super) fn examples(&self) -> Option<Vec<&'a Value>> {
        if let Some(examples) = &self.examples {
            return Some(examples.to_vec());
        }
        self.get("examples").and_then(Value::as_array).map(|all| all.iter().collect())
    }

    /// The names of required properties.
    pub(super) fn required(&self) -> HashSet<&'a str> {
        match &self.keywords {
            Keywords::Written(written) => {
                let names = written.get("required").and_then(Value::as_array);
                names.into_iter().flatten().filter_map(Value::as_str).collect()
            }
            Keywords::Merged(merged) => merged.required.clone(),
        }
    }

    /// The names of required properties that it lists itself, in their order.
    pub(super) fn required_in_order(&self) -> Vec<&'a str> {
        let own = self.value.and_then(|value| value.get("required")).and_then(Value::as_array);
        own.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// Its keywords, in no order.
    pub(super) fn keywords(&self) -> Box<dyn Iterator<Item = &'a str> + '_> {
        match &self.keywords {
            Keywords::Written(written) => Box::new(written.keys().map(String::as_str)),
            Keywords::Merged(merged) => Box::new(merged.words.keys().copied()),
        }
    }

    /// The properties in their order.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'_, 'a> {
        let (written, merged) = match &self.keywords {
            Keywords::Written(written) => {
                (written.get("properties").and_then(Value::as_object), None)
            }
            Keywords::Merged(merged) => (None, Some(&merged.properties)),
        };
        let written = written.into_iter().flatten().map(|(name, value)| (name.as_str(), value));
        written.chain(merged.into_iter().flatten().copied())
    }

    pub(super) fn has_properties(&self) -> bool {
        self.properties().next().is_some()
    }

    /// The alternatives of `oneOf` or `anyOf`, without `null`.
    pub(super) fn alternatives(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let alternatives = ["oneOf", "anyOf"].iter().find_map(|key| self.get(key)?.as_array());
        alternatives.into_iter().flatten().filter(|value| !is_null(value))
    }

    /// Every list of several alternatives, without `null`: a schema can have both kinds, and several parts that have one.
    pub(super) fn choices(&self) -> Vec<(&'static str, Vec<&'a Value>)> {
        let mut choices = Vec::new();
        for layer in std::iter::once(self.clone()).chain(self.lost()) {
            for key in ["oneOf", "anyOf"] {
                let list = layer.get(key).and_then(Value::as_array).into_iter().flatten();
                let list: Vec<_> = list.filter(|value| !is_null(value)).collect();
                if list.len() > 1 {
                    choices.push((key, list));
                }
            }
        }
        choices
    }

    /// The keywords of its parts that others replace, as schemas: readers see them in addition.
    pub(super) fn lost(&self) -> Vec<Self> {
        let Keywords::Merged(merged) = &self.keywords else { return Vec::new() };
        let layer = |(key, value): &(&'a str, &'a Value)| {
            let merged = Merged { words: HashMap::from([(*key, *value)]), ..Merged::default() };
            Self { keywords: Keywords::Merged(Rc::new(merged)), ..Self::empty() }
        };
        merged.lost.iter().map(layer).collect()
    }

    /// Its types, without `null`.
    pub(super) fn types(&self) -> Vec<&'a str> {
        match self.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => {
                let names = many.iter().take(MAXIMUM_TYPES).filter_map(Value::as_str);
                names.filter(|each| *each != "null").collect()
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

//! One API spec and its references.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value};

use super::budget::{Budget, Overrun};
use crate::mdx::{self, Node};

/// Maximum length of a chain of references.
const MAXIMUM_STEPS: usize = 32;
/// Maximum nesting of `allOf`.
const MAXIMUM_DEPTH: usize = 64;

/// Maximum number of a schema's types; JSON has seven.
const MAXIMUM_TYPES: usize = 16;

/// A self-contained spec, and the budget that one page has used.
#[derive(Debug, Clone)]
pub(super) struct Document<'a> {
    pub(super) root: &'a Value,
    work: Rc<Work<'a>>,
}

/// Cached results: each schema is merged once per page.
#[derive(Debug, Default)]
struct Work<'a> {
    budget: Budget,
    schemas: RefCell<HashMap<Address, Schema<'a>>>,
    /// Labels of types, by schema and depth within a label.
    labels: RefCell<HashMap<(Address, usize), String>>,
    /// Schemas that are being merged.
    open: RefCell<HashSet<Address>>,
    depth: Cell<usize>,
}

/// The memory address of a value, used as its identity. The spec outlives everything derived from it.
type Address = *const Value;

/// A schema with its references followed and its parts merged. Everything in it is borrowed from the
/// description.
#[derive(Debug, Clone)]
pub(super) struct Schema<'a> {
    keywords: Keywords<'a>,
    /// Its name in the spec.
    pub(super) name: Option<&'a str>,
    /// Its address; `None` if something was added to the schema.
    address: Option<Address>,
    /// Additional examples.
    examples: Option<Rc<[&'a Value]>>,
}

#[derive(Debug, Clone)]
enum Keywords<'a> {
    Written(&'a Map<String, Value>),
    Merged(Rc<Merged<'a>>),
}

/// Keywords of several schemas: the first schema with a keyword wins; properties and required names are
/// combined.
#[derive(Debug, Clone, Default)]
struct Merged<'a> {
    words: HashMap<&'a str, &'a Value>,
    properties: Vec<(&'a str, &'a Value)>,
    known: HashSet<&'a str>,
    required: HashSet<&'a str>,
}

impl<'a> Document<'a> {
    /// A description.
    pub(super) fn new(root: &'a Value) -> Self {
        Self { root, work: Rc::default() }
    }

    /// The remaining budget of the page.
    pub(super) fn budget(&self) -> &Budget {
        &self.work.budget
    }

    /// The target of a value, and the name it refers to. A dangling reference is its own target.
    pub(super) fn resolve(&self, value: &'a Value) -> (&'a Value, Option<&'a str>) {
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
    pub(super) fn get(&self, value: &'a Value, key: &str) -> Option<&'a Value> {
        value.get(key).map(|value| self.resolve(value).0)
    }

    /// A text of the spec as Markdown. Text over the page's budget is left out.
    pub(super) fn markdown(&self, text: &str) -> Vec<Node> {
        if text.trim().is_empty() || !self.budget().take_text(text.len()) {
            return Vec::new();
        }
        let parsed = mdx::parse_markdown(text);
        if !parsed.errors.is_empty() {
            self.budget().record(Overrun::Markdown);
        }
        parsed.nodes
    }

    /// Whether the page has room for a value, such as an example. Takes that room.
    pub(super) fn has_room_for(&self, value: &Value) -> bool {
        !self.budget().is_spent() && self.budget().take_text(size_of(value))
    }

    /// A merged schema.
    pub(super) fn schema(&self, value: &'a Value) -> Schema<'a> {
        let address: Address = value;
        if let Some(known) = self.work.schemas.borrow().get(&address) {
            return known.clone();
        }
        let schema = self.read(value);
        self.work.schemas.borrow_mut().insert(address, schema.clone());
        schema
    }

    fn read(&self, value: &'a Value) -> Schema<'a> {
        let (target, name) = self.resolve(value);
        let has_room = self.budget().take_steps(1);
        let beside = value.as_object().filter(|own| own.len() > 1 && own.contains_key("$ref"));
        if !std::ptr::eq(target, value) && beside.is_none() {
            let schema = self.schema(target);
            return Schema { name: name.or(schema.name), ..schema };
        }
        let address: Address = value;
        let Some(keywords) = target.as_object() else {
            return Schema { name, ..Schema::of(Keywords::Merged(Rc::default()), address) };
        };
        let parts = keywords.get("allOf").and_then(Value::as_array);
        let is_plain = parts.is_none() && beside.is_none();
        let is_deep = self.work.depth.get() >= MAXIMUM_DEPTH;
        // A schema that contains itself adds nothing.
        if is_plain || is_deep || !has_room || !self.work.open.borrow_mut().insert(address) {
            return Schema { name, ..Schema::of(Keywords::Written(keywords), address) };
        }
        self.work.depth.set(self.work.depth.get() + 1);
        let mut merged = Merged::default();
        // Values beside a reference override the target's.
        for (key, value) in beside.into_iter().flatten().filter(|(key, _)| *key != "$ref") {
            merged.take(key, value);
        }
        let mut name = name;
        let parts = parts.map(Vec::as_slice).unwrap_or_default();
        let written = Schema::of(Keywords::Written(keywords), address);
        let own = std::iter::once(written);
        for schema in own.chain(parts.iter().map(|part| self.schema(part))) {
            if parts.len() == 1 {
                name = name.or(schema.name);
            }
            if !self.budget().take_steps(schema.len()) {
                break;
            }
            merged.take_all(&schema);
        }
        self.work.depth.set(self.work.depth.get() - 1);
        self.work.open.borrow_mut().remove(&address);
        Schema { name, ..Schema::of(Keywords::Merged(Rc::new(merged)), address) }
    }

    /// A schema with surrounding values, which override its own. The result has no name.
    pub(super) fn with(
        &self,
        schema: &Schema<'a>,
        more: impl IntoIterator<Item = (&'a str, &'a Value)>,
        examples: Option<Vec<&'a Value>>,
    ) -> Schema<'a> {
        let mut merged = Merged::default();
        more.into_iter().for_each(|(key, value)| merged.take(key, value));
        if self.budget().take_steps(schema.len()) {
            merged.take_all(schema);
        }
        let keywords = Keywords::Merged(Rc::new(merged));
        Schema { keywords, name: None, address: None, examples: examples.map(Into::into) }
    }

    /// The cached label of a schema at a depth.
    pub(super) fn label_once(
        &self,
        schema: &Schema<'a>,
        depth: usize,
        make: impl FnOnce() -> String,
    ) -> String {
        let Some(address) = schema.address else { return make() };
        if let Some(known) = self.work.labels.borrow().get(&(address, depth)) {
            return known.clone();
        }
        let label = if self.budget().take_steps(1) { make() } else { "any".to_owned() };
        self.work.labels.borrow_mut().insert((address, depth), label.clone());
        label
    }
}

/// The part of a spec at a JSON Pointer, percent-encoded or not.
pub fn part<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    if let Some(found) = root.pointer(pointer) {
        return Some(found);
    }
    let decoded = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
    root.pointer(&decoded)
}

/// The approximate size of a value as JSON, in bytes.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| size_of(item) + 2).sum::<usize>(),
        Value::Object(entries) => {
            2 + entries.iter().map(|(key, value)| key.len() + size_of(value) + 6).sum::<usize>()
        }
    }
}

impl<'a> Merged<'a> {
    fn take(&mut self, key: &'a str, value: &'a Value) {
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

    fn take_all(&mut self, schema: &Schema<'a>) {
        match &schema.keywords {
            Keywords::Written(written) => {
                written.iter().for_each(|(key, value)| self.take(key, value));
            }
            Keywords::Merged(merged) => {
                merged.words.iter().for_each(|(key, value)| self.take(key, value));
                self.take_properties(merged.properties.iter().copied());
                self.required.extend(&merged.required);
            }
        }
    }

    fn take_properties(&mut self, properties: impl Iterator<Item = (&'a str, &'a Value)>) {
        let known = &mut self.known;
        self.properties.extend(properties.filter(|(name, _)| known.insert(name)));
    }
}

impl<'a> Schema<'a> {
    fn of(keywords: Keywords<'a>, address: Address) -> Self {
        Self { keywords, name: None, address: Some(address), examples: None }
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
                merged.words.len() + members + alternatives
            }
        }
    }

    /// An empty schema.
    pub(super) fn empty() -> Self {
        Self {
            keywords: Keywords::Merged(Rc::default()),
            name: None,
            address: None,
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
        let is_null = |value: &&Value| value.get("type").and_then(Value::as_str) != Some("null");
        alternatives.into_iter().flatten().filter(is_null)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A spec in which each schema has `width` references to the next.
    fn tower(levels: usize, width: usize) -> Value {
        let mut schemas = Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/schemas/S{}", level + 1)});
            let name = format!("p{level}");
            let own = json!({"allOf": vec![next; width], "properties": {name: {"type": "string"}}});
            schemas.insert(format!("S{level}"), own);
        }
        schemas.insert(
            format!("S{levels}"),
            json!({"properties": {"last": {}}, "required": ["last"]}),
        );
        json!({ "schemas": schemas })
    }

    fn steps_of(root: &Value) -> usize {
        let document = Document::new(root);
        let schema = document.schema(&root["schemas"]["S0"]);
        assert_eq!(schema.properties().last().map(|(name, _)| name), Some("last"));
        assert!(schema.required().contains("last") && document.budget().overruns().is_empty());
        document.budget().steps_taken()
    }

    #[test]
    fn schema_is_merged_once_for_many_references() {
        let (small, wide, deep) =
            (steps_of(&tower(12, 2)), steps_of(&tower(12, 20)), steps_of(&tower(40, 2)));
        assert!(small < 400, "{small}");
        assert!(wide < small * 15, "{small} {wide}");
        assert!(deep < small * 15, "{small} {deep}");
    }

    #[test]
    fn recursive_schemas_keep_their_properties() {
        let root = json!({"schemas": {
            "A": {"allOf": [{"$ref": "#/schemas/B"}], "properties": {"a": {}}},
            "B": {"allOf": [{"$ref": "#/schemas/A"}], "properties": {"b": {}}}
        }});
        let document = Document::new(&root);
        for name in ["A", "B"] {
            let schema = document.schema(&root["schemas"][name]);
            let mut names: Vec<_> = schema.properties().map(|(name, _)| name).collect();
            names.sort_unstable();
            assert_eq!(names, ["a", "b"], "{name}");
        }
    }

    #[test]
    fn merging_ends_at_the_budget() {
        let mut root = tower(40, 400);
        for level in 0..40 {
            let properties: Map<_, _> =
                (0..400).map(|number| (format!("p{level}x{number}"), json!({}))).collect();
            root["schemas"][format!("S{level}")]["properties"] = properties.into();
        }
        let document = Document::new(&root);
        document.schema(&root["schemas"]["S0"]);
        assert_eq!(document.budget().overruns(), [Overrun::Steps]);
        assert!(document.budget().is_spent());
    }

    #[test]
    fn parameter_overrides_its_schema() {
        let root =
            json!({"schema": {"type": "string", "description": "schema"}, "description": "own"});
        let document = Document::new(&root);
        let schema = document.schema(&root["schema"]);
        let schema = document.with(&schema, [("description", &root["description"])], None);
        assert_eq!(
            (schema.text("description"), schema.text("type")),
            (Some("own"), Some("string"))
        );
    }
}

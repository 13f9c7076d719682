//! One API spec and its references.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};

use serde_json::{Map, Value};

use super::{
    budget::{Budget, Overrun},
    nodes::{described, lowered},
    once::Places,
    schema::{Keywords, Merged, Schema, is_null},
};
use crate::mdx::{self, Node};

/// Maximum length of a chain of references.
const MAXIMUM_STEPS: usize = 32;
/// Maximum nesting of `allOf`.
const MAXIMUM_DEPTH: usize = 64;

/// Keywords that don't change the fields of a schema that they stand beside.
const ANNOTATIONS: [&str; 15] = [
    "$ref",
    "allOf",
    "oneOf",
    "anyOf",
    "type",
    "nullable",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "externalDocs",
];

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
    /// Fields that were shown.
    places: Places,
}

/// The memory address of a value, used as its identity. The spec outlives everything derived from it.
pub(super) type Address = *const Value;

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

    /// The target of a value of any lifetime.
    pub(super) fn resolve_in<'v>(&'v self, value: &'v Value) -> &'v Value {
        let reference = value.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|path| part(self.root, path.strip_prefix('#')?));
        target.unwrap_or(value)
    }

    /// A member, its reference followed.
    pub(super) fn get(&self, value: &'a Value, key: &str) -> Option<&'a Value> {
        value.get(key).map(|value| self.resolve(value).0)
    }

    /// A text of the spec as Markdown. Text over the page's budget is left out.
    fn markdown(&self, text: &str) -> Vec<Node> {
        if text.trim().is_empty() || !self.budget().take_text(text.len()) {
            return Vec::new();
        }
        let parsed = mdx::parse_markdown(text);
        if !parsed.errors.is_empty() {
            self.budget().record(Overrun::Markdown);
        }
        parsed.nodes
    }

    /// Texts of the spec, with the Markdown itself for agents. The page has its title, so no heading is above level 2.
    pub(super) fn described<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<Node> {
        self.described_below(2, texts)
    }

    /// The same with no heading above level `top`.
    pub(super) fn described_below<'t>(
        &self,
        top: u8,
        texts: impl IntoIterator<Item = &'t str>,
    ) -> Vec<Node> {
        let nodes = texts.into_iter().map(|text| (text, self.markdown(text)));
        nodes
            .filter(|(_, nodes)| !nodes.is_empty())
            .map(|(text, nodes)| described(text, lowered(nodes, top)))
            .collect()
    }

    /// The fields that the page has shown.
    pub(super) fn places(&self) -> &Places {
        &self.work.places
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
        let Some(keywords) = target.as_object() else {
            return Schema { name, ..Schema::of(Keywords::Merged(Rc::default()), value) };
        };
        let parts = keywords.get("allOf").and_then(Value::as_array);
        let only = only_alternative(keywords);
        let is_plain = parts.is_none() && beside.is_none() && only.is_none();
        let is_deep = self.work.depth.get() >= MAXIMUM_DEPTH;
        // A schema that contains itself adds nothing.
        if is_plain || is_deep || !has_room || !self.work.open.borrow_mut().insert(value) {
            return Schema { name, ..Schema::of(Keywords::Written(keywords), value) };
        }
        self.work.depth.set(self.work.depth.get() + 1);
        let mut merged = Merged::default();
        // Values beside a reference override the target's.
        for (key, value) in beside.into_iter().flatten().filter(|(key, _)| *key != "$ref") {
            merged.take(key, value);
        }
        let (mut name, mut same) = (name, None);
        let parts = parts.map(Vec::as_slice).unwrap_or_default();
        let written = Schema::of(Keywords::Written(keywords), value);
        let own = std::iter::once(written);
        let inner = parts.iter().chain(only).map(|part| self.schema(part));
        for schema in own.chain(inner) {
            if parts.len() + usize::from(only.is_some()) == 1 {
                name = name.or(schema.name);
                same = schema.value;
            }
            if !self.budget().take_steps(schema.len()) {
                break;
            }
            merged.take_all(&schema);
        }
        self.work.depth.set(self.work.depth.get() - 1);
        self.work.open.borrow_mut().remove(&std::ptr::from_ref(value));
        // Annotations around one schema don't change its fields.
        let is_annotated = keywords.keys().all(|key| ANNOTATIONS.contains(&key.as_str()));
        let is_wrapper =
            beside.is_none_or(|own| own.keys().all(|key| ANNOTATIONS.contains(&key.as_str())));
        let same = if beside.is_some() { Some(target).filter(|_| parts.is_empty()) } else { same };
        let same = same.filter(|_| is_wrapper && (beside.is_some() || is_annotated));
        let schema = Schema::of(Keywords::Merged(Rc::new(merged)), value);
        Schema { name, value: same.or(schema.value), ..schema }
    }

    /// A schema with surrounding values, which override its own.
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
        merged.forget_lost(&["example"]);
        let keywords = Keywords::Merged(Rc::new(merged));
        Schema {
            keywords,
            name: schema.name,
            address: None,
            value: schema.value,
            examples: examples.map(Into::into),
        }
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

/// The one alternative of a schema that isn't `null`, if it has just one: it is the schema itself.
fn only_alternative(keywords: &Map<String, Value>) -> Option<&Value> {
    let mut lists = ["oneOf", "anyOf"].into_iter().filter_map(|key| keywords.get(key)?.as_array());
    let (list, None) = (lists.next()?, lists.next()) else { return None };
    let mut others = list.iter().filter(|each| !is_null(each));
    let only = others.next()?;
    others.next().is_none().then_some(only)
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
pub(super) fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| size_of(item) + 2).sum::<usize>(),
        Value::Object(entries) => {
            2 + entries.iter().map(|(key, value)| key.len() + size_of(value) + 6).sum::<usize>()
        }
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

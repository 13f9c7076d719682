//! The contents of a spec in memory.
//!
//! A large spec is mostly path items, of which a page shows one. As values they take six times the memory of their
//! file, so they are kept as packed JSON, and read again for each page.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::{PartKind, part::unescaped};
use crate::packed_text::PackedText;

/// The members of a spec that hold path items.
const HOLDERS: [&str; 2] = ["paths", "webhooks"];

/// A whole spec, including the files it refers to.
#[derive(Debug, Default)]
pub struct SpecContents {
    /// Everything else, and the path items that references lead to.
    root: Value,
    /// JSON of the other path items, by their keys, for each holder.
    items: [BTreeMap<String, PackedText>; HOLDERS.len()],
}

impl SpecContents {
    pub(super) fn new(mut root: Value) -> Self {
        let mut referenced = BTreeSet::new();
        collect_referenced(&root, &mut referenced);
        let items = HOLDERS.map(|holder| {
            let held = root.get_mut(holder).and_then(Value::as_object_mut);
            held.map(|held| take_unreferenced(held, &referenced)).unwrap_or_default()
        });
        Self { root, items }
    }

    /// The spec, of whose path items some are missing.
    pub const fn root(&self) -> &Value {
        &self.root
    }

    /// The path item of an operation, with its key; a trailing slash does not matter.
    pub fn path_item(&self, kind: &PartKind) -> Option<(String, Value)> {
        let PartKind::Operation { method, path } = kind else { return None };
        let at = usize::from(method == "WEBHOOK");
        let (packed, held) = (&self.items[at], self.root.get(HOLDERS[at])?.as_object()?);
        let wanted = path.trim_end_matches('/');
        // Paths nearly always match exactly, which is fast even with many pages and paths.
        let key = if packed.contains_key(path) || held.contains_key(path) {
            path
        } else {
            packed.keys().chain(held.keys()).find(|key| key.trim_end_matches('/') == wanted)?
        };
        let item = match packed.get(key) {
            Some(text) => serde_json::from_str(&text.text()).ok()?,
            None => held.get(key)?.clone(),
        };
        Some((key.clone(), item))
    }
}

/// Collects the keys of path items that references lead to.
fn collect_referenced(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let Some(pointer) = text.strip_prefix("#/") else { return };
            // Pointers can be percent-encoded or not.
            let decoded = percent_decode_str(pointer).decode_utf8_lossy();
            for pointer in [pointer, &decoded] {
                let mut keys = pointer.split('/');
                if keys.next().is_some_and(|holder| HOLDERS.contains(&holder)) {
                    found.extend(keys.next().map(unescaped));
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_referenced(item, found)),
        Value::Object(entries) => {
            entries.values().for_each(|entry| collect_referenced(entry, found));
        }
        _ => {}
    }
}

/// Takes path items out of their holder, and returns their JSON. Each is dropped before the next is written.
fn take_unreferenced(
    held: &mut Map<String, Value>,
    referenced: &BTreeSet<String>,
) -> BTreeMap<String, PackedText> {
    let mut items = BTreeMap::new();
    for (key, item) in std::mem::take(held) {
        if referenced.contains(&key) || !item.is_object() {
            held.insert(key, item);
        } else {
            items.insert(key, PackedText::new(&item.to_string()));
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(contents: &SpecContents, method: &str, path: &str) -> Option<(String, Value)> {
        let (method, path) = (method.to_owned(), path.to_owned());
        contents.path_item(&PartKind::Operation { method, path })
    }

    #[test]
    fn path_items_are_read_from_their_text() {
        let get = json!({"get": {"summary": "A", "x": [1, -2, 0.1, 1.5e300, null]}});
        let contents = SpecContents::new(json!({
            "paths": {"/a": get, "/b/": {"get": {}}, "/c": null},
            "webhooks": {"/a": {"post": {}}},
            "components": {"schemas": {}},
        }));
        assert_eq!(
            contents.root(),
            &json!({"paths": {"/c": null}, "webhooks": {}, "components": {"schemas": {}}})
        );
        assert_eq!(item(&contents, "GET", "/a"), Some(("/a".to_owned(), get)));
        assert_eq!(item(&contents, "GET", "/b"), Some(("/b/".to_owned(), json!({"get": {}}))));
        assert_eq!(item(&contents, "WEBHOOK", "/a"), Some(("/a".to_owned(), json!({"post": {}}))));
        assert_eq!(item(&contents, "GET", "/d"), None);
        assert_eq!(contents.path_item(&PartKind::Schema("/a".to_owned())), None);
    }

    #[test]
    fn path_items_stay_where_references_lead() {
        let referenced = json!({"get": {"responses": {"200": {"description": "Well"}}}});
        let contents = SpecContents::new(json!({
            "paths": {
                "/a/{id}": referenced,
                "/b": {"get": {"responses": {"200": {"$ref": "#/paths/~1a~1{id}/get/responses/200"}}}},
                "/c": {"get": {"responses": {"200": {"$ref": "#/paths/~1d%20d/get/responses/200"}}}},
                "/d d": referenced,
            },
        }));
        assert_eq!(contents.root(), &json!({"paths": {"/a/{id}": referenced, "/d d": referenced}}));
        assert_eq!(item(&contents, "GET", "/a/{id}").unwrap().1, referenced);
        assert!(item(&contents, "GET", "/b").is_some());
    }
}

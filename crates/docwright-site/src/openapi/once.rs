//! The fields that a page has shown: each schema stands once, and later uses lead to it.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use serde_json::Value as Json;

use super::{document::Address, fields::Side};

/// Fewer fields are repeated, since a link would be as long.
const MINIMUM_FIELDS: usize = 3;

/// Identifies fields: equal schemas have equal fields on the same side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    content: u64,
    side: Option<Side>,
}

/// The place of fields that were shown.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The id of the block.
    pub(super) id: String,
    /// The name of the schema, or the field that has it.
    pub(super) title: String,
    is_open: bool,
    fields: usize,
    is_linked: bool,
}

/// The places of a page.
#[derive(Debug, Default)]
pub(super) struct Places {
    by_key: RefCell<HashMap<Key, Place>>,
    ids: RefCell<HashMap<String, usize>>,
    contents: RefCell<HashMap<Address, (u64, bool)>>,
    /// Fields that were shown.
    fields: Cell<usize>,
}

impl Places {
    /// The key of a schema.
    pub(super) fn key(&self, schema: &Json, side: Side) -> Key {
        let (content, has_sides) = self.content(schema);
        Key { content, side: has_sides.then_some(side) }
    }

    /// The hash of a value, and whether it differs between requests and responses. Each value is hashed once.
    fn content(&self, value: &Json) -> (u64, bool) {
        if let Some(known) = self.contents.borrow().get(&std::ptr::from_ref(value)) {
            return *known;
        }
        let mut hasher = DefaultHasher::new();
        let mut has_sides = false;
        match value {
            Json::Array(items) => {
                items.len().hash(&mut hasher);
                for item in items {
                    let (content, sides) = self.content(item);
                    content.hash(&mut hasher);
                    has_sides |= sides;
                }
            }
            Json::Object(entries) => {
                for (key, value) in entries {
                    let (content, sides) = self.content(value);
                    (key, content).hash(&mut hasher);
                    // What a reference leads to can have sides.
                    has_sides |= sides || matches!(key.as_str(), "readOnly" | "writeOnly" | "$ref");
                }
                "object".hash(&mut hasher);
            }
            other => other.hash(&mut hasher),
        }
        let found = (hasher.finish(), has_sides);
        if value.is_object() || value.is_array() {
            self.contents.borrow_mut().insert(value, found);
        }
        found
    }

    /// The place of fields that were shown, if a link to them is shorter than the fields.
    pub(super) fn find(&self, key: Key) -> Option<Place> {
        let mut places = self.by_key.borrow_mut();
        let place = places.get_mut(&key)?;
        if !place.is_open && place.fields < MINIMUM_FIELDS {
            return None;
        }
        place.is_linked = true;
        Some(place.clone())
    }

    /// Begins a place. The result is the number of fields so far.
    pub(super) fn open(&self, key: Key, title: &str) -> usize {
        let mut ids = self.ids.borrow_mut();
        let base = id_of(title);
        let count = ids.entry(base.clone()).or_default();
        *count += 1;
        let id = if *count == 1 { base } else { format!("{base}-{count}") };
        let place =
            Place { id, title: title.to_owned(), is_open: true, fields: 0, is_linked: false };
        self.by_key.borrow_mut().insert(key, place);
        self.fields.get()
    }

    /// Ends a place that was opened with a number of fields. Returns its id if links can lead to it.
    pub(super) fn close(&self, key: Key, opened: usize) -> Option<String> {
        let fields = self.fields.get() - opened;
        let mut places = self.by_key.borrow_mut();
        let place = places.get_mut(&key)?;
        (place.is_open, place.fields) = (false, fields);
        (place.is_linked || fields >= MINIMUM_FIELDS).then(|| place.id.clone())
    }

    /// Counts a field.
    pub(super) fn count(&self) {
        self.fields.set(self.fields.get() + 1);
    }
}

/// The id of a block of fields.
fn id_of(title: &str) -> String {
    let mut id = String::from("fields");
    for word in
        title.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        id.push('-');
        id.extend(word.chars().flat_map(char::to_lowercase));
    }
    id
}

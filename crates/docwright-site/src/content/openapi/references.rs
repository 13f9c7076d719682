//! Converts references from a spec to other files to references within the spec.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{super::document, read};
use crate::source::Source;

/// The key in the spec that contains the other files.
const KEY: &str = "x-docwright-files";
/// Files that one description can bring in.
const MAXIMUM_FILES: usize = 200;

/// Includes the files that a spec refers to, and those that these refer to. Returns the paths of all of them, the
/// unreadable ones as well.
pub(super) fn bring_in(value: &mut Value, path: &str, source: &Source) -> BTreeSet<String> {
    let mut waiting = BTreeSet::new();
    rewrite(value, path, None, source, &mut waiting);
    let (mut files, mut paths) = (Map::new(), BTreeSet::new());
    while let Some(next) = waiting.pop_first() {
        paths.insert(next.clone());
        if files.contains_key(&next) || files.len() >= MAXIMUM_FILES {
            continue;
        }
        let Some(mut file) = source.text(&next).and_then(|text| read(&next, text).ok()) else {
            continue;
        };
        rewrite(&mut file, &next, Some(&next), source, &mut waiting);
        files.insert(next, file);
    }
    if let (false, Value::Object(root)) = (files.is_empty(), value) {
        root.insert(KEY.to_owned(), Value::Object(files));
    }
    paths
}

/// Rewrites the references of a file. `own` is its index among the included files.
fn rewrite(
    value: &mut Value,
    path: &str,
    own: Option<&str>,
    source: &Source,
    waiting: &mut BTreeSet<String>,
) {
    match value {
        Value::Array(items) => {
            for item in items {
                rewrite(item, path, own, source, waiting);
            }
        }
        Value::Object(entries) => {
            if let Some(Value::String(reference)) = entries.get_mut("$ref") {
                let (file, pointer) = reference.split_once('#').unwrap_or((reference.as_str(), ""));
                let target = if file.is_empty() {
                    own.map(str::to_owned)
                } else {
                    document::join(path, file).filter(|target| source.contains(target))
                };
                if let Some(target) = target {
                    *reference = format!("#/{KEY}/{}{pointer}", escape(&target));
                    waiting.insert(target);
                }
            }
            for entry in entries.values_mut() {
                rewrite(entry, path, own, source, waiting);
            }
        }
        _ => {}
    }
}

/// Escapes a key for a JSON Pointer (RFC 6901).
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_files_are_merged_into_description() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let source = Source::from_files([
            file("api/schemas/a.yaml", "A:\n  $ref: '#/B'\nB:\n  $ref: ../b.json\n"),
            file("api/b.json", "{\"type\": \"string\"}"),
        ]);
        let mut value = json!({"x": {"$ref": "./schemas/a.yaml#/A"}, "y": {"$ref": "#/x"}, "z": {"$ref": "gone.yaml"}});
        bring_in(&mut value, "api/openapi.yaml", &source);
        assert_eq!(value["x"]["$ref"], "#/x-docwright-files/api~1schemas~1a.yaml/A");
        assert_eq!(value["y"]["$ref"], "#/x");
        assert_eq!(value["z"]["$ref"], "gone.yaml");
        let second = value.pointer("/x-docwright-files/api~1schemas~1a.yaml/A/$ref").unwrap();
        assert_eq!(second, "#/x-docwright-files/api~1schemas~1a.yaml/B");
        assert_eq!(value.pointer("/x-docwright-files/api~1b.json/type").unwrap(), "string");
    }
}

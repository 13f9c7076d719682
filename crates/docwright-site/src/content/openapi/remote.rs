//! API specs on other hosts: which ones a docs root names. Fetching them is for the caller.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::{
    content::{
        config::spec_sources, document::Document, frontmatter, is_markdown, links::is_remote,
    },
    source::Source,
};

/// Keys of the configuration and of frontmatter that name descriptions.
const KEYS: &[&str] = &["openapi", "openapi-schema", "asyncapi", "graphql"];

/// Addresses of the API specs on other hosts that the configuration and pages name.
pub fn remote_specs(source: &Source) -> BTreeSet<String> {
    match Document::read(source, &mut Vec::new()) {
        Ok(document) => named_elsewhere(&document.root, source),
        Err(_) => named_elsewhere(&Map::new(), source),
    }
}

/// The same, where the configuration has been read already.
pub(in crate::content) fn named_elsewhere(
    configuration: &Map<String, Value>,
    source: &Source,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(configuration, &mut found);
    for path in source.paths().filter(|path| is_markdown(path)) {
        let yaml = source.text(path).and_then(|text| frontmatter::split(text).yaml);
        for line in yaml.unwrap_or_default().lines() {
            let Some((key, value)) = line.split_once(':') else { continue };
            if KEYS.contains(&key.trim()) {
                let words =
                    value.split(|letter: char| letter.is_whitespace() || "\"'".contains(letter));
                found.extend(words.filter(|word| is_remote(word)).map(str::to_owned));
            }
        }
    }
    found
}

fn collect(map: &Map<String, Value>, found: &mut BTreeSet<String>) {
    for (key, value) in map {
        if KEYS.contains(&key.as_str()) {
            let sources = spec_sources(Some(value)).into_iter().map(|each| each.source);
            found.extend(sources.filter(|source| is_remote(source)));
        } else {
            collect_within(value, found);
        }
    }
}

fn collect_within(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => collect(map, found),
        Value::Array(items) => items.iter().for_each(|item| collect_within(item, found)),
        _ => {}
    }
}

//! Files that `docs.json` or a page names: API specs, parts of the configuration, and snippets with code. Only the
//! repository before any change counts, so an agent can't allow a file by naming it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Configuration files of a site.
pub(super) const CONFIGURATION: &[&str] = &["docs.json", "mint.json"];
/// Extensions of API specs.
const SPECS: &[&str] = &[".json", ".yaml", ".yml", ".graphql", ".gql"];
/// Keys of the configuration whose values are API specs.
const SPEC_KEYS: &[&str] = &["openapi", "asyncapi", "graphql"];
/// Keys of frontmatter whose values start with an API spec.
const PAGE_KEYS: &[&str] = &["openapi", "openapi-schema", "asyncapi"];
/// Largest number of configuration parts that are read.
const MAXIMUM_PARTS: usize = 200;

/// Finds named files. `read` returns the text of a file, if it has one.
pub(super) fn read<'a>(
    paths: impl Iterator<Item = &'a String>,
    read: impl Fn(&str) -> Option<String>,
) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let mut parts: Vec<String> = CONFIGURATION.iter().map(|path| (*path).to_owned()).collect();
    let mut seen = BTreeSet::new();
    while let Some(part) = parts.pop() {
        if seen.len() >= MAXIMUM_PARTS || !seen.insert(part.clone()) {
            continue;
        }
        let value = read(&part).and_then(|text| serde_json::from_str::<Value>(&text).ok());
        if let Some(value) = value {
            let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
            let before = parts.len();
            configuration(&value, folder, (&mut named, &mut parts));
            named.extend(parts[before..].iter().cloned());
        }
    }
    let mut snippets = Vec::new();
    for path in paths.filter(|path| path.ends_with(".mdx") || path.ends_with(".md")) {
        let Some(text) = read(path) else { continue };
        frontmatter(&text, &mut named);
        imports(&text, path, &mut snippets);
    }
    // Code that a snippet imports is also a snippet.
    while let Some(snippet) = snippets.pop() {
        if named.insert(snippet.clone())
            && let Some(text) = read(&snippet)
        {
            imports(&text, &snippet, &mut snippets);
        }
    }
    named
}

/// Files named by a value of the configuration. A `$ref` is a part of it, relative to its file.
fn configuration(
    value: &Value,
    folder: &str,
    (named, parts): (&mut BTreeSet<String>, &mut Vec<String>),
) {
    match value {
        Value::Array(items) => {
            for item in items {
                if let Some(text) = item.as_str() {
                    spec(text, true, named);
                }
                configuration(item, folder, (&mut *named, &mut *parts));
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                if SPEC_KEYS.contains(&key.as_str()) {
                    let source = value.get("source").unwrap_or(value);
                    let several = source.as_array().map(Vec::as_slice);
                    let several = several.unwrap_or(std::slice::from_ref(source));
                    for text in several.iter().filter_map(Value::as_str) {
                        spec(text, false, named);
                    }
                }
                if key == "$ref"
                    && let Some(part) = value.as_str().and_then(|path| join(folder, path))
                    && part.ends_with(".json")
                {
                    parts.push(part);
                }
                configuration(value, folder, (&mut *named, &mut *parts));
            }
        }
        _ => {}
    }
}

/// The API spec at the start of a text. An entry of the navigation has an operation after it.
fn spec(text: &str, is_entry: bool, named: &mut BTreeSet<String>) {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return };
    if is_entry && words.next().is_none() {
        return;
    }
    if !first.contains(':')
        && SPECS.iter().any(|ending| first.ends_with(ending))
        && let Some(path) = join("", first)
    {
        named.insert(path);
    }
}

fn frontmatter(text: &str, named: &mut BTreeSet<String>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return;
    }
    for line in lines.take_while(|line| line.trim_end() != "---") {
        if let Some((key, value)) = line.split_once(':')
            && PAGE_KEYS.contains(&key)
        {
            spec(value.trim().trim_matches(['"', '\'']), false, named);
        }
    }
}

/// Files with code that the lines of a file import.
fn imports(text: &str, path: &str, snippets: &mut Vec<String>) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for line in text.lines().map(str::trim).filter(|line| line.starts_with("import ")) {
        let Some((_, from)) = line.rsplit_once(" from ") else { continue };
        let from = from.trim_end_matches([';', ' ']).trim_matches(['"', '\'']);
        let folder = if from.starts_with('.') { folder } else { "" };
        if from.ends_with(".jsx")
            && let Some(path) = join(folder, from)
        {
            snippets.push(path);
        }
    }
}

/// A path relative to a folder; relative to the docs root if it starts with a slash. `None` if it leads outside.
fn join(folder: &str, path: &str) -> Option<String> {
    let (folder, path) = match path.strip_prefix('/') {
        Some(path) => ("", path),
        None => (folder, path),
    };
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn named(files: &[(&str, &str)]) -> Vec<String> {
        let files: BTreeMap<String, &str> =
            files.iter().map(|(path, text)| ((*path).to_owned(), *text)).collect();
        let found = read(files.keys(), |path| files.get(path).map(|text| (*text).to_owned()));
        found.into_iter().collect()
    }

    #[test]
    fn configuration_names_specs_and_its_own_parts() {
        let files = [
            (
                "docs.json",
                r#"{"api": {"openapi": ["/a.json", "https://x.example/b.json", "../c.json"]}, "navigation":
                {"$ref": "./config/nav.json"}, "name": "package.json", "pages": ["e.yaml GET /x", "f.json"],
                "asyncapi": {"source": "g.yml", "directory": "h.json"}, "graphql": "schema.graphql"}"#,
            ),
            (
                "config/nav.json",
                r#"{"openapi": "d.yaml", "x": {"$ref": "nav.json"}, "y": {"$ref": "deep.json"}}"#,
            ),
            ("mint.json", r#"{"openapi": "old.json", "x": {"$ref": "../outside.json"}}"#),
        ];
        let expected = [
            "a.json",
            "config/deep.json",
            "config/nav.json",
            "d.yaml",
            "e.yaml",
            "g.yml",
            "old.json",
            "schema.graphql",
        ];
        assert_eq!(named(&files), expected);
        assert_eq!(named(&[("docs.json", "{")]), Vec::<String>::new());
    }

    #[test]
    fn pages_name_specs_and_snippets() {
        let files = [
            (
                "a.mdx",
                "---\ntitle: A\nopenapi: \"specs/a.yaml POST /x\"\n---\n\nSee package.json, openapi: b.json\n",
            ),
            (
                "deep/b.mdx",
                "---\nasyncapi: 'c.json channel'\n---\nimport { X } from \"../components/x.jsx\";\n",
            ),
            ("components/x.jsx", "import Y from './y.jsx'\nimport z from \"/src/App.js\"\n"),
            ("c.md", "no frontmatter\n---\nopenapi: d.json\n---\nimport X from '/../e.jsx'\n"),
            ("src/App.jsx", "import f from './g.jsx'"),
        ];
        let expected = ["c.json", "components/x.jsx", "components/y.jsx", "specs/a.yaml"];
        assert_eq!(named(&files), expected);
    }
}

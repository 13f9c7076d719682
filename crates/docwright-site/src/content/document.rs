//! The configuration as JSON: found, parsed, `$ref`s resolved, an old `mint.json` translated.
//!
//! Maps values back to their positions in the source files, so diagnostics can name a line.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::{ContentError, legacy, string_places::StringPlaces};
use crate::{Diagnostic, Rule, source::Source};

/// References inside references end here.
const MAXIMUM_DEPTH: usize = 32;
/// References in all; a few files can otherwise multiply without end.
const MAXIMUM_REFERENCES: usize = 10_000;
/// Size limit of all references together, counted on each use. Bytes.
const MAXIMUM_LENGTH: usize = 64 * 1024 * 1024;

/// A configuration file with everything it refers to.
#[derive(Debug)]
pub struct Document<'a> {
    /// `docs.json` or `mint.json`.
    pub path: &'static str,
    /// The top-level object.
    pub root: Map<String, Value>,
    /// Path and text of each file that it was read from.
    files: Vec<(String, &'a str)>,
    /// Read when the first diagnostic needs them.
    places: OnceLock<Vec<StringPlaces>>,
}

impl<'a> Document<'a> {
    /// Reads the configuration of a docs root.
    pub fn read(
        source: &'a Source,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Self, ContentError> {
        let (path, text) = ["docs.json", "mint.json"]
            .into_iter()
            .find_map(|path| Some((path, source.text(path)?)))
            .ok_or(ContentError::NoConfiguration)?;
        let value: Value = serde_json::from_str(text).map_err(|error| ContentError::Syntax {
            path,
            line: error.line(),
            column: error.column(),
            message: syntax_message(&error),
        })?;
        let files = vec![(path.to_owned(), text)];
        let mut resolver = Resolver { source, files, references: 0, length: 0, diagnostics };
        let value = resolver.resolve(value, &mut vec![path.to_owned()]);
        let files = resolver.files;
        let Value::Object(mut root) = value else { return Err(ContentError::NotAnObject { path }) };
        if path == "mint.json" {
            root = legacy::translate(root);
        } else {
            legacy::read_old_names(&mut root);
        }
        Ok(Self { path, root, files, places: OnceLock::new() })
    }

    /// File, 1-based line, and column of the first occurrence of `text` as a JSON string; line 0 of the main file
    /// if there is none.
    pub fn locate(&self, text: &str) -> (String, u32, u32) {
        let quoted = serde_json::to_string(text).unwrap_or_default();
        let read = || self.files.iter().map(|(_, text)| StringPlaces::new(text)).collect();
        let places: &Vec<_> = self.places.get_or_init(read);
        self.files
            .iter()
            .zip(places)
            .find_map(|((path, _), strings)| {
                let (line, column) = strings.find(&quoted)?;
                Some((path.clone(), line, column))
            })
            .unwrap_or_else(|| (self.path.to_owned(), 0, 0))
    }

    /// A diagnostic at the place of a JSON string.
    pub fn at(&self, text: &str, diagnostic: Diagnostic) -> Diagnostic {
        let (path, line, column) = self.locate(text);
        Diagnostic { path, ..diagnostic }.at(line, column)
    }
}

fn syntax_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

struct Resolver<'a, 'd> {
    source: &'a Source,
    files: Vec<(String, &'a str)>,
    references: usize,
    length: usize,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Resolver<'_, '_> {
    /// `stack` contains the files that are being resolved, outermost first; it is never empty.
    fn resolve(&mut self, value: Value, stack: &mut Vec<String>) -> Value {
        match value {
            Value::Object(mut map) => match map.remove("$ref") {
                Some(Value::String(target)) => self.follow(&target, map, stack),
                _ => Value::Object(
                    map.into_iter().map(|(key, value)| (key, self.resolve(value, stack))).collect(),
                ),
            },
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.resolve(item, stack)).collect())
            }
            other => other,
        }
    }

    /// The target of a reference with its siblings merged over it; nothing if it can't be read.
    fn follow(
        &mut self,
        target: &str,
        siblings: Map<String, Value>,
        stack: &mut Vec<String>,
    ) -> Value {
        let siblings = match self.resolve(Value::Object(siblings), stack) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let Some((path, value)) = self.load(target, stack) else { return Value::Object(siblings) };
        stack.push(path);
        let value = self.resolve(value, stack);
        stack.pop();
        match value {
            Value::Object(mut map) => {
                map.extend(siblings);
                Value::Object(map)
            }
            other => other,
        }
    }

    fn load(&mut self, target: &str, stack: &[String]) -> Option<(String, Value)> {
        let from = stack.last().cloned().unwrap_or_default();
        let problem = |message: String, help: &str| {
            Diagnostic::new(Rule::BrokenRef, from.clone(), message).help(help)
        };
        let Some(path) = join(&from, target) else {
            let message = format!("`$ref` to `{target}` leaves the docs root");
            self.diagnostics.push(problem(message, "refer to a file within it"));
            return None;
        };
        self.references += 1;
        if stack.contains(&path)
            || stack.len() > MAXIMUM_DEPTH
            || self.references > MAXIMUM_REFERENCES
        {
            let message = format!("`$ref` to `{target}` refers back to itself, or too deeply");
            self.diagnostics.push(problem(message, "break the circle of references"));
            return None;
        }
        let Some(text) = self.source.text(&path) else {
            let message = format!("`$ref` to `{target}`: file {path} not found");
            self.diagnostics
                .push(problem(message, "correct the path; it is relative to this file"));
            return None;
        };
        self.length += text.len();
        if self.length > MAXIMUM_LENGTH {
            let limit = MAXIMUM_LENGTH / 1024 / 1024;
            let message = format!(
                "`$ref` to `{target}`: all `$ref`s together bring in more than {limit} MiB"
            );
            self.diagnostics.push(problem(message, "refer to large files less often"));
            return None;
        }
        if !self.files.iter().any(|(known, _)| *known == path) {
            self.files.push((path.clone(), text));
        }
        match serde_json::from_str(text) {
            Ok(value) => Some((path, value)),
            Err(error) => {
                let (line, column) = (to_u32(error.line()), to_u32(error.column()));
                self.diagnostics.push(
                    Diagnostic::new(
                        Rule::InvalidJson,
                        path,
                        format!("invalid JSON: {}", syntax_message(&error)),
                    )
                    .at(line, column)
                    .help("correct the JSON"),
                );
                None
            }
        }
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The path of `target` as seen from the file `from`; `None` if it leaves the root.
pub fn join(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').collect(),
    };
    parts.pop();
    for part in target.split('/') {
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
    use super::join;

    #[test]
    fn paths_stay_below_the_root() {
        assert_eq!(join("a/b.json", "./c.json").as_deref(), Some("a/c.json"));
        assert_eq!(join("a/b.json", "../c.json").as_deref(), Some("c.json"));
        assert_eq!(join("a/b.json", "/c/d.json").as_deref(), Some("c/d.json"));
        assert_eq!(join("a/b.json", "../../c.json"), None);
        assert_eq!(join("b.json", "/../c.json"), None);
    }
}

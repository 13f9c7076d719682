//! The operations of API descriptions, as far as navigation needs them: method, path, title,
//! description, tag. What an operation looks like on its page is not decided here.

mod operations;
mod reference;
mod references;

use serde_json::Value;

pub use operations::{Operation, operations};
pub use reference::{Reference, parse as parse_reference};

use super::yaml;
use crate::source::Source;

/// An API description of the repository.
#[derive(Debug)]
pub struct Spec {
    /// Path below the docs root.
    pub path: String,
    /// Its operations, in the order of the file.
    pub operations: Vec<Operation>,
    /// The whole description; references to other files are brought in.
    pub value: Value,
}

impl Spec {
    /// The operation of a method and path; a trailing slash does not matter.
    pub fn find(&self, method: &str, path: &str) -> Option<&Operation> {
        let path = path.trim_end_matches('/');
        self.operations.iter().find(|each| {
            each.method.eq_ignore_ascii_case(method) && each.path.trim_end_matches('/') == path
        })
    }
}

/// The description and operation that a reference in the file at `from` names: the one that a
/// relative path leads to, otherwise of several the first by path.
pub fn named<'a>(
    specs: &'a [Spec],
    reference: &Reference<'_>,
    from: &str,
) -> Option<(&'a Spec, &'a Operation)> {
    let find = |spec: &'a Spec| Some((spec, spec.find(&reference.method, reference.path)?));
    let beside = specs.iter().filter(|spec| reference.leads_to(from, &spec.path)).find_map(find);
    beside.or_else(|| specs.iter().filter(|spec| reference.names(&spec.path)).find_map(find))
}

/// Every API description of a docs root, by path.
pub fn discover(source: &Source) -> Vec<Spec> {
    let candidates: Vec<_> = source.paths().filter(|path| may_be_spec(path)).collect();
    candidates
        .into_iter()
        .filter_map(|path| {
            let mut value = parse(path, source.text(path)?)?;
            value.get("openapi")?;
            references::bring_in(&mut value, path, source);
            Some(Spec { path: path.to_owned(), operations: operations(&value), value })
        })
        .collect()
}

fn may_be_spec(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = [".json", ".yaml", ".yml"].iter().any(|ending| name.ends_with(ending));
    ending
        && !matches!(
            name,
            "docs.json" | "mint.json" | "package.json" | "package-lock.json" | "tsconfig.json"
        )
}

/// Parses a description; a quick look spares files that are plainly something else.
fn parse(path: &str, text: &str) -> Option<Value> {
    if !text.contains("openapi") || !text.contains("paths") && !text.contains("webhooks") {
        return None;
    }
    read(path, text)
}

/// A file of JSON or YAML, by its ending.
fn read(path: &str, text: &str) -> Option<Value> {
    if path.ends_with(".json") { serde_json::from_str(text).ok() } else { yaml::parse(text).ok() }
}

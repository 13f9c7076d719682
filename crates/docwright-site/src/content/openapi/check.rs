//! Problems in API specs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Diagnostic, Rule, Severity, content::yaml::YamlError, openapi};

/// A spec must identify itself in this number of bytes at its start.
const HEAD: usize = 2_000;
/// Broken references that are reported for one description.
const MAXIMUM_REFERENCES: usize = 50;

/// A file that identifies itself as a spec but can't be read.
pub(super) fn unreadable(path: &str, text: &str, error: &YamlError) -> Option<Diagnostic> {
    let is_named = |key: &str| {
        text[..text.floor_char_boundary(HEAD)].lines().any(|line| {
            let line = line.trim_start_matches(['{', ' ', '\t', '"']);
            line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches('"').starts_with(':'))
        })
    };
    if !is_named("openapi") && !is_named("asyncapi") {
        return None;
    }
    let message = format!("this API spec can't be read: {}", error.message);
    let help = "correct it here; pages that name it show nothing of it meanwhile";
    Some(Diagnostic::new(Rule::InvalidSpec, path, message).at(error.line, 0).help(help))
}

/// A description of a version that is not supported.
pub(super) fn outdated(path: &str, value: &Value) -> Option<Diagnostic> {
    let version = value.get("swagger")?.as_str()?;
    value.get("paths")?;
    let message = format!("this API spec has version {version} of Swagger");
    let help = "convert it to OpenAPI 3, for which there are tools, and name the new file";
    Some(Diagnostic::new(Rule::InvalidSpec, path, message).severity(Severity::Warning).help(help))
}

/// Broken references without duplicates. `text` is the file, for their lines.
pub(super) fn references(path: &str, value: &Value, text: &str) -> Vec<Diagnostic> {
    let mut found = BTreeSet::new();
    collect(value, value, &mut found);
    let reports = found.into_iter().take(MAXIMUM_REFERENCES).map(|reference| {
        let line = text.lines().position(|line| line.contains(reference));
        let line = line.and_then(|at| u32::try_from(at + 1).ok()).unwrap_or(0);
        let message = format!("`{reference}` leads to no part of this API spec");
        Diagnostic::new(Rule::BrokenReference, path, message)
            .at(line, 0)
            .help("correct it, or add what it names")
    });
    reports.collect()
}

fn collect<'a>(root: &Value, value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(entries) => {
            if let Some(Value::String(reference)) = entries.get("$ref")
                && !leads_somewhere(root, reference)
            {
                found.insert(reference);
            }
            // The contents of an example are data.
            let parts = entries.iter().filter(|(key, _)| *key != "example" && *key != "examples");
            parts.for_each(|(_, part)| collect(root, part, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(root, item, found)),
        _ => {}
    }
}

/// References to existing files are already part of the spec.
fn leads_somewhere(root: &Value, reference: &str) -> bool {
    if reference.contains("://") {
        return true;
    }
    reference.strip_prefix('#').is_some_and(|pointer| openapi::part(root, pointer).is_some())
}

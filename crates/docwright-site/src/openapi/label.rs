//! The label of a schema beside the name of a field: `string<uuid>`, `object[]`, `enum<string>`.

use super::{document::Document, schema::Schema};

/// Maximum nesting of types.
const MAXIMUM_DEPTH: usize = 6;
/// With more alternatives, the label is "any".
const MAXIMUM_ALTERNATIVES: usize = 4;
/// The key of field labels in the cache, beside those of inner types.
const WHOLE: usize = usize::MAX;

/// A short label of a schema's type.
pub(super) fn type_label<'a>(document: &Document<'a>, schema: &Schema<'a>) -> String {
    document.label_once(schema, WHOLE, || {
        let label = bare(document, schema, 0);
        if schema.is_nullable() && label != "any" { format!("{label} | null") } else { label }
    })
}

fn bare<'a>(document: &Document<'a>, schema: &Schema<'a>, depth: usize) -> String {
    if depth > MAXIMUM_DEPTH {
        return "any".to_owned();
    }
    document.label_once(schema, depth, || make(document, schema, depth))
}

fn make<'a>(document: &Document<'a>, schema: &Schema<'a>, depth: usize) -> String {
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        let base = schema.types().first().copied().unwrap_or("string");
        return if schema.get("enum").is_some() {
            format!("enum<{base}>")
        } else {
            base.to_owned()
        };
    }
    if is_file(schema) {
        return "file".to_owned();
    }
    let types = schema.types();
    match types.as_slice() {
        ["array"] => format!("{}[]", items_label(document, schema, depth)),
        [one] => with_format(one, schema.text("format")),
        [] if schema.has_properties() || schema.get("additionalProperties").is_some() => {
            "object".to_owned()
        }
        [] if schema.get("items").is_some() => {
            format!("{}[]", items_label(document, schema, depth))
        }
        [] => alternatives_label(document, schema, depth),
        many => many.join(" | "),
    }
}

fn items_label<'a>(document: &Document<'a>, schema: &Schema<'a>, depth: usize) -> String {
    let Some(items) = schema.get("items") else { return "any".to_owned() };
    let label = bare(document, &document.schema(items), depth + 1);
    if label.contains(" | ") { format!("({label})") } else { label }
}

fn alternatives_label<'a>(document: &Document<'a>, schema: &Schema<'a>, depth: usize) -> String {
    let mut labels: Vec<String> = Vec::new();
    for alternative in schema.alternatives() {
        let label = bare(document, &document.schema(alternative), depth + 1);
        if !labels.contains(&label) {
            labels.push(label);
        }
        if labels.len() > MAXIMUM_ALTERNATIVES {
            return "any".to_owned();
        }
    }
    if labels.is_empty() { "any".to_owned() } else { labels.join(" | ") }
}

fn with_format(base: &str, format: Option<&str>) -> String {
    match format {
        Some(format) if matches!(base, "string" | "integer" | "number") => {
            format!("{base}<{format}>")
        }
        _ => base.to_owned(),
    }
}

/// Whether a value is uploaded as a file.
pub(super) fn is_file(schema: &Schema<'_>) -> bool {
    matches!(schema.text("format"), Some("binary" | "base64"))
        || schema.text("contentEncoding").is_some_and(|encoding| encoding.starts_with("base64"))
        || schema.text("contentMediaType").is_some_and(|media| media == "application/octet-stream")
}

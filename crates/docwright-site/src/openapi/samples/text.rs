//! Text in quotes, and bodies as text.

use serde_json::Value;

use super::super::request::{Body, Request};

/// A text in double quotes, escaped as in JSON, C, and similar languages.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Lines after the first, indented.
pub(super) fn indented(text: &str, spaces: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(spaces)))
}

/// The body as one text: JSON on several lines, forms encoded.
pub(super) fn body_text(request: &Request) -> Option<String> {
    Some(match request.body.as_ref()? {
        Body::Json(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        Body::Text(text) => text.clone(),
        Body::Form { fields, .. } => {
            let pair = |(name, value): &(String, String)| format!("{name}={value}");
            fields.iter().map(pair).collect::<Vec<_>>().join("&")
        }
    })
}

/// The body on one line, for languages without long texts.
pub(super) fn body_line(request: &Request) -> Option<String> {
    match request.body.as_ref()? {
        Body::Json(value) => Some(value.to_string()),
        _ => body_text(request),
    }
}

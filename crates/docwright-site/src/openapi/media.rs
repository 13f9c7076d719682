//! Bodies: the fields of each content type, and how its parts are sent.

use serde_json::Value as Json;

use super::{
    Settings,
    document::Document,
    example::plain,
    fields::{Fields, Side},
    nodes::{component, fact, inline_code, paragraph, tabs, text, word},
};
use crate::mdx::Node;

/// Where bodies stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'s> {
    pub(super) side: Side,
    /// The name of the body, for links to its fields: `Body`, `Response 200`.
    pub(super) title: &'s str,
}

/// The fields of each content type, in tabs if there are several.
pub(super) fn by_content_type<'a>(
    document: &Document<'a>,
    media: &[(&str, &'a Json)],
    place: Place<'_>,
    settings: &Settings,
) -> Vec<Node> {
    let parts =
        media.iter().map(|(kind, media)| (*kind, content(document, media, place, settings)));
    tabs(parts.collect(), |kind| inline_code(kind), |kind| inline_code(kind))
}

fn content<'a>(
    document: &Document<'a>,
    media: &'a Json,
    place: Place<'_>,
    settings: &Settings,
) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (key, label) in [("schema", None), ("itemSchema", Some("Each item:"))] {
        let Some(schema) = media.get(key).filter(|_| document.budget().take_row()) else {
            continue;
        };
        nodes.extend(label.map(|label| paragraph(vec![text(label)])));
        nodes.extend(Fields::new(document, place.side, settings).body(schema, place.title));
    }
    let encodings = media.get("encoding").and_then(Json::as_object);
    for (name, encoding) in encodings.into_iter().flatten() {
        nodes.extend(encoding_nodes(document, name, document.resolve(encoding).0, settings));
    }
    nodes
}

/// How one part of a form is sent.
fn encoding_nodes<'a>(
    document: &Document<'a>,
    name: &str,
    encoding: &'a Json,
    settings: &Settings,
) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (key, label) in [
        ("contentType", "Content type"),
        ("style", "Style"),
        ("explode", "Explode"),
        ("allowReserved", "Reserved characters allowed"),
    ] {
        if let Some(value) = encoding.get(key).filter(|value| document.has_room_for(value)) {
            nodes.push(fact(&format!("{label} of {name}"), plain(value)));
        }
    }
    nodes.extend(headers(document, encoding, &format!("headers of {name}"), settings));
    nodes
}

/// The headers of a response or a part, collapsed.
pub(super) fn headers<'a>(
    document: &Document<'a>,
    holder: &'a Json,
    title: &str,
    settings: &Settings,
) -> Option<Node> {
    let headers = holder.get("headers").and_then(Json::as_object);
    let mut maker = Fields::new(document, Side::Response, settings);
    let rows: Vec<_> = headers
        .into_iter()
        .flatten()
        .filter(|_| document.budget().take_row())
        .map(|(name, header)| maker.parameter(name, document.resolve(header).0, "header"))
        .collect();
    (!rows.is_empty()).then(|| component("Expandable", vec![("title", word(title))], rows))
}

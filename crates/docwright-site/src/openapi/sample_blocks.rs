//! The samples beside an operation: its request in several languages, and its responses.

use serde_json::Value as Json;

use super::{
    Settings,
    document::Document,
    example::{body_examples, example, written},
    fields::Side,
    nodes::{code, component, word},
    operation::{Operation, media, preferred},
    request::Request,
    samples,
};
use crate::mdx::{Node, Value};

/// Bytes of samples after which further examples of a body are written in one language only.
const MAXIMUM_VARIANTS: usize = 24_000;
/// Longest response that is colored. Colors make it three times as large. Bytes.
const LONGEST_COLORED: usize = 12_000;
/// Longest body that is written in every language. Longer ones are in the first only. Bytes.
const LONGEST_BODY: usize = 6_000;

/// The request samples. With several examples of its body, readers choose one.
pub(super) fn request_examples(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    if operation.method == "WEBHOOK" {
        let sample = operation.body().and_then(|(_, media)| {
            media_sample(&operation.document, preferred(&media)?.1, Side::Request)
        });
        let sample = sample.map(|sample| code("json", "Payload", sample));
        return sample
            .map(|sample| component("RequestExample", vec![], vec![sample]))
            .into_iter()
            .collect();
    }
    let own = authors_samples(operation);
    if !own.is_empty() && !settings.autogenerate {
        return vec![request_example(own.into_iter().map(|(_, block)| block).collect())];
    }
    let bodies = operation
        .body()
        .and_then(|(_, media)| Some(body_examples(&operation.document, preferred(&media)?.1)));
    let bodies = bodies.unwrap_or_default();
    let covered: Vec<String> = own.iter().map(|(language, _)| language.clone()).collect();
    let own: Vec<_> = own.into_iter().map(|(_, block)| block).collect();
    if bodies.len() < 2 {
        let body = bodies.into_iter().next().map(|(_, body)| body);
        let mut blocks = own;
        blocks.extend(generated(operation, settings, body, &covered, false));
        return if blocks.is_empty() { blocks } else { vec![request_example(blocks)] };
    }
    let mut written = 0;
    let mut tabs = Vec::new();
    for (title, body) in bodies {
        let mut blocks = if tabs.is_empty() { own.clone() } else { Vec::new() };
        blocks.extend(generated(
            operation,
            settings,
            Some(body),
            &covered,
            written > MAXIMUM_VARIANTS,
        ));
        written += blocks.iter().map(size).sum::<usize>();
        let group = component("CodeGroup", vec![("dropdown", Value::Bool(true))], blocks);
        tabs.push(component("Tab", vec![("title", word(title))], vec![group]));
    }
    vec![component("RequestExample", vec![], vec![component("Tabs", vec![], tabs)])]
}

fn request_example(blocks: Vec<Node>) -> Node {
    component("RequestExample", vec![("dropdown", Value::Bool(true))], blocks)
}

fn size(block: &Node) -> usize {
    if let crate::mdx::NodeKind::Code { value, .. } = &block.kind { value.len() } else { 0 }
}

/// The samples of the wanted languages. A long body is written in the first one only.
fn generated(
    operation: &Operation<'_>,
    settings: &Settings,
    body: Option<Json>,
    covered: &[String],
    is_short: bool,
) -> Vec<Node> {
    let is_long = body.as_ref().is_some_and(|body| pretty(body).len() > LONGEST_BODY);
    let request = Request::of(operation, settings.required_only, body);
    let samples = samples::write(&request, &settings.languages);
    let wanted = samples.into_iter().filter(|sample| {
        !covered.iter().any(|language| samples::is_same(language, sample.language))
    });
    let count = if is_short || is_long { 1 } else { usize::MAX };
    wanted.take(count).map(|sample| code(sample.grammar, sample.label, sample.code)).collect()
}

/// `x-codeSamples`: language, and the block.
fn authors_samples(operation: &Operation<'_>) -> Vec<(String, Node)> {
    let samples =
        ["x-codeSamples", "x-code-samples"].iter().find_map(|key| operation.value.get(*key));
    let samples = samples.and_then(Json::as_array);
    let read = |sample: &Json| {
        let text =
            |key: &str| sample.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
        let language = text("lang").unwrap_or("text");
        let label = text("label").unwrap_or(language);
        Some((language.to_lowercase(), code(samples::grammar(language), label, text("source")?)))
    };
    samples.into_iter().flatten().filter_map(read).collect()
}

/// The samples of responses: the examples of the spec, or one that is generated.
pub(super) fn response_examples(operation: &Operation<'_>) -> Vec<Node> {
    let mut blocks = Vec::new();
    for (status, response) in operation.responses() {
        for (kind, media) in media(response) {
            if operation.document.budget().is_spent() {
                break;
            }
            let language = if kind.contains("json") { "json" } else { "text" };
            blocks.extend(media_blocks(&operation.document, status, language, media));
            if !has_examples(media) {
                // One generated sample of a response is enough.
                break;
            }
        }
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    vec![component("ResponseExample", vec![], blocks)]
}

fn has_examples(media: &Json) -> bool {
    media.get("example").is_some() || media.get("examples").is_some()
}

fn media_blocks<'a>(
    document: &Document<'a>,
    status: &str,
    language: &str,
    media: &'a Json,
) -> Vec<Node> {
    let named = media.get("examples").and_then(Json::as_object);
    let mut blocks = Vec::new();
    for (name, example) in named.into_iter().flatten() {
        let example = document.resolve(example).0;
        let said = |key| example.get(key).and_then(Json::as_str);
        let value =
            ["value", "dataValue", "serializedValue"].iter().find_map(|key| example.get(*key));
        let value = value.filter(|value| document.has_room_for(value)).map(pretty);
        // A file elsewhere is named by its address.
        let Some(value) = value.or_else(|| said("externalValue").map(str::to_owned)) else {
            continue;
        };
        let summary = said("summary").unwrap_or(name);
        let is_single = named.is_some_and(|named| named.len() == 1);
        let plain = is_single && said("summary").is_none();
        let label = if plain { status.to_owned() } else { format!("{status} - {summary}") };
        blocks.push(response_code(language, &label, value));
    }
    if blocks.is_empty() {
        let sample = media_sample(document, media, Side::Response);
        blocks.extend(sample.map(|sample| response_code(language, status, sample)));
    }
    blocks
}

fn response_code(language: &str, label: &str, value: String) -> Node {
    code(if value.len() > LONGEST_COLORED { "text" } else { language }, label, value)
}

/// The example of a body: as written, or generated from its schema.
fn media_sample<'a>(document: &Document<'a>, media: &'a Json, side: Side) -> Option<String> {
    if let Some(example) = media.get("example").and_then(|example| written(document, example)) {
        return Some(pretty(&example));
    }
    Some(pretty(&example(document, media.get("schema")?, side)))
}

/// JSON with indentation; text as it is.
pub(super) fn pretty(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

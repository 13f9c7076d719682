//! The content of an operation's or schema's page below its own text.

use serde_json::Value as Json;

use super::{
    Settings,
    budget::Overrun,
    document::{Document, Schema},
    example::{example, written},
    fields::{Fields, Side},
    nodes::{code, component, heading, inline_code, paragraph, text, word},
    operation::{Operation, media, preferred},
    request::Request,
    samples,
};
use crate::mdx::{Node, NodeKind, Value};

/// The sections of an operation, and its samples for the right column.
pub fn operation_nodes(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let mut nodes = Vec::new();
    if settings.with_description {
        nodes.extend(operation.document.markdown(operation.text("description")));
    }
    nodes.extend(authorizations(operation));
    nodes.extend(parameters(operation, settings));
    nodes.extend(request_body(operation, settings));
    nodes.extend(callbacks(operation, settings));
    nodes.extend(responses(operation, settings));
    nodes.extend(request_examples(operation, settings));
    nodes.extend(response_examples(operation));
    nodes
}

/// A named schema of a spec.
#[derive(Debug)]
pub struct NamedSchema<'a> {
    document: Document<'a>,
    /// Its name.
    pub name: &'a str,
    value: &'a Json,
}

impl<'a> NamedSchema<'a> {
    /// The schema with a name.
    pub fn find(root: &'a Json, name: &str) -> Option<Self> {
        let schemas = root.pointer("/components/schemas")?.as_object()?;
        let (name, value) = schemas.get_key_value(name)?;
        Some(Self { document: Document::new(root), name, value })
    }

    /// Its fields and an example.
    pub fn nodes(&self, settings: &Settings) -> Vec<Node> {
        let mut nodes = Fields::new(&self.document, Side::Response, settings).body(self.value);
        let sample = pretty(&example(&self.document, self.value, Side::Response));
        nodes.push(component("ResponseExample", vec![], vec![code("json", self.name, sample)]));
        nodes
    }

    /// The reasons why the page shows less than the spec.
    pub fn overruns(&self) -> Vec<Overrun> {
        self.document.budget().overruns()
    }
}

fn authorizations(operation: &Operation<'_>) -> Vec<Node> {
    let credentials = operation.credentials();
    if credentials.is_empty() {
        return Vec::new();
    }
    let required = operation.requires_credentials();
    let field = |credential: super::operation::Credential| {
        let mut props = vec![(credential.place, word(credential.name)), ("type", word("string"))];
        if required {
            props.push(("required", Value::Bool(true)));
        }
        component("ParamField", props, operation.document.markdown(&credential.description))
    };
    std::iter::once(heading(2, "Authorizations"))
        .chain(credentials.into_iter().map(field))
        .collect()
}

fn parameters(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let all = operation.parameters();
    let mut nodes = Vec::new();
    for (place, title) in [
        ("path", "Path Parameters"),
        ("query", "Query Parameters"),
        ("header", "Headers"),
        ("cookie", "Cookies"),
    ] {
        let mut maker = Fields::new(&operation.document, Side::Request, settings);
        let here: Vec<_> = all
            .iter()
            .filter(|each| each.get("in").and_then(Json::as_str) == Some(place))
            .filter(|_| operation.document.budget().take_row())
            .map(|each| parameter(&operation.document, each, place, &mut maker))
            .collect();
        if !here.is_empty() {
            nodes.push(heading(2, title));
            nodes.extend(here);
        }
    }
    nodes
}

fn parameter<'a>(
    document: &Document<'a>,
    parameter: &'a Json,
    place: &str,
    maker: &mut Fields<'_, 'a>,
) -> Node {
    let name = parameter.get("name").and_then(Json::as_str).unwrap_or_default();
    let required = parameter.get("required").and_then(Json::as_bool).unwrap_or(false);
    maker.field_of(name, &parameter_schema(document, parameter), required, place)
}

/// A parameter's own values override those of its schema.
fn parameter_schema<'a>(document: &Document<'a>, parameter: &'a Json) -> Schema<'a> {
    let own = parameter.get("schema").or_else(|| media(parameter).first()?.1.get("schema"));
    let schema = own.map_or_else(Schema::empty, |schema| document.schema(schema));
    let more = ["description", "example", "deprecated", "x-mint"];
    let more = more.into_iter().filter_map(|key| Some((key, parameter.get(key)?)));
    let examples = parameter.get("examples").and_then(Json::as_object).map(|examples| {
        let values = examples.values().filter_map(|each| document.resolve(each).0.get("value"));
        values.collect()
    });
    document.with(&schema, more, examples)
}

fn request_body(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let Some((body, media)) = operation.body() else { return Vec::new() };
    if media.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![heading(2, "Body")];
    let description = body.get("description").and_then(Json::as_str).unwrap_or_default();
    nodes.extend(operation.document.markdown(description));
    nodes.extend(by_content_type(&operation.document, &media, Side::Request, settings));
    nodes
}

/// The fields of each content type, in tabs if there are several.
fn by_content_type<'a>(
    document: &Document<'a>,
    media: &[(&str, &'a Json)],
    side: Side,
    settings: &Settings,
) -> Vec<Node> {
    let content = |media: &'a Json| match media.get("schema") {
        Some(schema) if document.budget().take_row() => {
            Fields::new(document, side, settings).body(schema)
        }
        _ => Vec::new(),
    };
    match media {
        [] => Vec::new(),
        [(kind, media)] => {
            let mut nodes = vec![content_type(kind)];
            nodes.extend(content(media));
            nodes
        }
        many => {
            let tab = |(kind, media): &(&str, &'a Json)| {
                component("Tab", vec![("title", word(*kind))], content(media))
            };
            vec![component(
                "Tabs",
                vec![("sync", Value::Bool(false))],
                many.iter().map(tab).collect(),
            )]
        }
    }
}

fn content_type(kind: &str) -> Node {
    paragraph(vec![inline_code(kind)])
}

fn responses<'a>(operation: &Operation<'a>, settings: &Settings) -> Vec<Node> {
    let responses = operation.responses();
    if responses.is_empty() {
        return Vec::new();
    }
    let document = &operation.document;
    let content = |response: &'a Json| {
        let description = response.get("description").and_then(Json::as_str).unwrap_or_default();
        let mut nodes = document.markdown(description);
        nodes.extend(by_content_type(document, &media(response), Side::Response, settings));
        nodes.extend(response_headers(document, response, settings));
        nodes
    };
    let mut nodes = vec![heading(2, "Response")];
    if let [(status, response)] = responses.as_slice() {
        nodes.push(paragraph(vec![node_strong(status)]));
        nodes.extend(content(response));
    } else {
        let tab = |(status, response): &(&str, &'a Json)| {
            let mut inside = content(response);
            if inside.is_empty() {
                inside.push(paragraph(vec![text("No content.")]));
            }
            component("Tab", vec![("title", word(*status))], inside)
        };
        nodes.push(component(
            "Tabs",
            vec![("sync", Value::Bool(false))],
            responses.iter().map(tab).collect(),
        ));
    }
    nodes
}

fn node_strong(words: &str) -> Node {
    super::nodes::node(NodeKind::Strong, vec![text(words)])
}

fn response_headers<'a>(
    document: &Document<'a>,
    response: &'a Json,
    settings: &Settings,
) -> Vec<Node> {
    let headers = response.get("headers").and_then(Json::as_object);
    let mut maker = Fields::new(document, Side::Response, settings);
    let rows: Vec<_> = headers
        .into_iter()
        .flatten()
        .filter(|_| document.budget().take_row())
        .map(|(name, header)| {
            let header = document.resolve(header).0;
            maker.field_of(name, &parameter_schema(document, header), false, "header")
        })
        .collect();
    if rows.is_empty() {
        return rows;
    }
    vec![component("Expandable", vec![("title", word("headers"))], rows)]
}

fn callbacks(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (name, callback) in operation.callbacks() {
        for (address, item) in callback.as_object().into_iter().flatten() {
            for (method, value) in item.as_object().into_iter().flatten() {
                let document = &operation.document;
                let Some(body) = document.get(value, "requestBody") else { continue };
                let summary = value.get("summary").or_else(|| value.get("description"));
                let mut inside = vec![paragraph(vec![
                    node_strong(&method.to_uppercase()),
                    text(" "),
                    inline_code(address.as_str()),
                ])];
                let summary = summary.and_then(Json::as_str).unwrap_or_default();
                inside.extend(document.markdown(summary));
                inside.extend(by_content_type(document, &media(body), Side::Request, settings));
                nodes.push(component("Accordion", vec![("title", word(name))], inside));
            }
        }
    }
    if !nodes.is_empty() {
        nodes.insert(0, heading(2, "Callbacks"));
    }
    nodes
}

fn request_examples(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    if operation.method == "WEBHOOK" {
        let sample = operation.body().and_then(|(_, media)| {
            media_sample(&operation.document, media.first()?.1, Side::Request)
        });
        let sample = sample.map(|sample| code("json", "Payload", sample));
        return sample
            .map(|sample| component("RequestExample", vec![], vec![sample]))
            .into_iter()
            .collect();
    }
    let mut blocks = authors_samples(operation);
    if blocks.is_empty() || settings.autogenerate {
        let request = Request::of(operation, settings.required_only);
        let covered: Vec<String> = blocks.iter().map(|(language, _)| language.clone()).collect();
        for sample in samples::write(&request, &settings.languages) {
            if !covered.iter().any(|language| samples::is_same(language, sample.language)) {
                let block = code(sample.grammar, sample.label, sample.code);
                blocks.push((sample.language.to_owned(), block));
            }
        }
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    let blocks = blocks.into_iter().map(|(_, block)| block).collect();
    let dropdown = vec![("dropdown", Value::Bool(true))];
    vec![component("RequestExample", dropdown, blocks)]
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

fn response_examples(operation: &Operation<'_>) -> Vec<Node> {
    let mut blocks = Vec::new();
    for (status, response) in operation.responses() {
        if operation.document.budget().is_spent() {
            break;
        }
        let media = media(response);
        let Some((kind, media)) = preferred(&media) else { continue };
        let language = if kind.contains("json") { "json" } else { "text" };
        let named = media.get("examples").and_then(Json::as_object);
        for (name, example) in named.into_iter().flatten() {
            let example = operation.document.resolve(example).0;
            let value = example.get("value");
            let Some(value) = value.filter(|value| operation.document.has_room_for(value)) else {
                continue;
            };
            let summary = example.get("summary").and_then(Json::as_str).unwrap_or(name);
            let label = if named.is_some_and(|named| named.len() > 1) {
                format!("{status} - {summary}")
            } else {
                status.to_owned()
            };
            blocks.push(code(language, &label, pretty(value)));
        }
        if named.is_none_or(serde_json::Map::is_empty)
            && let Some(sample) = media_sample(&operation.document, media, Side::Response)
        {
            blocks.push(code(language, status, sample));
        }
    }
    if blocks.is_empty() {
        return Vec::new();
    }
    vec![component("ResponseExample", vec![], blocks)]
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

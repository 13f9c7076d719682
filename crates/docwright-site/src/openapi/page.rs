//! The content of an operation's or schema's page below its own text.

use serde_json::Value as Json;

use super::{
    Settings,
    budget::Overrun,
    document::Document,
    example::{example, plain},
    facts::{external, is_same_text},
    fields::{Fields, Side},
    media::{Place, by_content_type},
    nodes::{code, component, heading, inline_code, paragraph, text, word},
    operation::Operation,
    responses::{callbacks, responses},
    sample_blocks::{pretty, request_examples, response_examples},
    security::authorizations,
};
use crate::mdx::Node;

/// The sections of an operation, and its samples for the right column.
pub fn operation_nodes(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let document = &operation.document;
    let mut nodes = Vec::new();
    // An own title of the page says something else.
    let summary =
        operation.said("summary").filter(|summary| !is_same_text(summary, &settings.title));
    nodes.extend(summary.map(|summary| paragraph(vec![text(summary)])));
    if settings.with_description {
        nodes.extend(document.described(operation.said("description")));
    }
    nodes.extend(operation.value.get("externalDocs").and_then(external));
    nodes.extend(request_examples(operation, settings));
    nodes.extend(response_examples(operation));
    nodes.extend(authorizations(operation));
    nodes.extend(parameters(operation, settings));
    nodes.extend(request_body(operation, settings));
    nodes.extend(callbacks(operation, settings));
    nodes.extend(responses(operation, settings));
    nodes.extend(servers(operation));
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
        let mut maker = Fields::new(&self.document, Side::Response, settings);
        let mut nodes = maker.body(self.value, self.name);
        let sample = pretty(&example(&self.document, self.value, Side::Response));
        nodes.push(component("ResponseExample", vec![], vec![code("json", self.name, sample)]));
        nodes
    }

    /// The reasons why the page shows less than the spec.
    pub fn overruns(&self) -> Vec<Overrun> {
        self.document.budget().overruns()
    }
}

fn parameters(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let all = operation.parameters();
    let mut nodes = Vec::new();
    for (place, title, shown) in [
        ("path", "Path Parameters", "path"),
        ("query", "Query Parameters", "query"),
        ("querystring", "Query String", "query"),
        ("header", "Headers", "header"),
        ("cookie", "Cookies", "cookie"),
    ] {
        let mut maker = Fields::new(&operation.document, Side::Request, settings);
        let name =
            |each: &Json| each.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        let here: Vec<_> = all
            .iter()
            .filter(|each| each.get("in").and_then(Json::as_str) == Some(place))
            .filter(|_| operation.document.budget().take_row())
            .map(|each| maker.parameter(&name(each), each, shown))
            .collect();
        if !here.is_empty() {
            nodes.push(heading(2, title));
            nodes.extend(here);
        }
    }
    nodes
}

fn request_body(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let Some((body, media)) = operation.body() else { return Vec::new() };
    if media.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![heading(2, "Body")];
    if body.get("required") == Some(&Json::Bool(true)) {
        nodes.push(paragraph(vec![text("Required")]));
    }
    nodes.extend(operation.document.described(body.get("description").and_then(Json::as_str)));
    let place = Place { side: Side::Request, title: "Body" };
    nodes.extend(by_content_type(&operation.document, &media, place, settings));
    nodes
}

/// The base addresses, if the spec says anything about them.
fn servers(operation: &Operation<'_>) -> Vec<Node> {
    let mut nodes = Vec::new();
    for server in operation.described_servers() {
        if !operation.document.budget().take_row() {
            break;
        }
        let said = |key| server.get(key).and_then(Json::as_str);
        let mut line = vec![inline_code(said("url").unwrap_or_default())];
        line.extend(said("name").map(|name| text(format!(" {name}"))));
        nodes.push(paragraph(line));
        nodes.extend(operation.document.described(said("description")));
        let variables = server.get("variables").and_then(Json::as_object);
        for (name, variable) in variables.into_iter().flatten() {
            let default =
                variable.get("default").filter(|each| operation.document.has_room_for(each));
            let mut props = vec![("name", word(name.as_str())), ("type", word("string"))];
            props.extend(default.map(|default| ("default", word(plain(default)))));
            let about = variable.get("description").and_then(Json::as_str);
            let mut inside = operation.document.described(about);
            let options = operation.document.schema(variable);
            inside.extend(super::facts::facts(&operation.document, &options, name));
            nodes.push(component("ResponseField", props, inside));
        }
    }
    if !nodes.is_empty() {
        nodes.insert(0, heading(2, "Servers"));
    }
    nodes
}

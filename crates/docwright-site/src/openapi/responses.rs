//! The responses of an operation, and the requests that it makes to its caller.

use serde_json::Value as Json;

use super::{
    Settings,
    document::Document,
    example::plain,
    fields::Side,
    media::{Place, by_content_type, headers},
    nodes::{component, fact, heading, inline_code, paragraph, strong, tabs, text, word},
    operation::{Operation, media},
};
use crate::mdx::Node;

/// The section of an operation's responses, in tabs if there are several.
pub(super) fn responses(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let nodes = statuses(&operation.document, &operation.responses(), settings);
    if nodes.is_empty() {
        return nodes;
    }
    std::iter::once(heading(2, "Response")).chain(nodes).collect()
}

fn statuses<'a>(
    document: &Document<'a>,
    responses: &[(&'a str, &'a Json)],
    settings: &Settings,
) -> Vec<Node> {
    let parts = responses
        .iter()
        .map(|(status, response)| (*status, content(document, status, response, settings)));
    tabs(parts.collect(), strong, |_| text("No content."))
}

fn content<'a>(
    document: &Document<'a>,
    status: &str,
    response: &'a Json,
    settings: &Settings,
) -> Vec<Node> {
    let said = |key| response.get(key).and_then(Json::as_str);
    let mut nodes = document.described(said("summary").into_iter().chain(said("description")));
    let title = format!("Response {status}");
    let place = Place { side: Side::Response, title: &title };
    nodes.extend(by_content_type(document, &media(response), place, settings));
    nodes.extend(headers(document, response, "headers", settings));
    nodes.extend(links(document, response));
    nodes
}

/// Other operations that values of a response lead to.
fn links(document: &Document<'_>, response: &Json) -> Option<Node> {
    let links = response.get("links").and_then(Json::as_object)?;
    let mut nodes = Vec::new();
    for (name, link) in links.iter().filter(|_| document.budget().take_row()) {
        let link = document.resolve_in(link);
        nodes.push(paragraph(vec![inline_code(name.as_str())]));
        nodes.extend(document.described(link.get("description").and_then(Json::as_str)));
        for (key, label) in [("operationId", "Operation"), ("operationRef", "Operation")] {
            nodes.extend(link.get(key).and_then(Json::as_str).map(|value| fact(label, value)));
        }
        let parameters = link.get("parameters").and_then(Json::as_object);
        for (name, value) in parameters.into_iter().flatten() {
            nodes.push(fact(name, plain(value)));
        }
        nodes.extend(link.get("requestBody").map(|value| fact("Body", plain(value))));
    }
    (!nodes.is_empty()).then(|| component("Expandable", vec![("title", word("links"))], nodes))
}

/// The section of requests that the API makes to its caller.
pub(super) fn callbacks(operation: &Operation<'_>, settings: &Settings) -> Vec<Node> {
    let document = &operation.document;
    let mut nodes = Vec::new();
    for (name, callback) in operation.callbacks() {
        for (address, item) in callback.as_object().into_iter().flatten() {
            for (method, value) in document.resolve(item).0.as_object().into_iter().flatten() {
                if !value.is_object() {
                    continue;
                }
                let mut inside = vec![paragraph(vec![
                    strong(&method.to_uppercase()),
                    text(" "),
                    inline_code(address.as_str()),
                ])];
                inside.extend(callback_nodes(document, name, value, settings));
                nodes.push(component("Accordion", vec![("title", word(name))], inside));
            }
        }
    }
    if !nodes.is_empty() {
        nodes.insert(0, heading(2, "Callbacks"));
    }
    nodes
}

fn callback_nodes<'a>(
    document: &Document<'a>,
    name: &str,
    value: &'a Json,
    settings: &Settings,
) -> Vec<Node> {
    let said = |key| value.get(key).and_then(Json::as_str);
    let mut nodes = document.described(said("summary").into_iter().chain(said("description")));
    let mut maker = super::fields::Fields::new(document, Side::Request, settings);
    for parameter in value.get("parameters").and_then(Json::as_array).into_iter().flatten() {
        let parameter = document.resolve(parameter).0;
        let said = |key| parameter.get(key).and_then(Json::as_str);
        if let (Some(name), Some(place)) = (said("name"), said("in"))
            && document.budget().take_row()
        {
            nodes.push(maker.parameter(name, parameter, place));
        }
    }
    if let Some(body) = document.get(value, "requestBody") {
        nodes.extend(document.described(body.get("description").and_then(Json::as_str)));
        let place = Place { side: Side::Request, title: name };
        nodes.extend(by_content_type(document, &media(body), place, settings));
    }
    let responses = value.get("responses").and_then(Json::as_object).into_iter().flatten();
    let responses: Vec<_> = responses
        .map(|(status, response)| (status.as_str(), document.resolve(response).0))
        .collect();
    if !responses.is_empty() {
        nodes.push(paragraph(vec![text("Your response:")]));
        nodes.extend(statuses(document, &responses, settings));
    }
    nodes
}

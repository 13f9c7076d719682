//! How requests are authorized: every scheme that an operation accepts, with its flows and scopes.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::{
    document::Document,
    nodes::{codes, component, fact, heading, inline_code, link, node, paragraph, text, word},
    operation::{Operation, credential},
};
use crate::mdx::{Node, NodeKind, Value};

/// The section of an operation's authorization.
pub(super) fn authorizations(operation: &Operation<'_>) -> Vec<Node> {
    let document = &operation.document;
    let requirements = operation.requirements();
    let alternatives: Vec<_> = requirements.iter().filter(|each| !each.is_empty()).collect();
    let schemes = document.root.pointer("/components/securitySchemes");
    let mut nodes = Vec::new();
    let mut shown: HashSet<&str> = HashSet::new();
    for (name, scopes) in alternatives.iter().flat_map(|each| each.iter()) {
        if !shown.insert(name) {
            continue;
        }
        if !document.budget().take_row() {
            break;
        }
        let Some(scheme) = schemes.and_then(|schemes| document.get(schemes, name)) else {
            continue;
        };
        let is_required = requirements.iter().all(|each| each.contains_key(name));
        nodes.extend(scheme_node(document, name, scheme, scopes, is_required));
    }
    if nodes.is_empty() {
        return nodes;
    }
    let mut all = vec![heading(2, "Authorizations")];
    if requirements.len() > 1 {
        all.push(choice(&requirements));
    }
    all.extend(nodes);
    all
}

/// The line that says which schemes are sent together.
fn choice(requirements: &[&serde_json::Map<String, Json>]) -> Node {
    let mut line = vec![text("One of: ")];
    for (number, requirement) in requirements.iter().enumerate() {
        line.extend((number > 0).then(|| text("; ")));
        if requirement.is_empty() {
            line.push(text("no authorization"));
        }
        for (index, name) in requirement.keys().enumerate() {
            line.extend((index > 0).then(|| text(" and ")));
            line.push(inline_code(name.as_str()));
        }
    }
    paragraph(line)
}

fn scheme_node(
    document: &Document<'_>,
    name: &str,
    scheme: &Json,
    scopes: &Json,
    is_required: bool,
) -> Option<Node> {
    let said = |key: &str| scheme.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let credential = credential(scheme);
    let (place, shown) = match &credential {
        Some(credential) => (credential.place, credential.name.as_str()),
        None if said("type") == Some("mutualTLS") => ("name", name),
        None => return None,
    };
    let kind = if credential.is_some() { "string" } else { "client certificate" };
    let mut props = vec![(place, word(shown)), ("type", word(kind))];
    if is_required {
        props.push(("required", Value::Bool(true)));
    }
    if scheme.get("deprecated") == Some(&Json::Bool(true)) {
        props.push(("deprecated", Value::Bool(true)));
    }
    if name != shown {
        props.push(("post", Value::Array(vec![word(name)])));
    }
    let about = credential.as_ref().map(|credential| credential.description.as_str());
    let mut inside = document.described(about.or(said("description")));
    inside.extend(said("bearerFormat").map(|format| fact("Format", format)));
    for (key, label) in
        [("openIdConnectUrl", "OpenID Connect"), ("oauth2MetadataUrl", "OAuth metadata")]
    {
        inside.extend(said(key).map(|url| url_line(label, url)));
    }
    let required: Vec<_> =
        scopes.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    if !required.is_empty() {
        inside.push(codes(vec![text("Required scopes: ")], required));
    }
    for (name, flow) in scheme.get("flows").and_then(Json::as_object).into_iter().flatten() {
        inside.push(flow_node(name, flow));
    }
    Some(component("ParamField", props, inside))
}

/// One flow of OAuth 2, collapsed.
fn flow_node(name: &str, flow: &Json) -> Node {
    let mut inside = Vec::new();
    for (key, label) in [
        ("authorizationUrl", "Authorization URL"),
        ("deviceAuthorizationUrl", "Device authorization URL"),
        ("tokenUrl", "Token URL"),
        ("refreshUrl", "Refresh URL"),
    ] {
        inside.extend(flow.get(key).and_then(Json::as_str).map(|url| url_line(label, url)));
    }
    let item = |(scope, about): (&String, &Json)| {
        let about = about.as_str().unwrap_or_default();
        let gap = if about.is_empty() { "" } else { ": " };
        let line = vec![inline_code(scope.as_str()), text(format!("{gap}{about}"))];
        node(NodeKind::ListItem { checked: None, spread: false }, vec![paragraph(line)])
    };
    let scopes = flow.get("scopes").and_then(Json::as_object).into_iter().flatten();
    let scopes: Vec<_> = scopes.map(item).collect();
    if !scopes.is_empty() {
        inside.push(paragraph(vec![text("Scopes:")]));
        inside.push(node(NodeKind::List { ordered: false, start: 1, spread: false }, scopes));
    }
    let title = match name {
        "authorizationCode" => "authorization code flow",
        "clientCredentials" => "client credentials flow",
        "implicit" => "implicit flow",
        "password" => "password flow",
        "deviceAuthorization" => "device authorization flow",
        other => other,
    };
    component("Expandable", vec![("title", word(title))], inside)
}

fn url_line(label: &str, url: &str) -> Node {
    if url.contains("://") {
        return paragraph(vec![text(format!("{label}: ")), link(url, vec![text(url)])]);
    }
    fact(label, url)
}

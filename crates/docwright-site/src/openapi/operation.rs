//! One operation of a description: its parts, inheritance and references resolved.

use std::collections::{HashMap, hash_map::Entry};

use serde_json::{Map, Value};

use super::{
    budget::Overrun,
    document::Document,
    server::{Server, server},
};

/// An operation or webhook.
#[derive(Debug, Clone)]
pub struct Operation<'a> {
    pub(super) document: Document<'a>,
    item: &'a Value,
    pub(super) value: &'a Value,
    /// Upper-case method, or `WEBHOOK`.
    pub method: String,
    /// Path template, or name of the webhook.
    pub path: String,
}

/// A way to authenticate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Credential {
    /// `header`, `query` or `cookie`.
    pub(super) place: &'static str,
    /// Name of the header or parameter.
    pub(super) name: String,
    /// The text before the secret: `Bearer `, `Basic `, or nothing.
    pub(super) prefix: &'static str,
    /// The placeholder of the secret in samples: `<token>`.
    pub(super) placeholder: &'static str,
    /// Markdown.
    pub(super) description: String,
    /// `x-default`: filled in for the reader.
    pub(super) default: Option<String>,
}

impl<'a> Operation<'a> {
    /// The operation of a method in the path item of a path.
    pub fn find(root: &'a Value, (path, item): (&str, &'a Value), method: &str) -> Option<Self> {
        let document = Document::new(root);
        let item = document.resolve(item).0;
        let value = if method == "WEBHOOK" {
            item.as_object()?
                .values()
                .find(|each| each.get("responses").is_some() || each.get("requestBody").is_some())?
        } else {
            item.get(method.to_lowercase())?
        };
        Some(Self { document, item, value, method: method.to_owned(), path: path.to_owned() })
    }

    /// Its method and address, as a line for agents.
    pub fn address_line(&self) -> String {
        let server = self.servers().into_iter().next().filter(|_| self.method != "WEBHOOK");
        let server = server.map(|server| server.url).unwrap_or_default();
        format!("`{} {server}{}`", self.method, self.path)
    }

    /// The reasons why the page shows less than the spec.
    pub fn overruns(&self) -> Vec<Overrun> {
        self.document.budget().overruns()
    }

    /// A text of the operation; also that of its path.
    pub(super) fn said(&self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let own = self.value.get(key).and_then(Value::as_str);
        let path = self.item.get(key).and_then(Value::as_str).filter(|path| own != Some(path));
        own.into_iter().chain(path)
    }

    /// Parameters of the path and the operation, of which the latter win.
    pub(super) fn parameters(&self) -> Vec<&'a Value> {
        let list = |holder: &'a Value| {
            let parameters = holder.get("parameters").and_then(Value::as_array);
            parameters.into_iter().flatten().map(|each| self.document.resolve(each).0)
        };
        let mut found: Vec<&'a Value> = Vec::new();
        let mut places = HashMap::new();
        for parameter in list(self.item).chain(list(self.value)) {
            let part = |key| parameter.get(key).and_then(Value::as_str);
            match places.entry((part("in"), part("name"))) {
                Entry::Occupied(place) => found[*place.get()] = parameter,
                Entry::Vacant(place) => {
                    place.insert(found.len());
                    found.push(parameter);
                }
            }
        }
        found
    }

    /// The request body, by content type.
    pub(super) fn body(&self) -> Option<(&'a Value, Vec<(&'a str, &'a Value)>)> {
        let body = self.document.get(self.value, "requestBody")?;
        Some((body, media(body)))
    }

    /// Responses by status, in their order.
    pub(super) fn responses(&self) -> Vec<(&'a str, &'a Value)> {
        let responses = self.value.get("responses").and_then(Value::as_object);
        let resolve = |(status, value): (&'a String, &'a Value)| {
            (status.as_str(), self.document.resolve(value).0)
        };
        responses
            .into_iter()
            .flatten()
            .filter(|(status, _)| !status.starts_with("x-"))
            .map(resolve)
            .collect()
    }

    pub(super) fn callbacks(&self) -> Vec<(&'a str, &'a Value)> {
        let callbacks = self.value.get("callbacks").and_then(Value::as_object);
        callbacks
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), self.document.resolve(value).0))
            .collect()
    }

    /// The address of its first server.
    pub fn base_url(&self) -> Option<String> {
        self.servers().into_iter().next().map(|server| server.url)
    }

    pub(super) fn servers(&self) -> Vec<Server> {
        self.server_values().iter().filter_map(server).collect()
    }

    pub(super) fn server_values(&self) -> &'a [Value] {
        let list = |holder: &'a Value| {
            holder.get("servers").and_then(Value::as_array).filter(|servers| !servers.is_empty())
        };
        let servers =
            list(self.value).or_else(|| list(self.item)).or_else(|| list(self.document.root));
        servers.map(Vec::as_slice).unwrap_or_default()
    }

    /// The servers as written, if there are several, or if the spec says more than an address.
    pub(super) fn described_servers(&self) -> &'a [Value] {
        let servers = self.server_values();
        let is_described = |server: &Value| {
            ["name", "description", "variables"].iter().any(|key| server.get(*key).is_some())
        };
        let is_shown = servers.len() > 1 || servers.iter().any(is_described);
        if is_shown && self.method != "WEBHOOK" { servers } else { &[] }
    }

    /// What a request needs to be authorized: several alternatives, each with schemes and their scopes.
    pub(super) fn requirements(&self) -> Vec<&'a Map<String, Value>> {
        let alternatives =
            self.value.get("security").or_else(|| self.document.root.get("security"));
        let alternatives = alternatives.and_then(Value::as_array);
        alternatives.into_iter().flatten().filter_map(Value::as_object).collect()
    }

    /// The credentials of the first security alternative.
    pub(super) fn credentials(&self) -> Vec<Credential> {
        let requirement = self.requirements().into_iter().find(|each| !each.is_empty());
        let schemes = self.document.root.pointer("/components/securitySchemes");
        let scheme = |name: &String| self.document.get(schemes?, name);
        let names = requirement.into_iter().flat_map(Map::keys);
        names.filter_map(|name| scheme(name).and_then(credential)).collect()
    }
}

/// The content of a body or response, by content type.
pub(super) fn media(holder: &Value) -> Vec<(&str, &Value)> {
    let content = holder.get("content").and_then(Value::as_object);
    content.into_iter().flatten().map(|(kind, media)| (kind.as_str(), media)).collect()
}

/// The content type for samples: JSON, or the first.
pub(super) fn preferred<'v>(media: &[(&'v str, &'v Value)]) -> Option<(&'v str, &'v Value)> {
    media.iter().find(|(kind, _)| kind.contains("json")).or_else(|| media.first()).copied()
}

/// The credential of a scheme; `None` if it isn't a value in the request.
pub(super) fn credential(scheme: &Value) -> Option<Credential> {
    let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
    let lower = text("scheme").to_lowercase();
    let (place, name, prefix, placeholder, says) = match (text("type"), lower.as_str()) {
        ("http", "basic") => (
            "header",
            "Authorization",
            "Basic ",
            "<encoded-value>",
            "Basic authentication header of the form `Basic <encoded-value>`, where \
             `<encoded-value>` is the base64-encoded string `username:password`.",
        ),
        ("http", _) => (
            "header",
            "Authorization",
            "Bearer ",
            "<token>",
            "Bearer authentication header of the form `Bearer <token>`, where `<token>` is your \
             auth token.",
        ),
        ("oauth2" | "openIdConnect", _) => (
            "header",
            "Authorization",
            "Bearer ",
            "<token>",
            "The access token received from the authorization flow.",
        ),
        ("apiKey", _) => {
            let place = match text("in") {
                "query" => "query",
                "cookie" => "cookie",
                _ => "header",
            };
            (place, text("name"), "", "<api-key>", "")
        }
        _ => return None,
    };
    let description = Some(text("description")).filter(|text| !text.is_empty()).unwrap_or(says);
    Some(Credential {
        place,
        name: name.to_owned(),
        prefix,
        placeholder,
        description: description.to_owned(),
        default: scheme.get("x-default").and_then(Value::as_str).map(str::to_owned),
    })
}

//! Channels of `AsyncAPI` 2 and 3 (<https://www.asyncapi.com/docs/reference/specification/v3.0.0>): the
//! messages that a reader can send and receive.

use std::sync::LazyLock;

use serde_json::Value as Json;

use super::{
    Settings,
    budget::Overrun,
    document::Document,
    example::{example, written},
    fields::{Fields, Side},
    nodes::{code, component, heading, word},
    sample_blocks::pretty,
    schema::Schema,
};
use crate::mdx::Node;

/// A channel of a description.
#[derive(Debug, Clone)]
pub struct Channel<'a> {
    document: Document<'a>,
    name: String,
    value: &'a Json,
}

/// Messages in one direction.
struct Exchange<'a> {
    /// The reader sends them.
    sends: bool,
    /// The operation's description.
    description: String,
    messages: Vec<(String, &'a Json)>,
}

impl<'a> Channel<'a> {
    /// The channel with a name.
    pub fn find(root: &'a Json, name: &str) -> Option<Self> {
        let document = Document::new(root);
        let value = document.get(root.get("channels")?, name)?;
        Some(Self { document, name: name.to_owned(), value })
    }

    /// Where on a server it is.
    pub fn address(&self) -> &str {
        self.value.get("address").and_then(Json::as_str).unwrap_or(&self.name)
    }

    /// Addresses of the servers that have it, with their schemes.
    pub fn servers(&self) -> Vec<String> {
        let own = self.value.get("servers").and_then(Json::as_array);
        let all = self.document.root.get("servers").and_then(Json::as_object);
        let servers: Vec<&Json> = match own.filter(|own| !own.is_empty()) {
            // Version 2 lists names, version 3 references.
            Some(own) => own
                .iter()
                .filter_map(|each| match each.as_str() {
                    Some(name) => all?.get(name),
                    None => Some(self.document.resolve(each).0),
                })
                .collect(),
            None => all.into_iter().flat_map(serde_json::Map::values).collect(),
        };
        servers.into_iter().filter_map(server_address).collect()
    }

    /// `WSS` and the like.
    pub fn protocol(&self) -> String {
        let servers = self.servers();
        let scheme =
            servers.first().and_then(|url| url.split_once("://")).map(|(scheme, _)| scheme);
        scheme.unwrap_or("ws").to_uppercase()
    }

    /// The reasons why the page shows less than the spec.
    pub fn overruns(&self) -> Vec<Overrun> {
        self.document.budget().overruns()
    }

    fn text(&self, key: &str) -> &str {
        self.value.get(key).and_then(Json::as_str).unwrap_or_default()
    }

    /// Operations of version 3 on this channel.
    fn operations(&self) -> impl Iterator<Item = &'a Json> {
        let document = self.document.clone();
        let wanted = self.value;
        let all = document.root.get("operations").and_then(Json::as_object);
        all.into_iter().flat_map(serde_json::Map::values).filter_map(move |operation| {
            let operation = document.resolve(operation).0;
            let channel = document.get(operation, "channel")?;
            std::ptr::eq(channel, wanted).then_some(operation)
        })
    }

    /// In the eyes of the reader: descriptions speak for the server.
    fn exchanges(&self) -> Vec<Exchange<'a>> {
        let mut found = Vec::new();
        for operation in self.operations() {
            let messages = operation.get("messages").and_then(Json::as_array);
            let messages = match messages.filter(|messages| !messages.is_empty()) {
                Some(messages) => messages.iter().map(|each| self.message(each)).collect(),
                None => self.all_messages(),
            };
            let sends = operation.get("action").and_then(Json::as_str) == Some("receive");
            found.push(Exchange { sends, description: about(operation), messages });
        }
        // In version 2, `publish` means that the reader can publish.
        for (key, sends) in [("publish", true), ("subscribe", false)] {
            let Some(operation) = self.value.get(key) else { continue };
            let message = operation.get("message");
            let several = message.and_then(|message| message.get("oneOf")?.as_array());
            let messages = several.map_or_else(
                || message.into_iter().map(|each| self.message(each)).collect(),
                |several| several.iter().map(|each| self.message(each)).collect(),
            );
            found.push(Exchange { sends, description: about(operation), messages });
        }
        if found.is_empty() {
            let messages = self.all_messages();
            found.push(Exchange { sends: false, description: String::new(), messages });
        }
        found
    }

    fn all_messages(&self) -> Vec<(String, &'a Json)> {
        let messages = self.value.get("messages").and_then(Json::as_object);
        let named = messages.into_iter().flatten();
        named
            .map(|(name, message)| {
                let message = self.document.resolve(message).0;
                (title_of(message).unwrap_or_else(|| name.clone()), message)
            })
            .collect()
    }

    fn message(&self, reference: &'a Json) -> (String, &'a Json) {
        let (message, name) = self.document.resolve(reference);
        let title = title_of(message).or_else(|| name.map(str::to_owned));
        (title.unwrap_or_else(|| "Message".to_owned()), message)
    }
}

/// The sections of a channel, and its samples for the right column.
pub fn channel_nodes(channel: &Channel<'_>, settings: &Settings) -> Vec<Node> {
    let document = &channel.document;
    let mut nodes = Vec::new();
    if settings.with_description {
        nodes.extend(document.described([channel.text("description")]));
    }
    nodes.extend(parameters(channel, settings));
    let exchanges = channel.exchanges();
    let mut samples = [Vec::new(), Vec::new()];
    for (sends, title) in [(true, "Send"), (false, "Receive")] {
        let mut here = exchanges.iter().filter(|exchange| exchange.sends == sends).peekable();
        if here.peek().is_none() {
            continue;
        }
        nodes.push(heading(2, title));
        for exchange in here {
            nodes.extend(document.described([exchange.description.as_str()]));
            for (title, message) in &exchange.messages {
                if !document.budget().take_row() {
                    break;
                }
                nodes.extend(message_nodes(document, title, message, sends, settings));
                let sample = sample(document, message, sends);
                samples[usize::from(!sends)].extend(sample.map(|text| code("json", title, text)));
            }
        }
    }
    for (name, blocks) in ["RequestExample", "ResponseExample"].into_iter().zip(samples) {
        if !blocks.is_empty() {
            nodes.push(component(name, vec![], blocks));
        }
    }
    nodes
}

/// Parameters of the address and of the WebSocket handshake.
fn parameters(channel: &Channel<'_>, settings: &Settings) -> Vec<Node> {
    let document = &channel.document;
    let mut nodes = Vec::new();
    let mut maker = Fields::new(document, Side::Request, settings);
    let own = channel.value.get("parameters").and_then(Json::as_object);
    let rows: Vec<_> = own
        .into_iter()
        .flatten()
        .filter(|_| document.budget().take_row())
        .map(|(name, parameter)| {
            let parameter = document.resolve(parameter).0;
            maker.field_of(name, &as_text(document, parameter), true, "path")
        })
        .collect();
    if !rows.is_empty() {
        nodes.push(heading(2, "Parameters"));
        nodes.extend(rows);
    }
    let bindings = document.get(channel.value, "bindings").and_then(|all| document.get(all, "ws"));
    for (key, title, place) in
        [("query", "Query Parameters", "query"), ("headers", "Headers", "header")]
    {
        let Some(schema) = bindings.and_then(|bindings| document.get(bindings, key)) else {
            continue;
        };
        let schema = document.schema(schema);
        if !schema.has_properties() {
            continue;
        }
        nodes.push(heading(2, title));
        let required = schema.required();
        let properties = schema.properties().filter(|_| document.budget().take_row());
        nodes.extend(properties.map(|(name, property)| {
            let mut maker = Fields::new(document, Side::Request, settings);
            maker.field(name, property, required.contains(name), place)
        }));
    }
    nodes
}

/// A parameter of version 3 has no schema: it is text, with an `enum` perhaps.
fn as_text<'a>(document: &Document<'a>, parameter: &'a Json) -> Schema<'a> {
    static STRING: LazyLock<Json> = LazyLock::new(|| "string".into());
    let schema = document.schema(document.get(parameter, "schema").unwrap_or(parameter));
    let description = parameter.get("description").map(|text| ("description", text));
    let kind = schema.get("type").is_none().then_some(("type", &*STRING));
    document.with(&schema, description.into_iter().chain(kind), None)
}

fn message_nodes<'a>(
    document: &Document<'a>,
    title: &str,
    message: &'a Json,
    sends: bool,
    settings: &Settings,
) -> Vec<Node> {
    let side = side(sends);
    let mut nodes = vec![heading(3, title)];
    nodes.extend(document.described([about(message).as_str()]));
    if let Some(headers) = document.get(message, "headers").map(inner_schema) {
        let rows = Fields::new(document, side, settings).body(headers, "headers");
        nodes.push(component("Expandable", vec![("title", word("headers"))], rows));
    }
    if let Some(payload) = message.get("payload").map(inner_schema) {
        nodes.extend(Fields::new(document, side, settings).body(payload, title));
    }
    nodes
}

/// An example of a message: as written, or generated from its schema.
fn sample<'a>(document: &Document<'a>, message: &'a Json, sends: bool) -> Option<String> {
    let known = message.get("examples").and_then(|examples| examples.get(0)?.get("payload"));
    let payload = message.get("payload").map(inner_schema);
    let made = || Some(example(document, payload?, side(sends)));
    known.and_then(|known| written(document, known)).or_else(made).as_ref().map(pretty)
}

const fn side(sends: bool) -> Side {
    if sends { Side::Request } else { Side::Response }
}

/// A schema, or the schema inside a schema with its own format.
fn inner_schema(value: &Json) -> &Json {
    let inner = value.get("schema").filter(|_| value.get("type").is_none());
    inner.unwrap_or(value)
}

fn about(value: &Json) -> String {
    let text = |key| value.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    text("description").or_else(|| text("summary")).unwrap_or_default().to_owned()
}

fn title_of(message: &Json) -> Option<String> {
    let text = |key| message.get(key).and_then(Json::as_str).map(str::to_owned);
    text("title").or_else(|| text("name"))
}

/// Version 2 has `url`, version 3 `host` and `pathname`.
fn server_address(server: &Json) -> Option<String> {
    let text = |key| server.get(key).and_then(Json::as_str);
    let protocol = text("protocol").unwrap_or("wss");
    let address = match text("url") {
        Some(url) => url.to_owned(),
        None => text("host")?.to_owned() + text("pathname").unwrap_or_default(),
    };
    let address = address.trim_end_matches('/');
    Some(if address.contains("://") {
        address.to_owned()
    } else {
        format!("{protocol}://{address}")
    })
}

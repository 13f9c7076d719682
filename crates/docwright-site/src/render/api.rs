//! Pages of an API: the parts named in their frontmatter or the navigation, below their own text.

use std::{collections::BTreeSet, sync::Arc};

use maud::Markup;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{PageRenderer, Read, RenderContext};
use crate::{
    Rule, Severity,
    content::{
        Page,
        openapi::{self as descriptions, Part, PartKind, Spec, SpecContents, lookup},
    },
    mdx::{Node, NodeKind},
    openapi::{self, Channel, NamedSchema, Operation, Overrun, Settings, Unavailable},
};

/// The remedy if a page names a missing operation.
const OPERATION_HELP: &str =
    "correct it; it reads `[file] METHOD /path`, as the description has them";

/// The data of the bar above an API page and of its playground.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiView {
    /// Upper-case method, or `WEBHOOK`.
    pub method: String,
    /// Path template, URL, or name of the webhook.
    pub path: String,
    /// Base address, if the page shows it.
    pub server: Option<String>,
    /// Path of the API spec, if the page is generated from one.
    pub spec: Option<String>,
    /// The playground's data as JSON; `None` without a playground.
    pub playground: Option<String>,
    /// Whether the page names a server for its requests.
    pub has_server: bool,
    /// Origins that the playground sends requests to.
    pub request_origins: BTreeSet<String>,
}

/// The operation that a part of a description is, in its path item.
fn operation_of<'a>(
    contents: &'a SpecContents,
    (path, item): &'a (String, Value),
    kind: &PartKind,
) -> Option<Operation<'a>> {
    let PartKind::Operation { method, .. } = kind else { return None };
    Operation::find(contents.root(), (path, item), method)
}

/// The channel that a part of a description is.
fn channel_of<'a>(contents: &'a SpecContents, kind: &PartKind) -> Option<Channel<'a>> {
    let PartKind::Channel(name) = kind else { return None };
    Channel::find(contents.root(), name)
}

/// The part of a page if its spec is on another host and unavailable.
fn unavailable(page: &Page) -> Option<Unavailable<'_>> {
    let frontmatter = &page.frontmatter;
    let part = if let Some(reference) = frontmatter.openapi.as_deref() {
        let named = descriptions::parse_reference(reference)?;
        format!("{} {}", named.method, named.path)
    } else if let Some(reference) = frontmatter.asyncapi.as_deref() {
        let name = reference.trim().split_once(char::is_whitespace);
        name.map_or(reference, |(_, name)| name).trim().to_owned()
    } else {
        descriptions::split_schema(frontmatter.openapi_schema.as_deref()?).1.to_owned()
    };
    let addresses = page.missing_specs.as_slice();
    (!addresses.is_empty()).then_some(Unavailable { part, addresses })
}

/// The description that a page shows a part of, its contents, and the part.
fn part_of<'a, 'p>(
    context: &RenderContext<'a>,
    page: &'p Page,
) -> Option<(&'a Spec, Arc<SpecContents>, &'p PartKind)> {
    let part = page.part.as_ref()?;
    context.reads().record(Read::Spec(part.spec.clone()));
    let spec = context.content.specs.iter().find(|spec| spec.path == part.spec)?;
    Some((spec, spec.contents(), &part.kind))
}

impl PageRenderer<'_> {
    /// The sections of the operation or schema that the page documents.
    pub(super) fn api_sections(&mut self) -> Markup {
        let frontmatter = &self.page.frontmatter;
        let nodes = if let Some(reference) = frontmatter.openapi.as_deref() {
            self.operation_nodes(reference)
        } else if let Some(reference) = frontmatter.asyncapi.as_deref() {
            self.channel_nodes(reference)
        } else if let Some(reference) = frontmatter.openapi_schema.as_deref() {
            self.schema_nodes(reference)
        } else {
            if let Some(api) = frontmatter.api.as_deref() {
                self.rendered.api = self.handwritten(api);
            }
            Vec::new()
        };
        let mut nodes: Vec<_> = nodes.into_iter().filter(|node| !self.has_example(node)).collect();
        if self.context.content.config.markdown_schema {
            self.rendered.api_markdown.push_str(&openapi::markdown(&nodes));
        } else {
            self.rendered.api_markdown.clear();
        }
        self.resolve_pointers(&mut nodes);
        self.nodes(&nodes)
    }

    /// Links of a spec to its own parts lead to the pages that show them. Without such a page, they are text.
    fn resolve_pointers(&self, nodes: &mut [Node]) {
        let Some(part) = &self.page.part else { return };
        for node in nodes {
            if let NodeKind::Link { url, .. } = &mut node.kind
                && let Some(pointer) = url.strip_prefix('#').filter(|rest| rest.starts_with('/'))
            {
                let spec = part.spec.clone();
                let named = PartKind::of_pointer(pointer).map(|kind| Part { spec, kind });
                if let Some(slug) = named.and_then(|named| self.context.page_of(&named)) {
                    *url = format!("/{slug}");
                } else {
                    let (name, attributes) = (String::new(), Vec::new());
                    node.kind = NodeKind::Jsx { name, attributes, inline: true };
                }
            }
            self.resolve_pointers(&mut node.children);
        }
    }

    /// Whether a node is an example of which the author wrote one.
    fn has_example(&self, node: &Node) -> bool {
        let NodeKind::Jsx { name, .. } = &node.kind else { return false };
        let id = match name.as_str() {
            "RequestExample" => "request-example",
            "ResponseExample" => "response-example",
            _ => return false,
        };
        self.has_id(id)
    }

    fn operation_nodes(&mut self, reference: &str) -> Vec<Node> {
        let content = self.context.content;
        let Some(named) = descriptions::parse_reference(reference) else {
            self.missing_part(reference, "it names no method and path", OPERATION_HELP);
            return Vec::new();
        };
        let part = part_of(self.context, self.page);
        let item = part.as_ref().and_then(|(_, contents, kind)| contents.path_item(kind));
        let operation =
            part.as_ref().zip(item.as_ref()).and_then(|((spec, contents, kind), item)| {
                Some((spec, operation_of(contents, item, kind)?))
            });
        let Some((spec, operation)) = operation else {
            self.missing_operation(reference, named.spec, "it");
            self.rendered.api = Some(ApiView {
                method: named.method.clone(),
                path: named.path.to_owned(),
                server: None,
                spec: None,
                playground: None,
                has_server: false,
                request_origins: BTreeSet::new(),
            });
            return self.unavailable();
        };
        let api = &content.config.api;
        let settings = self.settings();
        let playground = self
            .wants_playground(&operation.method)
            .then(|| openapi::playground(&operation, api.prefill));
        let first = operation.base_url();
        let servers = playground.as_ref().and_then(|data| data["servers"].as_array());
        let shows_server = api.full_url || servers.is_some_and(|all| all.len() > 1);
        self.rendered.api = Some(ApiView {
            method: operation.method.clone(),
            path: operation.path.clone(),
            has_server: first.is_some(),
            request_origins: playground.as_ref().map(openapi::request_origins).unwrap_or_default(),
            server: first.filter(|_| shows_server && playground.is_some()),
            spec: Some(spec.path.clone()),
            playground: playground.map(|data| data.to_string()),
        });
        self.rendered.api_markdown = operation.address_line() + "\n\n";
        let nodes = openapi::operation_nodes(&operation, &settings);
        let part = format!("`{} {}` of `{}`", operation.method, operation.path, spec.path);
        self.report_overruns(&part, &operation.overruns());
        nodes
    }

    fn channel_nodes(&mut self, reference: &str) -> Vec<Node> {
        let part = part_of(self.context, self.page);
        let channel = part
            .as_ref()
            .and_then(|(spec, contents, kind)| Some((spec, channel_of(contents, kind)?)));
        let Some((spec, channel)) = channel else {
            self.missing_part(
                reference,
                "no AsyncAPI spec of the repository has this channel",
                "correct it; it reads `file channel`, as the description names it",
            );
            return self.unavailable();
        };
        self.rendered.api = Some(ApiView {
            method: channel.protocol(),
            path: channel.address().to_owned(),
            server: channel.servers().into_iter().next(),
            spec: Some(spec.path.clone()),
            playground: None,
            has_server: false,
            request_origins: BTreeSet::new(),
        });
        self.rendered.api_markdown = format!("`{}`\n\n", channel.address());
        let nodes = openapi::channel_nodes(&channel, &self.settings());
        let part = format!("the channel `{}` of `{}`", channel.address(), spec.path);
        self.report_overruns(&part, &channel.overruns());
        nodes
    }

    /// Reports that a page shows less than its spec.
    fn report_overruns(&mut self, part: &str, overruns: &[Overrun]) {
        for overrun in overruns {
            self.report(Rule::TooComplex, overrun.message(part), overrun.help(), 1, 0);
        }
    }

    fn settings(&self) -> Settings {
        let api = &self.context.content.config.api;
        Settings {
            pills: api.pills.clone(),
            expanded: api.expanded,
            languages: api.languages.clone(),
            required_only: api.required_only,
            autogenerate: api.autogenerate,
            title: self.page.frontmatter.title.clone(),
            with_description: self.page.frontmatter.description.is_none(),
        }
    }

    fn wants_playground(&self, method: &str) -> bool {
        let own = self.page.frontmatter.playground.as_deref();
        let display = own.unwrap_or(&self.context.content.config.api.playground);
        method != "WEBHOOK" && display == "interactive"
    }

    /// `[spec] Name`
    fn schema_nodes(&mut self, reference: &str) -> Vec<Node> {
        let settings = self.settings();
        let part = part_of(self.context, self.page);
        let found = part.as_ref().and_then(|(spec, contents, kind)| match kind {
            PartKind::Schema(name) => Some((&spec.path, NamedSchema::find(contents.root(), name)?)),
            _ => None,
        });
        let Some((spec, schema)) = found else {
            let (spec, _) = descriptions::split_schema(reference);
            self.missing_operation(reference, spec, "this schema");
            return self.unavailable();
        };
        let nodes = schema.nodes(&settings);
        let part = format!("the schema `{}` of `{spec}`", schema.name);
        self.report_overruns(&part, &schema.overruns());
        nodes
    }

    /// A placeholder for a part whose spec is unavailable.
    fn unavailable(&self) -> Vec<Node> {
        unavailable(self.page).map_or_else(Vec::new, |part| part.nodes())
    }

    /// Reports that no spec has the named part, or that the spec doesn't exist.
    fn missing_operation(&mut self, reference: &str, spec: Option<&str>, what: &str) {
        let specs = &self.context.content.specs;
        let named = spec.map(|spec| (spec, lookup::candidates(specs, spec, &self.page.path)));
        let unusable = spec
            .filter(|_| named.as_ref().is_some_and(|(_, found)| found.is_empty()))
            .and_then(|spec| descriptions::unusable(self.context.source, spec, &self.page.path));
        if let Some(unusable) = unusable {
            self.context.reads().record(Read::Text(unusable.path.clone()));
            let why = format!("the API spec `{}` {}", unusable.path, unusable.reason);
            self.missing_part(reference, &why, unusable.help);
            return;
        }
        let why = match named.as_ref().map(|(spec, found)| (spec, found.as_slice())) {
            None => format!("no API spec of the repository has {what}"),
            Some((spec, [])) => format!("API spec `{spec}` not found"),
            Some((_, [only])) => format!("`{}` does not have {what}", only.path),
            Some((spec, _)) => format!("no API spec `{spec}` has {what}"),
        };
        self.missing_part(reference, &why, OPERATION_HELP);
    }

    fn missing_part(&mut self, reference: &str, why: &str, help: &str) {
        let message = format!("`{reference}` can't be shown: {why}");
        // It can be in a description that can't be looked into.
        let is_elsewhere = !self.context.content.missing_specs.is_empty();
        let (severity, help) = if reference.contains("://") || is_elsewhere {
            (Severity::Warning, descriptions::REMOTE_HELP)
        } else {
            (Severity::Error, help)
        };
        self.report_as(severity, Rule::MissingOperation, message, help, (1, 0));
    }

    /// The bar of a page with handwritten fields: `METHOD URL`.
    fn handwritten(&self, api: &str) -> Option<ApiView> {
        let (method, address) = api.trim().split_once(char::is_whitespace)?;
        let (method, address) = (method.to_uppercase(), address.trim());
        let config = &self.context.content.config.api;
        let (servers, path) = match address.split_once("://") {
            Some((scheme, rest)) => {
                let at = rest.find('/').unwrap_or(rest.len());
                (vec![format!("{scheme}://{}", &rest[..at])], rest[at..].to_owned())
            }
            None => (config.servers.clone(), address.to_owned()),
        };
        let own = self.page.frontmatter.auth_method.as_deref();
        let scheme = match own.or(config.auth_method.as_deref()) {
            Some("bearer") => {
                Some(json!({"in": "header", "name": "Authorization", "prefix": "Bearer "}))
            }
            Some("basic") => {
                Some(json!({"in": "header", "name": "Authorization", "prefix": "Basic "}))
            }
            Some("key" | "cobo") => {
                let name = config.auth_name.as_deref().unwrap_or("X-API-Key");
                Some(json!({"in": "header", "name": name}))
            }
            _ => None,
        };
        let mut data = json!({
            "method": method, "path": path, "parameters": null,
            "servers": servers.iter().map(|url| json!({ "url": url })).collect::<Vec<_>>(),
        });
        if let Some(scheme) = scheme {
            data["security"] = json!([["authorization"]]);
            data["schemes"] = json!({ "authorization": scheme });
        }
        let playground = self.wants_playground(&method);
        let has_server = !servers.is_empty();
        let server = servers.into_iter().next();
        let request_origins =
            if playground { openapi::request_origins(&data) } else { BTreeSet::new() };
        Some(ApiView {
            method,
            path,
            server: server.filter(|_| config.full_url),
            spec: None,
            playground: playground.then(|| data.to_string()),
            has_server,
            request_origins,
        })
    }
}

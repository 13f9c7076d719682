//! Input of the hot paths. It is generated, so it doesn't change with the manual, and it is the same in every run.

use std::{collections::BTreeMap, fmt::Write as _};

use docwright_site::search::{Document, Link, PageText, SearchedPage, Section};
use serde_json::{Value, json};

/// A page with components, code, and tables. Names between `%` are replaced.
const PAGE: &str = include_str!("page.mdx");
/// A snippet that each page imports.
const SNIPPET: &str =
    "A note on {props.word}: read the [first page](/pages/page-0) too.\n\n- One\n- Two\n";
/// The vocabulary of generated text.
const WORDS: &[&str] = &[
    "account",
    "active",
    "address",
    "agent",
    "archive",
    "author",
    "backup",
    "balance",
    "batch",
    "branch",
    "browser",
    "budget",
    "build",
    "bundle",
    "cache",
    "channel",
    "client",
    "cluster",
    "column",
    "command",
    "commit",
    "config",
    "connect",
    "contact",
    "create",
    "customer",
    "data",
    "database",
    "default",
    "delete",
    "deploy",
    "detail",
    "device",
    "document",
    "domain",
    "editor",
    "element",
    "engine",
    "error",
    "event",
    "example",
    "export",
    "feature",
    "field",
    "filter",
    "folder",
    "format",
    "frame",
    "gateway",
    "group",
    "handler",
    "header",
    "history",
    "host",
    "identity",
    "import",
    "index",
    "input",
    "install",
    "invoice",
    "item",
    "journal",
    "label",
    "language",
    "layout",
    "library",
    "license",
    "limit",
    "link",
    "locale",
    "machine",
    "manage",
    "member",
    "message",
    "method",
    "metric",
    "migrate",
    "model",
    "module",
    "monitor",
    "network",
    "number",
    "object",
    "option",
    "order",
    "output",
    "owner",
    "package",
    "parser",
    "password",
    "payment",
    "pipeline",
    "plugin",
    "policy",
    "process",
    "product",
    "profile",
    "project",
    "publish",
    "query",
    "queue",
    "record",
    "region",
    "release",
    "report",
    "request",
    "response",
    "result",
    "role",
    "route",
    "schedule",
    "schema",
    "script",
    "search",
    "section",
    "secret",
    "server",
    "service",
    "session",
    "setting",
    "signature",
    "snapshot",
    "source",
    "status",
    "storage",
    "stream",
    "subscription",
    "support",
    "table",
    "target",
    "template",
    "tenant",
    "theme",
    "ticket",
    "token",
    "transfer",
    "trigger",
    "update",
    "upload",
    "user",
    "value",
    "vendor",
    "verify",
    "version",
    "webhook",
    "widget",
    "worker",
    "workflow",
    "workspace",
];

/// Text of words in an order that seems random.
struct Text(u64);

impl Text {
    const fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    /// A number below a limit: the upper bits of a linear congruential generator.
    fn number(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.number(WORDS.len())]
    }

    /// Adds words to a text, the first one with a capital letter.
    fn push_words(&mut self, count: usize, text: &mut String) {
        let (first, rest) = self.word().split_at(1);
        text.push_str(first);
        let capital = text.len() - first.len();
        text[capital..].make_ascii_uppercase();
        text.push_str(rest);
        for _ in 1..count {
            text.push(' ');
            text.push_str(self.word());
        }
    }

    fn words(&mut self, count: usize) -> String {
        let mut text = String::new();
        self.push_words(count, &mut text);
        text
    }

    fn sentences(&mut self, count: usize) -> String {
        let mut text = String::with_capacity(count * 128);
        for number in 0..count {
            text.push_str(if number == 0 { "" } else { " " });
            let words = 7 + self.number(9);
            self.push_words(words, &mut text);
            text.push('.');
        }
        text
    }

    fn sentence(&mut self) -> String {
        self.sentences(1)
    }

    fn paragraph(&mut self) -> String {
        self.sentences(3)
    }
}

/// The files of a docs root.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A site of pages with components, code, and tables.
pub(crate) fn site(pages: usize) -> Files {
    let names: Vec<_> = (0..pages).map(|number| format!("pages/page-{number}")).collect();
    let groups = names.chunks(8).enumerate();
    let groups =
        groups.map(|(number, pages)| json!({ "group": format!("Part {number}"), "pages": pages }));
    let first = json!({ "group": "Start", "pages": ["index"] });
    let groups: Vec<Value> = std::iter::once(first).chain(groups).collect();
    let mut files = configured(&json!({ "groups": groups }));
    files.insert("snippets/shared.mdx".to_owned(), SNIPPET.into());
    for (number, name) in names.iter().enumerate() {
        files.insert(format!("{name}.mdx"), page(number, pages).into_bytes());
    }
    files
}

/// A site with an API reference of some resources, with four operations each.
pub(crate) fn api_site(resources: usize) -> Files {
    let groups = json!([
        { "group": "Start", "pages": ["index"] },
        { "group": "API", "openapi": "openapi.json" },
    ]);
    let mut files = configured(&json!({ "groups": groups }));
    files.insert("openapi.json".to_owned(), spec(resources).to_string().into_bytes());
    files
}

/// The same site after an edit of one page.
pub(crate) fn edited(mut site: Files) -> Files {
    if let Some(page) = site.get_mut("pages/page-3.mdx") {
        page.extend_from_slice(b"\nOne more paragraph of the author, with a new sentence.\n");
    }
    site
}

fn configured(navigation: &Value) -> Files {
    let configuration = json!({
        "theme": "mint", "name": "Hot paths", "colors": { "primary": "#0f766e" },
        "icons": { "library": "lucide" }, "navigation": navigation,
    });
    let index =
        "---\ntitle: Start\n---\n\nThe first page.\n\n## Configure\n\nNothing to configure.\n";
    BTreeMap::from([
        ("docs.json".to_owned(), configuration.to_string().into_bytes()),
        ("index.mdx".to_owned(), index.into()),
    ])
}

fn page(number: usize, pages: usize) -> String {
    let mut text = Text::new(number);
    let parts = PAGE.split('%').enumerate();
    parts.fold(String::new(), |page, (place, part)| {
        let replaced = match part {
            _ if place % 2 == 0 => part.to_owned(),
            "TITLE" => text.words(3),
            "WORD" => text.word().to_owned(),
            "SENTENCE" => text.sentence(),
            "PARAGRAPH" => text.paragraph(),
            "NEXT" => ((number + 1) % pages).to_string(),
            _ => number.to_string(),
        };
        page + &replaced
    })
}

/// An API spec.
fn spec(resources: usize) -> Value {
    let mut text = Text::new(resources);
    let (mut paths, mut schemas) = (json!({}), json!({}));
    for number in 0..resources {
        let name = format!("{}{number}", text.words(1));
        let (one, list) = (format!("/v1/{name}s/{{id}}"), format!("/v1/{name}s"));
        let id = json!({ "name": "id", "in": "path", "required": true, "description": text.sentence(), "schema": { "type": "string" } });
        let limit = json!({ "name": "limit", "in": "query", "description": text.sentence(), "schema": { "type": "integer", "default": 20, "maximum": 100 } });
        paths[list] = json!({
            "get": operation(&mut text, &name, ("List", "200"), &json!([limit])),
            "post": operation(&mut text, &name, ("Create", "201"), &json!([])),
        });
        paths[one] = json!({
            "get": operation(&mut text, &name, ("Get", "200"), &json!([id])),
            "delete": operation(&mut text, &name, ("Delete", "200"), &json!([id])),
        });
        schemas[&name] = schema(&mut text, number, &name);
    }
    json!({
        "openapi": "3.1.0", "info": { "title": "Hot paths", "version": "1" },
        "servers": [{ "url": "https://api.example.com" }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(
    text: &mut Text,
    name: &str,
    (verb, status): (&str, &str),
    parameters: &Value,
) -> Value {
    let content = json!({ "application/json": { "schema": { "$ref": format!("#/components/schemas/{name}") } } });
    let mut operation = json!({
        "operationId": format!("{verb}{name}"), "summary": format!("{verb} {name}"), "tags": [name],
        "description": text.paragraph(), "parameters": parameters,
        "responses": {
            status: { "description": text.sentence(), "content": content },
            "404": { "description": text.sentence() },
        },
    });
    if verb == "Create" {
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    operation
}

fn schema(text: &mut Text, number: usize, name: &str) -> Value {
    let mut properties = json!({
        "kind": { "type": "string", "enum": ["small", "medium", "large"], "description": text.sentence() },
        "nested": { "type": "object", "description": text.sentence(), "properties": {
            "count": { "type": "integer", "example": number, "description": text.sentence() },
            "tags": { "type": "array", "items": { "type": "string" }, "description": text.sentence() },
        } },
        "parent": { "$ref": format!("#/components/schemas/{name}") },
    });
    for number in 0..6 {
        let name = format!("{}_{number}", text.word());
        properties[name] =
            json!({ "type": "string", "description": text.sentence(), "example": text.word() });
    }
    json!({ "type": "object", "required": ["kind"], "description": text.sentence(), "properties": properties })
}

/// Pages as search sees them.
pub(crate) fn documents(pages: usize) -> Vec<SearchedPage> {
    let mut text = Text::new(pages);
    let document = |number| {
        let section = |text: &mut Text, place: usize| Section {
            id: format!("section-{place}"),
            heading: text.words(3),
            text: text.sentences(12),
            code: format!("let {}_{} = {}();", text.word(), text.word(), text.word()),
        };
        let path = format!("pages/page-{number}.html");
        let link = Link { target: format!("page-{}.html", number / 2), text: text.words(2) };
        let document = Document {
            path: path.clone(),
            title: text.words(3),
            description: text.sentence(),
            breadcrumbs: vec![text.words(2)],
            language: "en".to_owned(),
            listed: true,
            boost: 1.0,
            body: PageText {
                sections: (0..5).map(|place| section(&mut text, place)).collect(),
                links: vec![link],
                ..PageText::default()
            }
            .into(),
            ..Document::default()
        };
        SearchedPage { path, document: Some(document), kept: None }
    };
    (0..pages).map(document).collect()
}

/// Files of a site for a bundle, which deflating makes smaller.
pub(crate) fn built_files(count: usize) -> Vec<(String, String)> {
    let mut text = Text::new(count);
    let file = |number| {
        let mut html = String::from(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"></head><body>",
        );
        for place in 0..12 {
            let (heading, paragraph) = (text.words(3), text.paragraph());
            let _ = write!(
                html,
                "<h2 id=\"section-{place}\">{heading}</h2><p class=\"dw-text\">{paragraph}</p>"
            );
        }
        (format!("pages/page-{number}.html"), html + "</body></html>")
    };
    (0..count).map(file).collect()
}

//! Pages of API operations: from the navigation, from frontmatter, and written manually.

use docwright_site::{Options, Severity};
use docwright_types::deployment::{Features, Playground, PlaygroundMode};

use crate::site::{Built, Site};

const SPEC: &str = r##"{
  "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
  "servers": [{"url": "https://{region}.example.com/v1", "variables": {"region": {"default": "eu"}}}],
  "security": [{"key": []}],
  "paths": {
    "/things/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}],
      "put": {
        "summary": "Change a thing", "description": "Braces {stay} and <b>bold</b> <script>x()</script>.",
        "tags": ["Things"],
        "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "default": 3}}],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
        "responses": {
          "200": {"description": "Good", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}},
          "404": {"description": "Gone"}
        }
      }
    }
  },
  "webhooks": {"made": {"post": {"summary": "Made", "requestBody": {"content": {"application/json": {"schema": {"$ref": "parts.yaml#/Part"}}}}, "responses": {}}}},
  "components": {
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "schemas": {
      "Thing": {"type": "object", "required": ["name"], "allOf": [{"$ref": "#/components/schemas/Base"}],
        "properties": {"name": {"type": ["string", "null"], "enum": ["a", "b"]},
          "children": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
          "made": {"type": "string", "readOnly": true, "example": "then"},
          "owner": {"oneOf": [{"title": "Person", "type": "object", "properties": {"age": {"type": "integer"}}}, {"title": "Robot", "type": "object", "properties": {"serial": {"type": "string"}}}]}}},
      "Base": {"type": "object", "properties": {"id": {"type": "string", "description": "From the base"}}}
    }
  }
}"##;

fn built(page: &str) -> Built {
    site(page).build()
}

fn site(page: &str) -> Site {
    Site::new()
        .file(
            "docs.json",
            r##"{"theme":"mint","name":"S","colors":{"primary":"#007700"},"navigation":{"groups":[
                {"group":"G","pages":["index","PUT /things/{id}"],"openapi":"api/spec.json"}]}}"##,
        )
        .file("index.mdx", page)
        .file("api/spec.json", SPEC)
        .file(
            "api/parts.yaml",
            "Part:\n  type: object\n  properties:\n    weight: {type: number}\n",
        )
}

#[test]
fn operation_page_shows_whole_description() {
    let built = built("text");
    let slug = "api-reference/things/change-a-thing.html";
    let html = built.text(slug);
    for part in [
        "Braces {stay} and <b>bold</b> x().",
        "Authorizations",
        "X-Key",
        "string&lt;uuid&gt;",
        "1 ≤ x &lt; 9",
        "enum&lt;string&gt; | null",
        "Available options: <code>a</code>, <code>b</code>",
        "From the base",
        "object[]",
        "Person",
        "https://eu.example.com/v1/things/3c90c3cc",
        "data-method=\"PUT\"",
        "data-playground-open",
        "<h1 id=\"page-title\">Change a thing</h1>",
        "\"made\": \"then\"",
    ] {
        let shown = html.replace("<span", "\n<span");
        let plain: String = strip(&shown);
        assert!(html.contains(part) || plain.contains(part), "{part} is missing in {plain}");
    }
    let body = &html[html.find(">Body<").unwrap()..html.find(">Response<").unwrap()];
    assert!(!body.contains(">made<"), "read-only fields aren't sent");
    assert!(built.text("api-reference/things/change-a-thing.md").contains("From the base"));
    assert_eq!(built.codes(), [""; 0]);
}

/// Text without tags, with entities unchanged.
fn strip(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            letter if !inside && letter != '\n' => text.push(letter),
            _ => {}
        }
    }
    text.replace("&quot;", "\"")
}

#[test]
fn frontmatter_names_operations_webhooks_and_schemas() {
    let named = built("---\nopenapi: put /things/{id}\n---\nOwn words.\n");
    let html = named.text("index.html");
    assert!(html.contains("<h1 id=\"page-title\">Change a thing</h1>"), "the title is the summary");
    assert!(html.find("Own words.") < html.find("Path Parameters"), "own words come first");
    let webhook = built("---\nopenapi: \"spec.json webhook made\"\n---\n");
    assert!(webhook.body("index.html").contains("weight"), "other files are read");
    let schema = built("---\nopenapi-schema: Thing\n---\n");
    assert!(schema.body("index.html").contains("From the base"));
}

#[test]
fn examples_of_author_replace_generated_ones() {
    let text = "---\nopenapi: PUT /things/{id}\n---\n<RequestExample>\n```bash Mine\nmine\n```\n</RequestExample>\n";
    let html = built(text).text("index.html").to_owned();
    assert!(html.contains("mine") && !html.contains("curl"), "{html}");
}

#[test]
fn missing_operations_are_reported() {
    for reference in ["GET /nothing", "no method at all", "other.json PUT /things/{id}"] {
        let built = built(&format!("---\nopenapi: {reference}\n---\nkept\n"));
        assert!(built.body("index.html").contains("kept"));
        assert_eq!(built.codes(), ["missing-operation"], "{reference}");
        assert_eq!(built.report.diagnostics[0].severity, Severity::Error);
    }
}

#[test]
fn handwritten_pages_have_playground_if_server_is_set() {
    let with = built(
        "---\napi: \"POST https://api.example.com/v1/{a}\"\nauthMethod: bearer\n---\n<ParamField path=\"a\" type=\"string\" required>x</ParamField>\n",
    );
    let html = with.text("index.html");
    assert!(html.contains("data-playground-open") && html.contains("Bearer"), "{html}");
    let without = built("---\napi: POST /v1/a\n---\n");
    assert!(!without.text("index.html").contains("data-playground-open"));
}

#[test]
fn playground_is_only_where_it_is_used() {
    let files = |built: &Built| -> Vec<String> {
        built.files.keys().filter(|path| path.contains("playground")).cloned().collect()
    };
    let with = built("text");
    assert_eq!(files(&with).len(), 3, "{:?}", files(&with));
    let page = with.text("api-reference/things/change-a-thing.html");
    assert!(page.contains("data-mode=\"browser\"") && !page.contains("data-base-url"), "{page}");
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#007700"},"navigation":{"pages":["index"]}}"##;
    let plain = Site::new().file("docs.json", config).file("index.mdx", "text").build();
    assert_eq!(files(&plain), [""; 0]);
}

#[test]
fn disabled_playground_leaves_nothing_behind() {
    let playground = Playground { mode: PlaygroundMode::Off, base_url: None, hosts: Vec::new() };
    let features = Features { playground, ..Features::default() };
    let options = Options { features, ..Options::default() };
    let built = site("text").build_with(&options);
    for (path, contents) in &built.files {
        let text = String::from_utf8_lossy(contents);
        assert!(!path.contains("playground") && !text.contains("playground"), "{path}");
    }
    assert!(!built.text("api-reference/things/change-a-thing.html").contains("tryit"));
}

const CHANNELS: &str = "asyncapi: 3.0.0
info: {title: T, version: '1'}
servers:
  live: {host: ws.example.com, pathname: /v1, protocol: wss}
channels:
  chat room:
    title: Chat room
    address: /chat/{room}
    description: Talk *here*.
    parameters: {room: {description: Which room, enum: [a, b]}}
    bindings: {ws: {query: {type: object, required: [token], properties: {token: {type: string}}}}}
    messages:
      said: {$ref: '#/components/messages/Said'}
      heard: {title: Heard, payload: {schema: {type: object, properties: {at: {type: string, example: noon}}}}}
operations:
  say: {action: receive, channel: {$ref: '#/channels/chat room'}, messages: [{$ref: '#/channels/chat room/messages/said'}]}
  hear: {action: send, channel: {$ref: '#/channels/chat room'}, messages: [{$ref: '#/channels/chat room/messages/heard'}]}
components:
  messages:
    Said: {title: Said, payload: {type: object, properties: {words: {type: string, description: What was said}}}}
";

#[test]
fn channels_of_asyncapi_have_pages() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"navigation":{"groups":[
        {"group":"Home","pages":["index"]},
        {"group":"Sockets","asyncapi":{"source":"/ws/events.yaml","directory":"sockets"}}]}}"##;
    let built =
        Site::page("---\ntitle: Own\nasyncapi: \"../ws/events.yaml chat room\"\n---\n\nFirst.\n")
            .file("docs.json", config)
            .file("ws/events.yaml", CHANNELS)
            .build();
    assert_eq!(built.codes(), Vec::<&str>::new());
    let html = built.text("sockets/chat-room.html").replace("<wbr>", "");
    for part in [
        "wss://ws.example.com/v1",
        "/chat/{room}",
        "Talk <em>here</em>",
        "id=\"param-room\"",
        "id=\"param-token\"",
        "id=\"send\"",
        "id=\"receive\"",
        "What was said",
        "id=\"param-at\"",
        "noon",
    ] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    let (send, receive) = (html.find("id=\"send\""), html.find("id=\"receive\""));
    let (said, heard) = (html.find("id=\"said\""), html.find("id=\"heard\""));
    assert!(send < said && said < receive && receive < heard);
    assert!(built.text("index.html").contains("data-method=\"WSS\""));
    assert!(built.text("index.html").contains("What was said"));
    assert!(built.text("index.md").contains("- `words` `string` body\n\n  What was said\n"));
    let list = "## API specs\n\n- [AsyncAPI specs](llms/asyncapi-specs.txt): 1 file\n";
    assert!(built.text("llms.txt").contains(list), "{}", built.text("llms.txt"));
    assert!(built.text("llms/asyncapi-specs.txt").ends_with("- [events](../ws/events.yaml)\n"));
}

#[test]
fn diagnostics_in_descriptions_are_reported() {
    let built = Site::page("# Home")
        .file("a.yaml", "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      responses:\n        '200': {$ref: '#/components/responses/Gone'}\n")
        .file("b.yaml", "openapi: 3.1.0\npaths: [\n")
        .file("c.json", "{\"swagger\": \"2.0\", \"paths\": {}}")
        .file("d.yaml", "# paths of openapi\nx: [\n")
        .build();
    let reported: Vec<_> = built
        .report
        .diagnostics
        .iter()
        .map(|each| (each.path.as_str(), each.line, each.rule.code()))
        .collect();
    assert_eq!(reported[0], ("a.yaml", 6, "broken-reference"));
    assert_eq!((reported[1].0, reported[1].2), ("b.yaml", "invalid-spec"));
    assert_eq!((reported[2].0, reported[2].2), ("c.json", "invalid-spec"));
    assert_eq!(reported.len(), 3, "{reported:?}");
}

/// Replaces each part of an API spec with another value, one after another.
#[test]
fn malformed_channels_do_not_end_build() {
    let spec = serde_json::json!({
        "asyncapi": "3.0.0",
        "servers": { "live": { "host": "h", "protocol": "wss" } },
        "channels": { "c": {
            "address": "/", "title": "C", "servers": [{ "$ref": "#/servers/live" }],
            "parameters": { "p": { "enum": ["a"] } },
            "bindings": { "ws": { "query": { "properties": { "q": { "type": "string" } } } } },
            "messages": { "m": { "$ref": "#/components/messages/M" } },
            "publish": { "message": { "oneOf": [{ "$ref": "#/components/messages/M" }] } },
        }},
        "operations": { "o": { "action": "send", "channel": { "$ref": "#/channels/c" },
            "messages": [{ "$ref": "#/channels/c/messages/m" }] } },
        "components": { "messages": { "M": { "payload": { "schema": { "type": "object",
            "properties": { "x": { "$ref": "#/components/messages/M/payload/schema" } } } },
            "headers": { "type": "object" }, "examples": [{ "payload": 1 }] } } },
    });
    let mut places = Vec::new();
    collect_places(&spec, String::new(), &mut places);
    assert!(places.len() > 40, "{}", places.len());
    for place in &places {
        for odd in [
            serde_json::json!(null),
            serde_json::json!([[]]),
            serde_json::json!("text"),
            serde_json::json!({ "$ref": place }),
            serde_json::json!({ "$ref": "#/channels/c" }),
        ] {
            let mut spec = spec.clone();
            *spec.pointer_mut(place).expect("the path exists") = odd;
            Site::page("---\nasyncapi: \"ws.json c\"\n---\n")
                .file("ws.json", spec.to_string())
                .build();
        }
    }
}

fn collect_places(value: &serde_json::Value, at: String, places: &mut Vec<String>) {
    let children: Vec<_> = match value {
        serde_json::Value::Object(map) => {
            map.iter().map(|(key, each)| (key.clone(), each)).collect()
        }
        serde_json::Value::Array(items) => {
            items.iter().enumerate().map(|(index, each)| (index.to_string(), each)).collect()
        }
        _ => Vec::new(),
    };
    for (key, child) in children {
        let key = key.replace('~', "~0").replace('/', "~1");
        collect_places(child, format!("{at}/{key}"), places);
    }
    if !at.is_empty() {
        places.push(at);
    }
}

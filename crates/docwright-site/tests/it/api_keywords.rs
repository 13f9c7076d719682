//! Every keyword of an API spec is shown, in HTML and in Markdown.

use serde_json::{Value, json};

use crate::site::{Built, Site};

/// A site whose index page shows `POST /x` of a spec with these members.
fn site(operation: &Value, components: &Value) -> Built {
    let spec = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://{region}.example.com", "description": "Main server",
            "variables": {"region": {"default": "eu", "enum": ["eu", "us"], "description": "Where it runs"}}}],
        "paths": {"/x": {"post": operation}},
        "components": components,
    });
    Site::page("---\ntitle: T\nopenapi: POST /x\n---\n")
        .file("openapi.json", spec.to_string())
        .build()
}

/// The page of a request body with a schema.
fn body(schema: &Value, schemas: &Value) -> Built {
    let content = json!({"application/json": {"schema": schema}});
    site(&json!({"requestBody": {"content": content}}), &json!({"schemas": schemas}))
}

/// Asserts that HTML and Markdown of the page contain texts. In Markdown, marks are left out.
fn assert_shown(built: &Built, texts: &[&str]) {
    let html = built.text("index.html");
    let html = html[html.find("<main").unwrap()..html.find("</main>").unwrap()].to_owned();
    let mut plain = String::new();
    let mut is_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => is_tag = true,
            '>' => is_tag = false,
            letter if !is_tag => plain.push(letter),
            _ => {}
        }
    }
    let plain = plain
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
    let markdown = built.text("index.md").replace(['`', '\\', '*'], "");
    for text in texts {
        assert!(plain.contains(text), "{text} isn't in {plain}");
        assert!(markdown.contains(text), "{text} isn't in {markdown}");
    }
}

#[test]
fn keywords_of_json_schema_are_shown() {
    let schema = json!({"type": "object", "required": ["count"], "minProperties": 1, "maxProperties": 99,
    "additionalProperties": false, "dependentRequired": {"count": ["name"]},
    "dependentSchemas": {"name": {"required": ["color"]}},
    "propertyNames": {"pattern": "^[a-z]+$"},
    "patternProperties": {"^x-": {"type": "string", "description": "An extension"}},
    "if": {"properties": {"kind": {"const": "big"}}}, "then": {"required": ["size"]},
    "else": {"required": ["weight"]},
    "not": {"required": ["forbidden"]},
    "externalDocs": {"url": "https://example.com/more", "description": "Read on"},
    "properties": {
        "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 77, "multipleOf": 3, "deprecated": true},
        "name": {"type": ["string", "null"], "format": "hostname", "minLength": 2, "maxLength": 63,
            "pattern": "^[a-z]{2}$", "examples": ["one", "two"], "title": "The host"},
        "color": {"enum": ["red", "green"], "x-enum-descriptions": ["Stop", "Go"], "default": "red"},
        "colors": {"type": "array", "minItems": 4, "maxItems": 8, "uniqueItems": true,
            "items": {"type": "string", "enum": ["cyan", "pink"], "maxLength": 5, "description": "One color"}},
        "nested": {"type": "array", "items": {"type": "array", "items": {"enum": ["deep"]}}},
        "pair": {"type": "array", "prefixItems": [{"type": "string", "description": "First part"}],
            "contains": {"type": "integer", "minimum": 41}, "minContains": 2},
        "kind": {"const": "constant"},
        "file": {"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"},
        "raw": {"type": "object", "example": {"inner": {"leaf": "of the tree"}}, "xml": {"name": "Raw"}},
        "open": {"type": "object", "additionalProperties": {"type": "integer", "description": "Any number"}},
        "sent": {"type": "string", "writeOnly": true},
    }});
    let built = body(&schema, &json!({}));
    assert_eq!(built.codes(), [""; 0]);
    assert_shown(
        &built,
        &[
            "Required number of properties: 1 ≤ length ≤ 99",
            "No other properties are allowed.",
            "With count, these are required: name",
            "With name",
            "Names of properties",
            "^[a-z]+$",
            "{^x-}",
            "An extension",
            "Required: size",
            "Required: weight",
            "Must not match",
            "Required: forbidden",
            "Read on",
            "1 ≤ x < 77",
            "Must be a multiple of 3",
            "deprecated",
            "string<hostname>",
            "Required length: 2 ≤ length ≤ 63",
            "Pattern: ^[a-z]{2}$",
            "Examples: one, two",
            "Title: The host",
            "Available options: red (Stop), green (Go)",
            "Required number of items: 4 ≤ length ≤ 8",
            "All items are unique.",
            "Available options: cyan, pink",
            "One color",
            "Available options: deep",
            "First part",
            "At least one item matches",
            "x ≥ 41",
            "Required number of matching items: length ≥ 2",
            "Allowed value: constant",
            "Content type: image/png",
            "Content encoding: base64",
            "\"leaf\": \"of the tree\"",
            "XML name: Raw",
            "Any number",
            "write-only",
        ],
    );
}

#[test]
fn every_part_of_composed_schema_is_shown() {
    let schema = json!({"description": "The whole", "allOf": [
        {"$ref": "#/components/schemas/Base"},
        {"description": "Its second part", "pattern": "^b"},
        {"description": "Its third part", "pattern": "^c",
            "oneOf": [{"title": "Left", "properties": {"l": {}}}, {"title": "Right", "properties": {"r": {}}}]},
        {"anyOf": [{"title": "Up", "properties": {"u": {}}}, {"title": "Down", "properties": {"d": {}}}]},
    ]});
    let schemas =
        json!({"Base": {"description": "The base", "properties": {"base": {"type": "string"}}}});
    let built = body(&schema, &schemas);
    assert_shown(
        &built,
        &[
            "The whole",
            "The base",
            "Its second part",
            "Its third part",
            "^b",
            "^c",
            "Left",
            "Right",
            "Up",
            "Down",
        ],
    );
}

#[test]
fn alternatives_have_values_of_discriminator() {
    let pet = |kind: &str| json!({"type": "object", "properties": {kind: {"type": "string", "description": kind}}});
    let schemas = json!({"Cat": pet("purrs"), "Dog": pet("barks"),
        "Maybe": {"anyOf": [{"type": "string", "format": "ulid", "description": "An id"}, {"type": "null"}]}});
    let choice = json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"feline": "#/components/schemas/Cat", "Dog": "Dog"}}});
    let built = body(
        &json!({"properties": {"pet": choice, "id": {"$ref": "#/components/schemas/Maybe"}}}),
        &schemas,
    );
    assert_shown(
        &built,
        &[
            "kind decides which alternative applies: feline (Cat), Dog",
            "purrs",
            "barks",
            "An id",
            "string<ulid> | null",
        ],
    );
    assert!(
        built.text("index.html").contains("aria-controls=\"feline\""),
        "{}",
        built.body("index.html")
    );
}

/// The components with three schemes of authorization.
fn security() -> Value {
    json!({"securitySchemes": {
        "oauth": {"type": "oauth2", "description": "With OAuth", "flows": {"authorizationCode": {
            "authorizationUrl": "https://example.com/authorize", "tokenUrl": "https://example.com/token",
            "scopes": {"read:all": "Read everything"}}}},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "Your key"},
        "id": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
    }})
}

#[test]
fn operations_are_shown_with_everything_around_bodies() {
    let operation = json!({"summary": "Another summary", "deprecated": true,
        "externalDocs": {"url": "https://example.com/guide"},
        "security": [{"oauth": ["read:all"]}, {"key": [], "id": []}, {}],
        "parameters": [
            {"name": "q", "in": "query", "description": "A question", "style": "deepObject", "explode": true,
                "allowReserved": true, "allowEmptyValue": true, "schema": {"type": "array", "items": {"enum": ["why"]}},
                "examples": {"a": {"summary": "An easy one", "value": "how"}}},
            {"name": "filter", "in": "query", "content": {"application/json": {"schema": {"properties": {"field": {"type": "string"}}}}}},
        ],
        "requestBody": {"required": true, "description": "What to send", "content": {"multipart/form-data": {
            "schema": {"type": "object", "properties": {"picture": {"type": "string", "format": "binary"}}},
            "encoding": {"picture": {"contentType": "image/webp", "headers": {"X-Part": {"description": "Of the part"}}}}}}},
        "responses": {
            "200": {"description": "It works", "headers": {"X-Left": {"description": "Requests left", "required": true, "schema": {"type": "integer"}}},
                "content": {"application/json": {"examples": {"small": {"summary": "A small one", "value": {"size": "tiny"}}}}},
                "links": {"next": {"operationId": "getNext", "description": "The next page", "parameters": {"page": "$response.body#/next"}}}},
            "4XX": {"description": "It fails", "content": {"text/plain": {"schema": {"type": "string"}}}},
        },
        "callbacks": {"done": {"{$request.body#/url}": {"post": {"description": "Called at the end",
            "parameters": [{"name": "X-Sign", "in": "header", "description": "A signature"}],
            "requestBody": {"content": {"application/json": {"schema": {"properties": {"result": {"description": "The outcome"}}}}}},
            "responses": {"204": {"description": "You got it"}}}}}},
    });
    let built = site(&operation, &security());
    assert_eq!(built.codes(), [""; 0]);
    assert_shown(
        &built,
        &[
            "Another summary",
            "https://example.com/guide",
            "One of: oauth; key and id; no authorization",
            "With OAuth",
            "Required scopes: read:all",
            "https://example.com/authorize",
            "https://example.com/token",
            "read:all: Read everything",
            "X-Key",
            "Your key",
            "Format: JWT",
            "A question",
            "Style: deepObject",
            "Explode: true",
            "Reserved characters are sent as they are.",
            "The value can be empty.",
            "Available options: why",
            "An easy one",
            "how",
            "Content type: application/json",
            "field",
            "What to send",
            "multipart/form-data",
            "Content type of picture: image/webp",
            "Of the part",
            "It works",
            "X-Left",
            "Requests left",
            "A small one",
            "\"size\": \"tiny\"",
            "next",
            "Operation: getNext",
            "The next page",
            "page: $response.body#/next",
            "4XX",
            "It fails",
            "text/plain",
            "done",
            "Called at the end",
            "X-Sign",
            "A signature",
            "The outcome",
            "You got it",
            "https://{region}.example.com",
            "Main server",
            "Where it runs",
            "Available options: eu, us",
        ],
    );
    assert!(built.text("index.md").contains("`POST https://eu.example.com/x`"));
}

#[test]
fn schema_is_shown_once_and_linked_later() {
    let error = json!({"type": "object", "properties": {"code": {"type": "integer", "description": "Why it failed"},
        "text": {"type": "string"}, "cause": {"$ref": "#/components/schemas/Error"}}});
    let answer = |schema: Value| json!({"description": "No", "content": {"application/json": {"schema": schema}}});
    let inline = json!({"type": "object", "properties": {"a": {"description": "Same inline"}, "b": {}, "c": {}}});
    let reference = json!({"$ref": "#/components/schemas/Error"});
    let operation = json!({"responses": {
        "400": answer(reference.clone()), "401": answer(reference.clone()),
        "403": answer(json!({"description": "With words", "allOf": [reference]})),
        "404": answer(json!({"properties": {"one": inline, "two": inline}})),
    }});
    let built = site(&operation, &json!({"schemas": {"Error": error}}));
    assert_eq!(built.codes(), [""; 0]);
    let html = built.body("index.html");
    for words in ["Why it failed", "Same inline", "With words"] {
        assert_eq!(html.matches(words).count(), 1, "{words}: {html}");
    }
    // A recursive use, and those of two other responses.
    assert_eq!(html.matches("href=\"#fields-error\"").count(), 3, "{html}");
    assert_eq!(html.matches("id=\"fields-error\"").count(), 1);
    assert_eq!(html.matches("href=\"#fields-one\"").count(), 1, "{html}");
    assert_shown(&built, &["Same fields as Error", "Same fields as one"]);
}

#[test]
fn request_samples_follow_examples_of_body() {
    let media = json!({"schema": {"type": "object"}, "examples": {
        "cat": {"summary": "A cat", "value": {"sound": "meow"}}, "dog": {"summary": "A dog", "value": {"sound": "woof"}}}});
    let built = site(&json!({"requestBody": {"content": {"application/json": media}}}), &json!({}));
    let html = built.text("index.html");
    for part in ["A cat", "A dog", "data-wrap"] {
        assert!(html.contains(part), "{part}");
    }
    // In each of seven languages.
    assert!(html.matches("meow").count() >= 7 && html.matches("woof").count() >= 7, "{html}");
}

/// Its sample has 1 + 150 + 300 + 150 + 1 members; a sample can have 200.
#[test]
fn long_sample_leaves_out_the_deepest_members() {
    let inner = json!({"type": "object", "properties": {
        "one": {"type": "string"}, "two": {"type": "object", "properties": {"deep": {"type": "string"}}}}});
    let many: serde_json::Map<String, Value> =
        (0..150).map(|number| (format!("member{number}"), inner.clone())).collect();
    let schema = json!({"type": "object", "properties": {
        "first": {"type": "object", "properties": many}, "last": {"type": "boolean"}}});
    let built = body(&schema, &json!({}));
    let sample = built.text("index.md");
    let sample = &sample[sample.find("\"first\"").unwrap()..];
    let sample = &sample[..sample.find("```").unwrap()];
    assert!(sample.contains("\"member0\": {}"), "{sample}");
    assert!(sample.contains("\"member149\": {}"), "{sample}");
    assert!(sample.contains("\"last\": true"), "{sample}");
}

#[test]
fn headings_of_descriptions_are_below_the_title() {
    let at =
        json!({"type": "string", "description": "When.\n\n# Examples\n\nOne.\n\n## JSON\n\nTwo."});
    let schema = json!({"type": "object", "properties": {"at": at}});
    let content = json!({"application/json": {"schema": schema}});
    let operation = json!({"description": "# Usage\n\nCall it.\n\n## Limits", "requestBody": {"content": content}});
    let built = site(&operation, &json!({}));
    let html = built.text("index.html");
    for heading in
        ["<h2 id=\"usage\">", "<h3 id=\"limits\">", "<h4 id=\"examples\">", "<h5 id=\"json\">"]
    {
        assert!(html.contains(heading), "{heading} isn't in {html}");
    }
    assert_eq!(html.matches("<h1").count(), 1);
}

/// The page has room for 8 MiB of values. A sample that is made again with less nesting takes its room once.
#[test]
fn long_sample_takes_its_room_once() {
    let long = json!({"type": "string", "example": "x".repeat(1_200_000)});
    let many: serde_json::Map<String, Value> =
        (0..300).map(|number| (format!("member{number}"), json!({"type": "string"}))).collect();
    let inner = json!({"type": "object", "properties": many});
    let outer = json!({"type": "object", "properties": {"inner": inner}});
    let schema = json!({"type": "object", "properties": {"long": long, "outer": outer}});
    let built = body(&schema, &json!({}));
    assert!(!built.codes().contains(&"too-complex"), "{:?}", built.codes());
}

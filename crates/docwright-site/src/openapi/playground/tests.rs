//! The data of the playground, for specs of all shapes.

use serde_json::{Value, json};

use super::playground;
use crate::openapi::Operation;

/// The data of `POST /a` in a spec with these parts.
fn data(operation: Value, components: Value) -> Value {
    let root = json!({
        "servers": [{"url": "https://api.example.com/"}],
        "components": components,
    });
    let item = json!({"post": operation});
    let operation = Operation::find(&root, ("/a", &item), "POST").unwrap();
    playground(&operation, false)
}

/// The data of a body with this schema.
fn body(schema: Value, schemas: Value) -> Value {
    let media = json!({"application/json": {"schema": schema}});
    data(json!({"requestBody": {"content": media}}), json!({ "schemas": schemas }))
}

#[test]
fn recursive_schemas_stand_once() {
    let tree = json!({"properties": {
        "name": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Tree"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}
    }});
    let data = body(json!({"$ref": "#/components/schemas/Tree"}), json!({ "Tree": tree }));
    assert_eq!(data["body"]["content"][0]["schema"], 0);
    assert_eq!(
        data["schemas"],
        json!([
            {"type": "object", "properties": {"name": {"type": "string"}, "parent": 0, "children": 1}},
            {"type": "array", "items": 0},
        ])
    );
}

#[test]
fn equal_schemas_stand_once() {
    let place = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let schema = json!({"properties": {"from": place, "to": place, "stops": {"items": place}}});
    let data = body(schema, json!({}));
    assert_eq!(
        data["schemas"],
        json!([
            {"type": "object", "properties": {"from": 1, "to": 1, "stops": 2}},
            {"type": "object", "properties": {"city": {"type": "string"}}},
            {"type": "array", "items": 1},
        ])
    );
}

#[test]
fn read_only_properties_and_descriptions_are_left_out() {
    let schema = json!({
        "type": "object", "required": ["id", "name"], "description": "A long text",
        "properties": {"id": {"type": "integer", "readOnly": true}, "name": {"type": "string", "description": "Text"}}
    });
    let data = body(schema, json!({}));
    assert_eq!(
        data["schemas"][0],
        json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}})
    );
}

#[test]
fn alternatives_have_values_of_their_discriminator() {
    let animal = |sound: &str| json!({"title": sound, "properties": {"type": {"type": "string"}}});
    let schema = json!({
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "type", "mapping": {"meow": "#/components/schemas/Cat", "woof": "Dog"}}
    });
    let data = body(schema, json!({"Cat": animal("Cat"), "Dog": animal("Dog")}));
    assert_eq!(
        data["schemas"][0]["choices"],
        json!([{"by": "type", "options": [
            {"title": "Cat", "schema": 1, "values": ["meow"]}, {"title": "Dog", "schema": 2, "values": ["woof"]}
        ]}])
    );
}

#[test]
fn alternatives_that_only_require_properties_are_no_choice() {
    let schema = json!({
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]
    });
    assert_eq!(body(schema, json!({}))["schemas"][0].get("choices"), None);
}

#[test]
fn alternative_that_contains_its_choice_ends() {
    let cat = json!({"allOf": [{"$ref": "#/components/schemas/Pet"}, {"properties": {"lives": {"type": "integer"}}}]});
    let pet = json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"properties": {"x": {}}}]});
    let data = body(json!({"$ref": "#/components/schemas/Pet"}), json!({"Cat": cat, "Pet": pet}));
    let cat = data["schemas"][0]["choices"][0]["options"][0]["schema"].as_u64().unwrap();
    assert_eq!(data["schemas"][usize::try_from(cat).unwrap()].get("choices"), None);
}

#[test]
fn data_of_hostile_specs_is_bounded() {
    let wide = |next: &str| {
        let property = |number| {
            (format!("property{number}"), json!({"$ref": format!("#/components/schemas/{next}")}))
        };
        json!({"properties": (0..20_000).map(property).collect::<serde_json::Map<_, _>>()})
    };
    let wide =
        body(json!({"$ref": "#/components/schemas/A"}), json!({"A": wide("B"), "B": wide("A")}));
    let deep: serde_json::Map<_, _> = (0..5_000)
        .map(|level| {
            let next = json!({"$ref": format!("#/components/schemas/S{}", level + 1)});
            (format!("S{level}"), json!({"properties": {"first": next, "second": {"type": "string", "example": "x".repeat(900)}}}))
        })
        .collect();
    let deep = body(json!({"$ref": "#/components/schemas/S0"}), Value::Object(deep));
    let options: Vec<_> = (0..20_000)
        .map(|number| json!({"title": "T".repeat(50), "properties": {format!("p{number}"): {}}}))
        .collect();
    let many = body(json!({ "oneOf": options }), json!({}));
    let names: Vec<_> = (0..5_000).map(|number| json!({"in": "query", "name": format!("n{number}"), "schema": {"enum": ["x".repeat(3_000)]}})).collect();
    let parameters = data(json!({ "parameters": names }), json!({}));
    let security: Vec<_> = (0..20_000).map(|number| json!({format!("s{number}"): []})).collect();
    let security = data(json!({ "security": security }), json!({}));
    for (name, data) in [
        ("wide", wide),
        ("deep", deep),
        ("many", many),
        ("parameters", parameters),
        ("security", security),
    ] {
        let size = data.to_string().len();
        assert!(size < 120_000, "{name}: {size} bytes");
    }
}

#[test]
fn servers_have_variables_of_their_address() {
    let server = json!({"url": "https://{region}.example.com/", "description": "Main", "variables": {
        "region": {"default": "eu", "enum": ["eu", "us"], "description": "x"}, "unused": {"default": "y"}
    }});
    let data = data(json!({ "servers": [server] }), json!({}));
    assert_eq!(
        data["servers"],
        json!([{"url": "https://{region}.example.com", "description": "Main", "variables": {"region": {"default": "eu", "enum": ["eu", "us"]}}}])
    );
}

#[test]
fn security_has_alternatives_with_known_schemes() {
    let schemes = json!({
        "token": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "/token", "scopes": {"read": "r", "write": "w"}}}},
        "key": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "certificate": {"type": "mutualTLS"}
    });
    let security =
        json!([{"token": ["read"], "key": []}, {"certificate": []}, {"missing": []}, {}]);
    let data = data(json!({ "security": security }), json!({ "securitySchemes": schemes }));
    assert_eq!(data["security"], json!([["token", "key"], []]));
    assert_eq!(
        data["schemes"],
        json!({
            "token": {"in": "header", "name": "Authorization", "prefix": "Bearer ",
                "flow": {"tokenUrl": "/token", "scopes": ["read", "write"], "required": ["read"]}},
            "key": {"in": "cookie", "name": "sid"},
        })
    );
}

#[test]
fn parameters_and_parts_say_how_they_are_written() {
    let operation = json!({
        "parameters": [
            {"in": "query", "name": "f", "style": "deepObject", "explode": true, "allowReserved": true, "example": {"a": 1}, "schema": {"type": "object"}},
            {"in": "query", "name": "j", "required": true, "content": {"application/json": {"schema": {"type": "integer"}}}}
        ],
        "requestBody": {"required": true, "content": {"multipart/form-data": {
            "schema": {"properties": {"file": {"type": "string", "format": "binary"}}},
            "examples": {"one": {"summary": "First", "value": {"a": 1}}},
            "encoding": {"file": {"contentType": "image/png", "headers": {}}}
        }}}
    });
    let data = data(operation, json!({}));
    assert_eq!(
        data["parameters"],
        json!([
            {"in": "query", "name": "f", "style": "deepObject", "explode": true, "reserved": true, "schema": {"type": "object"}, "example": {"a": 1}},
            {"in": "query", "name": "j", "required": true, "content": "application/json", "schema": {"type": "integer"}},
        ])
    );
    assert_eq!(
        data["body"],
        json!({"required": true, "content": [{
            "type": "multipart/form-data", "schema": 0, "examples": [{"title": "First", "value": {"a": 1}}],
            "encoding": {"file": {"contentType": "image/png"}}
        }]})
    );
}

//! Small input with a large expansion: it stops at a limit, with a diagnostic, and keeps its text.

use serde_json::{Map, Value, json};

use crate::site::{Built, Site};

/// A site with one operation, whose request body is the schema `S0`.
fn api(schemas: &Map<String, Value>) -> Built {
    let spec = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": {"/x": {"post": {
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}},
            "responses": {"200": {"description": "Good"}}
        }}},
        "components": {"schemas": schemas},
    });
    Site::new()
        .file("openapi.json", spec.to_string())
        .file("index.mdx", "---\ntitle: T\nopenapi: POST /x\n---\n\nIts own words.\n")
        .build()
}

/// Twelve schemas, each with ten references to the next one under a keyword.
fn tower(keyword: &str) -> Map<String, Value> {
    let mut schemas = Map::new();
    for level in 0..12 {
        let next = json!({"$ref": format!("#/components/schemas/S{}", level + 1)});
        let name = format!("level{level}");
        let own = json!({keyword: vec![next; 10], "properties": {name: {"type": "string"}}});
        schemas.insert(format!("S{level}"), own);
    }
    schemas.insert("S12".to_owned(), json!({"properties": {"deepest": {"type": "string"}}}));
    schemas
}

/// The message and help of the only diagnostic of a rule.
fn only<'a>(built: &'a Built, rule: &str) -> (&'a str, &'a str) {
    let mut found = built.report.diagnostics.iter().filter(|each| each.rule.code() == rule);
    let first = found.next().unwrap_or_else(|| panic!("{rule} is missing: {:?}", built.codes()));
    assert_eq!(found.next(), None);
    (&first.message, first.help.as_deref().unwrap_or_default())
}

#[test]
fn nested_schemas_are_shown_completely() {
    let built = api(&tower("allOf"));
    assert_eq!(built.codes(), [""; 0]);
    let body = built.body("index.html");
    assert!(body.contains("level0") && body.contains("level11") && body.contains("deepest"));
}

#[test]
fn nested_alternatives_are_shown_once() {
    for keyword in ["oneOf", "anyOf"] {
        let mut schemas = tower(keyword);
        schemas["S12"]["description"] = "An option.".into();
        for has_fields in [true, false] {
            if !has_fields {
                let all = schemas.values_mut();
                all.for_each(|schema| drop(schema.as_object_mut().unwrap().remove("properties")));
            }
            let built = api(&schemas);
            assert_eq!(built.codes(), [""; 0], "{keyword}");
            let body = built.body("index.html");
            assert_eq!(body.matches("id=\"fields-s5\"").count(), 1, "{keyword}");
            assert!(
                body.contains("An option.") && body.len() < 250_000,
                "{keyword} {}",
                body.len()
            );
        }
    }
}

#[test]
fn rows_stop_at_limit() {
    let header = |number| (format!("X-{number}"), json!({"description": "A header."}));
    let headers: Map<_, _> = (0..2_900).map(header).collect();
    let response = json!({"description": "Good", "headers": headers});
    let responses: Map<_, _> =
        (200..211).map(|status: u32| (status.to_string(), response.clone())).collect();
    let spec = json!({
        "openapi": "3.1.0",
        "paths": {"/x": {"post": {"responses": responses}}},
    });
    let built = Site::new()
        .file("openapi.json", spec.to_string())
        .file("index.mdx", "---\ntitle: T\nopenapi: POST /x\n---\n\nIts own words.\n")
        .build();
    let (message, help) = only(&built, "too-complex");
    assert_eq!(
        message,
        "`POST /x` of `openapi.json` has more than 30,000 fields, options, and messages; the page leaves out the rest"
    );
    assert!(help.contains("split the schema"), "{help}");
    assert!(built.body("index.html").contains("Its own words."));
}

#[test]
fn long_text_in_many_fields_stops_at_limit() {
    let fields: Map<_, _> = (0..2_000)
        .map(|number| (format!("f{number}"), json!({"$ref": "#/components/schemas/Long"})))
        .collect();
    let long = json!({"type": "string", "description": "word ".repeat(4_000), "example": "x".repeat(20_000)});
    let schemas = json!({"S0": {"properties": fields}, "Long": long});
    let built = api(schemas.as_object().unwrap());
    let (message, _) = only(&built, "too-complex");
    assert!(message.contains("longer than 8 MiB"), "{message}");
    assert!(built.text("index.html").len() < 40_000_000);
}

#[test]
fn paragraph_over_limit_keeps_its_words() {
    let bad = "{1} `b` _c_ ".repeat(12_000);
    let built = Site::page(format!("First **bold** words.\n\n{bad}\n\n## Last *words*\n")).build();
    let found = &built.report.diagnostics[0];
    assert_eq!(
        (found.rule.code(), found.path.as_str(), found.line),
        ("too-complex", "index.mdx", 3)
    );
    assert_eq!(
        found.message,
        "this paragraph takes too many steps to read; it is shown without its formatting"
    );
    let body = built.body("index.html");
    assert!(body.contains("<strong>bold</strong>") && body.contains("<em>words</em>"));
    assert_eq!(body.matches("{1} `b` _c_").count(), 12_000);
}

#[test]
fn deep_nesting_keeps_its_words() {
    for (text, rule) in [
        (">".repeat(60_000) + " deep words", "too-complex"),
        ("- ".repeat(30_000) + "deep words", "too-complex"),
        ("<div>\n".repeat(400) + "deep words\n" + &"</div>\n".repeat(400), "invalid-mdx"),
        ("<Note>\n\ntext\n\n".repeat(8_000) + "deep words", "too-complex"),
    ] {
        let built = Site::page(format!("start\n\n{text}\n")).build();
        assert!(built.codes().contains(&rule), "{:?}", built.codes());
        assert!(built.body("index.html").contains("deep words"), "{}", &text[..20]);
    }
}

#[test]
fn description_over_limit_keeps_its_words() {
    let description = "_a._ ".repeat(60_000);
    let schemas =
        json!({"S0": {"properties": {"f": {"type": "string", "description": description}}}});
    let built = api(schemas.as_object().unwrap());
    let (message, _) = only(&built, "too-complex");
    assert!(message.contains("a description of `POST /x` of `openapi.json`"), "{message}");
    assert_eq!(built.body("index.html").matches("_a._").count(), 60_000);
}

#[test]
fn children_of_snippets_do_not_multiply() {
    let page = format!(
        "import S from '/s.mdx'\n\nFirst words.\n\n{}word{}\n",
        "<S>".repeat(40),
        "</S>".repeat(40)
    );
    let built = Site::page(page).file("s.mdx", "{children}".repeat(10)).build();
    assert!(built.codes().contains(&"page-too-large"), "{:?}", built.codes());
    assert!(built.body("index.html").contains("First words."));
}

#[test]
fn snippets_of_snippets_do_not_multiply_in_markdown() {
    let mut site = Site::page("import S0 from '/s0.mdx'\n\nFirst words.\n\n<S0 />\n");
    for level in 0..12 {
        let next = level + 1;
        let uses = format!("<S{next} />\n\n").repeat(10);
        let text = format!("import S{next} from '/s{next}.mdx'\n\n{uses}");
        site = site.file(&format!("s{level}.mdx"), text);
    }
    let built = site.file("s12.mdx", "deepest").build();
    let markdown = built.text("index.md");
    assert!(markdown.contains("First words.") && markdown.len() < 8_000_000, "{}", markdown.len());
}

#[test]
fn constants_of_constants_do_not_multiply() {
    let mut page = "export const a0 = 'xxxxxxxxxx'\n\n".to_owned();
    for level in 1..14 {
        let parts = format!("${{a{}}}", level - 1).repeat(10);
        page.push_str(&format!("export const a{level} = `{parts}`\n\n"));
    }
    let built = Site::page(page + "First words.\n\n{a3.length}\n\n<Card title={a4} />\n").build();
    assert!(built.body("index.html").contains("First words."));
}

#[test]
fn references_in_configuration_have_limited_length() {
    let references: Vec<_> = (0..70).map(|_| json!({"$ref": "large.json"})).collect();
    let config = json!({"name": "x", "navigation": {"pages": ["index"]}, "x": references});
    let large = json!({"text": "x".repeat(1024 * 1024)});
    let built = Site::page("First words.")
        .file("docs.json", config.to_string())
        .file("large.json", large.to_string())
        .build();
    let found = built.report.diagnostics.iter().find(|each| each.rule.code() == "broken-ref");
    assert!(found.is_some_and(|found| found.message.ends_with("bring in more than 64 MiB")));
}

#[test]
fn deep_code_builds() {
    for code in
        ["!".repeat(60_000) + "1", "'a'+".repeat(16_000) + "'a'", "typeof ".repeat(60_000) + "1"]
    {
        let built = Site::page(format!("First words.\n\nthen {{{code}}} end\n")).build();
        assert!(built.body("index.html").contains("First words."), "{}", &code[..10]);
    }
}

#[test]
fn footnotes_keep_their_order() {
    let built = Site::page("One[^b] two[^a] three[^b].\n\n[^a]: First\n\n[^b]: Second\n").build();
    let body = built.body("index.html");
    assert!(body.find("Second").unwrap() < body.find("First").unwrap(), "{body}");
    assert!(body.contains("footnote-reference-1-2"), "{body}");
}

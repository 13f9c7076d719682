//! Lookup of the API spec for a page or a navigation entry.

use docwright_site::{Options, build::build, output::Memory, source::Source};

use crate::site::{Built, Site};

/// A spec with the single operation `GET /a`, which has this summary.
fn spec(words: &str) -> String {
    format!(
        r#"{{"openapi": "3.1.0", "paths": {{"/a": {{"get": {{"summary": "S", "description": "{words}", "responses": {{}}}}}}}},
            "components": {{"schemas": {{"A": {{"type": "object", "properties": {{"x": {{"description": "{words}"}}}}}}}}}}}}"#
    )
}

/// A spec with the single channel `c`, which has this summary.
fn channels(words: &str) -> String {
    format!(
        "asyncapi: 3.0.0\nchannels:\n  c: {{title: C, address: /c, description: {words}, messages: {{}}}}\n"
    )
}

/// A site with a page at `at` and specs, each of which has its own path as its summary.
fn site(at: &str, frontmatter: &str, specs: &[&str]) -> Site {
    let site = Site::page("# Home").file(at, format!("---\n{frontmatter}\n---\n"));
    specs.iter().fold(site, |site, path| {
        let text = if path.ends_with(".yaml") { channels(path) } else { spec(path) };
        site.file(path, text)
    })
}

/// The specs whose summaries a page shows.
fn shown<'s>(built: &Built, page: &str, specs: &[&'s str]) -> Vec<&'s str> {
    let text = built.text(page).replace("<wbr>", "");
    specs.iter().copied().filter(|path| text.contains(&format!(">{path}<"))).collect()
}

fn assert_shows(at: &str, frontmatter: &str, specs: &[&str], expected: &str) {
    let built = site(at, frontmatter, specs).build();
    let page = at.replace(".mdx", ".html");
    assert_eq!(shown(&built, &page, specs), [expected], "{frontmatter} in {at}");
    assert_eq!(built.codes(), [""; 0], "{frontmatter} in {at}");
}

#[test]
fn path_from_root_is_exact() {
    let specs = ["api.json", "es/api.json", "fr/api.json"];
    for name in ["api.json", "/api.json", "/api", "api", "./api.json"] {
        assert_shows("p.mdx", &format!("openapi: {name} GET /a"), &specs, "api.json");
    }
    let specs = ["es/x/api.json", "x/api.json"];
    assert_shows("p.mdx", "openapi: /x/api.json GET /a", &specs, "x/api.json");
    assert_shows("es/p.mdx", "openapi: /x/api.json GET /a", &specs, "x/api.json");
    assert_shows("p.mdx", "openapi-schema: /x/api.json A", &specs, "x/api.json");
    let specs = ["es/live.yaml", "live.yaml"];
    assert_shows("p.mdx", "asyncapi: /live.yaml c", &specs, "live.yaml");
}

#[test]
fn path_from_page_is_exact() {
    let specs = ["a/api.json", "fr/api.json", "fr/x/api.json"];
    assert_shows("fr/x/p.mdx", "openapi: ../api.json GET /a", &specs, "fr/api.json");
    assert_shows("fr/x/p.mdx", "openapi: ./api.json GET /a", &specs, "fr/x/api.json");
    assert_shows("fr/x/p.mdx", "openapi: api.json GET /a", &specs, "fr/x/api.json");
    assert_shows("fr/p.mdx", "openapi: x/api.json GET /a", &specs, "fr/x/api.json");
}

#[test]
fn nearest_folder_is_used_for_other_paths() {
    let specs = ["a/specs/api.json", "fr/specs/api.json"];
    assert_shows("fr/x/p.mdx", "openapi: api.json GET /a", &specs, "fr/specs/api.json");
    assert_shows("fr/x/p.mdx", "openapi: GET /a", &specs, "fr/specs/api.json");
    assert_shows("fr/x/p.mdx", "openapi-schema: A", &specs, "fr/specs/api.json");
    let specs = ["a/specs/live.yaml", "fr/specs/live.yaml"];
    assert_shows("fr/p.mdx", "asyncapi: live.yaml c", &specs, "fr/specs/live.yaml");
    assert_shows("fr/p.mdx", "asyncapi: c", &specs, "fr/specs/live.yaml");
}

#[test]
fn unique_file_name_is_enough() {
    let specs = ["a/api.json", "a/other.json"];
    assert_shows("p.mdx", "openapi: other GET /a", &specs, "a/other.json");
}

#[test]
fn ambiguous_specs_are_listed() {
    for (frontmatter, specs) in [
        ("openapi: api.json GET /a", ["a/api.json", "b/api.json"]),
        ("openapi: GET /a", ["a/api.json", "b/api.json"]),
        ("openapi-schema: A", ["a/api.json", "b/api.json"]),
        ("asyncapi: live.yaml c", ["a/live.yaml", "b/live.yaml"]),
    ] {
        let built = site("p.mdx", frontmatter, &specs).build();
        assert_eq!(shown(&built, "p.html", &specs), [specs[0]], "{frontmatter}");
        assert_eq!(built.codes(), ["ambiguous-spec"], "{frontmatter}");
        let diagnostic = &built.report.diagnostics[0];
        assert_eq!((diagnostic.path.as_str(), diagnostic.line), ("p.mdx", 2));
        for path in specs {
            assert!(diagnostic.message.contains(path), "{}", diagnostic.message);
        }
    }
}

#[test]
fn named_file_without_operation_is_not_replaced() {
    let site = site("p.mdx", "openapi: /api.json GET /b", &["api.json"]);
    let built = site.file("es/api.json", spec("es").replace("/a", "/b")).build();
    assert_eq!(built.codes(), ["missing-operation"]);
    assert!(built.report.diagnostics[0].message.contains("`api.json`"));
}

const HEAD: &str = r##""theme":"mint","name":"S","colors":{"primary":"#070"}"##;

#[test]
fn spec_of_navigation_wins_for_its_pages() {
    let specs = ["a/api.json", "b/api.json", "c/api.json"];
    let config = format!(
        r#"{{{HEAD},"navigation":{{"groups":[{{"group":"G","openapi":"b/api.json","pages":["index","c/p"]}}]}}}}"#
    );
    let built = site("c/p.mdx", "openapi: GET /a", &specs).file("docs.json", config).build();
    assert_eq!(shown(&built, "c/p.html", &specs), ["b/api.json"]);
    let config = format!(
        r#"{{{HEAD},"api":{{"openapi":"b/api.json"}},"navigation":{{"pages":["index","c/p"]}}}}"#
    );
    let built = site("c/p.mdx", "openapi: GET /a", &specs).file("docs.json", config).build();
    assert_eq!(shown(&built, "c/p.html", &specs), ["b/api.json"]);
    assert_eq!(built.codes(), [""; 0]);
}

#[test]
fn entries_of_navigation_follow_the_same_rule() {
    let specs = ["api.json", "es/api.json"];
    let config = format!(r#"{{{HEAD},"navigation":{{"pages":["index","/api.json GET /a"]}}}}"#);
    let page = "api-reference/s.html";
    let built = site("p.mdx", "title: P", &specs).file("docs.json", config).build();
    assert_eq!(shown(&built, page, &specs), ["api.json"]);
    let config = format!(r#"{{{HEAD},"navigation":{{"pages":["index","api.json GET /a"]}}}}"#);
    let specs = ["en/api.json", "es/api.json"];
    let built = site("p.mdx", "title: P", &specs).file("docs.json", config).build();
    assert_eq!(shown(&built, page, &specs), ["en/api.json"]);
    assert_eq!(built.codes(), ["ambiguous-spec"]);
    assert_eq!(built.report.diagnostics[0].path, "docs.json");
}

#[test]
fn missing_specs_of_navigation_are_reported() {
    for key in ["openapi", "asyncapi"] {
        let config = format!(
            r#"{{{HEAD},"navigation":{{"groups":[{{"group":"H","pages":["index"]}},{{"group":"G","{key}":"gone.json"}}]}}}}"#
        );
        let built = Site::page("# Home").file("docs.json", config).build();
        assert_eq!(built.codes(), ["missing-spec"], "{key}");
        assert!(built.report.diagnostics[0].message.contains("`gone.json`"));
    }
    let config =
        format!(r#"{{{HEAD},"api":{{"openapi":"gone.json"}},"navigation":{{"pages":["index"]}}}}"#);
    let built = Site::page("# Home").file("docs.json", config).build();
    assert_eq!(built.codes(), ["missing-spec"], "api.openapi");
}

#[test]
fn links_within_description_lead_to_page_of_part_or_are_text() {
    let spec = r#"{"openapi": "3.1.0", "paths": {"/a": {"get": {"summary": "S",
        "description": "A [pod](#/components/schemas/Pod), a [node](#/components/schemas/Node), [this](#/paths/~1a/get).",
        "responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "object", "properties": {"x": {"description": "[Pod](#/components/schemas/Pod) or [gone](#/definitions/Gone)"}}}}}}}}}},
        "components": {"schemas": {"Pod": {"type": "object"}, "Node": {"type": "object"}}}}"#;
    let built = Site::page("[x](#/components/schemas/Pod)\n")
        .file("api.json", spec)
        .file("p.mdx", "---\nopenapi: GET /a\n---\n")
        .file("deep/pod.mdx", "---\nopenapi-schema: Pod\n---\n")
        .build();
    let html = built.body("p.html");
    assert_eq!(html.matches("href=\"deep/pod.html\"").count(), 2, "{html}");
    assert!(html.contains("a node,") && html.contains("or gone"), "{html}");
    assert!(html.contains("href=\"p.html\""), "{html}");
    // Links that an author writes on a page are still checked.
    let broken: Vec<_> =
        built.report.diagnostics.iter().map(|each| each.message.as_str()).collect();
    assert_eq!(broken, ["anchor `#/components/schemas/Pod` not found on /index"]);
}

const REMOTE: &str = "https://api.example.com/v1/openapi.json";

fn with_remote_spec(at_hand: &str) -> Built {
    let config = format!(
        r##"{{"theme":"mint","name":"S","colors":{{"primary":"#000000"}},"navigation":{{"groups":[
            {{"group":"Remote","openapi":"{REMOTE}","pages":["given","named","schema"]}},
            {{"group":"Local","openapi":"local.json","pages":["index","local"]}}]}}}}"##
    );
    let mut site = Site::page("x")
        .file("docs.json", config)
        .file("local.json", spec("local"))
        .file("given.mdx", "---\ntitle: Given\nopenapi: POST /pets\n---\n")
        .file("named.mdx", format!("---\nopenapi: {REMOTE} get /pets/{{id}}\n---\n\nOwn words.\n"))
        .file("schema.mdx", "---\nopenapi-schema: Pet\n---\n")
        .file("local.mdx", "---\nopenapi: GET /a\n---\n")
        .file("wrong.mdx", "---\nopenapi: local.json GET /gone\n---\n");
    if !at_hand.is_empty() {
        site = site.remote(REMOTE, at_hand);
    }
    site.build()
}

#[test]
fn page_without_its_remote_spec_shows_a_warning() {
    let built = with_remote_spec("");
    for (page, part) in [("given", "POST /pets"), ("named", "GET /pets/{id}"), ("schema", "Pet")] {
        let html = built.body(&format!("{page}.html"));
        assert!(html.contains("data-callout-type=\"warning\""), "{page}: {html}");
        assert!(html.contains(&format!("<code>{part}</code>")), "{page}: {html}");
        assert!(html.contains(&format!("href=\"{REMOTE}\"")), "{page}: {html}");
        assert!(html.contains("<code>--remote-specs DIR</code>"), "{page}: {html}");
        let markdown = built.text(&format!("{page}.md"));
        let expected = format!(
            "> The API spec of `{part}` is on another host and wasn't available when this site was built: <{REMOTE}>\n>\n> To show it here, allow it to be fetched with `--remote-specs DIR`, or put a copy into the repository.\n"
        );
        assert!(markdown.ends_with(&expected), "{page}: {markdown}");
    }
    assert!(built.body("named.html").contains("Own words."));
    assert!(built.text("named.md").contains("Own words."));
    for page in ["index", "local", "wrong"] {
        assert!(!built.text(&format!("{page}.html")).contains("another host"), "{page}");
        assert!(!built.text(&format!("{page}.md")).contains("another host"), "{page}");
    }
}

#[test]
fn page_with_its_remote_spec_shows_it() {
    let remote = r#"{"openapi": "3.1.0", "paths": {"/pets": {"post": {"summary": "Add a pet", "responses": {}}},
        "/pets/{id}": {"get": {"responses": {}}}}, "components": {"schemas": {"Pet": {"type": "object"}}}}"#;
    let built = with_remote_spec(remote);
    for page in ["given", "named", "schema"] {
        assert!(!built.text(&format!("{page}.html")).contains("another host"), "{page}");
        assert!(!built.text(&format!("{page}.md")).contains("another host"), "{page}");
    }
    assert!(built.text("given.md").contains("Add a pet"));
}

/// A docs root on disk whose navigation and page name `api.json`.
fn with_file(contents: &str, length: u64) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
    write(
        "docs.json",
        r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"navigation":{"tabs":[
            {"tab":"Home","pages":["index"]},{"tab":"API","openapi":"/api.json"}]}}"##,
    );
    write("index.mdx", "---\nopenapi: api.json GET /a\n---\n");
    write("api.json", contents);
    if length > 0 {
        let file = std::fs::File::options().write(true).open(root.path().join("api.json"));
        file.unwrap().set_len(length).unwrap();
    }
    let (source, mut diagnostics) = Source::read(root.path()).unwrap();
    let report = build(&source, &Options::default(), &Memory::default(), &|_| {}).unwrap();
    diagnostics.extend(report.diagnostics);
    diagnostics.into_iter().map(|each| each.message).collect()
}

#[test]
fn unusable_spec_is_reported_with_its_reason() {
    let size = "64.1 MiB, and the limit is 64 MiB";
    assert_eq!(
        with_file("{}", 64 * 1024 * 1024 + 1),
        [
            format!("the file is left out: it has {size}"),
            format!("API spec `/api.json` can't be used: the file is too large: it has {size}"),
            format!(
                "`api.json GET /a` can't be shown: the API spec `api.json` is too large: it has {size}"
            ),
        ]
    );
    for (contents, reason) in [
        ("{\"openapi\": \"3.1.0\", \"paths\": {]}", "can't be read: "),
        ("{\"info\": {}}", "isn't an API spec"),
        ("{\"swagger\": \"2.0\", \"paths\": {}}", "has an old version of Swagger"),
    ] {
        let messages = with_file(contents, 0).join("\n");
        let navigation = format!("API spec `/api.json` can't be used: the file {reason}");
        let page = format!("`api.json GET /a` can't be shown: the API spec `api.json` {reason}");
        assert!(messages.contains(&navigation) && messages.contains(&page), "{messages}");
        assert!(!messages.contains("not found"), "{messages}");
    }
}

#[test]
fn spec_of_twelve_mebibytes_is_read() {
    let text = format!(
        r#"{{"openapi": "3.1.0", "x-filler": "{}", "paths": {{"/a": {{"get": {{}}}}}}}}"#,
        "x".repeat(12 << 20)
    );
    assert_eq!(with_file(&text, 0), [""; 0]);
}

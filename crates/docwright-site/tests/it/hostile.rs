//! Hostile input: nothing panics, hangs, or leaves the docs root.

use std::{fs, path::Path};

use docwright_site::{build::BuildError, source::Source};

use crate::site::Site;

#[test]
fn links_and_paths_stay_in_root() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.mdx"), "secret").unwrap();
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("docs.json"), r#"{"name":"x","navigation":{"pages":["link"]}}"#)
        .unwrap();
    link(&outside.path().join("secret.mdx"), &root.path().join("link.mdx"));
    link(outside.path(), &root.path().join("folder"));
    link(root.path(), &root.path().join("circle"));
    let (source, diagnostics) = Source::read(root.path()).unwrap();
    assert_eq!(source.paths().collect::<Vec<_>>(), ["docs.json"]);
    assert!(
        diagnostics
            .iter()
            .any(|each| each.rule.code() == "link-outside-root" && each.path == "link.mdx")
    );
    assert!(
        diagnostics
            .iter()
            .any(|each| each.rule.code() == "link-outside-root" && each.path == "folder")
    );
}

fn link(target: &Path, link: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, link).unwrap();
}

#[test]
fn links_outside_the_root_are_broken() {
    let page = "![a](../../etc/passwd)\n\n[b](/../../x)\n\n<Snippet file=\"../../x.mdx\" />\n\nimport S from '../../s.mdx'\n\n<S />\n";
    let built = Site::page(page).file("../x.mdx", "no").file("/abs.mdx", "no").build();
    assert!(!built.files.keys().any(|path| path.contains("..") || path.starts_with('/')));
    assert!(built.codes().contains(&"missing-snippet") && built.codes().contains(&"missing-file"));
}

#[test]
fn cycles_are_reported() {
    let built = Site::new()
        .file("docs.json", r#"{"name":"x","navigation":{"$ref":"./a.json"}}"#)
        .file("a.json", r#"{"groups":[{"$ref":"./b.json"}]}"#)
        .file("b.json", r#"{"group":"g","pages":["index"],"x":{"$ref":"./a.json"}}"#)
        .file("index.mdx", "import A from '/snippets/a.mdx'\n\n<A />\n")
        .file("snippets/a.mdx", "import B from './b.mdx'\n\nA <B />\n")
        .file("snippets/b.mdx", "import A from './a.mdx'\n\nB <A />\n")
        .build();
    assert!(
        built.codes().contains(&"broken-ref") && built.codes().contains(&"snippet-cycle"),
        "{:?}",
        built.codes()
    );
}

#[test]
fn references_cannot_multiply() {
    let mut site = Site::new().file(
        "docs.json",
        r#"{"name":"x","navigation":{"pages":["index"]},"x":{"$ref":"r0.json"}}"#,
    );
    for level in 0..25 {
        let next = level + 1;
        site = site.file(
            &format!("r{level}.json"),
            format!(r#"{{"a":{{"$ref":"r{next}.json"}},"b":{{"$ref":"r{next}.json"}}}}"#),
        );
    }
    site.file("index.mdx", "x").build();
}

#[test]
fn yaml_aliases_cannot_multiply() {
    let mut yaml = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..12 {
        let item = format!("*a{},", level - 1).repeat(9);
        yaml.push_str(&format!("a{level}: &a{level} [{}]\n", item.trim_end_matches(',')));
    }
    let built = Site::page(format!("---\ntitle: T\n{yaml}---\ntext\n")).build();
    assert!(built.codes().contains(&"invalid-frontmatter"), "{:?}", built.codes());
    assert!(built.body("index.html").contains("text"));
}

#[test]
fn deep_and_long_text_builds() {
    let repeat = |text: &str, count: usize| text.repeat(count);
    for (name, text) in [
        ("attributes in attributes", repeat("<A b={", 40) + &repeat("}/>", 40)),
        ("parentheses", format!("{{{}1{}}}\n", repeat("(", 10_000), repeat(")", 10_000))),
        ("open braces", repeat("{", 20_000)),
        ("open braces on lines", repeat("{\n\n", 5_000)),
        ("tags", repeat("<div>\n", 10_000)),
        ("tags in a line", repeat("<b>", 10_000)),
        ("closed tags", repeat("<div>", 10_000) + &repeat("</div>", 10_000)),
        ("quotes", repeat("> ", 10_000) + "x"),
        (
            "lists",
            (0..2_000).map(|depth| " ".repeat(depth * 2) + "- x\n").collect::<Vec<_>>().concat(),
        ),
        ("an open export", format!("export const a = {{\n{}", repeat("  b: 1,\n\n", 8_000))),
        ("long inline elements", repeat("<b>x</b> ", 20_000)),
        ("emphasis", repeat("*a **b ", 5_000)),
        ("brackets", repeat("[", 20_000)),
        ("backticks", repeat("`", 20_001)),
        ("a long line", repeat("word ", 400_000)),
    ] {
        let built = Site::page(format!("start\n\n{text}\n")).build();
        assert!(built.files.contains_key("index.html"), "{name}");
    }
}

#[test]
fn oversized_page_is_left_out() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("docs.json"), r#"{"name":"x","navigation":{"pages":["index"]}}"#)
        .unwrap();
    fs::write(root.path().join("index.mdx"), "words and more\n\n".repeat(700_000)).unwrap();
    let (source, diagnostics) = Source::read(root.path()).unwrap();
    assert!(!source.contains("index.mdx"));
    assert_eq!(diagnostics[0].rule.code(), "file-too-large");
}

#[test]
fn invalid_utf_8_is_replaced_and_reported() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("docs.json"), r#"{"name":"x","navigation":{"pages":["index"]}}"#)
        .unwrap();
    fs::write(root.path().join("index.mdx"), b"one\ntwo \xff three").unwrap();
    let (source, diagnostics) = Source::read(root.path()).unwrap();
    assert_eq!((diagnostics[0].rule.code(), diagnostics[0].line), ("invalid-utf-8", 2));
    assert!(source.text("index.mdx").is_some_and(|text| text.contains("three")));
}

#[test]
fn unreadable_configuration_fails_build_with_reason() {
    for (config, reason) in [("{\n  \"name\": x}", "docs.json:2:"), ("[]", "one JSON object")] {
        let error = Site::page("x")
            .file("docs.json", config)
            .try_build()
            .err()
            .map(|error| error.to_string());
        assert!(error.as_deref().is_some_and(|error| error.contains(reason)), "{error:?}");
    }
    let none = Site::page("x").without("docs.json").try_build();
    assert!(matches!(none, Err(BuildError::Content(_))));
}

#[test]
fn inputs_from_fuzzing_build() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hostile");
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let built = Site::page(fs::read(&path).unwrap()).build();
        assert!(built.files.contains_key("index.html"), "{}", path.display());
    }
}

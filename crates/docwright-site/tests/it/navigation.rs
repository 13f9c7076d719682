//! What of the navigation a reader sees, and what of it is reported.

use crate::site::Site;

fn config(navigation: &str) -> String {
    format!(
        r##"{{"theme":"mint","name":"Test","colors":{{"primary":"#000"}},"navigation":{navigation}}}"##
    )
}

#[test]
fn every_division_leads_somewhere() {
    let navigation = r#"{"languages":[
        {"language":"en","default":true,"versions":[{"version":"v2","tabs":[
            {"tab":"Guides","groups":[{"group":"Start","pages":["index",{"group":"Inner","pages":["a/deep"]}]}]},
            {"tab":"More","href":"https://example.com"}]},
          {"version":"v1","pages":["v1/index"]}]},
        {"language":"fr","groups":[{"group":"Début","pages":["fr/index"]}]}],
        "global":{"anchors":[{"anchor":"Blog","href":"https://example.com/blog"}]}}"#;
    let built = Site::new()
        .file("docs.json", config(navigation))
        .file("index.mdx", "---\ntitle: Home\n---\n")
        .file("a/deep.mdx", "---\ntitle: Deep\n---\n")
        .file("v1/index.mdx", "---\ntitle: Old\n---\n")
        .file("fr/index.mdx", "---\ntitle: Accueil\n---\n")
        .file("fr/unlisted.mdx", "x")
        .build();
    assert_eq!(built.codes(), Vec::<&str>::new());
    let home = built.text("index.html");
    for part in [
        "Français",
        "href=\"fr.html\"",
        "v1.html",
        "Guides",
        "https://example.com/blog",
        "href=\"a/deep.html\"",
        "Inner",
    ] {
        assert!(home.contains(part), "{part} is missing");
    }
    assert!(built.text("a/deep.html").contains("href=\"../index.html\" rel=\"prev\""));
    assert!(built.text("fr.html").starts_with("<!DOCTYPE html><html lang=\"fr\""));
    assert!(built.text("fr/unlisted.html").starts_with("<!DOCTYPE html><html lang=\"fr\""));
}

#[test]
fn an_old_configuration_still_works() {
    let mint = r##"{"name":"Old","colors":{"primary":"#000000"},"tabs":[{"name":"API","url":"api"}],
        "anchors":[{"name":"Chat","url":"https://example.com"}],"topbarCtaButton":{"name":"Go","url":"https://example.com/go"},
        "navigation":[{"group":"Start","pages":["index"]},{"group":"Calls","pages":["api/one"]}]}"##;
    let built = Site::new()
        .without("docs.json")
        .file("mint.json", mint)
        .file("index.mdx", "x")
        .file("api/one.mdx", "y")
        .build();
    let home = built.text("index.html");
    assert!(
        home.contains(">API</a>")
            && home.contains("https://example.com/go")
            && home.contains("Chat")
    );
    assert!(!home.contains("Calls"), "the other tab's groups are not shown");
}

#[test]
fn mistakes_name_their_place() {
    let built = Site::new()
        .file("docs.json", config("{\n\"pages\":[\"index\",\n\"guids/start\"]}"))
        .file("index.mdx", "[a](/guides/strat)\n\n[b](#nowhere)\n\n## Somewhere\n")
        .file("guides/start.mdx", "x")
        .build();
    let found: Vec<_> = built
        .report
        .diagnostics
        .iter()
        .map(|each| (each.path.as_str(), each.line, each.rule.code()))
        .collect();
    assert_eq!(
        found,
        [
            ("docs.json", 3, "missing-page"),
            ("index.mdx", 1, "broken-link"),
            ("index.mdx", 3, "broken-anchor")
        ]
    );
    assert!(
        built.report.diagnostics[0]
            .help
            .as_deref()
            .is_some_and(|help| help.contains("guides/start"))
    );
    let body = built.body("index.html");
    assert!(
        body.contains("broken-link") && !body.contains("strat") && !body.contains("#nowhere"),
        "{body}"
    );
}

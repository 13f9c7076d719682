//! Rendered navigation, and its diagnostics.

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
fn root_page_of_group_has_language_of_its_division() {
    let navigation = r#"{"languages":[
        {"language":"en","groups":[{"group":"Guides","root":"guides/home","pages":["guides/a","shared"]}]},
        {"language":"zh","groups":[
            {"group":"指南","root":"chinese/home","pages":["chinese/a","shared"]},
            {"group":"更多","root":"guides/home","pages":["chinese/b"]}]}]}"#;
    let pages = ["guides/home", "guides/a", "chinese/home", "chinese/a", "chinese/b", "shared"];
    let site = Site::new().file("docs.json", config(navigation)).file("index.mdx", "x");
    let site = pages.iter().fold(site, |site, slug| {
        site.file(
            &format!("{slug}.mdx"),
            format!("---\ntitle: T {slug}\n---\n\nWords of {slug}.\n"),
        )
    });
    let built = site.build();
    assert_eq!(built.codes(), [""; 0]);
    for (slug, language) in [
        ("guides/home", "en"),
        ("chinese/home", "zh-Hans"),
        ("chinese/a", "zh-Hans"),
        ("shared", "en"),
    ] {
        let html = built.text(&format!("{slug}.html"));
        let start = format!("<!DOCTYPE html><html lang=\"{language}\"");
        assert!(html.starts_with(&start), "{slug}: {}", &html[..80]);
        let sidebar = if language == "en" { "Guides" } else { "指南" };
        assert!(html.contains(sidebar), "{slug} has another navigation");
    }
    let index = |language: &str| {
        let folder = format!("_docwright/search/{language}");
        let files = built.files.iter().filter(|(path, _)| path.starts_with(&folder));
        files.map(|(_, file)| String::from_utf8_lossy(file)).collect::<String>()
    };
    assert!(index("zh-Hans").contains("Words of chinese/home"));
    assert!(!index("en").contains("Words of chinese/home"));
}

#[test]
fn pages_outside_languages_belong_to_the_first() {
    let navigation = r#"{"languages":[
        {"language":"en","pages":["en/start"]},
        {"language":"fr","default":true,"pages":["fr/start"]}]}"#;
    let built = Site::new()
        .file("docs.json", config(navigation))
        .file("index.mdx", "x")
        .file("en/start.mdx", "x")
        .file("en/more.mdx", "x")
        .file("fr/start.mdx", "x")
        .build();
    for (page, language) in [("index", "fr"), ("en/more", "en"), ("en/start", "en"), ("404", "fr")]
    {
        let html = built.text(&format!("{page}.html"));
        assert!(html.contains(&format!("<html lang=\"{language}\"")), "{page}");
    }
    let missing = built.text("404.html");
    assert!(missing.contains(">Page introuvable</h1>"), "{missing}");
    let english = "{\"en\":{\"language\":\"en\",\"title\":\"Page not found\",\"description\":\"There is no page at this address. It might have moved.\"}}";
    assert!(missing.contains(&english.replace('"', "&quot;")), "{missing}");
}

#[test]
fn page_for_404_shows_text_of_author() {
    let config = config(r#"{"languages":[{"language":"en","pages":["index"]},{"language":"fr","pages":["fr/start"]}]}"#)
        .replacen('{', r#"{"errors":{"404":{"redirect":true,"title":"Oh","description":"See **[the start](/index)**."}},"#, 1);
    let built = Site::new()
        .file("docs.json", config)
        .file("index.mdx", "x")
        .file("fr/start.mdx", "x")
        .build();
    let missing = built.text("404.html");
    assert!(
        missing.contains("<strong><a href=\"/index.html\">the start</a></strong>"),
        "{missing}"
    );
    assert!(missing.contains("data-redirect"), "{missing}");
    assert!(
        missing.contains("{&quot;fr&quot;:{&quot;language&quot;:&quot;fr&quot;}}"),
        "{missing}"
    );
}

const PETS: &str = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"servers":[{"url":"https://api.example"}],"paths":{
    "/pets":{"get":{"tags":["Pets"],"summary":"List pets","responses":{}},"post":{"tags":["Pets"],"summary":"Add a pet","responses":{}}},
    "/health":{"get":{"tags":["State"],"summary":"Health","responses":{}}}}}"#;

#[test]
fn operations_join_group_with_folder() {
    let site = |pages: &str, openapi: &str| {
        let navigation =
            format!(r#"{{"groups":[{{"group":"API","pages":[{pages}],"openapi":{openapi}}}]}}"#);
        Site::new()
            .file("docs.json", config(&navigation))
            .file("index.mdx", "x")
            .file("api/pets/add-a-pet.mdx", "---\nopenapi: POST /pets\n---\n\nOwn words.\n")
            .file("spec.json", PETS)
            .build()
    };
    let folder = r#"{"source":"spec.json","directory":"api"}"#;
    let home = |built: crate::site::Built| {
        let (_, sidebar) =
            built.text("index.html").split_once("dw-sidebar-nav").expect("the page has a sidebar");
        sidebar.split_once("</nav>").expect("the sidebar ends").0.to_owned()
    };
    let html = home(site(r#""index""#, folder));
    for link in ["api/pets/list-pets.html", "api/pets/add-a-pet.html", "api/state/health.html"] {
        assert_eq!(html.matches(&format!("<a href=\"{link}\"")).count(), 1, "{link}: {html}");
    }
    // A navigation that lists an operation's page itself isn't extended.
    let html = home(site(r#""index","api/pets/add-a-pet""#, folder));
    assert!(!html.contains("list-pets"), "{html}");
    let html = home(site(r#""index","GET /health""#, folder));
    assert!(!html.contains("list-pets"), "{html}");
    // Without a folder, the spec only supplies the pages.
    let html = home(site(r#""index""#, r#""spec.json""#));
    assert!(!html.contains("list-pets"), "{html}");
}

#[test]
fn old_configuration_still_works() {
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
fn errors_name_their_position() {
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

#[test]
fn name_of_inner_group_opens_its_first_page_if_wanted() {
    let site = |interaction: &str| {
        let config = format!(
            r##"{{"theme":"mint","name":"Test","colors":{{"primary":"#000"}},{interaction}"navigation":{{"groups":[
                {{"group":"Outer","pages":["index",{{"group":"Inner","pages":["first","second"]}}]}}]}}}}"##
        );
        let site = Site::new().file("docs.json", config);
        ["index", "first", "second"]
            .iter()
            .fold(site, |site, slug| {
                site.file(&format!("{slug}.mdx"), format!("---\ntitle: {slug}\n---\n"))
            })
            .build()
    };
    let link = "<a href=\"first.html\"><span class=\"sidebar-title\">Inner</span>";
    let plain = site("");
    assert!(!plain.text("index.html").contains(link));
    assert!(!site(r#""interaction":{"drilldown":false},"#).text("index.html").contains(link));
    let wanted = site(r#""interaction":{"drilldown":true},"#);
    assert!(wanted.text("index.html").contains(link));
    // The entry of the page is the current one, not the name of its group.
    assert_eq!(wanted.text("first.html").matches("aria-current=\"page\"").count(), 1);
}

#[test]
fn anchor_has_color_only_if_it_is_one() {
    let shown = |color: &str| {
        let anchors = format!(
            r#"{{"anchors":[{{"anchor":"One","icon":"book","color":{color},"pages":["index"]}},{{"anchor":"Two","href":"https://example.com"}}]}}"#
        );
        let built = Site::page("Text.").file("docs.json", config(&anchors)).build();
        built.text("index.html").contains("style=\"--anchor:#0f766e;--anchor-dark:#5eead4\"")
    };
    assert!(shown(r##"{"light":"#0f766e","dark":"#5eead4"}"##));
    assert!(!shown(r##"{"light":"#0f766e;}body{","dark":"#5eead4"}"##));
    assert!(!shown("null"));
}

//! Whole sites: their files, and identical results of repeated builds.

use std::path::Path;

use docwright_site::{
    Options,
    build::{Report, build},
    output::Memory,
    source::Source,
};
use docwright_types::git_host::{GitHostKind, RepositoryFolder};

use crate::site::Site;

#[test]
fn manual_has_no_diagnostics() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let (source, mut diagnostics) = Source::read(&docs).expect("the manual can be read");
    let report = build(&source, &Options::default(), &Memory::default(), &|_| {})
        .expect("the manual can be built");
    diagnostics.extend(report.diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
}

#[test]
fn equal_files_build_equal_bytes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let (source, _) = Source::read(&docs).expect("the manual can be read");
    let once = || {
        let output = Memory::default();
        build(&source, &Options::default(), &output, &|_| {}).expect("the manual can be built");
        output.into_files()
    };
    assert!(once() == once());
}

#[test]
fn generated_files_are_built() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":["index","a/b"]},
        "redirects":[{"source":"/old","destination":"/a/b"},{"source":"/x/:y","destination":"/a/:y"}]}"##;
    let built = Site::new()
        .file("docs.json", config)
        .file("index.mdx", "---\ntitle: Home\ndescription: Begin\n---\nimport X from '/snippets/x.mdx'\n\n<X word=\"seen\" />\n")
        .file("snippets/x.mdx", "It is {word}.\n\n```text\n{word}\n```\n")
        .file("a/b.mdx", "# B")
        .file("robots.txt", "own")
        .build();
    for path in [
        "404.html",
        "sitemap.xml",
        "llms.txt",
        "llms-full.txt",
        "index.md",
        "a/b.md",
        "old.html",
        "_docwright/theme.css",
        "_docwright/search.js",
    ] {
        assert!(built.files.contains_key(path), "{path}");
    }
    assert_eq!(built.text("robots.txt"), "own");
    assert!(built.text("old.html").contains("url=a/b.html"));
    let markdown = "# Home\n\n> Begin\n\nIt is seen.\n\n```text\nseen\n```\n";
    assert!(built.text("index.md").ends_with(markdown), "{}", built.text("index.md"));
    assert!(built.body("index.html").contains("It is seen."));
    assert!(built.text("llms.txt").contains("- [Home](index.md): Begin"));
    assert!(!built.files.contains_key("snippets/x.html"));
}

#[test]
fn markdown_becomes_html() {
    let text = "## What's new (beta)\n\n## What's new (beta)\n\n## Fees & billing {#fees}\n\n| a | b |\n| - | -: |\n| 1 | ~~2~~ |\n\n- [x] done\n\nCosts $5 or $6, not $x^2$.[^1]\n\n[^1]: Note\n\n<div style={{ fontSize: 12 }} className=\"x\">y</div>\n";
    let body = Site::page(text).build().body("index.html").to_owned();
    for part in [
        "id=\"what’s-new-beta\"",
        "id=\"what’s-new-beta-2\"",
        "id=\"fees\"",
        "class=\"dw-align-right\"",
        "<del>2</del>",
        "checked",
        "Costs $5 or $6, not <math",
        "class=\"dw-footnotes\"",
        "class=\"x\" style=\"font-size:12px\"",
    ] {
        assert!(body.contains(part), "{part} is missing in {body}");
    }
}

#[test]
fn redirects_that_loop_or_have_the_path_of_a_page_are_reported() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"navigation":{"pages":["index","a"]},"redirects":[
        {"source":"/a","destination":"https://example.org"},{"source":"/a/","destination":"/a"},
        {"source":"/a?b=1","destination":"/index"},{"source":"/","destination":"/a"},{"source":"/old","destination":"/a"},
        {"source":"/:any","destination":"/a"},{"source":"/x","destination":"/y"},{"source":"/y","destination":"/x"}]}"##;
    let built = Site::page("Text.").file("a.mdx", "Text.").file("docs.json", config).build();
    let found: Vec<_> = built
        .report
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.rule.code(), &*diagnostic.message))
        .collect();
    let expected = [
        ("unused-redirect", "the redirect from /a is never used: a page has that path"),
        ("unused-redirect", "the redirect from /a?b=1 is never used: a page has that path"),
        ("redirect-loop", "the redirect from /x runs in a circle"),
        ("redirect-loop", "the redirect from /y runs in a circle"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn redirects_drop_missing_anchors() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":["index"]},
        "redirects":[{"source":"/a","destination":"/index#here"},{"source":"/b","destination":"/index#gone"}]}"##;
    let built = Site::page("## Here\n").file("docs.json", config).build();
    assert!(built.text("a.html").contains("index.html#here"));
    assert!(built.text("b.html").contains("index.html") && !built.text("b.html").contains("#gone"));
}

#[test]
fn feed_is_linked_only_if_it_exists() {
    // A canonical address of a single page isn't enough for a feed: entries need the site's address.
    let page = "---\nrss: true\ncanonical: https://example.com/x\n---\n<Update label=\"One\">Text</Update>\n";
    let built = Site::page(page).build();
    assert!(!built.files.contains_key("index/rss.xml"));
    assert!(!built.text("index.html").contains("rss.xml"));
}

#[test]
fn feed_of_the_author_stays() {
    let page = "---\nrss: true\n---\n<Update label=\"One\">Text</Update>\n";
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"navigation":{"pages":["index"]},
        "seo":{"metatags":{"canonical":"https://docs.example.com"}}}"##;
    let site = || Site::page(page).file("docs.json", config);
    let built = site().build();
    assert!(
        built.text("index/rss.xml").contains("<link>https://docs.example.com/index#one</link>")
    );
    let built = site().file("index/rss.xml", "<rss>Mine</rss>").build();
    assert_eq!(built.text("index/rss.xml"), "<rss>Mine</rss>");
}

#[test]
fn vector_images_reserve_space() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"logo":{"light":"/a.svg","dark":"/b.svg"},"navigation":{"pages":["index"]}}"##;
    let built = Site::page("![A](/a.svg)\n\n<img src=\"/b.svg\" alt=\"B\" />\n")
        .file("docs.json", config)
        .file("a.svg", r#"<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"/>"#)
        .file("b.svg", r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 40"/>"#)
        .build();
    let html = built.text("index.html");
    assert!(html.contains(r#"src="a.svg" alt="A" data-zoom width="200" height="40""#), "{html}");
    assert!(html.contains(r#"<img src="b.svg" alt="B" loading="lazy" data-zoom>"#), "{html}");
    let logo =
        r#"<img class="dw-for-light" src="a.svg" alt="S" width="120" height="24" loading="lazy">"#;
    assert!(html.contains(logo), "{html}");
    let logo = r#"<img class="dw-for-dark" src="b.svg" alt="S" height="24" loading="lazy">"#;
    assert!(html.contains(logo), "{html}");
}

#[test]
fn descriptions_are_one_line_of_markdown() {
    let built = Site::page("---\ntitle: T\ndescription: \"The `x<y>` of [it](/index), **now**, [not](./there)\"\n---\n").build();
    let html = built.text("index.html");
    let shown =
        "<code>x&lt;y&gt;</code> of <a href=\"index.html\">it</a>, <strong>now</strong>, not</p>";
    assert!(html.contains(shown), "{html}");
    assert!(
        html.contains("name=\"description\" content=\"The x&lt;y&gt; of it, now, not\""),
        "{html}"
    );
}

#[test]
fn frames_have_a_title() {
    let built = Site::page("<iframe src=\"https://www.example.com/embed/1?a=b\" />\n\n<iframe src=\"https://example.com\" title=\"Own\" />\n").build();
    let body = built.body("index.html");
    assert!(body.contains("title=\"www.example.com\"") && body.contains("title=\"Own\""), "{body}");
    assert_eq!(body.matches(" title=").count(), 2, "{body}");
}

#[test]
fn ids_and_classes_are_written_once() {
    let built = Site::page("<div id=\"setup\">\n\n## Setup\n\n</div>\n\n<a href=\"/no-such-page\" className=\"wide\">Go</a>\n").build();
    let body = built.body("index.html");
    assert_eq!(body.matches("id=\"setup\"").count(), 1, "{body}");
    assert!(body.contains("id=\"setup-2\""), "{body}");
    assert!(body.contains("<a class=\"dw-broken-link wide\">Go</a>"), "{body}");
}

#[test]
fn images_reserve_space_before_loading() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x28\0\0\0\x14\x08\x06\0\0\0";
    let text = "<img src=\"/a.png\" />\n<img src=\"/a.png\" width=\"20px\" />\n<img src=\"/a.png\" width=\"50%\" style={{ color: 'red' }} />\n<img src=\"/a.png\" className=\"dark:h-4\" />\n<img src=\"/a.png\" style={{ maxHeight: 5 }} />\n";
    let built = Site::page(text).file("a.png", png).build();
    let body = built.body("index.html");
    for part in [
        "width=\"40\" height=\"20\"",
        "width=\"20\" height=\"10\"",
        "style=\"width:50%;color:red\" width=\"40\" height=\"20\"",
        "class=\"dark:h-4\" alt",
        "style=\"max-height:5px\" alt",
    ] {
        assert!(body.contains(part), "{part} is missing in {body}");
    }
}

#[test]
fn links_to_anchors_are_repaired_if_target_is_certain() {
    let text = "## _meta\n\n## a_b\n\n## ab\n\n[one](#meta) [two](#a-b) [three](#nothing)\n";
    let built = Site::page(text).build();
    let body = built.body("index.html");
    assert!(body.contains("href=\"#_meta\""), "{body}");
    assert!(!body.contains("href=\"#a-b\"") && !body.contains("href=\"#nothing\""), "{body}");
}

#[test]
fn agents_find_skills() {
    let config = r##"{"theme":"mint","name":"Blue Sky","colors":{"primary":"#000"},"navigation":{"groups":[{"group":"Start","pages":["index"]}]}}"##;
    let made = Site::page("---\ntitle: Home\n---\n\nThe *first* words\nof it.\n\nMore.\n")
        .file("docs.json", config)
        .build();
    let skill = made.text(".well-known/agent-skills/blue-sky/SKILL.md");
    assert_eq!(made.text("skill.md"), skill);
    assert!(skill.starts_with("---\nname: blue-sky\ndescription: \"Use when"), "{skill}");
    assert!(skill.contains("## Start\n\n- [Home](index.md)\n"), "{skill}");
    assert!(made.text("llms.txt").contains("[Home](index.md): The *first* words of it.\n"));
    assert!(made.text(".well-known/llms.txt").contains("[Home](../index.md): The *first* words"));

    let written = Site::page("# Home")
        .file(".mintlify/skills/one/SKILL.md", "---\nname: one\ndescription: First\n---\nDo.")
        .file(".mintlify/skills/one/more.md", "More")
        .file(".mintlify/skills/two/skill.md", "Do two.")
        .build();
    let index = written.text(".well-known/agent-skills/index.json");
    let index: serde_json::Value = serde_json::from_str(index).expect("the index is JSON");
    assert_eq!(index["skills"][0]["url"], "one/SKILL.md");
    assert_eq!(index["skills"][1]["name"], "two");
    assert_eq!(written.text(".well-known/skills/one/more.md"), "More");
    assert!(
        written.text("skill.md").contains("- [one](.well-known/agent-skills/one/SKILL.md): First")
    );
    assert!(!written.files.keys().any(|path| path.contains("mintlify")));
}

#[test]
fn sitemap_lists_all_languages_and_llms_the_default() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"seo":{"metatags":{"canonical":"https://e.org"}},
        "navigation":{"languages":[{"language":"en","pages":["en/a"]},{"language":"fr","pages":["fr/a"]}]}}"##;
    let built =
        Site::new().file("docs.json", config).file("en/a.mdx", "A").file("fr/a.mdx", "B").build();
    let sitemap = built.text("sitemap.xml");
    let link = "<xhtml:link rel=\"alternate\" hreflang=\"fr\" href=\"https://e.org/fr/a\"/>";
    assert_eq!(sitemap.matches(link).count(), 2, "{sitemap}");
    assert!(
        built.text("llms.txt").contains("/en/a.md") && !built.text("llms.txt").contains("/fr/a.md")
    );
}

#[test]
fn site_names_languages_of_its_home_page() {
    let languages = |navigation: &str| {
        let config = format!(
            r##"{{"theme":"mint","name":"S","colors":{{"primary":"#000"}},"navigation":{navigation}}}"##
        );
        let site =
            Site::new().file("docs.json", &config).file("index.mdx", "A").file("ja/b.mdx", "B");
        let built = site.file("zh/index.mdx", "C").build();
        built.report.languages.into_iter().map(|found| (found.code, found.path)).collect::<Vec<_>>()
    };
    let named = languages(
        r#"{"languages":[{"language":"jp","pages":["ja/b"]},{"language":"en","default":true,"pages":["index"]},
            {"language":"cn","pages":["zh/index"]},{"language":"fr","hidden":true,"pages":["ja/b"]}]}"#,
    );
    let expected = [("en", "/"), ("ja", "/ja/b"), ("zh-Hans", "/zh")];
    assert_eq!(named, expected.map(|(code, path)| (code.to_owned(), path.to_owned())));
    assert_eq!(languages(r#"{"pages":["index","ja/b"]}"#), []);
}

#[test]
fn pages_link_to_related_pages() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"feedback":{"suggestEdit":true,"raiseIssue":true},
        "navigation":{"pages":["index","a/b"]}}"##;
    let page = "---\nrelated: [a/b, {Elsewhere: 'https://e.org/x'}, /gone]\n---\n";
    let site =
        Site::page(page).file("docs.json", config).file("a/b.mdx", "---\ntitle: The B\n---\n");
    let built = site.build();
    let html = built.text("index.html");
    assert!(html.contains("<a href=\"a/b.html\">The B</a>"), "{html}");
    assert!(html.contains("<a href=\"https://e.org/x\">Elsewhere</a>"), "{html}");
    assert!(!html.contains("Suggest an edit"), "the repository is unknown");
    assert_eq!(built.codes(), ["broken-link"]);
}

#[test]
fn integrations_are_loaded_where_they_are_on() {
    use docwright_types::deployment::{Features, Switch, Switched};
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":["index"]},
        "integrations":{"ga4":{"measurementId":"G-1"},"segment":{"key":"abc"},"heap":{"appId":"1');alert('"},
        "cookies":{"key":"agreed","value":"yes"}}}"##;
    let files = [("docs.json", config), ("index.mdx", "Hello")];
    let source = || {
        Source::from_files(files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())))
    };
    for mode in [Switch::Off, Switch::On] {
        let features = Features { integrations: Switched { mode }, ..Features::default() };
        let output = Memory::default();
        let options = Options { features, ..Options::default() };
        build(&source(), &options, &output, &|_| {}).expect("the site can be built");
        let html = String::from_utf8(output.into_files()["index.html"].clone()).expect("text");
        for part in ["gtag/js?id=G-1", "v1/abc/analytics.min.js", "getItem('agreed')!=='yes'"] {
            assert_eq!(html.contains(part), mode.is_on(), "{part}");
        }
        assert!(!html.contains("alert("), "a key is never code");
    }
}

#[test]
fn settings_of_one_color_mode_do_not_affect_the_other() {
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#6b7280"},"background":{"color":{"dark":"#1a1a1a"}},"navigation":{"pages":["index"]}}"##;
    let built = Site::page("##\n\n## Text\n").file("docs.json", config).build();
    let css = built.text("_docwright/theme.css");
    assert!(css.contains(":root.dark{--accent:") && css.contains("--background:#1a1a1a"));
    let light = css.rsplit(":root{--accent:").next().and_then(|rest| rest.split('}').next());
    assert!(light.is_some_and(|tokens| !tokens.contains("--background")), "{light:?}");
    let html = built.text("index.html");
    assert!(html.contains("id=\"background-color\""));
    assert_eq!(html.matches("\"toc-item ").count(), 1, "a heading without text is left out");
}

#[test]
fn meta_tags_of_old_configuration_stay() {
    let config = r##"{"name":"S","colors":{"primary":"#000"},"metadata":{"og:image":"https://e.org/a.png","timestamp":true},"navigation":[{"group":"G","pages":["index"]}]}"##;
    let site = Site::page("---\nlastUpdatedDate: 2026-01-02\n---\n").without("docs.json");
    let built = site.file("mint.json", config).build();
    let html = built.text("index.html");
    assert!(
        html.contains("<meta property=\"og:image\" content=\"https://e.org/a.png\">"),
        "{html}"
    );
    assert!(html.contains("datetime=\"2026-01-02\""), "{html}");
    assert_eq!(built.codes(), Vec::<&str>::new());
}

#[test]
fn heading_keeps_its_id_over_landmarks() {
    let built = Site::page("## Pagination\n\n## Header\n\n## Table of contents\n").build();
    let html = built.text("index.html");
    for id in ["pagination", "header", "table-of-contents"] {
        assert_eq!(html.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        assert!(html.contains(&format!("<h2 id=\"{id}\">")), "{id}");
    }
    let other = Site::page("## Other\n").build();
    assert!(other.text("index.html").contains("<header class=\"dw-page-header\" id=\"header\">"));
}

#[test]
fn links_lead_only_to_files_of_the_site() {
    let built = Site::page("[tool](/tool.py) [skill](/skill.md) [map](/map.svg)\n")
        .file("tool.py", "print()")
        .file("map.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
        .build();
    assert_eq!(built.codes(), ["broken-link"]);
    assert!(!built.files.contains_key("tool.py"));
    let body = built.body("index.html");
    assert!(body.contains("href=\"skill.md\"") && body.contains("href=\"map.svg\""), "{body}");
}

#[test]
fn every_source_of_an_image_is_found() {
    let text = "<picture>\n  <source srcSet=\"/a.svg 1x, ./b.svg 2x, /gone.svg 3x\" />\n  <img src=\"/a.svg\" />\n</picture>\n";
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    let site = Site::new().file("docs.json", r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":["x/page"]}}"##);
    let built = site.file("x/page.mdx", text).file("a.svg", svg).file("x/b.svg", svg).build();
    let body = built.body("x/page.html");
    assert!(body.contains("srcset=\"../a.svg 1x, b.svg 2x\""), "{body}");
    assert_eq!(built.codes(), ["missing-file"]);
}

#[test]
fn style_sheets_work_below_any_path() {
    let built = Site::new()
        .file("docs.json", r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":["x/page"]}}"##)
        .file("x/page.mdx", "<div style={{ backgroundImage: \"url('/i.svg')\" }}>y</div>\n")
        .file("styles/a.css", "body{background:url(/i.svg)}")
        .file("i.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
        .build();
    assert_eq!(built.text("styles/a.css"), "body{background:url(\"../i.svg\")}");
    let body = built.body("x/page.html");
    assert!(body.contains("style=\"background-image:url(&quot;../i.svg&quot;)\""), "{body}");
}

#[test]
fn options_and_reports_can_be_handed_to_another_process() {
    let options = Options {
        site_url: Some("https://docs.example.com/a".parse().unwrap()),
        paths: Some(vec!["index".to_owned()]),
        repository: Some(RepositoryFolder {
            kind: Some(GitHostKind::GitHub),
            address: "https://github.com/a/b".parse().unwrap(),
            branch: "main".to_owned(),
            folder: String::new(),
        }),
        last_modified: [("index.mdx".to_owned(), "2026-01-02".to_owned())].into(),
        ..Options::default()
    };
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"redirects":[{"source":"/a","destination":"/"}],"navigation":{"pages":["index"]}}"##;
    let report = Site::page("[a](gone)").file("docs.json", config).build().report;
    assert_eq!((report.redirects.len(), report.diagnostics.len()), (1, 1));
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn dollar_is_text_without_math() {
    let site = |styling: &str| {
        let config = format!(
            r##"{{"theme":"mint","name":"T","colors":{{"primary":"#000"}},{styling}"navigation":{{"pages":["index"]}}}}"##
        );
        let built = Site::page("Inline $x^2$.\n\n$$\ny^2\n$$\n").file("docs.json", config).build();
        built.body("index.html").to_owned()
    };
    assert_eq!(site("").matches("<math").count(), 2);
    assert_eq!(site(r#""styling":{"latex":true},"#), site(""));
    let text = site(r#""styling":{"latex":false},"#);
    assert_eq!(text, "<p>Inline $x^2$.</p><p>$$y^2$$</p>");
}

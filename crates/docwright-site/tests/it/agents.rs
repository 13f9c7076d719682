//! Markdown versions of pages, and links to the list of all pages.

use docwright_site::{
    Options,
    bundle::{About, Bundle, BundleWriter},
    comparison::changed_pages,
    output::Output,
};

use crate::site::{Built, Site};

const CONFIG: &str = r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},
    "redirects":[{"source":"/old","destination":"/guides/start"}],
    "navigation":{"groups":[{"group":"All","pages":["index","guides/start","guides/deep/end"]}]}}"##;

fn site() -> Site {
    Site::new()
        .file("docs.json", CONFIG)
        .file("index.mdx", "---\ntitle: Home\n---\nHere.\n")
        .file("guides/start.mdx", "---\ntitle: Start\n---\nRead this.\n")
        .file("guides/deep/end.mdx", "---\ntitle: End\n---\nDone.\n")
        .file("i/p q.png", "x")
}

fn at(address: &str) -> Options {
    Options { site_url: Some(address.parse().unwrap()), ..Options::default() }
}

/// The Markdown version of a page with this body, without its first lines.
fn markdown(body: &str, address: Option<&str>) -> String {
    let site = site().file("guides/start.mdx", format!("---\ntitle: Start\n---\n{body}"));
    let built = match address {
        Some(address) => site.build_with(&at(address)),
        None => site.build(),
    };
    let text = built.text("guides/start.md");
    text.split_once("# Start\n\n").expect("the title comes first").1.trim_end().to_owned()
}

#[test]
fn links_in_markdown_lead_to_markdown_from_any_page() {
    for (written, whole) in [
        ("[a](/guides/deep/end)", "[a](https://e.org/docs/guides/deep/end.md)"),
        ("[a](deep/end#x)", "[a](https://e.org/docs/guides/deep/end.md#x)"),
        (
            "[a](./deep/end.mdx?b=1 \"The \\\"end\\\"\")",
            "[a](https://e.org/docs/guides/deep/end.md?b=1 \"The \\\"end\\\"\")",
        ),
        ("[**a** `b`](</guides/deep/end>)", "[**a** `b`](https://e.org/docs/guides/deep/end.md)"),
        (
            "[a][there]\n\n[there]: /guides/deep/end",
            "[a](https://e.org/docs/guides/deep/end.md)\n\n[there]: /guides/deep/end",
        ),
        ("[a](/old)", "[a](https://e.org/docs/guides/start.md)"),
        ("[a](/)", "[a](https://e.org/docs/index.md)"),
        ("![a](/i/p%20q.png)", "![a](https://e.org/docs/i/p%20q.png)"),
        (
            "[![a](/i/p%20q.png)](/)",
            "[![a](https://e.org/docs/i/p%20q.png)](https://e.org/docs/index.md)",
        ),
        (
            "<Card title=\"A\" href=\"/guides/deep/end\">b</Card>",
            "**[A](https://e.org/docs/guides/deep/end.md)**\n\nb",
        ),
        ("| a |\n| --- |\n| [b](/) |", "| a |\n| --- |\n| [b](https://e.org/docs/index.md) |"),
        // Broken links become text, as in HTML.
        ("See [a *b*](/gone).", "See a *b*."),
        // Absolute links and text that isn't a link stay.
        (
            "[a](https://other.example/x) [b](#here) [c](mailto:a@b.c)",
            "[a](https://other.example/x) [b](#here) [c](mailto:a@b.c)",
        ),
        ("`[a](/guides/deep/end)`", "`[a](/guides/deep/end)`"),
        ("```md\n[a](/guides/deep/end)\n```", "```md\n[a](/guides/deep/end)\n```"),
        ("[a](//other.example/x)", "[a](https://other.example/x)"),
    ] {
        assert_eq!(markdown(written, Some("https://e.org/docs")), whole, "{written}");
        let relative = whole.replace("https://e.org/docs", "..");
        assert_eq!(markdown(written, None), relative, "without an address");
    }
}

#[test]
fn relative_links_in_markdown_lead_to_files_of_the_site() {
    let body = "[a](/guides/deep/end) ![b](/i/p%20q.png) [c](/)\n";
    let page = |title: &str| format!("---\ntitle: {title}\n---\n{body}");
    let site = site().file("index.mdx", page("Home")).file("guides/start.mdx", page("Start"));
    let built = site.file("guides/deep/end.mdx", page("End")).build();
    for file in ["index.md", "guides/start.md", "guides/deep/end.md", "llms-full.txt"] {
        let base = url::Url::parse("file:///site/").unwrap().join(file).unwrap();
        let targets: Vec<_> = built
            .text(file)
            .split("](")
            .skip(1)
            .map(|rest| base.join(rest.split_once(')').unwrap().0).unwrap())
            .collect();
        assert!(targets.len() >= 3, "{file}: {targets:?}");
        for target in targets {
            let path = target.path().strip_prefix("/site/").unwrap().replace("%20", " ");
            assert!(built.files.contains_key(&path), "{file} leads to {path}");
        }
    }
}

#[test]
fn links_for_agents_are_absolute() {
    let body = "<Visibility for=\"agents\">\nSee [a](/guides/deep/end).\n</Visibility>\n\n\
        <Visibility for=\"humans\">\nSee [b](/).\n</Visibility>\n";
    let markdown = markdown(body, Some("https://e.org"));
    assert_eq!(markdown, "See [a](https://e.org/guides/deep/end.md).");
}

#[test]
fn texts_of_authors_contain_no_link_marks() {
    let page = "import S from '/snippets/s.mdx'\n\na\0b {\"c\\0d\"} `h\0`\n\n<S to={\"i\\0\"} />\n";
    let snippet = "j\0k {\"l\\0m\"} {props.to} `{to}` [n](/guides/start \"o\0\")";
    let site = site().file("snippets/s.mdx", snippet).file("index.mdx", page);
    let markdown = site.build_with(&at("https://e.org")).text("index.md").to_owned();
    assert!(!markdown.contains('\0'), "{markdown:?}");
    // The link in the first line, and the snippet's link.
    assert_eq!(markdown.matches("https://e.org").count(), 2, "{markdown:?}");
}

#[test]
fn descriptions_from_texts_have_no_links() {
    let page = "---\ntitle: Home\n---\nSee [the *start*](/guides/start) and ![a sign](/i/p%20q.png), f](x.\n";
    let llms = site().file("index.mdx", page).build().text("llms.txt").to_owned();
    assert!(llms.contains("[Home](index.md): See the *start* and a sign, f](x.\n"), "{llms}");
}

#[test]
fn links_of_snippets_are_absolute() {
    let body = "import S from '/snippets/s.mdx'\n\n<S to=\"end\" />\n";
    let site = site().file("snippets/s.mdx", "[a](/guides/deep/{to})").file("index.mdx", body);
    let built = site.build_with(&at("https://e.org"));
    assert!(built.text("index.md").contains("[a](https://e.org/guides/deep/end.md)"));
}

#[test]
fn each_markdown_version_names_the_list_of_all_pages() {
    let line = |built: &Built, path: &str| built.text(path).lines().next().unwrap().to_owned();
    let built = site().build_with(&at("https://e.org/docs"));
    for path in ["index.md", "guides/deep/end.md"] {
        assert_eq!(
            line(&built, path),
            "> For AI agents: [llms.txt](https://e.org/docs/llms.txt) lists all pages of this documentation."
        );
    }
    let built = site().build();
    assert!(line(&built, "index.md").contains("[llms.txt](./llms.txt)"));
    assert!(line(&built, "guides/deep/end.md").contains("[llms.txt](../../llms.txt)"));
}

#[test]
fn each_page_starts_with_a_line_for_agents_and_its_text() {
    let built = site().build();
    for (path, index, markdown) in [
        ("index.html", "./llms.txt", "./index.md"),
        ("guides/deep/end.html", "../../llms.txt", "./end.md"),
    ] {
        let html = built.text(path);
        let (_, body) = html.split_once("<body").unwrap();
        let place =
            |part: &str| body.find(part).unwrap_or_else(|| panic!("{part} is missing in {body}"));
        let order = [
            place("href=\"#content-area\""),
            place(&format!("<a href=\"{index}\" tabindex=\"-1\">llms.txt</a>")),
            place(&format!("<a href=\"{markdown}\" tabindex=\"-1\">")),
            place("<header"),
            place("<main"),
            place("class=\"dw-sidebar\""),
            place("<footer"),
        ];
        assert!(order.is_sorted(), "{order:?}");
    }
    let missing = built.text("404.html");
    assert!(missing.contains("<a href=\"/llms.txt\" tabindex=\"-1\">llms.txt</a>"), "{missing}");
    assert!(missing.find("<main") < missing.find("class=\"dw-sidebar\""));
}

#[test]
fn heading_marks_are_not_text() {
    let built =
        Site::page("## Part\n\nText\n\n<Steps><Step title=\"One\">x</Step></Steps>\n").build();
    let html = built.text("index.html");
    assert!(html.contains("aria-label=\"Link to Part\"></a></h2>"), "{html}");
    assert!(!html.contains(">#</a>"), "{html}");
}

/// A bundle of files.
fn bundle(built: &Built) -> Bundle {
    let folder = tempfile::tempdir().unwrap();
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    built.files.iter().for_each(|(path, contents)| writer.write(path, contents).unwrap());
    let path = folder.path().join("bundle.tar.gz");
    writer.finish(About::default(), std::fs::File::create(&path).unwrap()).unwrap();
    Bundle::open(&path).unwrap()
}

#[test]
fn pages_at_another_address_are_unchanged() {
    let site = site().file("index.mdx", "---\ntitle: Home\n---\n[a](/guides/start)\n");
    let built = site.clone().build_with(&at("https://e.org"));
    let preview = site.clone().build_with(&at("http://x.localhost:8080"));
    assert!(built.text("index.md") != preview.text("index.md"));
    assert_eq!(changed_pages(Some(&bundle(&built)), &bundle(&preview)), []);
    let changed = site.clone().file("index.mdx", "---\ntitle: Home\n---\n[b](/guides/start)\n");
    let changes =
        changed_pages(Some(&bundle(&built)), &bundle(&changed.build_with(&at("https://f.org"))));
    assert_eq!(changes.iter().map(|each| each.path.as_str()).collect::<Vec<_>>(), ["index"]);
}

#[test]
fn icons_of_components_change_a_page() {
    let card = |icon: &str| {
        let page = format!("---\ntitle: Home\n---\n<Card title=\"A\" icon=\"{icon}\">b</Card>\n");
        bundle(&site().file("index.mdx", page).build())
    };
    assert_eq!(changed_pages(Some(&card("star")), &card("star")), []);
    let changes = changed_pages(Some(&card("star")), &card("flag"));
    assert_eq!(changes.iter().map(|each| each.path.as_str()).collect::<Vec<_>>(), ["index"]);
}

//! Icons around the bodies of pages.

use std::collections::BTreeSet;

use docwright_site::{Options, build::draft};

use crate::site::Site;

/// A site with an icon wherever its header, sidebar, page menu, and footer can have one.
fn site() -> Site {
    let config = r##"{"theme":"mint","name":"Test","colors":{"primary":"#000"},
        "navbar":{"links":[{"label":"Status","href":"https://example.com","icon":"signal"},
            {"type":"github","href":"https://github.com/example/example"}]},
        "banner":{"content":"News","dismissible":true},
        "footer":{"socials":{"x":"https://x.com/example","website":"https://example.com"}},
        "contextual":{"options":["copy","view","assistant","download-pdf","chatgpt","claude","perplexity","grok",
            "aistudio","devin","mcp","add-mcp","devin-mcp","cursor","vscode",
            {"title":"Ours","description":"Ask us","icon":"anchor","href":"https://example.com"}]},
        "feedback":{"thumbsRating":true,"suggestEdit":true,"raiseIssue":true},
        "navigation":{"languages":[
            {"language":"en","tabs":[{"tab":"Docs","icon":"book","menu":[{"item":"All","icon":"list","pages":["index",
                {"group":"Inner","icon":{"name":"bell","style":"regular"},"root":"root","directory":"card","pages":["page"]}]},
                {"item":"Rest","icon":"star","pages":["rest"]}]}]},
            {"language":"fr","pages":["fr/index"]}]}}"##;
    ["index", "root", "page", "rest", "fr/index"].into_iter().fold(
        Site::new().file("docs.json", config),
        |site, slug| {
            let page = "---\ntitle: Page\nicon: fa-solid fa-flag\nrss: true\n---\n\n## Part\n\n<Icon icon=\"bolt\" />\n";
            site.file(&format!("{slug}.mdx"), page)
        },
    )
}

/// The classes of icons that a page names.
fn named(html: &str) -> BTreeSet<&str> {
    let after = html.split("dw-masked ").skip(1);
    after.map(|rest| rest.split('"').next().unwrap_or_default()).collect()
}

#[test]
fn frame_names_icons_that_the_stylesheet_draws() {
    let built = site().build();
    let styles = built.text("_docwright/site.css");
    for path in ["index.html", "root.html", "page.html", "fr.html", "404.html"] {
        let html = built.text(path);
        let body = html.find(" id=\"content\"").map(|start| {
            let end = html[start..].find("</article>").expect("the article ends");
            &html[start..start + end]
        });
        let frame = html.replace(body.unwrap_or_default(), "");
        let around = frame.split_once("<svg").map(|(before, _)| before);
        assert!(around.is_none(), "{path} draws an icon itself after {around:?}");
        assert!(path == "404.html" || html.contains("<svg"), "{path} lacks the icon of its body");
        let named = named(html);
        for class in &named {
            assert_eq!(styles.matches(&format!(".{class}{{")).count(), 1, "{path}: {class}");
        }
        assert!(named.contains("dw-icon-lucide-menu"), "{named:?}");
    }
    let named = named(built.text("page.html"));
    for class in [
        "solid-signal",
        "brands-github",
        "brands-openai",
        "solid-anchor",
        "regular-bell",
        "solid-flag",
        "solid-star",
    ] {
        assert!(named.contains(format!("dw-icon-{class}").as_str()), "{class}: {named:?}");
    }
}

#[test]
fn svg_of_an_author_has_the_size_of_an_icon() {
    let page = "---\ntitle: Page\nicon: \"<svg viewBox='0 0 9 9'><path d='M0 0h9'/></svg>\"\n---\n";
    let built = Site::page(page).build();
    assert!(built.text("index.html").contains("<i class=\"icon dw-icon\"><svg viewBox"));
}

#[test]
fn draft_draws_its_icons() {
    let source = site().source();
    let draft = draft(&source, &Options::default(), "page.mdx");
    let html = draft.expect("it builds").expect("it is a page").html;
    assert!(html.contains(".dw-icon-solid-flag{--icon:url("), "{html}");
}

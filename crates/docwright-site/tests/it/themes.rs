//! Where the landmarks of a page are in each theme.

use crate::site::{Built, Site};

/// Theme, frame, search, tabs, links, menu of languages, mode button, menu of the page.
const TABLE: &[(&str, [&str; 7])] = &[
    ("mint", ["top", "center", "row", "header", "header", "header", "title"]),
    ("maple", ["side", "sidebar", "header", "header", "top", "foot", "title"]),
    ("palm", ["top", "start", "row", "header", "foot", "header", "title"]),
    ("willow", ["side", "sidebar", "sidebar", "foot", "top", "foot", "title"]),
    ("linden", ["top", "end", "row", "header", "header", "header", "title"]),
    ("almond", ["inset", "sidebar", "header", "header", "top", "foot", "title"]),
    ("aspen", ["top", "center", "row", "header", "header", "header", "title"]),
    ("sequoia", ["top", "end", "row", "header", "header", "header", "contents"]),
    ("luma", ["top", "end", "header", "header", "header", "header", "title"]),
];

fn site(theme: &str, frontmatter: &str) -> Built {
    let tabs = |index: &str, other: &str| {
        format!(
            r#""tabs":[{{"tab":"Guides","pages":["{index}"]}},{{"tab":"API","pages":["{other}"]}}]"#
        )
    };
    let (english, french) = (tabs("index", "other"), tabs("fr/index", "fr/other"));
    let config = format!(
        r##"{{"theme":"{theme}","name":"Test","colors":{{"primary":"#0f766e"}},
        "navbar":{{"links":[{{"label":"Blog","href":"https://example.com"}}]}},
        "navigation":{{"languages":[{{"language":"en",{english}}},{{"language":"fr",{french}}}]}}}}"##
    );
    let page = format!("---\ntitle: Page\n{frontmatter}---\n\n## Part\n\nText.\n");
    let site = Site::new().file("docs.json", config);
    ["index", "other", "fr/index", "fr/other"]
        .iter()
        .fold(site, |site, slug| site.file(&format!("{slug}.mdx"), &page))
        .build()
}

/// The text from one mark to the next other one; empty without the first.
fn between<'h>(html: &'h str, start: &str, end: &str) -> &'h str {
    let Some((_, rest)) = html.split_once(start) else { return "" };
    rest.split_once(end).map_or(rest, |(part, _)| part)
}

/// What the page has, in the columns of the table.
fn places(html: &str) -> [&str; 7] {
    let row = between(html, "class=\"dw-header-row\"", "</header>");
    let (row, below) =
        row.split_once("</div><nav class=\"nav-tabs").map_or((row, ""), |(row, _)| (row, "tabs"));
    let top = between(html, "class=\"dw-sidebar-top\"", "id=\"sidebar-content\"");
    let list = between(html, "id=\"sidebar-content\"", "</nav><nav class=\"dw-navbar-links\"");
    let foot = between(html, "class=\"dw-sidebar-foot\"", "<script>");
    let place = |mark: &str| match [row, top, foot].map(|part| part.contains(mark)) {
        [true, false, false] => "header",
        [false, true, false] => "top",
        [false, false, true] => "foot",
        other => panic!("{mark} is in {other:?}"),
    };
    let tabs = match [!below.is_empty(), row.contains("nav-tabs"), list.contains("\"nav-tabs")] {
        [true, false, false] => "row",
        [false, true, false] => "header",
        [false, false, true] => "sidebar",
        other => panic!("tabs are in {other:?}"),
    };
    let field = between(html, "id=\"search-bar-entry\"", ">");
    let narrow = between(html, "class=\"dw-page-context-menu\"", ">").contains("data-narrow");
    assert_eq!(narrow, html.contains("dw-toc-actions"), "the menu of the page has one place");
    [
        between(html, "data-frame=\"", "\""),
        between(field, "data-place=\"", "\""),
        tabs,
        place("topbar-right-container"),
        place("localization-select-trigger"),
        if foot.contains("data-mode-toggle") { "foot" } else { place("data-mode-toggle") },
        if narrow { "contents" } else { "title" },
    ]
}

#[test]
fn each_theme_places_its_landmarks() {
    for (theme, expected) in TABLE {
        let built = site(theme, "");
        assert_eq!(built.codes(), Vec::<&str>::new(), "{theme}");
        let html = built.text("index.html");
        assert_eq!(places(html), *expected, "{theme}");
        let missing = between(built.text("404.html"), "data-frame=\"", "\"");
        assert_eq!(missing, expected[0], "{theme}");
    }
}

#[test]
fn each_theme_has_styles_of_its_own() {
    let styles: Vec<_> = TABLE
        .iter()
        .map(|(theme, _)| site(theme, "").text("_docwright/theme.css").to_owned())
        .collect();
    for (index, one) in styles.iter().enumerate() {
        let (name, _) = TABLE[index];
        assert!(styles[index + 1..].iter().all(|other| other != one), "{name}");
        assert_eq!(one.matches("/*").count(), 1, "{name}: only the attribution of icons is sent");
    }
}

#[test]
fn landmarks_are_in_the_header_without_sidebar() {
    for theme in ["maple", "willow", "almond"] {
        for mode in ["custom", "center"] {
            let built = site(theme, &format!("mode: {mode}\n"));
            let html = built.text("index.html");
            // This theme has no mode without sidebar but `custom`.
            let has_sidebar = theme == "almond" && mode == "center";
            assert_eq!(html.contains("dw-sidebar-top"), has_sidebar, "{theme} {mode}");
            assert!(!html.contains("data-frame=\"side\""), "{theme} {mode}");
            let place = if has_sidebar { "sidebar" } else { "center" };
            assert!(html.contains(&format!("data-place=\"{place}\"")), "{theme} {mode}");
        }
    }
}

#[test]
fn landmarks_of_phones_have_ids_of_their_own() {
    for (theme, _) in TABLE {
        let built = site(theme, "");
        let html = built.text("index.html");
        for id in ["search-bar-entry", "search-bar-entry-mobile", "localization-select-trigger"] {
            assert!(html.matches(&format!("id=\"{id}\"")).count() <= 1, "{theme}: {id}");
        }
    }
}

#[test]
fn many_tabs_get_a_row_of_their_own() {
    let tab =
        |number: usize| format!(r#"{{"tab":"Quite a long name {number}","pages":["p{number}"]}}"#);
    let tabs: Vec<_> = (1..=4).map(tab).collect();
    let config = format!(
        r##"{{"theme":"luma","name":"Test","colors":{{"primary":"#0f766e"}},"navigation":{{"tabs":[{}]}}}}"##,
        tabs.join(",")
    );
    let site = (1..=4).fold(Site::new().file("docs.json", config), |site, number| {
        site.file(&format!("p{number}.mdx"), "---\ntitle: Page\n---\n")
    });
    assert!(site.build().text("p1.html").contains("</div><nav class=\"nav-tabs"));
}

#[test]
fn page_chooses_the_place_of_its_menu() {
    let shown = |theme: &str, frontmatter: &str| {
        site(theme, frontmatter).text("index.html").contains("dw-toc-actions")
    };
    assert!(!shown("mint", ""));
    assert!(shown("mint", "contextual: {display: toc}\n"));
    assert!(shown("sequoia", ""));
    assert!(!shown("sequoia", "contextual: {display: header}\n"));
    // There is no contents list in these modes.
    assert!(!shown("sequoia", "mode: wide\n"));
}

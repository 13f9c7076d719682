//! Long sidebars, and the scripts that have all of them.

use sha2::{Digest, Sha256};

use crate::site::{Built, Site};

/// A site with this number of operations, divided into this number of tags.
fn large(operations: usize, tags: usize) -> Built {
    let path = |number: usize| {
        let tag = number % tags;
        format!(
            r#""/p{number}": {{"get": {{"summary": "P{number}", "tags": ["T{tag}"], "responses": {{}}}}}}"#
        )
    };
    let paths: Vec<_> = (0..operations).map(path).collect();
    let config = r##"{"theme":"mint","name":"S","colors":{"primary":"#070"},"navigation":{"tabs":[
        {"tab":"Home","pages":["index"]},{"tab":"API","openapi":"api.json"}]}}"##;
    Site::page("x")
        .file("docs.json", config)
        .file("api.json", format!(r#"{{"openapi": "3.1.0", "paths": {{{}}}}}"#, paths.join(",")))
        .build()
}

/// The sidebar of a page of [`large`].
fn sidebar<'b>(built: &'b Built, page: &str) -> &'b str {
    let html = built.text(&format!("api-reference/{page}.html"));
    let start = html.find("dw-sidebar-nav").expect("the page has a sidebar");
    &html[start..start + html[start..].find("</nav>").expect("the sidebar ends")]
}

/// The paths of the scripts of long sidebars.
fn sidebar_scripts(built: &Built) -> Vec<&String> {
    built.files.keys().filter(|path| path.starts_with("_docwright/sidebars/")).collect()
}

#[test]
fn long_sidebar_lists_pages_around_current_one() {
    let built = large(100, 10);
    let all = sidebar(&built, "t1/p11");
    assert_eq!(all.matches("<a ").count(), 100, "a short one has everything");
    assert!(!all.contains("<script") && sidebar_scripts(&built).is_empty(), "{all}");
    let built = large(101, 10);
    let groups = sidebar(&built, "t1/p11");
    assert_eq!(groups.matches("<a ").count(), 10 + 9, "{groups}");
    assert!(groups.contains("href=\"../t2/p2.html\"") && groups.contains(">T2<"), "{groups}");
    assert!(groups.contains("aria-current=\"page\""), "{groups}");
    let built = large(1_000, 1);
    let flat = sidebar(&built, "t0/p555");
    assert_eq!(flat.matches("<a ").count(), 50 + 19, "{flat}");
    assert!(flat.contains("href=\"p600.html\"") && flat.contains("P600 – P649"), "{flat}");
    assert!(flat.contains("aria-current=\"page\""), "{flat}");
}

#[test]
fn long_sidebar_has_script_that_pages_share() {
    for (operations, attribute) in [(101, "<script src"), (300, "<script src"), (301, "data-list")]
    {
        let built = large(operations, 10);
        let [path] = sidebar_scripts(&built)[..] else { panic!("{:?}", sidebar_scripts(&built)) };
        for page in ["t1/p11", "t2/p2"] {
            let address = format!("{attribute}=\"../../{path}\"");
            assert!(sidebar(&built, page).contains(&address), "{operations}: {page}");
        }
        let contents = built.text(path);
        let links = contents.matches("<a href=\\\"api-reference/").count();
        assert_eq!(links, operations, "its links begin at the root of the site");
        assert!(!contents.contains("aria-current=\\\""), "it is no page's own");
        let name = path.rsplit('/').next().expect("a path has a name");
        let hash = hex::encode(Sha256::digest(contents));
        assert!(hash.starts_with(name.trim_end_matches(".js")), "browsers can keep {path} forever");
    }
}

#[test]
fn script_is_left_out_if_browsers_would_take_seconds() {
    let built = |entries: usize| {
        let config = format!(
            r##"{{"theme":"mint","name":"S","colors":{{"primary":"#070"}},"navigation":{{"pages":["index",{}]}}}}"##,
            vec![r#""other""#; entries - 1].join(",")
        );
        Site::page("x").file("other.mdx", "x").file("docs.json", config).build()
    };
    let most = built(5_000);
    assert_eq!(sidebar_scripts(&most).len(), 1);
    assert!(most.text("index.html").contains(" data-list="));
    let more = built(5_001);
    assert_eq!(sidebar_scripts(&more).len(), 0);
    assert!(!more.text("index.html").contains(" data-list="));
    assert!(more.text("index.html").len() < 40_000, "it lists the pages around it");
}

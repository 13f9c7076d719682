//! Bodies are used again when only what pages share changes.

use super::*;

#[test]
fn changed_title_renders_one_body() {
    let related = "---\ntitle: Code\nrelated: [/guide, {Home: /index}]\n---\n\nText.";
    let (root, cache) = (site().with("code.mdx", related), Cache::new());
    let pages = root.warm(&cache).report.pages;
    for (path, rendered) in [("news.mdx", 1), ("index.mdx", 1), ("guide.mdx", 2)] {
        let text = root.text(path).replacen("title: ", "title: Other ", 1);
        let report = root.with(path, text).check(&cache, path).report;
        assert_eq!((report.reused_pages, report.reused_bodies), (0, pages - rendered), "{path}");
    }
}

#[test]
fn changed_navigation_renders_no_body() {
    let (root, cache) = (site(), Cache::new());
    let pages = root.warm(&cache).report.pages;
    let configuration = root.text("docs.json");
    for (before, after) in
        [("\"Start\"", "\"Begin\""), ("\"code\",\"diagram\"", "\"diagram\",\"code\"")]
    {
        let changed = configuration.replace(before, after);
        assert_ne!(changed, configuration);
        let report = root.with("docs.json", changed).check(&cache, after).report;
        assert_eq!((report.reused_pages, report.reused_bodies), (0, pages), "{after}");
    }
}

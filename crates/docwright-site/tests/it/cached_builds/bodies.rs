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

#[test]
fn body_without_its_page_is_not_used() {
    let snippet = |name: &str| {
        let headings = (0..40).map(|number| format!("## {name} {number}\n\nText.\n\n"));
        site().with("snippets/note.mdx", headings.collect::<String>())
    };
    let other_title = |root: &Root| {
        let text = root.text("news.mdx").replacen("title: ", "title: Other ", 1);
        root.with("news.mdx", text)
    };
    let (first, second) = (snippet("First"), snippet("Another"));
    let cold = other_title(&first).cold();
    let cache = Cache::new();
    first.warm(&cache);
    let kept = fs::read(cache.path()).unwrap();
    let mut whole = fs::metadata(cache.path()).unwrap().len();
    second.warm(&cache);
    let end = fs::metadata(cache.path()).unwrap().len();
    // The page has room, and then its new body has none.
    while whole < end {
        fs::write(cache.path(), &kept).unwrap();
        let opened = Arc::new(ResultCache::open(&cache.path(), whole));
        bundle(&second.source(), &second.options, Some(Arc::clone(&opened)));
        opened.save().unwrap();
        same(&cold, &other_title(&first).warm(&cache), &format!("{whole} bytes"));
        whole += 1_000;
    }
}

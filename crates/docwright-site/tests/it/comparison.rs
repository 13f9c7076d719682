//! Differences between the pages of two sites.

use std::fs::File;

use docwright_site::{
    bundle::{About, Bundle, BundleWriter},
    comparison::{Fate, PageChange, changed_pages},
    output::Output,
};

/// A bundle of pages by path, title, and text. Each page's HTML contains the navigation.
fn bundle(pages: &[(&str, &str, &str)]) -> Bundle {
    let folder = tempfile::tempdir().unwrap();
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    let navigation: String = pages.iter().map(|(_, title, _)| *title).collect();
    for (path, title, text) in pages {
        writer.write(&format!("{path}.html"), format!("{navigation}{text}").as_bytes()).unwrap();
        let markdown = format!("> ## Agent Instructions\n\n# {title}\n\n{text}");
        writer.write(&format!("{path}.md"), markdown.as_bytes()).unwrap();
    }
    writer.write("readme.md", navigation.as_bytes()).unwrap();
    writer.write("404.html", navigation.as_bytes()).unwrap();
    let path = folder.path().join("bundle.tar.gz");
    writer.finish(About::default(), File::create(&path).unwrap()).unwrap();
    Bundle::open(&path).unwrap()
}

fn change(path: &str, title: &str, fate: Fate) -> PageChange {
    PageChange { path: path.to_owned(), title: title.to_owned(), fate }
}

#[test]
fn pages_are_compared_by_text_without_navigation() {
    let before = bundle(&[
        ("a", "A", "one"),
        ("b", "B", "two"),
        ("c", "C", "moves"),
        ("d", "D", "goes"),
        ("e", "E", "copy"),
        ("f", "E", "copy"),
    ]);
    let after = bundle(&[
        ("a", "A", "one"),
        ("b", "B", "changed"),
        ("guides/c", "C", "moves"),
        ("new", "New", "new"),
        ("z", "E", "copy"),
    ]);
    assert_eq!(
        changed_pages(Some(&before), &after),
        [
            change("b", "B", Fate::Changed),
            change("d", "D", Fate::Removed),
            change("f", "E", Fate::Removed),
            change("guides/c", "C", Fate::Moved { from: "c".to_owned() }),
            change("new", "New", Fate::Added),
            change("z", "E", Fate::Moved { from: "e".to_owned() }),
        ]
    );
    assert_eq!(changed_pages(Some(&after), &after), []);
    let all = changed_pages(None, &after);
    assert!(all.len() == 5 && all.iter().all(|each| each.fate == Fate::Added), "{all:?}");
    // The title is part of a page.
    let renamed = bundle(&[("a", "Another", "one")]);
    let changes = changed_pages(Some(&bundle(&[("a", "A", "one")])), &renamed);
    assert_eq!(changes, [change("a", "Another", Fate::Changed)]);
}

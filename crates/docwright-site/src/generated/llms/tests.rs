use std::collections::{BTreeMap, BTreeSet};

use super::{MAXIMUM_LENGTH, write};
use crate::{
    content::Content,
    generated::{GeneratedInput, PageSummary},
    options::Options,
    output::Memory,
    packed_text::PackedText,
    source::Source,
};

/// A page of some sections, with a description that is longer than any list shows.
fn page(slug: String, sections: &[String]) -> PageSummary {
    PageSummary {
        file: Some(format!("{slug}.mdx")),
        listed: true,
        title: format!("The page at {slug}"),
        description: "What this page is about, in some words. ".repeat(20),
        alternates: Vec::new(),
        markdown: Some(PackedText::new("")),
        ids: Vec::new(),
        last_modified: None,
        in_sitemap: true,
        in_llms: true,
        other_edition: None,
        sections: sections.to_vec(),
        fingerprint: String::new(),
        slug,
    }
}

/// The files of a site with these pages, at an address or at none.
fn written(pages: &[PageSummary], address: Option<&str>) -> BTreeMap<String, String> {
    let config =
        r##"{"theme":"mint","name":"S","colors":{"primary":"#000"},"navigation":{"pages":[]}}"##;
    let files = [("docs.json".to_owned(), config.as_bytes().to_vec())];
    let source = Source::from_files(files);
    let (content, _) = Content::load(&source).unwrap();
    let site_url = address.map(|address| address.parse().unwrap());
    let options = Options { site_url, ..Options::default() };
    let input = GeneratedInput {
        source: &source,
        content: &content,
        options: &options,
        pages,
        first_page: None,
    };
    let output = Memory::default();
    write(&input, &output).unwrap();
    let text = |(path, bytes)| (path, String::from_utf8(bytes).unwrap());
    output.into_files().into_iter().map(text).collect()
}

/// The path of a link's target in a file.
fn place(from: &str, target: &str) -> String {
    let target = percent_encoding::percent_decode_str(target).decode_utf8().unwrap();
    if let Some(path) = target.strip_prefix("https://e.org/docs/") {
        return path.to_owned();
    }
    crate::content::document::join(from, &target).unwrap()
}

/// The pages that a reader finds by following links from a file.
fn found(files: &BTreeMap<String, String>, start: &str) -> Vec<String> {
    let mut waiting = vec![start.to_owned()];
    let (mut seen, mut pages) = (BTreeSet::new(), Vec::new());
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        for line in files[&path].lines().filter(|line| line.starts_with("- [")) {
            let (_, rest) = line.split_once("](").unwrap();
            let target = place(&path, rest.split_once(')').unwrap().0);
            let is_list = target.to_ascii_lowercase().ends_with(".txt");
            if is_list { waiting.push(target) } else { pages.push(target) }
        }
    }
    pages
}

fn assert_complete(pages: &[PageSummary], address: Option<&str>) -> usize {
    let files = written(pages, address);
    for (path, text) in &files {
        assert!(text.chars().count() < MAXIMUM_LENGTH, "{path}: {}", text.chars().count());
        assert!(
            text.starts_with("# S") && text.contains("\n> ") && text.contains("\n## "),
            "{path}"
        );
    }
    let expected: BTreeSet<_> = pages.iter().map(|page| format!("{}.md", page.slug)).collect();
    for start in ["llms.txt", ".well-known/llms.txt"] {
        let found = found(&files, start);
        assert_eq!(found.len(), pages.len(), "each page is listed once");
        assert!(found.into_iter().collect::<BTreeSet<_>>() == expected);
    }
    files.len()
}

fn names(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

#[test]
fn small_site_is_one_list() {
    let pages: Vec<_> = (0..100).map(|n| page(format!("p{n}"), &names(&["Guides"]))).collect();
    assert_eq!(assert_complete(&pages, Some("https://e.org/docs")), 2);
    assert_eq!(assert_complete(&pages, None), 2);
    let files = written(&pages[..1], Some("https://e.org/docs"));
    assert_eq!(
        files["llms.txt"],
        format!(
            "# S\n\n> Documentation of S\n\n## Docs\n\n- [The page at p0](https://e.org/docs/p0.md): {}\n",
            &pages[0].description[..300].trim_end()
        )
    );
}

#[test]
fn large_site_is_divided_by_its_sections() {
    let section =
        |n: usize| names(&["Docs", ["Guides", "API"][n % 2], &format!("Group {}", n % 40)]);
    let pages: Vec<_> = (0..4_000).map(|n| page(format!("p/{n}"), &section(n))).collect();
    let files = written(&pages, Some("https://e.org/docs"));
    let index = &files["llms.txt"];
    assert!(
        index.contains("- [Guides](https://e.org/docs/llms/guides.txt): 2,000 pages\n"),
        "{index}"
    );
    let guides = &files["llms/guides.txt"];
    assert!(guides.starts_with(
        "# S: Guides\n\n> A part of the documentation of S. https://e.org/docs/llms.txt leads"
    ));
    assert!(
        guides.contains("- [Group 0](https://e.org/docs/llms/group-0.txt): 100 pages\n"),
        "{guides}"
    );
    assert_complete(&pages, Some("https://e.org/docs"));
    assert_complete(&pages, None);
}

#[test]
fn no_page_is_left_out_at_any_size() {
    // Nested groups, each with one page.
    let deep = |n: usize| {
        page(format!("p/{n}"), &names(&["A", &format!("B {}", n / 9), &format!("C {n}")]))
    };
    let one_group = |n: usize| page(format!("p/{n}"), &[]);
    let many_groups = |n: usize| page(format!("p/{n}"), &names(&[&format!("Group {n}")]));
    let same_names =
        |n: usize| page(format!("p/{n}"), &names(&[&format!("T{}", n % 9), "\u{1f600}"]));
    for address in [Some("https://e.org/docs"), None] {
        assert_complete(&[], address);
        for size in [200, 2_000, 6_000] {
            assert_complete(&(0..size).map(one_group).collect::<Vec<_>>(), address);
            assert_complete(&(0..size).map(many_groups).collect::<Vec<_>>(), address);
            assert_complete(&(0..size).map(deep).collect::<Vec<_>>(), address);
            assert_complete(&(0..size).map(same_names).collect::<Vec<_>>(), address);
        }
    }
}

#[test]
fn other_languages_and_versions_have_lists_of_their_own() {
    let edition = |n: usize, edition: Option<&str>| PageSummary {
        in_llms: edition.is_none(),
        other_edition: edition.map(str::to_owned),
        ..page(format!("p/{n}"), &[])
    };
    let pages = [edition(0, None), edition(1, Some("Fran\u{e7}ais")), edition(2, Some("v1"))];
    let files = written(&pages, Some("https://e.org/docs"));
    let index = &files["llms.txt"];
    let list = "## Other languages and versions\n\n\
        - [Fran\u{e7}ais](https://e.org/docs/llms/fran%C3%A7ais.txt): 1 page\n\
        - [v1](https://e.org/docs/llms/v1.txt): 1 page\n";
    assert!(index.ends_with(list), "{index}");
    assert!(index.contains("/p/0.md") && !index.contains("/p/1.md"), "{index}");
    assert_complete(&pages, Some("https://e.org/docs"));
}

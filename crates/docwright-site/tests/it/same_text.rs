//! Copies of pages, as in folders of versions: the site is the same as if each was rendered on its own.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use docwright_site::{
    Options,
    build::{Part, Report, Watch, build_watched},
    output::Memory,
    source::Source,
};

const DOCS_JSON: &str = r##"{"theme":"mint","name":"Test","colors":{"primary":"#0f766e"},
"navigation":{"versions":[
    {"version":"3","languages":[{"language":"en","pages":["v3/page","v3/other"]}]},
    {"version":"2","languages":[{"language":"en","pages":["v2/page","v2/other"]}]},
    {"version":"1","languages":[
        {"language":"en","pages":["v1/page","v1/other"]},
        {"language":"fr","pages":["fr/page","fr/other"]}
    ]}
]}}"##;
const FOLDERS: [&str; 5] = ["v1", "v2", "v3", "fr", "deep/v3"];
const WIDE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="10"></svg>"#;
const TALL: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="40"></svg>"#;

/// How many texts were parsed.
#[derive(Default)]
struct Counted {
    parsed: AtomicUsize,
}

impl Watch for Counted {
    fn begin_part(&self, part: Part) {
        if matches!(part, Part::Parse) {
            self.parsed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Builds a site with a page in each folder, and returns how many texts were parsed.
fn build(source: &Source) -> (BTreeMap<String, Vec<u8>>, Report, usize) {
    let (output, counted) = (Memory::default(), Counted::default());
    let report = build_watched(source, (&Options::default(), None), &output, &counted).unwrap();
    (output.into_files(), report, counted.parsed.into_inner())
}

/// A page with a text and one that it can link to, in each folder. Only the third version has `new`, and an image that
/// is tall.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![("docs.json".to_owned(), DOCS_JSON.to_owned())];
    for folder in FOLDERS {
        files.push((format!("{folder}/page.mdx"), text.to_owned()));
        let other = format!("---\ntitle: Other of {folder}\n---\n\n## Part\n");
        files.push((format!("{folder}/other.mdx"), other));
        let image = if folder == "v3" { TALL } else { WIDE };
        files.push((format!("{folder}/image.svg"), image.to_owned()));
        files.push((format!("{folder}/part.mdx"), format!("Part of {folder}\n")));
    }
    files.push(("v3/new.mdx".to_owned(), "# New\n".to_owned()));
    files.push(("image.svg".to_owned(), WIDE.to_owned()));
    files
}

/// Builds a site once with copies and once with pages that each have a text of their own, and returns how many texts
/// were parsed the first time.
fn assert_copies_are_the_same(text: &str) -> usize {
    let files = files(text);
    let bytes = files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
    let shared = Source::from_files(bytes);
    let mut own = Source::default();
    for (path, text) in &files {
        own.write(path, text);
    }
    let ((with_copies, report, parsed), (expected, own_report, _)) = (build(&shared), build(&own));
    for (path, contents) in &expected {
        let is_same = with_copies.get(path) == Some(contents);
        assert!(is_same, "{path} of a site with the page {text:?}");
    }
    assert_eq!(with_copies.len(), expected.len());
    assert_eq!(report.diagnostics, own_report.diagnostics);
    parsed
}

#[test]
fn copies_are_parsed_once() {
    let parsed = assert_copies_are_the_same("# Title\n\nText\n");
    assert_eq!(parsed, 2 * FOLDERS.len() + 2);
}

#[test]
fn copy_is_as_if_rendered_on_its_own() {
    for text in [
        "[Other](./other) and [its part](other#part), [root](/v1/other#part), <a href='other'>a</a>",
        "## Own\n\n[Own](#own), [missing](#missing), [missing part](other#parts)",
        "[New](./new), which only one version has",
        "![Image](./image.svg) ![Image](/image.svg) <img src='image.svg' />",
        "<Note>A note</Note>\n\n<Accordion title='Open'>[Other](other)</Accordion>",
        "<Icon icon='no-such-icon' />",
        "import Part from './part.mdx'\n\n<Part />",
        "import Part from '/v1/part.mdx'\n\n<Part />\n\n[Other](./other)",
        "export const Counter = () => <button>[Other](./other)</button>\n\n<Counter />",
        "export const Broken = () => {\n\n<Broken />",
        "import Missing from './missing.jsx'\n\n<Missing />",
        "{[1, 2].map(number => <a href='./other'>{number}</a>)} {missing()}",
        "![Missing](./missing.png)",
        "---\nrelated: [v1/other, ./other]\n---\n\nText",
        "---\nrelated: ['./other', {Named: ./other}]\n---\n\nText",
        "---\ntitle: Title\nopenapi: GET /things\n---\n",
        "<ParamField query='name' type='string' required>A field</ParamField>",
        "```js\nconst one = 1;\n```\n\n$x^2$\n\n[Site](https://example.com) [^1]\n\n[^1]: A note",
        "```mermaid\nflowchart LR\nA --> B\n```",
        "<Update label='June 2026' description='1.0'>[Other](other)</Update>",
        "",
    ] {
        assert_copies_are_the_same(text);
    }
}

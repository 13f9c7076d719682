//! Each built-in component from MDX to HTML: folders below `tests/fixtures/components` with
//! `input.mdx` and `expected.html`. `UPDATE=1` rewrites what is expected.

use std::{collections::BTreeSet, fs, path::Path};

use docwright_site::render::components::ALL;

use crate::site::Site;

#[test]
fn fixtures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/components");
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for entry in fs::read_dir(&root).expect("the folder of fixtures exists") {
        let folder = entry.expect("it can be listed").path();
        let input = fs::read_to_string(folder.join("input.mdx")).expect("each has an input.mdx");
        let built = Site::page(&input).file("other.mdx", "").file("picture.png", "x").build();
        let html = lines(built.body("index.html"));
        let expected = folder.join("expected.html");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&expected, &html).expect("the fixture can be written");
        }
        let expected = fs::read_to_string(expected).expect("each has an expected.html");
        similar_asserts::assert_eq!(html, expected, "{}", folder.display());
        assert_eq!(
            built.codes(),
            Vec::<&str>::new(),
            "{}: {:?}",
            folder.display(),
            built.report.diagnostics
        );
        seen.extend(
            ALL.iter()
                .flat_map(|each| each.names)
                .filter(|name| input.contains(&format!("<{name}"))),
        );
    }
    let missing: Vec<_> = ALL
        .iter()
        .filter(|each| !each.names.iter().any(|name| seen.contains(name)))
        .map(|each| each.names[0])
        .collect();
    assert!(missing.is_empty(), "components without a fixture: {missing:?}");
}

/// A line for each block, so that differences can be read.
fn lines(html: &str) -> String {
    html.replace("><div", ">\n<div")
        .replace("><p", ">\n<p")
        .replace("><details", ">\n<details")
        .trim()
        .to_owned()
        + "\n"
}

#[test]
fn wrong_props_are_reported_and_rendered() {
    let built = Site::page(
        "<Card titel=\"A\">\n  Text\n</Card>\n\n<ParamField>x</ParamField>\n\n<Tab>y</Tab>\n",
    )
    .build();
    assert_eq!(built.codes(), ["unknown-prop", "missing-prop", "missing-prop"]);
    assert!(
        built.report.diagnostics[0].help.as_deref().is_some_and(|help| help.contains("`title`"))
    );
    assert!(built.body("index.html").contains("Text"));
}

#[test]
fn attributes_can_not_break_out() {
    let built = Site::page(
        "<Card title='\"><script>alert(1)</script>' color='red;background:url(//e.org)' href='javascript:alert(1)'>x</Card>\n\n<a href=\"javascript:alert(1)\" onClick={alert}>y</a>\n",
    )
    .build();
    let body = built.body("index.html");
    assert!(
        !body.contains("<script>alert")
            && !body.contains("url(//e.org)")
            && !body.contains("onclick"),
        "{body}"
    );
    assert!(!body.contains("href=\"javascript:"), "{body}");
}

//! Ignored diagnostics: `docwright.yaml`, and comments on pages.

use docwright_site::{
    build::{IgnoredBy, links_to_repair},
    source::Source,
};

use crate::site::{Built, Site};

/// The lines of reported broken links, and those of ignored ones.
fn lines(built: &Built) -> (Vec<u32>, Vec<u32>) {
    let reported = built.report.diagnostics.iter().map(|each| each.line);
    let ignored = built.report.ignored.iter().map(|each| each.diagnostic.line);
    (reported.collect(), ignored.collect())
}

#[test]
fn comment_applies_to_the_next_block() {
    let text = "---\ntitle: A\n---\n\
        [a](/none)\n\n\
        {/* docwright-ignore broken-link */}\n\n\
        [b](/none)\n[c](/none)\n\n\
        [d](/none)\n\n\
        {/* docwright-ignore broken-link -- comes with the next release */}\n\
        <Card title=\"x\" href=\"/none\">\n\n[e](/none)\n\n[f](/none)\n</Card>\n\n\
        [g](/none)\n";
    let built = Site::page(text).build();
    assert_eq!(lines(&built), (vec![4, 11, 21], vec![8, 9, 14, 16, 18]));
    assert!(built.report.ignored.iter().all(|each| each.by == IgnoredBy::Comment));
    assert!(!built.text("index.html").contains("docwright-ignore"), "readers don't see it");
}

#[test]
fn comment_beside_text_applies_to_its_line() {
    let text = "- [a](/none)\n\
        - {/* docwright-ignore broken-link */} [b](/none)\n\
        - [c](/none)\n\n\
        | a | b |\n| --- | --- |\n\
        | [d](/none) | {/* docwright-ignore missing-file, broken-link */} [e](/none) |\n\
        | [f](/none) | |\n";
    assert_eq!(lines(&Site::page(text).build()), (vec![1, 3, 8], vec![2, 7, 7]));
}

#[test]
fn several_comments_can_precede_a_block() {
    let text = "{/* docwright-ignore broken-link */}\n\n{/* docwright-ignore missing-file */}\n\n\
        [a](/none) ![b](/none.png)\n\n[c](/none) ![d](/none.png)\n";
    assert_eq!(lines(&Site::page(text).build()), (vec![7, 7], vec![5, 5]));
}

#[test]
fn comment_can_apply_to_its_whole_file() {
    let built = Site::page("import S from '/snippets/s.mdx'\n\n<S />\n\n[a](/none)\n")
        .file("snippets/s.mdx", "[b](/none)\n\n{/* docwright-ignore-file broken-link */}\n")
        .build();
    let places = |line: &u32, path: &str| format!("{path}:{line}");
    let found: Vec<_> =
        built.report.diagnostics.iter().map(|each| places(&each.line, &each.path)).collect();
    assert_eq!(found, ["index.mdx:5"]);
    let ignored = &built.report.ignored[0].diagnostic;
    assert_eq!((ignored.path.as_str(), ignored.line), ("snippets/s.mdx", 1));
}

#[test]
fn comments_in_code_have_no_effect() {
    let text = "```mdx\n{/* docwright-ignore-file broken-link */}\n```\n\n\
        `{/* docwright-ignore-file broken-link */}` [a](/none)\n";
    assert_eq!(lines(&Site::page(text).build()), (vec![5], vec![]));
}

#[test]
fn unknown_rules_are_reported_with_closest_name() {
    let text = "{/* docwright-ignore broken-lnk */}\n\n[a](/none)\n\n{/* docwright-ignore */}\n\n\
        {/* docwright-ignore-page broken-link */}\n\nText.\n";
    let built = Site::page(text).build();
    let found: Vec<_> =
        built.report.diagnostics.iter().map(|each| (each.line, each.rule.code())).collect();
    let expected =
        [(1, "unknown-rule"), (3, "broken-link"), (5, "unknown-rule"), (7, "unknown-rule")];
    assert_eq!(found, expected);
    assert_eq!(built.report.diagnostics[0].help.as_deref(), Some("did you mean `broken-link`?"));
    let help = built.report.diagnostics[3].help.as_deref();
    assert!(help.is_some_and(|help| help.contains("docwright-ignore-file")), "{help:?}");
}

#[test]
fn settings_switch_rules_off_everywhere_or_below_a_path() {
    let settings = "# why\nignore: [missing-file]\nignore-in:\n  changelog/: [broken-link]\n  /other.mdx: [broken-anchor]\n";
    let page = "[a](/none) ![b](/none.png) [c](#none)\n";
    let built = Site::page(page)
        .file("changelog/2024/one.mdx", page)
        .file("other.mdx", page)
        .file("changelog/other.mdx", page)
        .file("docwright.yaml", settings)
        .build();
    let found: Vec<_> = built
        .report
        .diagnostics
        .iter()
        .map(|each| format!("{} {}", each.path, each.rule))
        .collect();
    assert_eq!(
        found,
        [
            "changelog/2024/one.mdx broken-anchor",
            "changelog/other.mdx broken-anchor",
            "index.mdx broken-link",
            "index.mdx broken-anchor",
            "other.mdx broken-link",
        ]
    );
    assert_eq!(built.report.ignored.len(), 7);
    assert!(built.report.ignored.iter().all(|each| each.by == IgnoredBy::Settings));
    assert!(!built.files.contains_key("docwright.yaml"), "docwright.yaml isn't part of the site");
}

#[test]
fn invalid_settings_are_reported_and_ignore_nothing() {
    for (settings, expected) in [
        ("ignore: [broken-lnk]\n", (1, "unknown-rule", "did you mean `broken-link`?")),
        ("\ningore: [broken-link]\n", (2, "invalid-settings", "did you mean `ignore`?")),
        (
            "ignore: broken-link\n",
            (1, "invalid-settings", "write it like `[broken-link, missing-file]`"),
        ),
        (
            "ignore-in: [a]\n",
            (1, "invalid-settings", "write a line such as `changelog/: [broken-link]` for each"),
        ),
        (
            "ignore-in:\n  a/: all\n",
            (2, "invalid-settings", "write it like `[broken-link, missing-file]`"),
        ),
        ("- a\n", (0, "invalid-settings", "write `ignore: [unknown-icon]`")),
        ("ignore: [\n", (2, "invalid-settings", "correct it; it has no effect meanwhile")),
    ] {
        let built = Site::page("[a](/none)\n").file("docwright.yaml", settings).build();
        let found = &built.report.diagnostics[0];
        let (line, code, help) = expected;
        assert_eq!((found.rule.code(), found.help.as_deref()), (code, Some(help)), "{settings}");
        assert!(
            found.line == line || code == "invalid-settings" && line == 2,
            "{settings}: {}",
            found.line
        );
        assert_eq!(built.codes()[1..], ["broken-link"], "{settings}");
    }
    let built = Site::page("[a](/none)\n").file("docwright.yaml", "# nothing yet\n").build();
    assert_eq!(built.codes(), ["broken-link"]);
}

#[test]
fn comments_are_limited_in_number() {
    // On one line and on many lines, with a limited cost.
    for separator in [" ", "\n\n"] {
        let comment = format!("{{/* docwright-ignore broken-link */}}{separator}");
        let text = comment.repeat(2_000) + "\n\n[a](/none)\n";
        let built = Site::page(text).build();
        let said = built.codes().iter().filter(|code| **code == "invalid-settings").count();
        assert_eq!(said, 1, "{:?}", &built.codes()[..3]);
    }
}

#[test]
fn ignored_links_are_not_repaired() {
    let page = "[a](/none)\n\n{/* docwright-ignore broken-link */}\n\n[b](/none-either)\n";
    let files = [("docs.json", "{}"), ("index.mdx", page)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let links = links_to_repair(&Source::from_files(files)).unwrap();
    assert_eq!(links.iter().map(|link| link.href.as_str()).collect::<Vec<_>>(), ["/none"]);
}

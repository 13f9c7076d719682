use super::*;
use crate::workspace::{Changes, Limits};

fn site(files: &[(&str, &str)]) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
    (folder, workspace)
}

const CONFIG: &str = "{\n  \"name\": \"S\",\n  \"navigation\": {\n    \"groups\": [\n      {\n        \"group\": \"Start\",\n        \"pages\": [\n          \"index\",\n          \"guides/start\"\n        ]\n      }\n    ]\n  }\n}\n";

#[test]
fn a_term_is_replaced_in_prose_only() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        (
            "index.mdx",
            "---\ntitle: Your repo\n---\n\nRepo and `repo`, repos, [a repo](/repo).\n\n```sh\ncd repo\n```\n",
        ),
    ]);
    let summary = work("replace repo with repository", &mut workspace).unwrap();
    assert_eq!(summary, "Replace “repo” with “repository” (3 times in 1 files)");
    assert_eq!(
        workspace.read("index.mdx").unwrap(),
        "---\ntitle: Your repository\n---\n\nRepository and `repo`, repos, [a repository](/repo).\n\n```sh\ncd repo\n```\n"
    );
}

#[test]
fn a_renamed_page_takes_its_links_along() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        (
            "index.mdx",
            "[a](/guides/start#x) [b](guides/start.mdx) <Card href=\"/guides/start\" /> [c](/guides/started)",
        ),
        ("guides/start.mdx", "[home](../index) [self](/guides/start)"),
    ]);
    let summary = work("rename page guides/start to begin", &mut workspace).unwrap();
    assert_eq!(summary, "Rename page guides/start to begin (1 navigation entries, 4 links)");
    assert_eq!(
        workspace.read("index.mdx").unwrap(),
        "[a](/begin#x) [b](/begin) <Card href=\"/begin\" /> [c](/guides/started)"
    );
    assert_eq!(workspace.read("begin.mdx").unwrap(), "[home](/index) [self](/begin)");
    assert_eq!(workspace.read("docs.json").unwrap(), CONFIG.replace("guides/start", "begin"));
}

#[test]
fn a_page_is_added_and_listed() {
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("index.mdx", "x")]);
    work("add page new titled \"New: things\" to group start with text \"Hello.\"", &mut workspace)
        .unwrap();
    assert_eq!(workspace.read("new.mdx").unwrap(), "---\ntitle: \"New: things\"\n---\n\nHello.\n");
    assert!(
        workspace.read("docs.json").unwrap().contains("\"guides/start\",\n          \"new\"\n")
    );
    assert!(work("add page new titled X", &mut workspace).unwrap_err().contains("already"));
}

#[test]
fn the_layout_of_the_configuration_is_kept() {
    let config = "{ \"name\":\"S\",\n  \"navigation\": { \"groups\": [\n    { \"group\": \"A\", \"pages\": [\"a\", \"b\"] },\n    { \"group\": \"B\", \"pages\": [] }\n  ] } }\n";
    let (_folder, mut workspace) = site(&[("docs.json", config), ("a.mdx", "x")]);
    work("add page c titled C\nadd page d titled D to group b\nrename page a to e", &mut workspace)
        .unwrap();
    let expected =
        config.replace("[\"a\", \"b\"]", "[\"e\", \"b\", \"c\"]").replace("[]", "[\"d\"]");
    assert_eq!(workspace.read("docs.json").unwrap(), expected);
}

#[test]
fn only_obvious_links_are_fixed() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        (
            "a/one.mdx",
            "[x](/one) [y](/A/One) [z](/two) [w](/nothing) [v](https://e.org/one) `[x](/one)`",
        ),
        ("a/two.mdx", ""),
        ("b/two.mdx", ""),
    ]);
    let summary = work("fix broken links", &mut workspace).unwrap();
    assert!(summary.starts_with("Fix broken links"), "{summary}");
    let text = workspace.read("a/one.mdx").unwrap();
    assert!(
        text.starts_with("[x](/a/one) [y](/a/one) [z](/two) [w](/nothing) [v](https://e.org/one)"),
        "{text}"
    );
}

#[test]
fn list_markers_change_outside_code() {
    let (_folder, mut workspace) = site(&[
        ("docs.json", CONFIG),
        ("index.mdx", "* a\n  * b\n- c\n\n* * *\n\n```\n* d\n```\n"),
    ]);
    work("use - for list markers", &mut workspace).unwrap();
    assert_eq!(workspace.read("index.mdx").unwrap(), "- a\n  - b\n- c\n\n* * *\n\n```\n* d\n```\n");
}

#[test]
fn what_is_not_understood_changes_nothing() {
    let (_folder, mut workspace) = site(&[("docs.json", CONFIG), ("index.mdx", "* a\n")]);
    let error = work("use - for list markers\nwrite a poem", &mut workspace).unwrap_err();
    assert!(error.contains("no language model") && error.contains("write a poem"), "{error}");
    assert!(workspace.changes().is_empty());
}

use std::fs;

use super::*;

fn open(changes: Changes) -> (tempfile::TempDir, Workspace) {
    let outside = tempfile::tempdir().unwrap();
    let root = outside.path().join("docs");
    fs::create_dir_all(root.join("guides")).unwrap();
    fs::write(outside.path().join("secret.txt"), "secret").unwrap();
    fs::write(root.join("index.mdx"), "one").unwrap();
    fs::write(root.join("guides/start.mdx"), "two").unwrap();
    fs::write(root.join("logo.png"), [0xff, 0xfe, 0x00]).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.txt", root.join("out.mdx")).unwrap();
        std::os::unix::fs::symlink("..", root.join("up")).unwrap();
    }
    let workspace = Workspace::open(&root, changes, Limits::default()).unwrap();
    (outside, workspace)
}

#[test]
fn changes_override_files() {
    let (_folder, mut workspace) = open(Changes::default());
    workspace.write("index.mdx", "three".into()).unwrap();
    workspace.rename("guides/start.mdx", "start.mdx").unwrap();
    workspace.rename("logo.png", "images/logo.png").unwrap();
    assert_eq!(workspace.read("index.mdx").unwrap(), "three");
    assert_eq!(workspace.read("start.mdx").unwrap(), "two");
    assert!(workspace.read("guides/start.mdx").is_err());
    let paths: Vec<_> = workspace.paths().into_iter().collect();
    assert_eq!(paths, ["images/logo.png", "index.mdx", "start.mdx"]);
    let saved = serde_json::to_string(workspace.changes()).unwrap();
    let (_folder, again) = open(serde_json::from_str(&saved).unwrap());
    assert_eq!(again.paths(), workspace.paths());
}

#[test]
fn undone_edits_are_not_changes() {
    let (_folder, mut workspace) = open(Changes::default());
    workspace.write("index.mdx", "three".into()).unwrap();
    workspace.write("index.mdx", "one".into()).unwrap();
    workspace.write("new.mdx", "x".into()).unwrap();
    workspace.delete("new.mdx").unwrap();
    assert!(workspace.changes().is_empty());
}

#[test]
fn paths_outside_the_root_are_refused() {
    let (_folder, mut workspace) = open(Changes::default());
    for path in ["../secret.txt", "/etc/passwd", "up/secret.txt", "out.mdx", "a/../../secret.txt"] {
        assert!(workspace.read(path).is_err(), "{path} was read");
        assert!(workspace.write(path, "x".into()).is_err(), "{path} was written");
        assert!(workspace.rename("index.mdx", path).is_err(), "{path} was moved to");
    }
    for path in [".git/config", ".github/workflows/x.yml", "a\\b", "guides/", ""] {
        assert!(workspace.write(path, "x".into()).is_err(), "{path} was written");
    }
}

#[test]
fn excess_is_refused_and_leaves_nothing() {
    let (_folder, mut workspace) = open(Changes::default());
    workspace.limits.changed_files = 1;
    workspace.write("a.mdx", "x".into()).unwrap();
    assert!(workspace.write("b.mdx", "x".into()).is_err());
    assert_eq!(workspace.changes().paths(), ["a.mdx"]);
    assert!(workspace.write("a.mdx", "x".repeat(2 * 1024 * 1024)).is_err());
}

#[test]
fn files_outside_documentation_stay_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("docs.json", r#"{"api": {"openapi": "api.json"}}"#),
        ("index.mdx", "one"),
        ("api.json", "{}"),
        ("Makefile", "all:"),
        ("custom.js", "1"),
        ("AGENTS.md", "rules"),
    ] {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let open = || Workspace::open(folder.path(), Changes::default(), Limits::default()).unwrap();
    let documentation = open().documentation(Patterns::parse(&["book.toml"]).unwrap());
    let mut workspace = open().with_documentation(documentation);
    for path in ["api.json", "custom.js", "book.toml", "index.mdx"] {
        workspace.write(path, "changed".into()).unwrap();
    }
    let before = workspace.changes().clone();
    for path in ["Makefile", "other.json", "new.js", "AGENTS.md", "./docs/../Makefile"] {
        assert!(workspace.write(path, "x".into()).is_err(), "{path} was written");
        assert!(workspace.delete(path).is_err(), "{path} was deleted");
        assert!(workspace.rename(path, "moved.mdx").is_err(), "{path} was moved away");
        assert!(workspace.rename("index.mdx", path).is_err(), "{path} was moved to");
    }
    assert_eq!(workspace.changes(), &before);
    // A spec that an agent names itself is none.
    let named = r#"{"api": {"openapi": ["api.json", "other.json"]}}"#;
    workspace.write("docs.json", named.into()).unwrap();
    assert!(workspace.write("other.json", "{}".into()).is_err());
}

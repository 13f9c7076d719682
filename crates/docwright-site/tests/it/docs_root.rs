//! Hostile docs roots on disk: reading them finishes and stays below the root.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    process::Command,
};

use docwright_site::{
    Diagnostic,
    source::{Limits, Source, SourceError, find_root_within},
};
use tempfile::TempDir;

/// A folder with files.
fn folder(files: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for path in files {
        write(&root.path().join(path));
    }
    root
}

fn write(file: &Path) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "{}").unwrap();
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn read(root: &TempDir) -> (Vec<String>, Vec<Diagnostic>) {
    let (source, diagnostics) = Source::read(root.path()).unwrap();
    (source.paths().map(str::to_owned).collect(), diagnostics)
}

fn read_within(root: &TempDir, limits: Limits) -> Result<usize, SourceError> {
    Source::read_within(root.path(), &limits).map(|(source, _)| source.paths().count())
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<(&str, &str)> {
    diagnostics.iter().map(|each| (each.path.as_str(), each.rule.code())).collect()
}

#[test]
fn links_to_folders_do_not_multiply() {
    let root = folder(&["docs.json"]);
    let (folders, links) = (140, 10);
    for at in 0..folders {
        write(&root.path().join(format!("f{at}/page.mdx")));
    }
    for at in 0..folders {
        for step in 1..=links {
            let target = (at * links + step) % folders;
            let target = if target == at { (at + 1) % folders } else { target };
            let link = root.path().join(format!("f{at}/l{step}"));
            symlink(root.path().join(format!("f{target}")), link).unwrap();
        }
    }
    // Each folder once, each link to a folder once, and direct entries of both.
    let entries = 1 + folders + (folders + folders * links) * (1 + links);
    let found = read_within(&root, Limits { entries, ..Limits::DEFAULT }).unwrap();
    assert_eq!(found, 1 + folders + folders * links);
    let error = read_within(&root, Limits { entries: entries - 1, ..Limits::DEFAULT }).unwrap_err();
    assert!(error.to_string().contains("files, folders and links"), "{error}");
    let (_, diagnostics) = read(&root);
    assert_eq!(diagnostics.len(), 50, "reports are limited");
}

#[test]
fn link_to_folder_is_followed_once() {
    let root = folder(&["docs.json", "real/a.mdx", "other/b.mdx"]);
    symlink("real", root.path().join("alias")).unwrap();
    symlink("../other", root.path().join("real/inner")).unwrap();
    symlink("../other/b.mdx", root.path().join("real/file.mdx")).unwrap();
    symlink("..", root.path().join("real/circle")).unwrap();
    let (paths, diagnostics) = read(&root);
    let expected = [
        "alias/a.mdx",
        "alias/file.mdx",
        "docs.json",
        "other/b.mdx",
        "real/a.mdx",
        "real/file.mdx",
        "real/inner/b.mdx",
    ];
    assert_eq!(paths, expected);
    let reported = [
        ("alias/circle", "link-not-followed"),
        ("alias/inner", "link-not-followed"),
        ("real/circle", "link-not-followed"),
    ];
    assert_eq!(codes(&diagnostics), reported);
}

#[test]
fn links_outside_root_and_into_git_folder_are_refused() {
    let outside = folder(&["secret.mdx"]);
    let root = folder(&["docs.json", ".git/config"]);
    symlink(outside.path(), root.path().join("folder")).unwrap();
    symlink(outside.path().join("secret.mdx"), root.path().join("a.mdx")).unwrap();
    symlink("gone.mdx", root.path().join("b.mdx")).unwrap();
    symlink(".git/config", root.path().join("config.txt")).unwrap();
    symlink(".git", root.path().join("data")).unwrap();
    let (paths, diagnostics) = read(&root);
    assert_eq!(paths, ["docs.json"]);
    let outside = ["a.mdx", "b.mdx", "config.txt", "data", "folder"];
    assert_eq!(codes(&diagnostics), outside.map(|path| (path, "link-outside-root")));
}

#[test]
fn only_regular_files_are_opened() {
    let root = folder(&["docs.json", "a/page.mdx"]);
    fifo(&root.path().join("pipe.mdx"));
    fifo(&root.path().join("a/.mintignore"));
    symlink("pipe.mdx", root.path().join("link.mdx")).unwrap();
    symlink("/dev/zero", root.path().join(".mintignore")).unwrap();
    let _socket = UnixListener::bind(root.path().join("socket.mdx")).unwrap();
    let (paths, diagnostics) = read(&root);
    assert_eq!(paths, ["a/page.mdx", "docs.json"]);
    let patterns = [(".mintignore", "unreadable-file"), ("a/.mintignore", "unreadable-file")];
    assert_eq!(codes(&diagnostics), patterns);
}

#[test]
fn patterns_leave_out_files_and_folders() {
    let root =
        folder(&["docs.json", "a/x.mdx", "a/y.mdx", "b/x.mdx", "drafts/z.mdx", "c/drafts/x"]);
    fs::write(root.path().join(".mintignore"), "x.mdx\n/drafts/\n# comment\n").unwrap();
    fs::write(root.path().join("b/.mintignore"), "!x.mdx\n").unwrap();
    let (paths, diagnostics) = read(&root);
    assert_eq!(paths, ["a/y.mdx", "b/x.mdx", "c/drafts/x", "docs.json"]);
    assert_eq!(codes(&diagnostics), []);
}

#[test]
fn each_limit_is_an_error_with_a_remedy() {
    let deep = "a/".repeat(5) + "page.mdx";
    let root = folder(&["docs.json", &deep, "b.mdx"]);
    let all = Limits { files: 3, entries: 8, depth: 5, text: 6 };
    assert_eq!(read_within(&root, all).unwrap(), 3);
    for (limits, expected) in [
        (Limits { files: 2, ..all }, "the docs root holds more than 2 files; name a folder"),
        (Limits { entries: 7, ..all }, "more than 7 files, folders and links; name a folder"),
        (Limits { depth: 4, ..all }, "a/a/a/a/a is more than 4 folders below the docs root; move"),
        (Limits { text: 5, ..all }, "more than 0 MB; name a folder"),
    ] {
        let error = read_within(&root, limits).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains(root.path().to_str().unwrap()), "{error}");
    }
}

#[test]
fn docs_path_stays_in_repository() {
    let data = folder(&["other/docs.json", "work/docs/docs.json", "work/real/deep/docs.json"]);
    let work = data.path().join("work");
    symlink("../other", work.join("out")).unwrap();
    symlink(data.path().join("other"), work.join("absolute")).unwrap();
    symlink("../../other", work.join("real/nested")).unwrap();
    symlink("real", work.join("inside")).unwrap();
    symlink("gone", work.join("dangling")).unwrap();
    fs::create_dir_all(work.join(".git/docs")).unwrap();
    write(&work.join(".git/docs/docs.json"));
    let real = work.canonicalize().unwrap();
    for (path, root) in [("docs", "docs"), ("real", "real/deep"), ("inside/deep", "real/deep")] {
        assert_eq!(find_root_within(&work, path).unwrap(), real.join(root), "{path}");
    }
    for (path, expected) in [
        ("out", "`out` is a symbolic link that leads out of the repository"),
        ("absolute", "`absolute` is a symbolic link that leads out of the repository"),
        ("real/nested", "`real/nested` is a symbolic link that leads out of the repository"),
        ("inside/nested", "`inside/nested` is a symbolic link that leads out of the repository"),
        ("dangling", "folder `dangling` not found"),
        (
            "gone",
            "folder `gone` not found in the repository; correct the docs path. A docs.json is in: docs, real/deep",
        ),
        ("docs/docs.json", "folder `docs/docs.json` not found"),
        (".git/docs", "folder `.git/docs` not found"),
        ("../other", "`../other` isn't a path in the repository"),
        ("/etc", "`/etc` isn't a path in the repository"),
        ("", "several folders hold a docs.json: docs, real/deep; name one"),
        (".", "several folders hold a docs.json: docs, real/deep; name one"),
    ] {
        let error = find_root_within(&work, path).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{path}: {error}");
        assert!(!error.contains(data.path().to_str().unwrap()), "{error}");
    }
}

#[test]
fn configuration_that_links_outside_is_refused() {
    let data = folder(&["secret.json", "work/a/page.mdx", "work/b/docs.json", "work/shared.json"]);
    let work = data.path().join("work");
    symlink("../../secret.json", work.join("a/docs.json")).unwrap();
    let error = find_root_within(&work, "a").unwrap_err().to_string();
    let expected = "`a/docs.json` is a symbolic link that leads out of the docs root";
    assert!(error.starts_with(expected), "{error}");
    symlink("docs.json", work.join("b/mint.json")).unwrap();
    assert!(find_root_within(&work, "b").is_ok());
    let empty = find_root_within(&data.path().join("work/a"), "").unwrap_err().to_string();
    assert!(empty.contains("leads out of the docs root"), "{empty}");
}

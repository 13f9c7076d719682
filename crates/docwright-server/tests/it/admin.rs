//! `docwright admin`: one shape for all, options anywhere, and mistakes said when they are made.

use std::{collections::BTreeSet, fs, path::Path};

use reqwest::Method;
use serde_json::Value;

use crate::{
    running::{Ended, ended},
    server::{Setup, git, write_repository},
};

/// A data folder without anything in it.
struct Install {
    folder: tempfile::TempDir,
}

impl Install {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        let data = self.data();
        ended(&[&["admin"], arguments, &["--data", &data]].concat(), &[])
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let done = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(done.succeeded()).unwrap()
    }

    fn id(&self, arguments: &[&str]) -> String {
        self.json(arguments)["id"].as_str().unwrap().to_owned()
    }
}

#[test]
fn options_stand_anywhere() {
    let install = Install::new();
    let data = install.data();
    install.id(&["organization", "create", "Acme"]);
    for arguments in [
        ["admin", "--data", &data, "--json", "organization", "list"],
        ["admin", "organization", "--data", &data, "list", "--json"],
        ["admin", "organization", "list", "--json", "--data", &data],
        ["admin", "--json", "organization", "list", "--data", &data],
    ] {
        let list: Value = serde_json::from_str(ended(&arguments, &[]).succeeded()).unwrap();
        assert_eq!(list[0]["name"], "Acme", "{arguments:?}");
    }
    // What is on the line counts more than a variable, wherever it stands.
    let variable = [("DOCWRIGHT_DATA", "/nowhere/at/all")];
    let listed = ended(&["admin", "--data", &data, "organization", "list"], &variable);
    assert!(listed.succeeded().contains("Acme"));
}

/// The long flags of a help text.
fn flags(help: &str) -> BTreeSet<String> {
    let is_flag = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    help.lines()
        .filter_map(|line| line.trim_start().trim_start_matches("-h, ").strip_prefix("--"))
        .map(|rest| rest.split(|letter| !is_flag(letter)).next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn help_lists_only_what_acts() {
    const STORE: [&str; 9] = [
        "data",
        "database-url",
        "help",
        "json",
        "key-file",
        "objects",
        "root-secret",
        "root-secret-file",
        "server",
    ];
    for (command, own) in [
        (&[][..], &[][..]),
        (&["organization", "list"], &[]),
        (&["organization", "create"], &["plan"]),
        (&["project", "list"], &["organization"]),
        (
            &["project", "create"],
            &["organization", "repository", "import", "path", "model", "activation"],
        ),
        (&["project", "delete"], &["yes"]),
        (&["domain", "create"], &["project", "branch", "public-url"]),
        (&["domain", "list"], &["project", "organization"]),
        (&["key", "list"], &["organization"]),
        (&["key", "create"], &["organization", "scope", "project", "days", "allow"]),
        (&["credential", "list"], &["organization"]),
        (&["release", "list"], &["project", "domain", "limit"]),
        (&["feedback", "list"], &["domain"]),
        (
            &["audit", "list"],
            &["organization", "action", "actor", "subject", "since", "until", "limit"],
        ),
        (&["secret", "rotate"], &[]),
    ] {
        let help = ended(&[&["admin"], command, &["--help"]].concat(), &[]);
        let expected: BTreeSet<_> = STORE.iter().chain(own).map(ToString::to_string).collect();
        assert_eq!(flags(help.succeeded()), expected, "{command:?}");
    }
}

#[test]
fn people_get_tables_and_the_next_step() {
    let install = Install::new();
    let none = install.run(&["organization", "list"]);
    assert!(none.errors.starts_with("note: there was no install in "), "{none:?}");
    assert!(none.succeeded().contains("docwright admin organization create"), "{none:?}");
    let made = install.run(&["organization", "create", "Acme"]);
    let next = "Next: docwright admin project create NAME --organization org_";
    assert!(made.succeeded().contains(next), "{made:?}");
    write_repository(Path::new(&install.path("docs")), 1);
    let docs = install.path("docs");
    let arguments = ["project", "create", "Docs", "--organization", "Acme", "--repository", &docs];
    let made = install.run(&arguments);
    let next = "Next: docwright admin domain create DOMAIN --project prj_";
    assert!(made.succeeded().contains(next) && made.errors.is_empty(), "{made:?}");
    let made = install.run(&["domain", "create", "docs.example.com", "--project", "Docs"]);
    let next = "Next: docwright admin release create --domain docs.example.com";
    assert!(made.succeeded().contains(next), "{made:?}");
    let made = install.run(&["release", "create", "--domain", "docs.example.com"]);
    assert!(made.succeeded().contains("Next: docwright admin release show rel_"), "{made:?}");
    for whose in [["--domain", "docs.example.com"], ["--project", "Docs"]] {
        let listed = install.run(&[&["release", "list"][..], &whose].concat());
        assert!(listed.succeeded().lines().count() == 2, "{listed:?}");
        assert!(listed.succeeded().contains("queued"), "{listed:?}");
    }
    let local = install.run(&["domain", "create", "docs.localhost", "--project", "Docs"]);
    assert!(local.succeeded().contains("open http://docs.localhost:8080/"), "{local:?}");
    install.run(&["domain", "delete", "docs.localhost", "--yes"]).succeeded();
    let made = install.run(&["key", "create", "ci", "--organization", "Acme"]);
    assert!(made.succeeded().contains("it is not shown again"), "{made:?}");
    for (list, head, row) in [
        ("organization", "ID ", "enterprise"),
        ("project", "ID ", "Acme"),
        ("domain", "DOMAIN ", "docs.example.com"),
        ("key", "ID ", "write"),
    ] {
        let listed = install.run(&[list, "list"]);
        let lines: Vec<_> = listed.succeeded().lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with(head), "{listed:?}");
        assert!(lines[1].contains(row), "{listed:?}");
    }
}

#[test]
fn all_that_is_made_can_be_shown_changed_and_undone() {
    let install = Install::new();
    let organization = install.id(&["organization", "create", "Acme"]);
    let project = install.id(&["project", "create", "Docs", "--organization", "Acme"]);
    install.json(&["domain", "create", "docs.example.com", "--project", "Docs"]);
    let key =
        install.id(&["key", "create", "ci", "--organization", "Acme", "--allow", "10.0.0.0/8"]);
    assert_eq!(install.json(&["organization", "show", "Acme"])["id"], *organization);
    assert_eq!(install.json(&["project", "show", "Docs"])["organizationName"], "Acme");
    let domain = install.json(&["domain", "show", "docs.example.com"]);
    assert_eq!((&domain["project"], &domain["projectName"]), (&project.into(), &"Docs".into()));
    let before = install.json(&["key", "show", &key]);
    assert_eq!((&before["allow"], &before["name"]), (&"10.0.0.0/8".into(), &"ci".into()));
    let update = ["key", "update", &key, "--name", "deploys", "--days", "400", "--allow", ""];
    let after = install.json(&update);
    assert_eq!((&after["allow"], &after["name"]), (&"".into(), &"deploys".into()));
    assert!(after["expiresAt"].as_str() > before["expiresAt"].as_str(), "{after}");
    install.json(&["key", "revoke", &key]);
    install.run(&update).failed_with("the key is revoked");
    let moved = install.json(&["project", "update", "Docs", "--name", "Manual"]);
    assert_eq!(moved["name"], "Manual");
    install.json(&["domain", "delete", "docs.example.com", "--yes"]);
    install.json(&["project", "delete", "Manual", "--yes"]);
    install.json(&["organization", "delete", "Acme", "--yes"]);
    assert_eq!(install.json(&["organization", "list"]), Value::Array(Vec::new()));
}

#[test]
fn names_are_had_once() {
    let install = Install::new();
    let acme = install.id(&["organization", "create", "Acme"]);
    let other = install.id(&["organization", "create", "Other"]);
    let again = install.run(&["organization", "create", "Acme"]);
    again.failed_with(&format!("the organization `Acme` already exists, {acme}"));
    install.run(&["organization", "update", "Other", "--name", "Acme"]).failed_with(&acme);
    // It may be called what it is called already.
    install.json(&["organization", "update", "Acme", "--name", "Acme", "--plan", "pro"]);
    let docs = install.id(&["project", "create", "Docs", "--organization", "Acme"]);
    let again = install.run(&["project", "create", "Docs", "--organization", "Acme"]);
    again.failed_with(&format!("the organization already has a project `Docs`, {docs}"));
    let second = install.id(&["project", "create", "Second", "--organization", "Acme"]);
    install.run(&["project", "update", "Second", "--name", "Docs"]).failed_with(&docs);
    let strange = install.id(&["project", "create", "Docs", "--organization", "Other"]);
    let both = install.run(&["project", "show", "Docs"]);
    both.failed_with(&format!("2 are named `Docs`: {docs} of {acme}, {strange} of {other}"));
    install.json(&["domain", "create", "docs.example.com", "--project", &docs]);
    let taken = install.run(&["domain", "create", "docs.example.com", "--project", &strange]);
    taken.failed_with(&format!(
        "already belongs to the project Docs ({docs}) of the organization Acme ({acme})"
    ));
    assert!(taken.errors.contains("delete it there first"), "{taken:?}");
    assert_eq!(install.json(&["domain", "show", "docs.example.com"])["project"], *docs);
    assert_eq!(install.json(&["project", "show", "Second"])["id"], *second);
}

#[test]
fn mistakes_are_said_at_once() {
    let install = Install::new();
    install.id(&["organization", "create", "Acme"]);
    let project = ["project", "create", "Docs", "--organization", "Acme"];
    for (arguments, said) in [
        (&["--model", "bogus:x"][..], "there is no provider `bogus`"),
        (&["--model", "gpt"], "`gpt` names no model"),
        (&["--activation", "never"], "never"),
    ] {
        let refused = install.run(&[&project, arguments].concat());
        refused.refused_with(said);
    }
    let bogus = install.run(&[&project[..], &["--model", "bogus:x"]].concat());
    assert!(bogus.errors.contains("anthropic, ") && bogus.errors.contains("builtin:edits"));
    for (arguments, said) in [
        (&["organization", "create", " "][..], "is blank"),
        (&["organization", "create", "a\nb"], "one line"),
        (&["key", "create", "ci", "--organization", "Acme", "--days", "-1"], "-1"),
        (&["key", "create", "ci", "--organization", "Acme", "--allow", "0.0.0.0/0"], "0.0.0.0/0"),
        (&["domain", "create", "https://a.b", "--project", "x"], "without a scheme"),
        (&["project", "update", "Docs"], "--name"),
    ] {
        install.run(arguments).refused_with(said);
    }
    fs::write(install.path("file"), "").unwrap();
    write_repository(Path::new(&install.path("checkout")), 1);
    git(install.folder.path(), &["init", "--quiet", "checkout"]);
    git(install.folder.path(), &["init", "--quiet", "--bare", "bare.git"]);
    for (flag, folder, said) in [
        ("--repository", "none", "there is no folder"),
        ("--repository", "file", "is a file"),
        ("--repository", "checkout/.git", "belongs to git; the files are in"),
        ("--import", "none", "--import: there is no folder"),
        ("--import", "bare.git", "is a bare repository, which holds commits and no files"),
    ] {
        let refused = install.run(&[&project[..], &[flag, &install.path(folder)]].concat());
        refused.failed_with(said);
    }
    assert_eq!(install.json(&["project", "list"]), Value::Array(Vec::new()), "nothing was made");
    fs::create_dir(install.path("empty")).unwrap();
    for flag in ["--repository", "--import"] {
        let name = flag.trim_start_matches('-');
        let arguments = ["project", "create", name, "--organization", "Acme", flag];
        let warned = install.run(&[&arguments[..], &[&install.path("empty")]].concat());
        warned.succeeded();
        assert!(warned.errors.contains("docs.json"), "{warned:?}");
        assert!(warned.errors.contains("no release of this project can be built"), "{warned:?}");
    }
}

#[test]
fn a_project_without_its_repository_is_not_left_behind() {
    let install = Install::new();
    install.id(&["organization", "create", "Acme"]);
    let create = ["project", "create", "Docs", "--organization", "Acme"];
    let git = Path::new(&install.data()).join("git");
    fs::write(&git, "in the way").unwrap();
    install.run(&create).failed_with("cannot create the repository");
    fs::remove_file(git).unwrap();
    install.id(&create);
}

/// Git reads a repository for its owner only, which would come out when it is published.
#[cfg(target_os = "linux")]
#[test]
fn a_bare_repository_of_somebody_else_is_said() {
    let install = Install::new();
    install.id(&["organization", "create", "Acme"]);
    git(install.folder.path(), &["init", "--quiet", "--bare", "bare.git"]);
    let bare = install.path("bare.git");
    let given = std::process::Command::new("chown").args(["65534", &bare]).status();
    if !given.is_ok_and(|status| status.success()) {
        println!("skipped: nothing can be given to others here");
        return;
    }
    let arguments = ["project", "create", "Docs", "--organization", "Acme", "--repository", &bare];
    let made = install.run(&arguments);
    made.succeeded();
    assert!(made.errors.contains("belongs to the user 65534"), "{made:?}");
}

/// A bare repository is where many have their documentation; it is published like any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_bare_repository_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let (work, bare) = (folder.path().join("work"), folder.path().join("bare repository"));
    write_repository(&work, 2);
    git(&work, &["init", "--quiet", "--initial-branch", "trunk"]);
    git(&work, &["add", "--all"]);
    git(&work, &["commit", "--quiet", "--message", "First"]);
    let to = bare.display().to_string();
    git(&work, &["clone", "--quiet", "--bare", ".", &to]);
    let setup = Setup::at_address(&to);
    let shown = setup.admin(&["project", "show", &setup.project]);
    let address = shown["repository"].as_str().unwrap();
    assert!(address.starts_with("file:///") && address.ends_with("/bare%20repository"), "{shown}");
    let process = setup.serve();
    let api = setup.api(&process);
    let job = api.start_export().await;
    let ended = api.wait_for(&job, &["completed", "failed"]).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let page = api.client.get(format!("{}/page-1", process.address));
    let page = page.header("host", "docs.example.com").send().await.unwrap();
    assert_eq!(page.status(), 200);
    // A branch of it can have a domain of its own, which a folder can't have.
    git(&work, &["push", "--quiet", &to, "HEAD:next"]);
    let next = "next.example.com";
    setup.admin(&["domain", "create", next, "--project", &setup.project, "--branch", "next"]);
    let update = format!("/v1/project/update/{}", setup.project);
    assert_eq!(api.send(Method::POST, &update, None).await.status(), 202);
    for _ in 0..1_500 {
        let release = setup.admin(&["domain", "show", next])["release"].clone();
        if release.is_string() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the branch was never released");
}

//! `docwright admin`: consistent commands, options in any position, and immediate errors.

use std::{collections::BTreeSet, fs, path::Path};

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::Value;

use crate::{
    running::{Ended, ended},
    server::{Setup, git, write_repository},
};

/// An empty data folder.
struct Instance {
    folder: tempfile::TempDir,
}

impl Instance {
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
fn options_are_accepted_anywhere() {
    let instance = Instance::new();
    let data = instance.data();
    instance.id(&["organization", "create", "Acme"]);
    for arguments in [
        ["admin", "--data", &data, "--json", "organization", "list"],
        ["admin", "organization", "--data", &data, "list", "--json"],
        ["admin", "organization", "list", "--json", "--data", &data],
        ["admin", "--json", "organization", "list", "--data", &data],
    ] {
        let list: Value = serde_json::from_str(ended(&arguments, &[]).succeeded()).unwrap();
        assert_eq!(list[0]["name"], "Acme", "{arguments:?}");
    }
    // A flag overrides a variable in any position.
    let variable = [("DOCWRIGHT_DATA", "/nowhere/at/all")];
    let listed = ended(&["admin", "--data", &data, "organization", "list"], &variable);
    assert!(listed.succeeded().contains("Acme"));
}

/// The long flags in a help text.
fn flags(help: &str) -> BTreeSet<String> {
    let is_flag = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    help.lines()
        .filter_map(|line| line.trim_start().trim_start_matches("-h, ").strip_prefix("--"))
        .map(|rest| rest.split(|letter| !is_flag(letter)).next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn help_lists_only_options_with_effect() {
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
    let instance = Instance::new();
    let none = instance.run(&["organization", "list"]);
    assert!(none.errors.starts_with("note: there was no instance in "), "{none:?}");
    assert!(none.succeeded().contains("docwright admin organization create"), "{none:?}");
    let made = instance.run(&["organization", "create", "Acme"]);
    let next = "Next: docwright admin project create NAME --organization org_";
    assert!(made.succeeded().contains(next), "{made:?}");
    write_repository(Path::new(&instance.path("docs")), 1);
    let docs = instance.path("docs");
    let arguments = ["project", "create", "Docs", "--organization", "Acme", "--repository", &docs];
    let made = instance.run(&arguments);
    let next = "Next: docwright admin domain create DOMAIN --project prj_";
    assert!(made.succeeded().contains(next) && made.errors.is_empty(), "{made:?}");
    let made = instance.run(&["domain", "create", "docs.example.com", "--project", "Docs"]);
    let next = "Next: docwright admin release create --domain docs.example.com";
    assert!(made.succeeded().contains(next), "{made:?}");
    let made = instance.run(&["release", "create", "--domain", "docs.example.com"]);
    assert!(made.succeeded().contains("Next: docwright admin release show rel_"), "{made:?}");
    for whose in [["--domain", "docs.example.com"], ["--project", "Docs"]] {
        let listed = instance.run(&[&["release", "list"][..], &whose].concat());
        assert!(listed.succeeded().lines().count() == 2, "{listed:?}");
        assert!(listed.succeeded().contains("queued"), "{listed:?}");
    }
    let local = instance.run(&["domain", "create", "docs.localhost", "--project", "Docs"]);
    assert!(local.succeeded().contains("open http://docs.localhost:8080/"), "{local:?}");
    instance.run(&["domain", "delete", "docs.localhost", "--yes"]).succeeded();
    let made = instance.run(&["key", "create", "ci", "--organization", "Acme"]);
    assert!(made.succeeded().contains("it isn't shown again"), "{made:?}");
    for (list, head, row) in [
        ("organization", "ID ", "enterprise"),
        ("project", "ID ", "Acme"),
        ("domain", "DOMAIN ", "docs.example.com"),
        ("key", "ID ", "write"),
    ] {
        let listed = instance.run(&[list, "list"]);
        let lines: Vec<_> = listed.succeeded().lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with(head), "{listed:?}");
        assert!(lines[1].contains(row), "{listed:?}");
    }
}

#[test]
fn created_objects_can_be_shown_changed_and_removed() {
    let instance = Instance::new();
    let organization = instance.id(&["organization", "create", "Acme"]);
    let project = instance.id(&["project", "create", "Docs", "--organization", "Acme"]);
    instance.json(&["domain", "create", "docs.example.com", "--project", "Docs"]);
    let key =
        instance.id(&["key", "create", "ci", "--organization", "Acme", "--allow", "10.0.0.0/8"]);
    assert_eq!(instance.json(&["organization", "show", "Acme"])["id"], *organization);
    assert_eq!(instance.json(&["project", "show", "Docs"])["organizationName"], "Acme");
    let domain = instance.json(&["domain", "show", "docs.example.com"]);
    assert_eq!((&domain["project"], &domain["projectName"]), (&project.into(), &"Docs".into()));
    let before = instance.json(&["key", "show", &key]);
    assert_eq!((&before["allow"], &before["name"]), (&"10.0.0.0/8".into(), &"ci".into()));
    let update = ["key", "update", &key, "--name", "deploys", "--days", "400", "--allow", ""];
    let after = instance.json(&update);
    assert_eq!((&after["allow"], &after["name"]), (&"".into(), &"deploys".into()));
    assert!(after["expiresAt"].as_str() > before["expiresAt"].as_str(), "{after}");
    instance.json(&["key", "revoke", &key]);
    instance.run(&update).failed_with("the key is revoked");
    let moved = instance.json(&["project", "update", "Docs", "--name", "Manual"]);
    assert_eq!(moved["name"], "Manual");
    instance.json(&["domain", "delete", "docs.example.com", "--yes"]);
    instance.json(&["project", "delete", "Manual", "--yes"]);
    instance.json(&["organization", "delete", "Acme", "--yes"]);
    assert_eq!(instance.json(&["organization", "list"]), Value::Array(Vec::new()));
}

#[test]
fn names_are_unique() {
    let instance = Instance::new();
    let acme = instance.id(&["organization", "create", "Acme"]);
    let other = instance.id(&["organization", "create", "Other"]);
    let again = instance.run(&["organization", "create", "Acme"]);
    again.failed_with(&format!("the organization `Acme` already exists, {acme}"));
    instance.run(&["organization", "update", "Other", "--name", "Acme"]).failed_with(&acme);
    // Updating to the current name succeeds.
    instance.json(&["organization", "update", "Acme", "--name", "Acme", "--plan", "pro"]);
    let docs = instance.id(&["project", "create", "Docs", "--organization", "Acme"]);
    let again = instance.run(&["project", "create", "Docs", "--organization", "Acme"]);
    again.failed_with(&format!("the organization already has a project `Docs`, {docs}"));
    let second = instance.id(&["project", "create", "Second", "--organization", "Acme"]);
    instance.run(&["project", "update", "Second", "--name", "Docs"]).failed_with(&docs);
    let strange = instance.id(&["project", "create", "Docs", "--organization", "Other"]);
    let both = instance.run(&["project", "show", "Docs"]);
    both.failed_with(&format!("2 are named `Docs`: {docs} of {acme}, {strange} of {other}"));
    instance.json(&["domain", "create", "docs.example.com", "--project", &docs]);
    let taken = instance.run(&["domain", "create", "docs.example.com", "--project", &strange]);
    taken.failed_with(&format!(
        "already belongs to the project Docs ({docs}) of the organization Acme ({acme})"
    ));
    assert!(taken.errors.contains("delete it there first"), "{taken:?}");
    assert_eq!(instance.json(&["domain", "show", "docs.example.com"])["project"], *docs);
    assert_eq!(instance.json(&["project", "show", "Second"])["id"], *second);
}

#[test]
fn errors_are_reported_immediately() {
    let instance = Instance::new();
    instance.id(&["organization", "create", "Acme"]);
    let project = ["project", "create", "Docs", "--organization", "Acme"];
    for (arguments, said) in [
        (&["--model", "bogus:x"][..], "unknown provider `bogus`"),
        (&["--model", "gpt"], "`gpt` isn't a model"),
        (&["--activation", "never"], "never"),
    ] {
        let refused = instance.run(&[&project, arguments].concat());
        refused.refused_with(said);
    }
    let bogus = instance.run(&[&project[..], &["--model", "bogus:x"]].concat());
    assert!(bogus.errors.contains("anthropic, ") && bogus.errors.contains("builtin:edits"));
    for (arguments, said) in [
        (&["organization", "create", " "][..], "is blank"),
        (&["organization", "create", "a\nb"], "one line"),
        (&["key", "create", "ci", "--organization", "Acme", "--days", "-1"], "-1"),
        (&["key", "create", "ci", "--organization", "Acme", "--allow", "0.0.0.0/0"], "0.0.0.0/0"),
        (&["domain", "create", "https://a.b", "--project", "x"], "without a scheme"),
        (&["project", "update", "Docs"], "--name"),
    ] {
        instance.run(arguments).refused_with(said);
    }
    fs::write(instance.path("file"), "").unwrap();
    write_repository(Path::new(&instance.path("checkout")), 1);
    git(instance.folder.path(), &["init", "--quiet", "checkout"]);
    git(instance.folder.path(), &["init", "--quiet", "--bare", "bare.git"]);
    for (flag, folder, said) in [
        ("--repository", "none", "not found"),
        ("--repository", "file", "is a file"),
        ("--repository", "checkout/.git", "belongs to git. Use"),
        ("--import", "none", "--import: folder"),
        ("--import", "bare.git", "is a bare repository without files"),
    ] {
        let refused = instance.run(&[&project[..], &[flag, &instance.path(folder)]].concat());
        refused.failed_with(said);
    }
    assert_eq!(
        instance.json(&["project", "list"]),
        Value::Array(Vec::new()),
        "no project was created"
    );
    fs::create_dir(instance.path("empty")).unwrap();
    for flag in ["--repository", "--import"] {
        let name = flag.trim_start_matches('-');
        let arguments = ["project", "create", name, "--organization", "Acme", flag];
        let warned = instance.run(&[&arguments[..], &[&instance.path("empty")]].concat());
        warned.succeeded();
        assert!(warned.errors.contains("docs.json"), "{warned:?}");
        assert!(warned.errors.contains("can't build releases of this project"), "{warned:?}");
    }
}

#[test]
fn failed_repository_leaves_no_project() {
    let instance = Instance::new();
    instance.id(&["organization", "create", "Acme"]);
    let create = ["project", "create", "Docs", "--organization", "Acme"];
    let git = Path::new(&instance.data()).join("git");
    fs::write(&git, "in the way").unwrap();
    instance.run(&create).failed_with("cannot create the repository");
    fs::remove_file(git).unwrap();
    instance.id(&create);
}

/// Git opens repositories of their owner only, so publishing would fail later.
#[cfg(target_os = "linux")]
#[test]
fn bare_repository_of_another_user_is_reported() {
    let instance = Instance::new();
    instance.id(&["organization", "create", "Acme"]);
    git(instance.folder.path(), &["init", "--quiet", "--bare", "bare.git"]);
    let bare = instance.path("bare.git");
    let given = std::process::Command::new("chown").args(["65534", &bare]).status();
    if !given.is_ok_and(|status| status.success()) {
        println!("skipped: nothing can be given to others here");
        return;
    }
    let arguments = ["project", "create", "Docs", "--organization", "Acme", "--repository", &bare];
    let made = instance.run(&arguments);
    made.succeeded();
    assert!(made.errors.contains("belongs to the user 65534"), "{made:?}");
}

/// Bare repositories are common and are published like others.
#[tokio::test(flavor = "multi_thread")]
async fn bare_repository_is_published() {
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
    // A branch of a bare repository can have its own domain, unlike one of a folder.
    git(&work, &["push", "--quiet", &to, "HEAD:next"]);
    let next = "next.example.com";
    setup.admin(&["domain", "create", next, "--project", &setup.project, "--branch", "next"]);
    let update = format!("/v1/project/update/{}", setup.project);
    assert_eq!(api.send(Method::POST, &update, None).await.status(), 202);
    eventually("the branch is released", async || {
        setup.admin(&["domain", "show", next])["release"].is_string()
    })
    .await;
}

//! Checks of repositories against a real git server: what is found, what is wrong, and what a check must not do.

use std::fs;

use docwright_testing::git_server::{GitServer, PASSWORD, USERNAME};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::server::{Api, Process, Setup};

const SITE: [(&str, &str); 4] = [
    ("README.md", "# Read me"),
    ("docs/docs.json", r#"{"name":"D","navigation":["index"]}"#),
    ("docs/index.mdx", "# Hello"),
    ("docs/guide/more.mdx", "# More"),
];

/// A service that is allowed to contact a git server of this machine, and the server.
struct Checks {
    setup: Setup,
    _process: Process,
    server: GitServer,
    /// A key of the instance, because only the operator can use `http://`.
    operator: Api,
}

impl Checks {
    async fn start() -> Self {
        let server = GitServer::start().await;
        let setup = Setup::with_pages(1);
        let made = setup.admin(&["key", "create", "operator", "--scope", "operator"]);
        let process = setup.serve_with(&[("DOCWRIGHT_PRIVATE_HOSTS", server.host())]);
        let key = made["key"].as_str().unwrap().to_owned();
        let operator = Api { key, ..setup.api(&process) };
        Self { setup, _process: process, server, operator }
    }

    async fn send(&self, api: &Api, mut body: Value) -> (StatusCode, Value) {
        body["organizationId"] = json!(self.setup.organization);
        let answer = api.send(Method::POST, "/v1/repositories/check", Some(body)).await;
        (answer.status(), answer.json().await.unwrap())
    }

    /// The result for a repository of the server, with more of the input.
    async fn check(&self, path: &str, more: Value) -> Value {
        let mut body = json!({ "repository": self.server.url(path) });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, result) = self.send(&self.operator, body).await;
        assert_eq!(status, 200, "{result}");
        result
    }

    /// The field and the message of a problem.
    async fn problem(&self, path: &str, more: Value) -> (String, String) {
        let result = self.check(path, more).await;
        let text = |name: &str| result["problem"][name].as_str().unwrap_or_default().to_owned();
        (text("field"), text("message"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn check_finds_branches_and_docs_root() {
    let checks = Checks::start().await;
    checks.server.create("public/docs.git", &SITE);
    checks.server.commit(
        "public/docs.git",
        "next",
        &[("docs/docs.json", "{}"), ("docs/new.mdx", "# New")],
    );
    let result = checks.check("public/docs.git", json!({})).await;
    let expected = json!({
        "repository": checks.server.url("public/docs.git"),
        "credentialHost": checks.server.host(),
        "defaultBranch": "main",
        "branch": "main",
        "branches": ["main", "next"],
        "moreBranches": false,
        "docsRoots": [{ "path": "docs", "pages": 2 }],
        "docsRoot": { "path": "docs", "pages": 2 },
        "problem": null,
    });
    assert_eq!(result, expected);
    let next = checks.check("public/docs.git", json!({ "branch": "next", "path": "docs" })).await;
    assert_eq!((&next["branch"], &next["problem"]), (&json!("next"), &Value::Null));
    assert_eq!(next["docsRoot"], json!({ "path": "docs", "pages": 1 }));
    let (field, message) = checks.problem("public/docs.git", json!({ "branch": "nope" })).await;
    assert_eq!(field, "branch");
    assert_eq!(message, "Branch `nope` not found. Choose one of the repository's branches.");
    let (field, message) = checks.problem("public/docs.git", json!({ "path": "src" })).await;
    assert_eq!(field, "path");
    assert_eq!(message, "Folder `src` has no docs.json. Choose a folder that has one.");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_lists_every_docs_root_to_choose_from() {
    let checks = Checks::start().await;
    let files = [("a/docs.json", "{}"), ("a/x.mdx", "x"), ("b/docs.json", "{}"), ("c.md", "c")];
    checks.server.create("public/two.git", &files);
    let result = checks.check("public/two.git", json!({})).await;
    assert_eq!(result["problem"]["field"], "path");
    assert_eq!(result["docsRoot"], Value::Null);
    let roots = json!([{ "path": "a", "pages": 1 }, { "path": "b", "pages": 0 }]);
    assert_eq!(result["docsRoots"], roots);
    let chosen = checks.check("public/two.git", json!({ "path": "b" })).await;
    assert_eq!((&chosen["problem"], &chosen["docsRoot"]["path"]), (&Value::Null, &json!("b")));
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_without_docs_root_or_commit_is_no_problem() {
    let checks = Checks::start().await;
    checks.server.create("public/none.git", &[("README.md", "# Read me")]);
    let none = checks.check("public/none.git", json!({})).await;
    assert_eq!((&none["docsRoots"], &none["problem"]), (&json!([]), &Value::Null));
    checks.server.create("public/empty.git", &[]);
    let empty = checks.check("public/empty.git", json!({ "branch": "main" })).await;
    assert_eq!((&empty["branches"], &empty["problem"]), (&json!([]), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn private_repository_needs_the_right_credentials() {
    let checks = Checks::start().await;
    checks.server.create("private/docs.git", &SITE);
    let host = "127.0.0.1";
    let (field, message) = checks.problem("private/docs.git", json!({})).await;
    assert_eq!(field, "credentials");
    assert_eq!(message, format!("{host} needs credentials to read this repository. Enter them."));
    let wrong = json!({ "username": USERNAME, "secret": "wrong-secret" });
    let (field, message) = checks.problem("private/docs.git", wrong).await;
    assert_eq!(field, "credentials");
    assert!(message.contains("doesn't accept these credentials"), "{message}");
    assert!(!message.contains("wrong-secret"), "{message}");
    let right = json!({ "username": USERNAME, "secret": PASSWORD });
    let result = checks.check("private/docs.git", right).await;
    assert_eq!((&result["problem"], &result["branch"]), (&Value::Null, &json!("main")));
    assert!(!result.to_string().contains(PASSWORD), "{result}");
    // The organization's credential for the host serves projects that have none of their own.
    let stored = json!({ "host": checks.server.host(), "organizationId": checks.setup.organization,
        "username": USERNAME, "secret": PASSWORD });
    let put = checks.operator.send(Method::PUT, "/v1/credentials", Some(stored)).await;
    assert_eq!(put.status(), 200);
    assert_eq!(checks.check("private/docs.git", json!({})).await["problem"], Value::Null);
    // Another organization's credential doesn't.
    let other = checks.setup.admin(&["organization", "create", "Other"]);
    let body = json!({ "organizationId": other["id"], "repository": checks.server.url("private/docs.git") });
    let answer = checks.operator.send(Method::POST, "/v1/repositories/check", Some(body)).await;
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["problem"]["field"], "credentials");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_repository_is_a_problem_of_its_url() {
    let checks = Checks::start().await;
    let of = async |repository: &str| {
        let (status, result) =
            checks.send(&checks.operator, json!({ "repository": repository })).await;
        assert_eq!(status, 200, "{repository}: {result}");
        assert_eq!(result["problem"]["field"], "repository", "{repository}: {result}");
        result["problem"]["message"].as_str().unwrap().to_owned()
    };
    let missing = of(&checks.server.url("public/gone.git")).await;
    assert!(missing.starts_with("127.0.0.1 has no repository at this URL."), "{missing}");
    let unknown = of("https://docs.invalid/acme/docs.git").await;
    assert_eq!(unknown, "Host docs.invalid not found. Check its spelling.");
    for inside in ["https://169.254.169.254/a", "http://127.0.0.1:1/a", "ssh://git@10.0.0.1/a"] {
        let refused = of(inside).await;
        assert!(refused.contains("has a private address"), "{inside}: {refused}");
    }
}

/// Members can't name this machine, another scheme, or hosts that only the operator's credentials open.
#[tokio::test(flavor = "multi_thread")]
async fn members_check_only_public_addresses() {
    let checks = Checks::start().await;
    checks.server.create("public/docs.git", &SITE);
    let key = checks.setup.new_key(&["--scope", "admin"]);
    let member = Api { key, ..checks.operator.clone() };
    let folder = checks.setup.folder.path().display().to_string();
    let file = format!("file://{folder}");
    let url = checks.server.url("public/docs.git");
    for wrong in [url.as_str(), &folder, &file, "built-in", "ext::sh -c id", "-u", "git://e.org/a"]
    {
        let (status, said) = checks.send(&member, json!({ "repository": wrong })).await;
        assert_eq!(status, 400, "{wrong}: {said}");
        assert!(!said.to_string().contains("docs.json"), "{said}");
    }
    let (_, secret) =
        checks.send(&member, json!({ "repository": "https://me:s3cret@e.org/a" })).await;
    assert!(!secret.to_string().contains("s3cret"), "{secret}");
    let (status, result) =
        checks.send(&member, json!({ "repository": "https://127.0.0.1/a" })).await;
    assert_eq!((status.as_u16(), &result["problem"]["field"]), (200, &json!("repository")));
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_checks_a_folder_of_the_server() {
    let checks = Checks::start().await;
    let folder = checks.setup.folder.path().join("site");
    for (path, text) in SITE {
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let body = json!({ "repository": folder.display().to_string() });
    let (status, result) = checks.send(&checks.operator, body).await;
    assert_eq!(status, 200, "{result}");
    assert_eq!(result["docsRoot"], json!({ "path": "docs", "pages": 2 }));
    assert_eq!((&result["branches"], &result["credentialHost"]), (&json!([]), &Value::Null));
}

/// A host that answers nothing costs a check its time, and others nothing.
#[tokio::test(flavor = "multi_thread")]
async fn silent_host_is_given_up() {
    let checks = Checks::start().await;
    checks.server.create("public/docs.git", &SITE);
    let silent = checks.problem("silent/docs.git", json!({}));
    let other = checks.check("public/docs.git", json!({}));
    let ((field, message), other) = tokio::join!(silent, other);
    assert_eq!(other["problem"], Value::Null);
    assert_eq!(field, "repository");
    let said = "127.0.0.1 didn't answer within 15 seconds. Check the URL, or try again later.";
    assert_eq!(message, said);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_and_hostile_branches_are_bounded() {
    let checks = Checks::start().await;
    checks.server.create("public/many.git", &SITE);
    let bare = checks.server.repository("public/many.git");
    let head = fs::read_to_string(bare.join("refs/heads/main")).unwrap();
    let mut packed = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
    let hostile = ["\"><script>alert(1)</script>", "a\u{202e}b", "'; DROP TABLE x;--"];
    let mut names: Vec<_> = (0..20_000).map(|number| format!("b/{number:05}")).collect();
    // Git has names without spaces only.
    names.extend(hostile.iter().map(|name| name.replace(' ', "_")));
    names.sort();
    for name in &names {
        packed.push_str(&format!("{} refs/heads/{name}\n", head.trim()));
    }
    fs::write(bare.join("packed-refs"), packed).unwrap();
    let result = checks.check("public/many.git", json!({})).await;
    let branches = result["branches"].as_array().unwrap();
    assert_eq!((branches.len(), &result["moreBranches"]), (1000, &json!(true)));
    assert_eq!(branches[0], "main", "the default branch is always listed");
    assert!(branches.iter().any(|name| name == "\"><script>alert(1)</script>"), "{branches:?}");
    // A branch that isn't listed is still found.
    let last = checks.check("public/many.git", json!({ "branch": "b/19999" })).await;
    assert_eq!((&last["branch"], &last["problem"]), (&json!("b/19999"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_checks_sixty_repositories_an_hour() {
    let checks = Checks::start().await;
    // Refused before a request is sent, and counted.
    let body = json!({ "repository": "https://127.0.0.1/a" });
    for _ in 0..60 {
        assert_eq!(checks.send(&checks.operator, body.clone()).await.0, 200);
    }
    let (status, said) = checks.send(&checks.operator, body).await;
    assert_eq!(status, 429);
    let said = said["error"].as_str().unwrap();
    assert!(said.contains("limit of 60 repository checks within an hour"), "{said}");
}

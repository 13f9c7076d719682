//! Pull requests of the built-in git host.

use std::path::PathBuf;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::Dashboard;
use crate::{
    agent::{git::git, write_site},
    server::{Setup, write_repository},
};

const PROMPT: &str = "Add page hello titled \"Hello\" with text \"Hello.\"";

#[tokio::test(flavor = "multi_thread")]
async fn members_see_and_editors_merge_and_close() {
    let dashboard = Dashboard::start().await;
    let list = format!("/projects/{}/pull-requests", dashboard.setup.project);
    dashboard.operator.get(&list).await.is(StatusCode::OK).says("No pull requests yet");
    dashboard.ended_job(PROMPT).await;
    dashboard.ended_job(&PROMPT.replace("hello", "other")).await;
    let project = &dashboard.setup.project;
    let (first, second) = (
        format!("/projects/{project}/pull-requests/1"),
        format!("/projects/{project}/pull-requests/2"),
    );
    let viewer = dashboard.member("viewer").await;
    viewer.get(&list).await.is(StatusCode::OK).says("#1").says(&format!("/projects/{project}"));
    let shown = viewer.get(&first).await;
    shown.is(StatusCode::OK).says("hello.mdx").says("No conflicts with main").lacks("/merge");
    shown.says("aria-current=\"page\">Pull requests").says("git clone ");
    for what in ["merge", "close"] {
        viewer.post(&format!("{first}/{what}"), &[]).await.is(StatusCode::FORBIDDEN);
    }
    let editor = dashboard.member("editor").await;
    editor.submit(&format!("{first}/merge"), &[]).await.is(StatusCode::OK).says("Merged");
    editor.submit(&format!("{second}/close"), &[]).await.is(StatusCode::OK).says("Closed");
    editor
        .post(&format!("{second}/merge"), &[])
        .await
        .is(StatusCode::CONFLICT)
        .says("is closed, not open");
    // The audit log names the actor.
    let log = format!("/organizations/{}/audit", dashboard.setup.organization);
    let admin = dashboard.member("admin").await;
    let merges = admin.get(&format!("{log}?action=pull_request.merge")).await;
    merges.says("Merged a pull request").says("editor1@example.com");
}

/// Clones the repository of the project, with a key.
pub(super) fn clone(dashboard: &Dashboard) -> PathBuf {
    let (project, top) = (&dashboard.setup.project, dashboard.setup.folder.path());
    let folder = top.join("clone");
    let address = &dashboard.process.address;
    let base = address.replace("http://", &format!("http://me:{}@", dashboard.setup.key));
    let url = format!("{base}/git/{project}.git");
    git(top, &["clone", "--quiet", &url, &folder.display().to_string()]);
    folder
}

/// Pushes a branch of a clone. Returns what git shows.
fn push(folder: &std::path::Path, branch: &str) -> String {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder).args(["push", "origin", branch]);
    let output = command.env("GIT_TERMINAL_PROMPT", "0").output().expect("git runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn pushed_branch_shows_where_to_open_a_pull_request() {
    let dashboard = Dashboard::on(Setup::built_in(write_site, &[]), &[]).await;
    let (project, folder) = (&dashboard.setup.project, clone(&dashboard));
    git(&folder, &["checkout", "--quiet", "-b", "fix/ä-typo"]);
    std::fs::write(folder.join("typo.mdx"), "---\ntitle: Typo\n---\n\nFixed.\n").unwrap();
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "Fix <the> typo"]);
    let shown = push(&folder, "fix/ä-typo");
    let path = format!("/projects/{project}/pull-requests/new?branch=fix%2F%C3%A4-typo");
    assert!(shown.contains("remote: Open pull request for fix/ä-typo:"), "{shown}");
    assert!(shown.contains(&path), "{shown}");
    // The published branch needs no pull request.
    git(&folder, &["checkout", "--quiet", "main"]);
    git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "Say nothing"]);
    assert!(!push(&folder, "main").contains("pull request"));

    let editor = dashboard.member("editor").await;
    let list = format!("/projects/{project}/pull-requests");
    editor.get(&list).await.says("No pull requests yet").says("New pull request");
    let form = editor.get(&path).await;
    form.is(StatusCode::OK).says("value=\"fix/ä-typo\"").says("value=\"main\"");
    form.says("value=\"Fix &lt;the&gt; typo\"");
    for (head, said) in [
        ("none", "“Branch” names no branch"),
        ("main~1", "“Branch” names no branch"),
        ("main", "has no commit"),
    ] {
        let refused = editor.post(&list, &[("head", head), ("title", "T"), ("base", "main")]).await;
        refused.is(StatusCode::BAD_REQUEST).says(said).says(&format!("value=\"{head}\""));
    }
    let fields = [
        ("head", "fix/ä-typo"),
        ("base", "main"),
        ("title", "Fix the typo"),
        ("body", "**Readers** reported it."),
    ];
    let page = editor.submit(&list, &fields).await;
    page.is(StatusCode::OK).says("Pull request opened").says("typo.mdx").says("#1");
    page.says("<strong>Readers</strong>");
    let again = editor.post(&list, &fields).await;
    again.is(StatusCode::BAD_REQUEST).says("already has pull request #1, which is open");
    // The next push leads to the pull request.
    git(&folder, &["checkout", "--quiet", "fix/ä-typo"]);
    git(&folder, &["commit", "--quiet", "--allow-empty", "--message", "Add a reason"]);
    let shown = push(&folder, "fix/ä-typo");
    assert!(shown.contains(&format!("/projects/{project}/pull-requests/1")), "{shown}");
    // Once merged, it still shows its change.
    let merged = editor.submit(&format!("{list}/1/merge"), &[]).await;
    merged.says("Merged").says("typo.mdx").lacks("has all changes");
    // Also when its branch is gone, and the base branch has gone on.
    git(&folder, &["push", "--quiet", "origin", ":fix/ä-typo"]);
    git(&folder, &["checkout", "--quiet", "main"]);
    git(&folder, &["pull", "--quiet", "origin", "main"]);
    std::fs::write(folder.join("later.mdx"), "---\ntitle: Later\n---\n\nLater.\n").unwrap();
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", "Add a later page"]);
    push(&folder, "main");
    let merged = editor.get(&format!("{list}/1")).await;
    merged.says("1 file").says("<span class=\"plus\">+5</span>").says("typo.mdx");
    merged.lacks("later.mdx").lacks("doesn't exist").says("git checkout main");
    let log = format!("/organizations/{}/audit", dashboard.setup.organization);
    let admin = dashboard.member("admin").await;
    admin.get(&log).await.says("Opened a pull request");
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_are_listed_newest_first_by_page() {
    let dashboard = Dashboard::start().await;
    for page in ["one", "two", "three"] {
        dashboard.ended_job(&PROMPT.replace("hello", page)).await;
    }
    let api = dashboard.api("read");
    let path = format!("/v1/projects/{}/pull-requests", dashboard.setup.project);
    let get = async |query: &str| {
        let answer = api.send(Method::GET, &format!("{path}{query}"), None).await;
        answer.json::<Value>().await.unwrap()
    };
    let first = get("?limit=2").await;
    let numbers = |page: &Value| {
        let all = page["pullRequests"].as_array().unwrap().iter();
        all.map(|each| each["number"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&first), [3, 2], "{first}");
    let next = get(&format!("?limit=2&cursor={}", first["nextCursor"].as_str().unwrap())).await;
    assert_eq!((numbers(&next), &next["nextCursor"]), (vec![1], &Value::Null), "{next}");
    let cursor = BASE64_URL_SAFE_NO_PAD.decode(first["nextCursor"].as_str().unwrap()).unwrap();
    let forged = String::from_utf8(cursor).unwrap().replace("\"2\"", "\"x\"");
    let forged = get(&format!("?cursor={}", BASE64_URL_SAFE_NO_PAD.encode(forged))).await;
    assert_eq!(forged["error"], "`cursor` must be the `nextCursor` of the page before.");
    let found = get("/1").await;
    assert_eq!(found["title"], next["pullRequests"][0]["title"], "{found}");
    assert_eq!(found["diff"]["files"][1]["fate"], "added", "{found}");
    let missing = api.send(Method::GET, &format!("{path}/9"), None).await;
    assert_eq!(missing.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_cannot_see_or_change_pull_requests() {
    let dashboard = Dashboard::start().await;
    dashboard.ended_job(PROMPT).await;
    let first = format!("/projects/{}/pull-requests/1", dashboard.setup.project);
    let merge = format!("{first}/merge");
    let (_, stranger) = dashboard.member_of(&dashboard.other, "admin").await;
    stranger.get(&first).await.is(StatusCode::NOT_FOUND);
    stranger.post(&merge, &[]).await.is(StatusCode::NOT_FOUND);
    // Signed-out browsers are redirected to the sign-in page and back. The dashboard ignores keys.
    let nobody = dashboard.browser();
    let away = nobody.get(&first).await;
    let next: String = url::form_urlencoded::byte_serialize(first.as_bytes()).collect();
    assert_eq!(away.location().unwrap(), format!("/sign-in?next={next}"));
    let keyed = nobody.form(&merge, &[]).basic_auth("me", Some(&dashboard.setup.key));
    assert!(nobody.send(keyed).await.location().unwrap().starts_with("/sign-in"));
    // Other sites can't trigger a merge.
    let editor = dashboard.member("editor").await;
    let foreign = editor.form(&merge, &[]).header("origin", "https://evil.example");
    editor.send(foreign).await.is(StatusCode::FORBIDDEN);
    // Git ignores the session cookie.
    let git = format!("/git/{}.git/info/refs?service=git-upload-pack", dashboard.setup.project);
    let refused = editor.send(editor.request(Method::GET, &git)).await;
    refused.is(StatusCode::UNAUTHORIZED);
    // An ended session is invalid.
    let thief = editor.copy();
    editor.post("/sign-out", &[]).await.is(StatusCode::SEE_OTHER);
    assert!(thief.get(&first).await.location().unwrap().starts_with("/sign-in"));
    thief.post(&merge, &[]).await.is(StatusCode::SEE_OTHER);
    dashboard.operator.get(&first).await.says("Open");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_without_second_factor_has_no_access() {
    let dashboard = Dashboard::start().await;
    dashboard.ended_job(PROMPT).await;
    let first = format!("/projects/{}/pull-requests/1", dashboard.setup.project);
    let editor = dashboard.member("editor").await;
    editor.get(&first).await.is(StatusCode::OK);
    let pool = dashboard.pool().await;
    sqlx::query("UPDATE sessions SET complete = 0").execute(&pool).await.unwrap();
    pool.close().await;
    assert!(editor.get(&first).await.location().unwrap().starts_with("/sign-in"));
    editor.post(&format!("{first}/merge"), &[]).await.is(StatusCode::SEE_OTHER);
    let found = dashboard.api("read").send(Method::GET, &format!("/v1{first}"), None).await;
    assert_eq!(found.json::<Value>().await.unwrap()["state"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_strangers_is_shown_as_text() {
    let dashboard = Dashboard::on(Setup::built_in(write_site, &[]), &[]).await;
    let (project, folder) = (&dashboard.setup.project, clone(&dashboard));
    dashboard.ended_job("add page <b>new</b> titled \"**Bold** <i>x</i>\" to group Start").await;
    let hostile = "<img src=x onerror=alert(1)>";
    git(&folder, &["fetch", "--quiet"]);
    let branch = git(&folder, &["branch", "--remotes", "--list", "origin/docwright/*"]);
    let branch = branch.trim().strip_prefix("origin/").unwrap();
    git(&folder, &["checkout", "--quiet", branch]);
    for number in 0..130 {
        let path = folder.join(format!("deep/{}/page-{number}.mdx", number % 7));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{hostile}\n").repeat(1 + number)).unwrap();
    }
    std::fs::write(folder.join(format!("{} \"q\".mdx", hostile.replace('/', ""))), "x\n").unwrap();
    std::fs::write(folder.join("package-lock.json"), "{}\n").unwrap();
    git(&folder, &["add", "--all"]);
    git(&folder, &["commit", "--quiet", "--message", hostile]);
    git(&folder, &["push", "--quiet"]);
    let viewer = dashboard.member("viewer").await;
    let page = viewer.get(&format!("/projects/{project}/pull-requests/1")).await;
    for part in ["<img", "<b>", "<i>", "href=\"javascript", "<script>"] {
        page.lacks(part);
    }
    page.says("134 files")
        .says("deep/")
        .says("&lt;img src=x onerror=alert(1)&gt; &quot;q&quot;.mdx");
    page.says("class=\"text\"");
    let page = &page.text;
    let files = page.matches("<details class=\"file\"").count();
    let open = page.matches("<details class=\"file\" open").count();
    assert!(files == 134 && open > 10 && open < 134, "{files} {open}");
    let tree = page.find("class=\"tree\"").unwrap();
    assert!(!page[tree..tree + 30].contains("open"), "long lists of names are collapsed");
    let mut files = page.split("<details class=\"file\"");
    let lock = files.find(|file| file.contains("package-lock.json</code>"));
    assert!(lock.unwrap().starts_with('>'), "generated files are collapsed");
}

#[tokio::test(flavor = "multi_thread")]
async fn project_on_another_host_has_no_pull_requests_here() {
    let setup = Setup::with_repository(|folder| write_repository(folder, 1));
    let dashboard = Dashboard::on(setup, &[]).await;
    let project = format!("/projects/{}", dashboard.setup.project);
    dashboard.operator.get(&project).await.is(StatusCode::OK).lacks("pull-requests");
    let list = format!("{project}/pull-requests");
    dashboard.operator.get(&list).await.is(StatusCode::NOT_FOUND);
    let answer = dashboard.api("read").send(Method::GET, &format!("/v1{list}"), None).await;
    assert_eq!(answer.status(), 404);
    assert!(answer.text().await.unwrap().contains("isn't on the built-in git host"));
}

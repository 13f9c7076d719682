//! Personal access tokens: created in a browser, used by git and programs, and never more than their owner's role.

use std::process::{Command, Stdio};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Browser, Dashboard, PASSWORD};
use crate::server::{Api, git};

const LIST: &str = "/account/tokens";
const NEW: &str = "/account/tokens/new";

fn fields<'a>(organization: &'a str, scope: &'a str) -> [(&'static str, &'a str); 4] {
    [("name", "laptop"), ("organization", organization), ("scope", scope), ("days", "30")]
}

/// Creates a token of the person in a browser.
async fn token(browser: &Browser, organization: &str, scope: &str) -> String {
    let page = browser.submit(NEW, &fields(organization, scope)).await;
    page.is(StatusCode::OK).says("Personal access token created");
    let token = page.after("<code>");
    assert!(token.starts_with("dw_"), "{token}");
    token
}

fn id(token: &str) -> &str {
    token.split('_').nth(1).expect("a token has an id")
}

/// A client with a token.
fn client(dashboard: &Dashboard, token: &str) -> Api {
    Api { key: token.to_owned(), ..dashboard.setup.api(&dashboard.process) }
}

async fn answer(api: &Api, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let answer = api.send(method, path, body).await;
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

/// The statuses of reading projects, of a poll, which needs the scope `write`, and of reading keys.
async fn answers(dashboard: &Dashboard, token: &str) -> [u16; 3] {
    let api = client(dashboard, token);
    let poll = format!("/v1/projects/{}/poll", dashboard.setup.project);
    [
        answer(&api, Method::GET, "/v1/projects", None).await.0,
        answer(&api, Method::POST, &poll, None).await.0,
        answer(&api, Method::GET, "/v1/keys", None).await.0,
    ]
}

/// The account with an email address.
async fn account(dashboard: &Dashboard, email: &str) -> String {
    let path = format!("/v1/organizations/{}/members?email={email}", dashboard.setup.organization);
    let (_, list) = answer(&dashboard.api("read"), Method::GET, &path, None).await;
    list["members"][0]["accountId"].as_str().expect("the account is a member").to_owned()
}

/// The address of the repository with a token as the password.
fn repository(dashboard: &Dashboard, token: &str) -> String {
    let base = dashboard.process.address.replace("http://", &format!("http://ada:{token}@"));
    format!("{base}/git/{}.git", dashboard.setup.project)
}

#[tokio::test(flavor = "multi_thread")]
async fn editor_pushes_and_audit_log_shows_their_email() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let (email, editor) = dashboard.member_of(&organization, "editor").await;
    let project = format!("/projects/{}", dashboard.setup.project);
    editor.get(&format!("{project}/settings")).await.says("Create a personal access token");
    let form = editor.get(&format!("{NEW}?organization={organization}")).await;
    form.says("value=\"write\" checked").lacks("value=\"admin\"");
    let own = token(&editor, &organization, "write").await;
    let list = editor.get(LIST).await;
    list.says("laptop").says(id(&own)).lacks(&own);

    let (folder, url) = (dashboard.setup.folder.path(), repository(&dashboard, &own));
    let clone = folder.join("clone");
    git(folder, &["clone", "--quiet", &url, &clone.display().to_string()]);
    std::fs::write(clone.join("page-1.mdx"), "---\ntitle: Pushed\n---\n").unwrap();
    git(&clone, &["add", "--all"]);
    git(&clone, &["commit", "--quiet", "--message", "Edit"]);
    git(&clone, &["push", "--quiet", "origin", "HEAD:main"]);
    let admin = dashboard.api("admin");
    let (_, log) = answer(&admin, Method::GET, "/v1/audit?action=repository.push", None).await;
    let actor = &log["entries"][0]["actor"];
    let account = account(&dashboard, &email).await;
    assert_eq!(*actor, json!({ "kind": "account", "id": account, "name": email }), "{log}");
    let created = format!("/v1/audit?action=key.create&actor={account}");
    let (_, log) = answer(&admin, Method::GET, &created, None).await;
    let entry = &log["entries"][0];
    assert_eq!(
        (&entry["after"]["name"], &entry["after"]["scope"]),
        (&json!("laptop"), &json!("write"))
    );
    assert_eq!(
        (&entry["after"]["accountId"], &entry["actor"]["name"]),
        (&json!(account), &json!(email))
    );
    assert!(!log.to_string().contains(&own), "{log}");
    editor.get(LIST).await.says("just now");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_of_viewer_fetches_and_cannot_push() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let viewer = dashboard.member("viewer").await;
    viewer.get(NEW).await.says("value=\"read\" checked").lacks("value=\"write\"");
    for scope in ["write", "admin", "operator"] {
        viewer.post(NEW, &fields(&organization, scope)).await.is(StatusCode::FORBIDDEN);
    }
    let own = token(&viewer, &organization, "read").await;
    let (folder, url) = (dashboard.setup.folder.path(), repository(&dashboard, &own));
    let clone = folder.join("clone");
    git(folder, &["clone", "--quiet", &url, &clone.display().to_string()]);
    git(&clone, &["commit", "--quiet", "--allow-empty", "--message", "Empty"]);
    let mut push = Command::new("git");
    push.arg("-C").arg(&clone).args(["push", "origin", "HEAD:main"]);
    let pushed = push.env("GIT_TERMINAL_PROMPT", "0").stdout(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&pushed.stderr);
    assert!(!pushed.status.success() && said.contains("403"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_follows_role_and_ends_with_membership() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let (email, person) = dashboard.member_of(&organization, "editor").await;
    let _other_admin = dashboard.account("admin").await;
    let own = token(&person, &organization, "write").await;
    assert_eq!(answers(&dashboard, &own).await, [200, 202, 403]);
    let account = account(&dashboard, &email).await;
    let admin = dashboard.api("admin");
    let member = format!("/v1/organizations/{organization}/members/{account}");
    for (role, expected) in
        [("viewer", [200, 403, 403]), ("admin", [200, 202, 403]), ("editor", [200, 202, 403])]
    {
        let changed = answer(&admin, Method::PATCH, &member, Some(json!({ "role": role }))).await;
        assert_eq!(changed.0, 200, "{changed:?}");
        assert_eq!(answers(&dashboard, &own).await, expected, "{role}");
        let (_, key) = answer(&client(&dashboard, &own), Method::GET, "/v1/key", None).await;
        let scope = if role == "viewer" { "read" } else { "write" };
        assert_eq!((&key["scope"], &key["ownerEmail"]), (&json!(scope), &json!(email)), "{key}");
    }
    assert_eq!(answer(&admin, Method::DELETE, &member, None).await.0, 204);
    assert_eq!(answers(&dashboard, &own).await, [401; 3]);
    dashboard.join(&email, &organization, "admin").await;
    assert_eq!(answers(&dashboard, &own).await, [401; 3], "a later membership is another one");
    person.get(LIST).await.says("No personal access tokens yet");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_ends_with_account_and_with_rows_of_membership() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let (email, person) = dashboard.member_of(&organization, "editor").await;
    let own = token(&person, &organization, "write").await;
    // Even if a membership ends in a way that leaves the token, the token has no scope.
    let pool = dashboard.pool().await;
    let of = "account_id IN (SELECT id FROM accounts WHERE email = $1)";
    let moved = format!("UPDATE members SET organization_id = '{}' WHERE {of}", dashboard.other);
    sqlx::query(sqlx::AssertSqlSafe(moved)).bind(&email).execute(&pool).await.unwrap();
    assert_eq!(answers(&dashboard, &own).await, [401; 3]);
    let back = format!("UPDATE members SET organization_id = '{organization}' WHERE {of}");
    sqlx::query(sqlx::AssertSqlSafe(back)).bind(&email).execute(&pool).await.unwrap();
    pool.close().await;
    assert_eq!(answers(&dashboard, &own).await, [200, 202, 403]);
    let deleted = person.submit("/account/delete", &[("proof", PASSWORD)]).await;
    deleted.says("Account deleted");
    assert_eq!(answers(&dashboard, &own).await, [401; 3]);
    let (_, log) =
        answer(&dashboard.api("admin"), Method::GET, "/v1/audit?action=key.create", None).await;
    assert!(!log.to_string().contains(&email), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn token_belongs_to_one_organization() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let (email, person) = dashboard.member_of(&dashboard.other, "admin").await;
    person.post(NEW, &fields(&organization, "read")).await.is(StatusCode::NOT_FOUND);
    let foreign = token(&person, &dashboard.other, "admin").await;
    dashboard.join(&email, &organization, "admin").await;
    let api = client(&dashboard, &foreign);
    let project = format!("/v1/projects/{}", dashboard.setup.project);
    assert_eq!(answer(&api, Method::GET, &project, None).await.0, 404);
    let fetch = format!("/git/{}.git/info/refs?service=git-upload-pack", dashboard.setup.project);
    assert_eq!(answer(&api, Method::GET, &fetch, None).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn admins_see_and_revoke_tokens_of_members() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let (email, editor) = dashboard.member_of(&organization, "editor").await;
    let (_, other) = dashboard.member_of(&organization, "editor").await;
    let admin = dashboard.member("admin").await;
    let theirs = token(&editor, &organization, "read").await;
    let keys = format!("/organizations/{organization}/keys");
    admin.get(&keys).await.says(&format!("Personal access token of {email}"));
    let revoke = format!("{LIST}/{}/revoke", id(&theirs));
    other.post(&revoke, &[]).await.is(StatusCode::NOT_FOUND);
    let foreign = editor.form(&revoke, &[]).header("origin", "https://evil.example");
    editor.send(foreign).await.is(StatusCode::FORBIDDEN);
    assert_eq!(answers(&dashboard, &theirs).await, [200, 403, 403]);

    // No key that outlives the role of the person, and no change of a token.
    let own = client(&dashboard, &token(&admin, &organization, "admin").await);
    let key = Some(json!({ "name": "k", "scope": "read" }));
    assert_eq!(answer(&own, Method::POST, "/v1/keys", key).await.0, 403);
    let path = format!("/v1/keys/{}", id(&theirs));
    assert_eq!(answer(&own, Method::PATCH, &path, Some(json!({ "days": 900 }))).await.0, 409);
    assert_eq!(answer(&own, Method::GET, &path, None).await.1["ownerEmail"], json!(email));

    admin.submit(&format!("{keys}/{}/revoke", id(&theirs)), &[]).await.says("Revoked");
    assert_eq!(answers(&dashboard, &theirs).await, [401; 3]);
    editor.get(LIST).await.lacks(id(&theirs));
    let mine = token(&editor, &organization, "read").await;
    let page = editor.submit(&format!("{LIST}/{}/revoke", id(&mine)), &[]).await;
    page.says("Token revoked").lacks(id(&mine));
    assert_eq!(answers(&dashboard, &mine).await, [401; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_a_person_are_limited_and_leave_room_for_keys() {
    let dashboard = Dashboard::start().await;
    let organization = dashboard.setup.organization.clone();
    let viewer = dashboard.member("viewer").await;
    let fields = fields(&organization, "read");
    for hour in 0..2 {
        for _ in 0..10 {
            viewer.post(NEW, &fields).await.is(StatusCode::SEE_OTHER);
        }
        let refused = viewer.post(NEW, &fields).await;
        let why = if hour == 0 { "10 personal access tokens" } else { "20 personal access tokens" };
        refused.is(StatusCode::BAD_REQUEST).says(why).says("value=\"laptop\"");
        // The organization still has its own keys.
        dashboard.api("read");
        dashboard.forget_the_hour().await;
    }
    for (name, value) in [("name", ""), ("days", "x"), ("days", "-1"), ("scope", "root")] {
        let wrong = fields.map(|(own, given)| (own, if own == name { value } else { given }));
        dashboard.member("viewer").await.post(NEW, &wrong).await.is(StatusCode::BAD_REQUEST);
    }
}

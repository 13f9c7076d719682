//! Members and invitations in the dashboard, the API, and the shell.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Browser, Dashboard, PASSWORD};
use crate::{agent::mocks::Mock, audit::entries, server::Api};

/// Invites an address. Returns the link.
async fn invite(dashboard: &Dashboard, email: &str, role: &str) -> String {
    let path = format!("/organizations/{}/invitations", dashboard.setup.organization);
    let made = dashboard.operator.post(&path, &[("email", email), ("role", role)]).await;
    made.is(StatusCode::CREATED).says("You won't see it again");
    made.after("data-copy=\"")
}

async fn answer(api: &Api, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let answer = api.send(method, path, body).await;
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn new_member_joins_by_single_use_link() {
    let dashboard = Dashboard::start().await;
    let link = invite(&dashboard, "Ada@Example.com", "editor").await;
    let guest = dashboard.browser();
    let page = guest.get(&link).await;
    page.is(StatusCode::OK).says("Join Acme").says("ada@example.com").says("editor");
    let fields = [("name", "Ada"), ("password", PASSWORD)];
    guest.post(&link, &[("name", "Ada"), ("password", "short")]).await.is(StatusCode::BAD_REQUEST);
    let home = guest.submit(&link, &fields).await;
    home.is(StatusCode::OK).says("Acme");
    // The guest can't change the address or role of the invitation.
    guest.get("/account").await.says("ada@example.com");
    // The link is used up.
    let thief = dashboard.browser();
    thief.get(&link).await.is(StatusCode::NOT_FOUND).says("has expired");
    let stolen = [("name", "Eve"), ("password", PASSWORD), ("email", "eve@example.com")];
    thief.post(&link, &stolen).await.is(StatusCode::NOT_FOUND);
    let api = dashboard.api("admin");
    let [entry] = &entries(&api, "&action=invitation.accept").await[..] else { panic!("one") };
    assert_eq!(entry["actor"]["name"], "ada@example.com");
    assert!(entry["actor"]["id"].as_str().unwrap().starts_with("acc_"), "{entry}");
    assert_eq!(entry["after"], json!({ "email": "ada@example.com", "role": "editor" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn invitation_is_limited_to_one_person_organization_and_time() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.other, "viewer").await;
    // Another signed-in account sees a message and doesn't join.
    let link = invite(&dashboard, &email, "viewer").await;
    let other = dashboard.operator.get(&link).await;
    other.says("This invitation is for").says("root@example.com");
    dashboard.operator.post(&link, &[]).await.is(StatusCode::FORBIDDEN);
    // The owner of an existing account signs in first. An invitation can't set its password.
    let out = dashboard.browser();
    out.get(&link).await.says("/sign-in?next=").says("Sign in to join");
    let taken = [("name", "Eve"), ("password", "another horse entirely")];
    assert!(out.post(&link, &taken).await.location().unwrap().starts_with("/sign-in?"));
    let organization = format!("/organizations/{}", dashboard.setup.organization);
    browser.get(&organization).await.is(StatusCode::NOT_FOUND);
    let next = link.strip_prefix(&dashboard.process.address).unwrap();
    let fields = [("email", email.as_str()), ("password", PASSWORD), ("next", next)];
    let joining = dashboard.browser();
    joining.submit("/sign-in", &fields).await.says("Join</button>");
    joining.submit(&link, &[]).await.is(StatusCode::OK);
    browser.get(&organization).await.is(StatusCode::OK);
    browser.get(&format!("{organization}/keys")).await.is(StatusCode::FORBIDDEN);
    // A member can't be invited again.
    let api = dashboard.api("admin");
    let path = format!("/v1{organization}/invitations");
    let body = |email: &str| Some(json!({ "email": email, "role": "admin" }));
    let (status, said) = answer(&api, Method::POST, &path, body(&email)).await;
    assert_eq!((status, said["code"].as_str()), (409, Some("conflict")));
    // An invitation ends when it is withdrawn, replaced, or expired.
    let (status, first) = answer(&api, Method::POST, &path, body("new@example.com")).await;
    assert_eq!(status, 201);
    let second = invite(&dashboard, "new@example.com", "viewer").await;
    let first = first["link"].as_str().unwrap();
    dashboard.browser().get(first).await.is(StatusCode::NOT_FOUND);
    dashboard.browser().get(&second).await.is(StatusCode::OK);
    let (_, list) = answer(&api, Method::GET, &path, None).await;
    let [open] = &list["invitations"].as_array().unwrap()[..] else { panic!("one: {list}") };
    assert!(!list.to_string().contains(second.rsplit('/').next().unwrap()), "links stay secret");
    let stranger = format!("/v1/organizations/{}/invitations", dashboard.other);
    let id = open["id"].as_str().unwrap();
    let gone = answer(&api, Method::DELETE, &format!("{stranger}/{id}"), None).await;
    assert_eq!(gone.0, 404, "an invitation of another organization");
    assert_eq!(answer(&api, Method::DELETE, &format!("{path}/{id}"), None).await.0, 204);
    dashboard.browser().get(&second).await.is(StatusCode::NOT_FOUND);
    let third = invite(&dashboard, "new@example.com", "viewer").await;
    let pool = dashboard.pool().await;
    sqlx::query("UPDATE invitations SET expires_at = 1").execute(&pool).await.unwrap();
    pool.close().await;
    let fields = [("name", "N"), ("password", PASSWORD)];
    dashboard.browser().post(&third, &fields).await.is(StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_acceptances_add_one_member() {
    let dashboard = Dashboard::start().await;
    let link = invite(&dashboard, "ada@example.com", "viewer").await;
    let tries = (0..6).map(|_| {
        let (browser, link) = (dashboard.browser(), link.clone());
        async move { browser.post(&link, &[("name", "A"), ("password", PASSWORD)]).await.status }
    });
    let answers = futures::future::join_all(tries).await;
    let joined: Vec<_> = answers.iter().filter(|status| **status == 303).collect();
    assert!(!joined.is_empty() && answers.iter().all(|status| [303, 404].contains(status)));
    let api = dashboard.api("read");
    let path = format!("/v1/organizations/{}/members", dashboard.setup.organization);
    let (_, list) = answer(&api, Method::GET, &path, None).await;
    assert_eq!(list["members"].as_array().unwrap().len(), 1, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_change_immediately_and_last_admin_stays() {
    let dashboard = Dashboard::start().await;
    let organization = format!("/organizations/{}", dashboard.setup.organization);
    let (email, admin) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let editor = dashboard.member("editor").await;
    let keys = format!("{organization}/keys");
    editor.get(&keys).await.is(StatusCode::FORBIDDEN);
    let id = |email: &str| format!("acc_{}", email.trim_start_matches(char::is_alphabetic));
    let (own, theirs) = (id(email.split('@').next().unwrap()), "acc_1".to_owned());
    let set = async |who: &Browser, account: &str, role: &str| {
        who.post(&format!("{organization}/members/{account}"), &[("role", role)]).await
    };
    set(&admin, &own, "viewer").await.is(StatusCode::CONFLICT).says("needs an admin");
    set(&admin, &theirs, "owner").await.is(StatusCode::CONFLICT).says("role");
    set(&admin, &theirs, "admin").await.is(StatusCode::SEE_OTHER);
    editor.get(&keys).await.is(StatusCode::OK);
    // If two admins remove each other's role in parallel, one admin stays.
    let both = tokio::join!(set(&admin, &theirs, "viewer"), set(&editor, &own, "viewer"));
    let done = [both.0.status, both.1.status];
    assert_eq!(done.iter().filter(|status| **status == 303).count(), 1, "{done:?}");
    let is_admin = admin.get(&keys).await.status == 200;
    let (admin, own, other, theirs) =
        if is_admin { (admin, own, editor, theirs) } else { (editor, theirs, admin, own) };
    let question = format!("{organization}/members/{theirs}/remove");
    admin.get(&question).await.is(StatusCode::OK).says("API keys");
    other.get(&organization).await.is(StatusCode::OK);
    admin.post(&question, &[]).await.is(StatusCode::SEE_OTHER);
    other.get(&organization).await.is(StatusCode::NOT_FOUND);
    let last = format!("{organization}/members/{own}/remove");
    admin.post(&last, &[]).await.is(StatusCode::CONFLICT).says("needs an admin");
    let api = dashboard.api("admin");
    let removed = entries(&api, "&action=member.delete").await;
    assert_eq!(removed[0]["subject"]["id"], theirs.as_str());
    assert!(removed[0]["before"]["email"].is_string(), "{removed:?}");
}

/// A key with an address allowlist can't add members, who could sign in from any address.
#[tokio::test(flavor = "multi_thread")]
async fn key_grants_no_access_beyond_its_own() {
    let dashboard = Dashboard::start().await;
    let (account, _) = dashboard.account("viewer").await;
    let key = dashboard.setup.new_key(&["--scope", "admin", "--allow", "127.0.0.0/8"]);
    let api = Api { key, ..dashboard.setup.api(&dashboard.process) };
    let path = format!("/v1/organizations/{}", dashboard.setup.organization);
    let body = Some(json!({ "email": "eve@example.com", "role": "admin" }));
    let invited = answer(&api, Method::POST, &format!("{path}/invitations"), body).await;
    assert_eq!(invited.0, 403, "{invited:?}");
    let member = format!("{path}/members/{account}");
    let body = Some(json!({ "role": "admin" }));
    assert_eq!(answer(&api, Method::PATCH, &member, body).await.0, 403);
    assert_eq!(answer(&api, Method::GET, &member, None).await.1["role"], "viewer");
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_are_limited_within_an_hour() {
    let dashboard = Dashboard::start().await;
    let api = dashboard.api("admin");
    let path = format!("/v1/organizations/{}/invitations", dashboard.setup.organization);
    let tries = (0..110).map(|number| {
        let body = json!({ "email": format!("guest{}@example.com", number % 7), "role": "viewer" });
        answer(&api, Method::POST, &path, Some(body))
    });
    let answers = futures::future::join_all(tries).await;
    let made = answers.iter().filter(|(status, _)| *status == 201).count();
    let limited = answers.iter().filter(|(status, _)| *status == 429).count();
    assert_eq!((made, limited), (100, 10));
}

#[tokio::test(flavor = "multi_thread")]
async fn command_line_does_the_same_as_pages() {
    let dashboard = Dashboard::start().await;
    let of = ["--organization", dashboard.setup.organization.as_str()];
    let admin = |arguments: &[&str]| dashboard.setup.admin(&[&["member"], arguments, &of].concat());
    let public = ["--public-url", dashboard.process.address.as_str()];
    let made =
        admin(&[["invite", "ada@example.com", "--role", "admin"].as_slice(), &public].concat());
    let link = made["link"].as_str().unwrap();
    let guest = dashboard.browser();
    let fields = [("name", "Ada"), ("password", PASSWORD)];
    guest.submit(link, &fields).await.is(StatusCode::OK);
    admin(&["invite", "bob@example.com"]);
    assert_eq!(admin(&["list"])[0]["email"], "ada@example.com");
    dashboard.account("viewer").await;
    let viewer =
        admin(&["list"]).as_array().unwrap().iter().find(|each| each["role"] == "viewer").cloned();
    let email = viewer.unwrap()["email"].as_str().unwrap().to_owned();
    assert_eq!(admin(&["set", &email, "--role", "editor"])["role"], "editor");
    assert_eq!(admin(&["remove", &email])["removed"], true);
    assert_eq!(admin(&["list"]).as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn invitation_is_sent_by_email_with_mail_server() {
    let receiver = Mock::start("receiver.mjs", &["docwright:correct horse"]);
    let port = reqwest::get(format!("{}/smtp", receiver.address)).await.unwrap();
    let port = port.text().await.unwrap();
    let smtp = format!("smtp://docwright:correct%20horse@127.0.0.1:{port}");
    let from = ("DOCWRIGHT_SMTP_FROM", "docwright <docs@example.com>");
    let dashboard = Dashboard::with(&[("DOCWRIGHT_SMTP_URL", &smtp), from]).await;
    let path = format!("/v1/organizations/{}/invitations", dashboard.setup.organization);
    let body = Some(json!({ "email": "ada@example.com", "role": "viewer" }));
    let (_, made) = answer(&dashboard.api("admin"), Method::POST, &path, body).await;
    assert_eq!(made["emailSent"], true, "{made}");
    let received: Value =
        reqwest::get(format!("{}/received", receiver.address)).await.unwrap().json().await.unwrap();
    let mail = received[0]["mail"].as_str().unwrap();
    // Long lines in the email are folded.
    let unfolded = mail.replace("=\r\n", "").replace("=\n", "").replace("=3D", "=");
    let token = made["link"].as_str().unwrap().rsplit('/').next().unwrap();
    assert!(unfolded.contains(token), "{mail}");
    assert!(mail.contains("To: ada@example.com") && mail.contains("Acme"), "{mail}");
}

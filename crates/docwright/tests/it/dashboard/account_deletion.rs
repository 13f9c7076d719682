//! Deleting accounts: by their owners, by an operator in a browser, through the API, and in a shell.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    process::Stdio,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Browser, Dashboard, PASSWORD};
use crate::server::{Api, docwright};

/// Returns an API client with a new operator key.
pub(super) fn operator(dashboard: &Dashboard) -> Api {
    let made = dashboard.setup.admin(&["key", "create", "operator", "--scope", "operator"]);
    let key = made["key"].as_str().unwrap().to_owned();
    Api { key, ..dashboard.setup.api(&dashboard.process) }
}

async fn answer(api: &Api, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let answer = api.send(method, path, body).await;
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

/// Finds an account by its email address in the API's list.
async fn account(api: &Api, email: &str) -> Option<Value> {
    let path = format!("/v1/accounts?email={}", email.replace('@', "%40"));
    let (_, list) = answer(api, Method::GET, &path, None).await;
    list["accounts"][0].as_object().map(|found| found.clone().into())
}

async fn id_of(api: &Api, email: &str) -> String {
    let found = account(api, email).await.unwrap_or_else(|| panic!("no account of {email}"));
    found["id"].as_str().unwrap().to_owned()
}

/// Files of the database that contain a text.
fn files_with(dashboard: &Dashboard, text: &str) -> Vec<String> {
    let entries = fs::read_dir(dashboard.setup.data()).unwrap().map(|entry| entry.unwrap());
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let files = names.filter(|name| name.starts_with("docwright.db"));
    let holds = |name: &String| {
        let bytes = fs::read(dashboard.setup.data().join(name)).unwrap();
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    };
    files.filter(holds).collect()
}

/// Creates an API key in an admin's browser.
async fn new_key(dashboard: &Dashboard, browser: &Browser) -> String {
    let path = format!("/organizations/{}/keys/new", dashboard.setup.organization);
    let fields = [("name", "mine"), ("scope", "admin"), ("days", "30"), ("allow", "")];
    let page = browser.submit(&path, &fields).await;
    format!("dw_{}", page.is(StatusCode::OK).after("data-copy=\"dw_"))
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_deletes_account_after_password() {
    let dashboard = Dashboard::start().await;
    let organization = &dashboard.setup.organization;
    let admin = dashboard.member("admin").await;
    let (email, browser) = dashboard.member_of(organization, "admin").await;
    browser.post("/account/name", &[("name", "Canary Name")]).await.is(StatusCode::SEE_OTHER);
    let elsewhere = dashboard.sign_in(&email).await;
    let link = dashboard.setup.admin(&["sign-in-link", &email])["link"].clone();
    let api = operator(&dashboard);
    let id = id_of(&api, &email).await;
    let with = |key: String| Api { key, ..api.clone() };
    let own = with(new_key(&dashboard, &browser).await);
    let body = json!({ "name": "second", "scope": "read" });
    let (status, made) = answer(&own, Method::POST, "/v1/keys", Some(body)).await;
    assert_eq!(status, 201, "{made}");
    let second = with(made["key"].as_str().unwrap().to_owned());
    // An invitation by this account, and one from another organization to it.
    let invite = json!({ "email": "guest@example.com", "role": "viewer" });
    let path = format!("/organizations/{organization}/invitations");
    browser.post(&path, &[("email", "guest@example.com"), ("role", "viewer")]).await;
    let invited = format!("/v1/organizations/{}/invitations", dashboard.other);
    let to_them = json!({ "email": email, "role": "viewer" });
    let (status, invitation) = answer(&api, Method::POST, &invited, Some(to_them)).await;
    assert_eq!(status, 201, "{invitation} {invite}");
    assert!(!files_with(&dashboard, &email).is_empty());

    browser.get("/account").await.says("Danger zone").says("href=\"/account/delete\"");
    browser.get("/account/delete").await.is(StatusCode::OK).says("This permanently deletes");
    let delete = async |proof: &str| browser.post("/account/delete", &[("proof", proof)]).await;
    delete("").await.is(StatusCode::FORBIDDEN);
    delete("wrong").await.is(StatusCode::FORBIDDEN);
    browser.get("/account").await.is(StatusCode::OK);
    let done = delete(PASSWORD).await;
    done.is(StatusCode::OK).says("Your account is deleted");
    assert!(done.set_cookies()[0].contains("Max-Age=0;"), "{:?}", done.set_cookies());

    for ended in [&browser, &elsewhere] {
        assert_eq!(ended.get("/account").await.status, 303);
        assert_eq!(ended.get(&format!("/organizations/{organization}")).await.status, 303);
    }
    let fields = [("email", email.as_str()), ("password", PASSWORD)];
    dashboard.browser().post("/sign-in", &fields).await.is(StatusCode::FORBIDDEN);
    let token = link.as_str().unwrap().split_once('=').unwrap().1;
    let used = dashboard.browser().post("/sign-in/link", &[("token", token)]).await;
    used.is(StatusCode::FORBIDDEN);
    for key in [&own, &second] {
        assert_eq!(answer(key, Method::GET, "/v1/projects", None).await.0, 401);
    }
    let (_, left) = answer(&api, Method::GET, &invited, None).await;
    assert_eq!(left["invitations"], json!([]));
    let path = format!("/v1/organizations/{organization}/invitations");
    let (_, left) = answer(&api, Method::GET, &path, None).await;
    assert_eq!(left["invitations"][0]["invitedBy"], format!("deleted account {id}"));

    // Audit entries stay, without the name.
    let (_, log) = answer(&api, Method::GET, &format!("/v1/audit?actor={id}"), None).await;
    let entries = log["entries"].as_array().unwrap();
    let actions: Vec<_> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions[..2], ["account.delete", "member.delete"]);
    assert!(actions.contains(&"key.create") && actions.contains(&"account.update"), "{actions:?}");
    assert!(entries.iter().all(|entry| entry["actor"]["name"] == "deleted account"), "{log}");
    let page = admin.get(&format!("/organizations/{organization}/audit")).await;
    page.says(&format!("deleted account {id}")).says("Removed a member").lacks(&email);
    for text in [&email, "Canary Name"] {
        assert_eq!(files_with(&dashboard, text), [""; 0], "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_admin_and_only_operator_stay() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "admin").await;
    let refused = browser.post("/account/delete", &[("proof", PASSWORD)]).await;
    refused.is(StatusCode::CONFLICT).says("the only admin of the organization &quot;Acme&quot;");
    refused.says("make another member an admin");
    let refused = dashboard.operator.post("/account/delete", &[("proof", PASSWORD)]).await;
    refused.is(StatusCode::CONFLICT).says("the only operator of the instance");
    let api = operator(&dashboard);
    let admin = format!("/v1/accounts/{}", id_of(&api, &email).await);
    let (status, refused) = answer(&api, Method::DELETE, &admin, None).await;
    let sentence = "This account is the only admin of the organization \"Acme\"; make another member an admin, or \
         delete the organization, first.";
    assert_eq!((status, refused["error"].as_str()), (409, Some(sentence)));
    let root = format!("/v1/accounts/{}", id_of(&api, "root@example.com").await);
    let (status, refused) = answer(&api, Method::DELETE, &root, None).await;
    let sentence = "This account is the only operator of the instance; make another account an operator first.";
    assert_eq!((status, refused["error"].as_str()), (409, Some(sentence)));
    let end = json!({ "isOperator": false });
    assert_eq!(answer(&api, Method::PATCH, &root, Some(end)).await.0, 409);
    browser.get("/account").await.is(StatusCode::OK);
    // Another account takes over both roles.
    let make = json!({ "isOperator": true });
    let (status, updated) = answer(&api, Method::PATCH, &admin, Some(make)).await;
    assert_eq!((status, &updated["isOperator"]), (200, &json!(true)));
    browser.get("/accounts").await.is(StatusCode::OK).says("root@example.com");
    let refused = answer(&api, Method::DELETE, &root, None).await.1;
    assert!(refused.to_string().contains("First"), "the only admin there: {refused}");
    let fields = [("email", email.as_str()), ("role", "admin")];
    let invited = dashboard
        .operator
        .post(&format!("/organizations/{}/invitations", dashboard.other), &fields)
        .await;
    let link = invited.is(StatusCode::CREATED).after("data-copy=\"");
    browser.post(&link, &[]).await.is(StatusCode::SEE_OTHER);
    let (status, deleted) = answer(&api, Method::DELETE, &root, None).await;
    let numbers = json!({ "memberships": 1, "keys": 0, "invitations": 0, "subscriptions": 0 });
    assert_eq!((status, deleted), (200, numbers));
    assert_eq!(dashboard.operator.get("/accounts").await.status, 303);
    assert_eq!(answer(&api, Method::GET, &root, None).await.0, 404);
    assert_eq!(answer(&api, Method::DELETE, &root, None).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_deletes_account_after_its_address() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let api = operator(&dashboard);
    let id = id_of(&api, &email).await;
    let path = format!("/accounts/{id}/delete");
    let list = dashboard.operator.get("/accounts").await;
    list.says(&format!("href=\"{path}\""));
    dashboard.operator.get(&path).await.is(StatusCode::OK).says(&email);
    let delete =
        async |browser: &Browser, email: &str| browser.post(&path, &[("email", email)]).await;
    // Admins can't delete accounts, not even of members of their organization.
    delete(&dashboard.member("admin").await, &email).await.is(StatusCode::NOT_FOUND);
    let wrong = delete(&dashboard.operator, "other@example.com").await;
    wrong.is(StatusCode::BAD_REQUEST).says("Nothing was deleted");
    browser.get("/account").await.is(StatusCode::OK);
    delete(&dashboard.operator, &email).await.is(StatusCode::SEE_OTHER);
    assert_eq!(browser.get("/account").await.status, 303);
    dashboard.operator.get("/accounts").await.lacks(&email);
    dashboard.operator.get(&path).await.is(StatusCode::NOT_FOUND);
    assert_eq!(files_with(&dashboard, &email), [""; 0]);
    // Operators delete their own account with their password.
    let own = format!("/accounts/{}/delete", id_of(&api, "root@example.com").await);
    for page in [
        dashboard.operator.get(&own).await,
        dashboard.operator.post(&own, &[("email", "root@example.com")]).await,
    ] {
        assert_eq!(page.location().as_deref(), Some("/account/delete"));
    }
}

/// A slow form: its head arrives before the deletion, its body afterward.
#[tokio::test(flavor = "multi_thread")]
async fn form_of_deleted_account_changes_nothing() {
    let dashboard = Dashboard::start().await;
    let organization = &dashboard.setup.organization;
    let _other = dashboard.member("admin").await;
    let (email, browser) = dashboard.member_of(organization, "admin").await;
    let api = operator(&dashboard);
    let id = id_of(&api, &email).await;
    let path = format!("/organizations/{organization}/invitations");
    let body = "email=accomplice%40example.com&role=admin";
    let request = browser.form(&path, &[]).header("origin", &dashboard.process.address);
    let request = request.build().unwrap();
    let mut head = format!("POST {path} HTTP/1.1\r\n");
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    let host = dashboard.process.address.strip_prefix("http://").unwrap();
    head += &format!("host: {host}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    let mut slow = TcpStream::connect(host).unwrap();
    slow.write_all(head.as_bytes()).unwrap();
    slow.write_all(&body.as_bytes()[..5]).unwrap();
    // The server reads the session along with the head, before it answers these later requests.
    for _ in 0..3 {
        browser.get("/account").await.is(StatusCode::OK);
    }
    let deleted = answer(&api, Method::DELETE, &format!("/v1/accounts/{id}"), None).await;
    assert_eq!(deleted.0, 200, "{deleted:?}");
    slow.write_all(&body.as_bytes()[5..]).unwrap();
    let mut text = String::new();
    slow.read_to_string(&mut text).unwrap();
    let status = text.split(' ').nth(1).unwrap();
    assert!(["403", "303"].contains(&status), "{text}");
    let (_, left) = answer(&api, Method::GET, &format!("/v1{path}"), None).await;
    assert_eq!(left["invitations"], json!([]));
    assert_eq!(files_with(&dashboard, &email), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn shell_deletes_account_after_confirmation() {
    let dashboard = Dashboard::start().await;
    let (email, browser) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let data = dashboard.setup.data().display().to_string();
    let refused = |arguments: &[&str]| {
        let mut command = docwright(&["admin", "--json", "--data", &data]);
        command.args(arguments).stdin(Stdio::null()).stderr(Stdio::piped());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let asks = refused(&["account", "delete", &email]);
    assert!(asks.contains(&email) && asks.contains("--yes"), "{asks}");
    browser.get("/account").await.is(StatusCode::OK);
    let deleted = dashboard.setup.admin(&["account", "delete", &email, "--yes"]);
    assert_eq!(deleted["memberships"], 1, "{deleted}");
    assert_eq!(browser.get("/account").await.status, 303);
    let again = refused(&["account", "delete", &email, "--yes"]);
    assert!(again.contains("no account found"), "{again}");
    let last = refused(&["account", "delete", "root@example.com", "--yes"]);
    assert!(last.contains("the only operator of the instance"), "{last}");
    let (second, _) = dashboard.member_of(&dashboard.setup.organization, "viewer").await;
    let updated = dashboard.setup.admin(&["account", "update", &second, "--operator", "true"]);
    assert_eq!(updated["isOperator"], true, "{updated}");
    let updated = dashboard.setup.admin(&["account", "update", &second, "--operator", "false"]);
    assert_eq!(updated["isOperator"], false, "{updated}");
}

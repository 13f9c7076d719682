//! Setup: the holder of the token creates the first account, once.

use reqwest::StatusCode;

use super::{Browser, Dashboard, New, PASSWORD};
use crate::{
    audit::entries,
    server::{Setup, write_repository},
};

#[tokio::test(flavor = "multi_thread")]
async fn setup_token_creates_one_first_account() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let (process, path) = New::start(&setup, &[]);
    let link = setup.admin(&["setup-link", "--public-url", &process.address])["link"].clone();
    assert_eq!(link, format!("{}{path}", process.address), "the shell prints the same link");
    let browser = Browser::new(&process.address);
    assert_eq!(browser.get("/").await.location().as_deref(), Some("/setup"));
    browser.get("/setup").await.is(StatusCode::FORBIDDEN).says("docwright admin setup-link");
    browser.get("/setup?token=00").await.is(StatusCode::FORBIDDEN);
    browser.get(&path).await.is(StatusCode::OK).says("autocomplete=\"new-password\"");
    let token = path.split_once('=').unwrap().1;
    let form = |token: &str, email: &str, password: &str| {
        let fields = [
            ("token", token),
            ("name", "Root"),
            ("email", email),
            ("password", password),
            ("organization", "First"),
        ];
        fields.map(|(name, value)| (name, value.to_owned()))
    };
    let send = async |fields: [(&'static str, String); 5]| {
        let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
        browser.post("/setup", &fields).await
    };
    send(form("00", "root@example.com", PASSWORD)).await.is(StatusCode::FORBIDDEN);
    send(form(token, "root", PASSWORD))
        .await
        .is(StatusCode::BAD_REQUEST)
        .says("Not an email address");
    send(form(token, "root@example.com", "short")).await.is(StatusCode::BAD_REQUEST).says("12");
    assert!(browser.cookies().is_empty());
    send(form(token, "root@example.com", PASSWORD)).await.is(StatusCode::SEE_OTHER);
    // Setup is closed now, even with the token.
    send(form(token, "second@example.com", PASSWORD)).await.is(StatusCode::CONFLICT);
    Browser::new(&process.address).get(&path).await.is(StatusCode::CONFLICT);
    let again = super::super::running::ended(
        &["admin", "setup-link", "--data", &setup.data().display().to_string()],
        &[],
    );
    again.failed_with("is already set up");
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_setups_create_one_account() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let (process, path) = New::start(&setup, &[]);
    let token = path.split_once('=').unwrap().1;
    let tries = (0..8).map(|number| {
        let browser = Browser::new(&process.address);
        let email = format!("root{number}@example.com");
        async move {
            let fields = [
                ("token", token),
                ("name", "Root"),
                ("email", &email),
                ("password", PASSWORD),
                ("organization", ""),
            ];
            browser.post("/setup", &fields).await.status
        }
    });
    let answers = futures::future::join_all(tries).await;
    assert_eq!(answers.iter().filter(|status| **status == 303).count(), 1, "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_names_first_account() {
    let dashboard = Dashboard::start().await;
    let made = dashboard.setup.admin(&["key", "create", "o", "--scope", "operator"]);
    let key = made["key"].as_str().unwrap().to_owned();
    let api = crate::server::Api { key, ..dashboard.setup.api(&dashboard.process) };
    let [entry] = &entries(&api, "&action=account.create").await[..] else {
        panic!("expected one entry")
    };
    assert_eq!(entry["actor"]["name"], "root@example.com");
    assert_eq!(entry["actor"]["id"], entry["subject"]["id"]);
    assert_eq!(entry["address"], "127.0.0.1");
}

#[test]
fn output_has_setup_link_and_command_with_the_data_folder() {
    use std::{
        io::{BufRead, BufReader},
        process::Stdio,
    };

    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let mut child = setup.service(&[]).stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let command = format!("docwright admin setup-link --data {}", setup.data().display());
    let lines = output.lines().map_while(Result::ok).map(|line| line.trim().to_owned());
    let mut seen = Vec::new();
    for line in lines {
        let is_last = line == command;
        seen.push(line);
        if is_last {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let is_link = |line: &&String| line.starts_with("http") && line.contains("/setup?token=");
    assert_eq!(seen.iter().filter(is_link).count(), 1, "{seen:?}");
}

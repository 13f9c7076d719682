//! Logs never contain secrets of addresses and headers, at any level. Browsers don't send such addresses to
//! other sites.

use std::{collections::BTreeSet, path::Path};

use reqwest::{Client, Method, redirect::Policy};
use serde_json::{Value, json};

use super::Logged;
use crate::{
    access::{description, files},
    dashboard::{Browser, PASSWORD},
    http2::Secure,
    server::{Setup, write_repository},
};

/// Removes the setup link, which the log contains on purpose for the person who starts the program.
fn without_setup(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("no account yet"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The path of every route, from the code and the API spec.
fn routes() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let places =
        ["-api/src", "/src/git_host", "/src/webhooks", "-dashboard/src", "-serving/src/sites"];
    let mut routes = BTreeSet::new();
    for file in files(&places.map(|place| crates.join(format!("docwright{place}")))) {
        let text = std::fs::read_to_string(file).unwrap();
        let found = text.split(".route(").skip(1).filter_map(|rest| rest.split('"').nth(1));
        routes.extend(found.filter(|path| path.starts_with('/')).map(str::to_owned));
    }
    routes.extend(description()["paths"].as_object().unwrap().keys().cloned());
    routes
}

/// A path with a secret for each parameter.
fn filled(route: &str, secret: &str) -> String {
    let parts = route.split('/').map(|part| match part.find('{') {
        Some(place) => {
            format!("{}{secret}{}", &part[..place], part.split('}').nth(1).unwrap_or_default())
        }
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_of_a_request_is_in_no_log() {
    let secure = Secure::start("trace").await;
    let base = &secure.service.process.address;
    let secret = "c0ffee42".repeat(8);
    let key = format!("dw_c0ffee42_{}", &secret[..40]);
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let query = ["token", "code", "state", "signature", "secret", "password", "next", "key"];
    let query: Vec<_> = query.iter().map(|name| format!("{name}={secret}")).collect();
    let query = format!("expires=1&{}", query.join("&"));
    let headers = [
        ("authorization", format!("Bearer {key}")),
        (
            "cookie",
            format!("docwright={secret}; __Host-docwright={secret}; docwright-preview=1.{secret}"),
        ),
        ("referer", format!("{base}/invitations/{secret}")),
        ("x-gitlab-token", secret.clone()),
        ("x-hub-signature-256", format!("sha256={secret}")),
        ("idempotency-key", secret.clone()),
    ];
    let routes = routes();
    assert!(routes.len() > 120 && routes.contains("/invitations/{token}"), "{}", routes.len());
    // Damaged links, and links opened at a site.
    let broken = [
        "/invitations/{token}/",
        "//invitations/{token}",
        "/x/{token}",
        "/{token}",
        "/invitations/{token}.",
    ];
    for route in routes.iter().map(String::as_str).chain(broken) {
        let path = format!("{}?{query}", filled(route, &secret));
        for method in [Method::GET, Method::POST, Method::DELETE] {
            for host in ["127.0.0.1", "docs.example.com", "nobody.example"] {
                let mut request =
                    client.request(method.clone(), format!("{base}{path}")).header("host", host);
                for (name, value) in &headers {
                    request = request.header(*name, value);
                }
                let kind = "application/x-www-form-urlencoded";
                let request = request.header("content-type", kind).body(query.clone());
                request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
            }
        }
        let mut request = secure.request("GET", &path);
        for (name, value) in &headers {
            request = request.header(*name, value);
        }
        secure.send(request, "").await;
    }
    let other = client.get(format!("{base}/the-last-one")).send().await.unwrap();
    assert_eq!(other.status(), 404);
    secure.service.line("the last one", |line| line["path"] == "/the-last-one").await;
    let text = secure.service.text();
    let said: Vec<_> =
        text.lines().filter(|line| line.contains("c0ffee42c0ffee42")).take(5).collect();
    assert!(said.is_empty(), "{said:#?}");
    for shown in ["/invitations/{token}", "/x/{secret}"] {
        secure.service.line(shown, |line| line["path"] == shown).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_link_is_in_no_log_and_no_referer() {
    let setup = Setup::built_in(|folder| write_repository(folder, 1), &[]);
    let service = Logged::start(setup.service(&[]), "trace");
    let is_setup = |line: &Value| {
        line["message"].as_str().is_some_and(|message| message.contains("/setup?token="))
    };
    let line = service.line("the setup", is_setup).await;
    let setup_token = line["message"].as_str().unwrap().split_once("token=").unwrap().1.to_owned();
    let operator = Browser::new(&service.process.address);
    let path = format!("/setup?token={setup_token}");
    let policy = |page: &crate::dashboard::Page| page.headers["referrer-policy"].clone();
    // Without an origin, the page's form would be refused.
    assert_eq!(policy(&operator.get(&path).await), "same-origin");
    let fields = [
        ("token", setup_token.as_str()),
        ("name", "Root"),
        ("email", "root@example.com"),
        ("password", PASSWORD),
        ("organization", "First"),
    ];
    operator.submit("/setup", &fields).await.says("Projects");
    let invitations = format!("/organizations/{}/invitations", setup.organization);
    let fields = [("email", "guest@example.com"), ("role", "viewer")];
    let invitation = operator.post(&invitations, &fields).await.after("/invitations/");
    let token = invitation.split(['?', ' ', '/']).next().unwrap().to_owned();
    assert_eq!(token.len(), 64, "{token}");
    let guest = Browser::new(&service.process.address);
    let path = format!("/invitations/{token}");
    assert_eq!(policy(&guest.get(&path).await), "same-origin");
    let fields = [("name", "Guest"), ("password", PASSWORD)];
    guest.submit(&path, &fields).await.says("Docs");
    let link = setup.admin(&["sign-in-link", "guest@example.com"]);
    let link = link["link"].as_str().unwrap_or_default().to_owned();
    let link_token = link.split_once("token=").expect("the link has a token").1.to_owned();
    let path = format!("/sign-in/link?token={link_token}");
    assert_eq!(policy(&guest.get(&path).await), "same-origin");
    guest.post("/sign-in/link", &[("token", &link_token)]).await;
    let api = setup.api(&service.process);
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let link = api.bundle(&export).await["bundleUrl"].as_str().unwrap().to_owned();
    let bundle = reqwest::get(&link).await.unwrap();
    assert_eq!(
        (bundle.status().as_u16(), &bundle.headers()["referrer-policy"]),
        (200, &"no-referrer".parse().unwrap())
    );
    let signature = link.split_once("signature=").unwrap().1;
    let body = json!({ "branch": "main" });
    let preview = format!("/v1/project/preview/{}", setup.project);
    assert!(api.send(Method::POST, &preview, Some(body)).await.status().is_success());
    let opened = |line: &Value| line["path"] == "/invitations/{token}" && line["status"] == 200;
    service.line("the invitation that was opened", opened).await;
    let text = without_setup(&service.text());
    let (_, secret) = setup.key.rsplit_once('_').unwrap();
    for (what, secret) in [
        ("setup", setup_token.as_str()),
        ("invitation", &token),
        ("sign-in", &link_token),
        ("bundle", signature),
        ("key", secret),
        ("password", PASSWORD),
    ] {
        let lines: Vec<_> = text.lines().filter(|line| line.contains(secret)).take(3).collect();
        assert!(lines.is_empty(), "{what}: {lines:#?}");
    }
}

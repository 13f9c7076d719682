//! The overview of a project's repository: its configuration, pages, and diagnostics, or the next step if
//! nothing was found.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
};

use axum::{Router, http::StatusCode};
use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::ProjectPages;
use crate::{
    dashboard::Dashboard,
    server::{Setup, write_repository},
};

/// Writes a site below `docs/guides` with seven broken links and a name that isn't markup.
fn write_site(folder: &Path) {
    let docs = folder.join("docs/guides");
    write_repository(&docs, 2);
    let config = std::fs::read_to_string(docs.join("docs.json")).unwrap();
    let config = config.replace("\"Test\"", "\"<b>Acme</b>\"");
    std::fs::write(docs.join("docs.json"), config).unwrap();
    let links: Vec<_> = (0..7).map(|number| format!("[l](/nowhere-{number})")).collect();
    let page = format!("---\ntitle: T\n---\n\n{}\n", links.join("\n\n"));
    std::fs::write(docs.join("page-0.mdx"), page).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn overview_shows_diagnostics_of_first_release() {
    let dashboard = Dashboard::on(Setup::built_in(write_site, &[]), &[]).await;
    let (api, admin) = (dashboard.api("admin"), dashboard.member("admin").await);
    let path = format!("/projects/{}", dashboard.setup.project);
    let release = dashboard.released(&api, 1).await;
    let release = release["id"].as_str().unwrap();
    let page = admin.get(&path).await;
    page.says("Build result").says("docs/guides/docs.json").says("&lt;b&gt;Acme").says(">mint<");
    page.says("7 errors").says("docs/guides/page-0.mdx:5").says("View all diagnostics");
    assert!(!page.text.contains("<b>Acme"), "{}", page.text);
    assert_eq!(page.text.matches("/nowhere-").count(), 5, "the first few: {}", page.text);
    page.says(&format!("{path}/releases/{release}"));
    let shown = admin.get(&format!("{path}/releases/{release}")).await;
    shown.says("docs/guides/docs.json").says("/nowhere-6");
    // A filter finds some of many, grouped by rule, without scripts.
    shown.says("role=\"search\"").says("<code>broken-link</code>").says("rule=broken-link");
    let filtered =
        async |query: &str| admin.get(&format!("{path}/releases/{release}?{query}")).await;
    filtered("search=nowhere-6").await.says("/nowhere-6").lacks("/nowhere-5");
    filtered("severity=warning").await.says("No diagnostics match").lacks("/nowhere-6");
    filtered("rule=broken-link&severity=error").await.says("/nowhere-6").says("/nowhere-0");
    filtered("rule=other").await.says("No diagnostics match");
    let read: Value = {
        let answer = api.send(Method::GET, &format!("/v1/releases/{release}"), None).await;
        answer.json().await.unwrap()
    };
    let expected =
        json!({ "path": "docs/guides/docs.json", "name": "<b>Acme</b>", "theme": "mint" });
    assert_eq!(read["configuration"], expected, "{read}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_folder_suggests_folders_with_configuration() {
    let place = ProjectPages::start().await;
    let project = format!("/v1/projects/{}", place.dashboard.setup.project);
    for (folder, wrong) in [
        ("handbook", "folder `handbook` not found in the repository"),
        ("page-0.mdx", "folder `page-0.mdx` not found"),
    ] {
        let change = json!({ "path": folder });
        assert_eq!(place.api.send(Method::PATCH, &project, Some(change)).await.status(), 200);
        place.admin.post(&place.at("releases/build"), &[]).await;
        let page = place.until(&place.path, wrong).await;
        for said in [
            "The latest release failed",
            "A docs.json is in: the top of the repository",
            "/settings\"",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        // The site still serves the same release.
        assert!(page.contains(">Active<"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_repository_address_shows_remedy() {
    let status = Arc::new(AtomicU16::new(401));
    let answered = status.clone();
    let host = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = host.local_addr().unwrap().to_string();
    let answer = move || {
        let status = StatusCode::from_u16(answered.load(Ordering::Relaxed)).unwrap();
        let header = [("www-authenticate", "Basic realm=\"git\"")];
        std::future::ready((status, header, ""))
    };
    tokio::spawn(async move { axum::serve(host, Router::new().fallback(answer)).await });
    let dashboard = Dashboard::with(&[("DOCWRIGHT_PRIVATE_HOSTS", &address)]).await;
    let repository = format!("http://{address}/acme/docs.git");
    // Without a domain, the error is shown, too.
    let organization = dashboard.setup.organization.as_str();
    let new =
        ["project", "create", "Wiki", "--organization", organization, "--repository", &repository];
    let made = dashboard.setup.admin(&new);
    let path = format!("/projects/{}", made["id"].as_str().unwrap());
    let until = async |words: &str| {
        eventually(&format!("it says {words}"), async || {
            let page = dashboard.operator.get(&path).await;
            if page.text.contains(words) { Ok(page) } else { Err(page.text) }
        })
        .await
    };
    let page = until("Add credentials that the host accepts to the project").await;
    page.says("The repository needs credentials that its git host accepts.");
    page.says(&format!("{path}/settings/credentials"))
        .says("1 failed attempt")
        .says("Next attempt");
    // New credentials are tried immediately.
    status.store(404, Ordering::Relaxed);
    let secret = [("host", address.as_str()), ("username", "me"), ("secret", "s3cret-token")];
    let kept = dashboard.operator.post(&format!("{path}/settings/credentials"), &secret).await;
    kept.is(reqwest::StatusCode::SEE_OTHER);
    let page = until("Check the address; a private repository needs credentials").await;
    assert!(!page.text.contains("s3cret"), "{}", page.text);
    page.says("docwright can't read the repository.").says("Try now").says("2 failed attempts");
    let api = dashboard.api("read");
    let problems: Value = {
        let path = format!("/v1{path}/problems");
        api.send(Method::GET, &path, None).await.json().await.unwrap()
    };
    let [problem] = problems["problems"].as_array().unwrap().as_slice() else {
        panic!("expected one problem: {problems}")
    };
    assert_eq!((&problem["kind"], &problem["attempts"]), (&json!("repository"), &json!(2)));
    let [since, next] = ["since", "nextAttemptAt"].map(|name| problem[name].as_str().unwrap());
    assert!(since < next, "{problem}");
    // Those of the organization, too.
    let credential = json!({ "organizationId": organization, "host": address, "secret": "s3cret" });
    let api = dashboard.api("admin");
    let kept = api.send(Method::PUT, "/v1/credentials", Some(credential)).await;
    assert_eq!(kept.status(), 200, "{}", kept.text().await.unwrap());
    until("3 failed attempts").await;
}

//! `docwright serve` sends requests of the sites and previews that it serves, each to the API of its own site only.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Asked, RecordingApi, SiteServer, passed_on, refused, write_api_site};
use crate::{
    http2::Secure,
    server::{Api, Process, Setup, id},
};

const HOST: &str = "docs.example.com";

/// Exports a domain's site with the features of the cloud deployment, so its release is active.
async fn publish(api: &Api, domain: &str) {
    let body = json!({ "domain": domain, "deployment": "cloud" });
    let started = api.send(Method::POST, "/v1/static-export/jobs", Some(body)).await;
    let started: Value = started.json().await.unwrap();
    let id = started["jobId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
}

/// A service with the site of one organization. The operator allows an API.
async fn published(api: &RecordingApi) -> (Setup, Process, Api) {
    let servers = [api.origin()];
    let setup = Setup::built_in(|folder| write_api_site(folder, &servers), &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_PRIVATE_HOSTS", "127.0.0.1")]);
    let key = setup.new_key(&["--scope", "admin"]);
    let client = Api { key, ..setup.api(&process) };
    publish(&client, HOST).await;
    (setup, process, client)
}

async fn announced(site: &SiteServer, expected: bool) {
    eventually("the page says whether requests are sent", async || {
        site.get("/index.html").await.status() == 200 && site.announces().await == expected
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn site_sends_requests_to_its_own_api_only() {
    let (one, other) = (RecordingApi::start().await, RecordingApi::start().await);
    let (setup, process, client) = published(&one).await;
    let repository = setup.folder.path().join("other");
    write_api_site(&repository, &[other.origin()]);
    let organization = id(&setup.admin(&["organization", "create", "Other"]));
    let path = repository.display().to_string();
    let project = ["project", "create", "Docs", "--organization", &organization, "--import", &path];
    let project = id(&setup.admin(&project));
    setup.admin(&["domain", "create", "other.example.com", "--project", &project]);
    let key = setup.admin(&["key", "create", "test", "--organization", &organization]);
    let key = key["key"].as_str().unwrap().to_owned();
    publish(&Api { key, ..setup.api(&process) }, "other.example.com").await;
    let first = SiteServer::new(&process.address, Some(HOST));
    let second = SiteServer::new(&process.address, Some("other.example.com"));
    announced(&first, true).await;
    announced(&second, true).await;
    for (site, api, status) in
        [(&first, &one, 200), (&first, &other, 403), (&second, &one, 403), (&second, &other, 200)]
    {
        let response = site.ask(&Asked::get(format!("{}/things", api.origin()))).await;
        assert_eq!(response.status(), status);
        assert_eq!(api.taken().len(), usize::from(status == 200));
    }
    // A page of one organization's site can't send requests as a page of another's.
    for (origin, status) in [("http://docs.example.com", 200), ("http://other.example.com", 403)] {
        let own = vec![("origin", origin.to_owned())];
        let asked = Asked { own, ..Asked::get(format!("{}/things", one.origin())) };
        assert_eq!(first.ask(&asked).await.status(), status, "{origin}");
    }
    // The service's own host sends nothing.
    let service = SiteServer::new(&process.address, None);
    let response = service.ask(&Asked::get(format!("{}/things", one.origin()))).await;
    assert!(matches!(response.status().as_u16(), 404 | 405), "{response:?}");
    // Authors name hosts, and operators too, in the settings of the deployment.
    let deployment = format!("/v1/projects/{}/deployments/cloud", setup.project);
    let hosts =
        json!({ "features": { "playground": { "mode": "proxy", "hosts": [other.origin()] } } });
    assert_eq!(client.send(Method::PATCH, &deployment, Some(hosts)).await.status(), 200);
    publish(&client, HOST).await;
    eventually("the other host is allowed", async || {
        let response = first.ask(&Asked::get(format!("{}/things", other.origin()))).await;
        response.status() == 200
    })
    .await;
    let browser = json!({ "features": { "playground": { "mode": "browser" } } });
    assert_eq!(client.send(Method::PATCH, &deployment, Some(browser)).await.status(), 200);
    publish(&client, HOST).await;
    announced(&first, false).await;
    let response = first.ask(&Asked::get(format!("{}/things", one.origin()))).await;
    assert_eq!(refused(response).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn preview_sends_requests() {
    let api = RecordingApi::start().await;
    let (setup, process, client) = published(&api).await;
    let path = format!("/v1/project/preview/{}", setup.project);
    let started = client.send(Method::POST, &path, Some(json!({ "branch": "main" }))).await;
    let started: Value = started.json().await.unwrap();
    let url = started["previewUrl"].as_str().unwrap_or_else(|| panic!("{started}"));
    let host = url.split_once("://").unwrap().1.trim_end_matches('/');
    let preview = SiteServer::new(&process.address, Some(host));
    announced(&preview, true).await;
    let response = preview.ask(&Asked::get(format!("{}/things", api.origin()))).await;
    assert_eq!(passed_on(&response).0, 200);
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(api.taken().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_sends_requests_over_http2() {
    let api = RecordingApi::start().await;
    let servers = [api.origin()];
    let secure = Secure::start_with(
        "debug",
        |folder| write_api_site(folder, &servers),
        &[("DOCWRIGHT_PRIVATE_HOSTS", "127.0.0.1")],
    )
    .await;
    publish(&secure.setup.api(&secure.service.process), HOST).await;
    eventually("the page is served", async || {
        let page = Secure::request_to(HOST, "GET", "/index.html");
        secure.send(page, "").await.status == 200
    })
    .await;
    for (origin, status) in [("https://docs.example.com", 200), ("https://evil.example", 403)] {
        let asked = Asked {
            method: "POST",
            headers: vec![("Host", "inside"), ("X-Key", "hidden"), ("Content-Length", "0")],
            ..Asked::get(format!("{}/things?key=hidden", api.origin()))
        };
        let request = Secure::request_to(HOST, "POST", "/_docwright/request")
            .header("origin", origin)
            .header("cookie", "session=of-the-site")
            .header("content-length", "6")
            .header("docwright-request-method", asked.method)
            .header("docwright-request-url", &asked.url)
            .header("docwright-request-headers", asked.list());
        let response = secure.send(request, "hidden").await;
        assert_eq!(response.status, status, "{response:?}");
        let arrived = api.taken();
        assert_eq!(arrived.len(), usize::from(status == 200));
        let Some(arrived) = arrived.first() else { continue };
        assert_eq!(response.headers["docwright-response-status"], "200");
        assert_eq!(response.text, "done");
        assert_eq!((arrived.body.as_slice(), arrived.header("x-key")), (&b"hidden"[..], "hidden"));
        assert_eq!(arrived.header("host"), format!("127.0.0.1:{}", api.port));
        assert!(!arrived.headers.contains_key("cookie"));
    }
    let log = secure.service.text_with_requests("/_docwright/request", 2).await;
    assert!(!log.contains("hidden"), "{log}");
}

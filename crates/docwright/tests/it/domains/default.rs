//! Default domains: the instance gives one to each project, and readers end up at the project's other domain.

use std::process::Stdio;

use docwright_testing::wait::eventually;
use reqwest::{Client, Method, Response, header, redirect::Policy};
use serde_json::{Value, json};

use super::dns::NameServer;
use crate::server::{Api, Setup, docwright};

const VARIABLES: [(&str, &str); 3] = [
    ("DOCWRIGHT_PUBLIC_URL", "https://admin.example.net"),
    ("DOCWRIGHT_PREVIEW_DOMAIN", "previews.example.org"),
    ("DOCWRIGHT_SITES_DOMAIN", "sites.example.com"),
];

async fn read(api: &Api, host: &str, path: &str) -> Response {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let request = client.get(format!("{}{path}", api.base)).header(header::HOST, host);
    request.send().await.unwrap()
}

async fn send(api: &Api, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
    let answer = api.send(method, path, body).await;
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

async fn create(api: &Api, name: &str) -> String {
    let body = json!({ "name": name, "starter": true });
    let (status, project) = send(api, Method::POST, "/v1/projects", Some(body)).await;
    assert_eq!(status, 201, "{project}");
    project["id"].as_str().unwrap().to_owned()
}

async fn has_status(api: &Api, host: &str, path: &str, status: u16) -> Response {
    eventually(&format!("{host}{path} answers {status}"), async || {
        let answer = read(api, host, path).await;
        if answer.status() == status { Ok(answer) } else { Err(answer.status()) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn new_project_is_published_at_its_default_domain() {
    let setup = Setup::new();
    let process = setup.serve_with(&VARIABLES);
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let project = create(&api, "The Handbook").await;
    create(&api, "the handbook!").await;
    let host = "the-handbook.sites.example.com";
    let page = has_status(&api, host, "/", 200).await.text().await.unwrap();
    assert!(
        page.contains(&format!("https://{host}")),
        "the canonical address is that of the domain"
    );
    has_status(&api, "the-handbook-2.sites.example.com", "/", 200).await;

    let (status, list) =
        send(&api, Method::GET, &format!("/v1/domains?projectId={project}"), None).await;
    assert_eq!(status, 200);
    let domain = &list["domains"][0];
    assert_eq!(domain["domain"], host);
    assert_eq!((&domain["isDefault"], &domain["redirectsTo"]), (&json!(true), &Value::Null));
    let (status, refused) = send(&api, Method::DELETE, &format!("/v1/domains/{host}"), None).await;
    assert_eq!(status, 409);
    assert!(refused["error"].as_str().unwrap().contains("deleted with the project"), "{refused}");

    // Nobody can choose a name among the default domains, not even an operator.
    let operator = Api {
        key: setup.admin(&["key", "create", "o", "--scope", "operator"])["key"]
            .as_str()
            .unwrap()
            .to_owned(),
        ..api.clone()
    };
    for (key, name) in [
        (&api, "x.sites.example.com"),
        (&operator, "x.sites.example.com"),
        (&api, "sites.example.com"),
        (&api, &format!("{host}/v2")),
    ] {
        let body = json!({ "domain": name, "projectId": project });
        let (status, refused) = send(key, Method::POST, "/v1/domains", Some(body)).await;
        assert_eq!(status, 400, "{name}: {refused}");
        assert!(refused["error"].as_str().unwrap().contains("default domain"), "{refused}");
    }
    let (status, _) = send(&api, Method::DELETE, &format!("/v1/projects/{project}"), None).await;
    assert_eq!(status, 200);
    assert_eq!(read(&api, host, "/").await.status(), 421, "it is deleted with the project");
}

#[tokio::test(flavor = "multi_thread")]
async fn default_domain_redirects_to_published_domain() {
    let setup = Setup::new();
    // The project is older than the setting. Its own domain is already published.
    let process = setup.serve_with(&VARIABLES[..2]);
    let api = setup.api(&process);
    setup.admin(&["release", "create", "--domain", "docs.example.com"]);
    has_status(&api, "docs.example.com", "/page-1", 200).await;
    drop(process);
    // It redirects as soon as the name is found to lead to the service. Until then, readers see the site.
    let dns = NameServer::start().await;
    dns.lead("docs.example.com", None);
    let name_server = dns.address.to_string();
    let variables = [&VARIABLES[..], &[("DOCWRIGHT_DNS_SERVERS", &name_server)]].concat();
    let process = setup.serve_with(&variables);
    let api = Api { key: setup.new_key(&["--scope", "admin"]), ..setup.api(&process) };
    let host = "docs.sites.example.com";
    has_status(&api, host, "/page-1", 200).await;
    dns.lead("docs.example.com", Some([127, 0, 0, 1]));
    eventually("the name leads here", async || {
        let verify = "/v1/domains/docs.example.com/verify";
        let (_, domain) = send(&api, Method::POST, verify, None).await;
        domain["dns"]["state"] == "correct"
    })
    .await;
    for (path, location) in [
        ("/page-1?q=a%2Fb", "https://docs.example.com/page-1?q=a%2Fb"),
        ("//evil.example/", "https://docs.example.com//evil.example/"),
        ("/", "https://docs.example.com/"),
    ] {
        let answer = has_status(&api, host, path, 308).await;
        assert_eq!(answer.headers()[header::LOCATION], location);
        assert_eq!(answer.headers()[header::CACHE_CONTROL], "max-age=3600");
    }
    let path = "/v1/domains/docs.example.com";
    let (_, domain) = send(&api, Method::GET, &format!("/v1/domains/{host}"), None).await;
    assert_eq!(domain["redirectsTo"], "docs.example.com", "{domain}");
    assert_eq!(domain["records"], json!([]), "a wildcard record covers it");
    assert_eq!(send(&api, Method::DELETE, path, None).await.0, 200);
    has_status(&api, host, "/page-1", 200).await;
}

#[test]
fn sites_domain_is_separate_from_service() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().display().to_string();
    let output = docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &data])
        .args(["--public-url", "https://docs.example.com", "--sites-domain", "docs.example.com"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("--sites-domain docs.example.com shares a domain"), "{message}");
}

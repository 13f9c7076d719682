//! Hosts of the service, hosts of sites, and unknown hosts, each with only its own content.

use std::{fs, path::Path, process::Stdio};

use reqwest::{Client, Method, Response};

use crate::server::{Process, Setup, docwright};

/// Paths of the service on its own hosts.
const SERVICE: [&str; 6] =
    ["api", "metrics", "openapi.json", "healthz", "readyz", "projects/x/pull-requests"];

/// A site with pages at paths that the service uses, too.
fn write_site(folder: &Path) {
    fs::create_dir_all(folder.join("projects/x")).unwrap();
    fs::write(folder.join("docs.json"), r#"{"name": "Docs", "navigation": ["index"]}"#).unwrap();
    fs::write(folder.join("index.mdx"), "---\ntitle: Start\n---\n\nAuthor.\n").unwrap();
    for path in SERVICE {
        let path = path.trim_end_matches(".json");
        fs::write(folder.join(format!("{path}.mdx")), "---\ntitle: Page\n---\n\nAuthor.\n")
            .unwrap();
    }
}

async fn get(process: &Process, host: &str, path: &str, accept: &str) -> Response {
    let request = Client::new().get(format!("{}/{path}", process.address));
    request.header("host", host).header("accept", accept).send().await.unwrap()
}

async fn publish(setup: &Setup) -> Process {
    let process = setup.serve();
    let api = setup.api(&process);
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    process
}

#[tokio::test(flavor = "multi_thread")]
async fn site_and_service_share_no_address() {
    let setup = Setup::with_repository(write_site);
    let process = publish(&setup).await;
    for path in SERVICE.iter().filter(|path| !path.ends_with("json")) {
        let page = get(&process, "docs.example.com", path, "text/html").await;
        assert_eq!(page.status(), 200, "{path}");
        assert!(page.text().await.unwrap().contains("Author."), "{path}");
    }
    for path in ["openapi.json", "v1/static-export/jobs", "v2/agent/x/jobs", "objects/x"] {
        let answer = get(&process, "docs.example.com", path, "*/*").await;
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8", "{path}");
    }
    let port = process.address.rsplit(':').next().unwrap();
    for host in ["127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "10.1.2.3"] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            let answer = get(&process, &host, "healthz", "*/*").await;
            assert_eq!(
                (answer.status().as_u16(), answer.text().await.unwrap()),
                (200, "ok\n".into())
            );
            let nothing = get(&process, &host, "index", "text/html").await;
            assert_eq!(nothing.status(), 404, "{host}");
            assert!(!nothing.text().await.unwrap().contains("Author."), "{host}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_host_gets_an_explaining_page() {
    let setup = Setup::new();
    let process = setup.serve();
    for host in ["elsewhere.example.com", "localhost.example.com", "127.0.0.1.example.com"] {
        for path in ["", "healthz", "api", "v1/static-export/jobs"] {
            let page = get(&process, host, path, "text/html,*/*;q=0.8").await;
            assert_eq!(page.status(), 421, "{host}/{path}");
            let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
            assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
            let text = page.text().await.unwrap();
            assert!(
                text.contains("This docwright server has no site") && text.contains(host),
                "{text}"
            );
            let sentence = get(&process, host, path, "*/*").await;
            let sentence: serde_json::Value = sentence.json().await.unwrap();
            assert_eq!(sentence["code"], "misdirected");
        }
    }
    let markup = get(&process, "a<script>", "", "text/html").await;
    assert_eq!(markup.status(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn public_url_is_host_of_service() {
    let setup = Setup::new();
    let url = ("DOCWRIGHT_PUBLIC_URL", "https://Docwright.example.com/");
    let process = setup.serve_with(&[url]);
    assert_eq!(get(&process, "docwright.example.com", "healthz", "*/*").await.status(), 200);
    assert_eq!(get(&process, "docwright.example.org", "healthz", "*/*").await.status(), 421);
    drop(process);

    // Such a domain is refused, and an existing one prevents the start.
    let data = setup.data().display().to_string();
    let add = |domain: &str| {
        let mut command = docwright(&["admin", "--data", &data, "domain", "create", domain]);
        command.args(["--project", &setup.project]).env(url.0, url.1).stderr(Stdio::piped());
        command.output().unwrap()
    };
    for domain in ["docwright.example.com", "localhost"] {
        let refused = add(domain);
        assert!(!refused.status.success());
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(text.contains("is a host of the service itself"), "{text}");
    }
    setup.admin(&["domain", "create", "docwright.example.com", "--project", &setup.project]);
    let mut command = docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    let stopped = command.env(url.0, url.1).stderr(Stdio::piped()).output().unwrap();
    assert!(!stopped.status.success());
    let text = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert!(text.contains("docwright.example.com is a host of the service itself"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn domain_without_a_release_shows_a_notice() {
    let setup = Setup::with_repository(write_site);
    let process = setup.serve();
    let page = get(&process, "docs.example.com", "", "text/html").await;
    assert_eq!(page.status(), 404);
    let text = page.text().await.unwrap();
    assert!(text.contains("docs.example.com has no release yet"), "{text}");
    let sentence = get(&process, "docs.example.com", "", "*/*").await;
    assert_eq!(sentence.json::<serde_json::Value>().await.unwrap()["code"], "not_found");
    let api = setup.api(&process);
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    let page = get(&process, "docs.example.com", "", "text/html").await;
    assert_eq!(page.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_of_service_forbid_frames() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve();
    let api = setup.api(&process);
    let git = format!("/git/{}.git/info/refs?service=git-upload-pack", setup.project);
    for path in ["/", "/healthz", "/openapi.json", "/api", "/v1/static-export/jobs/x", &git] {
        let answer = api.send(Method::GET, path, None).await;
        let policy = answer.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{path}");
    }
    assert_eq!(api.send(Method::GET, &git, None).await.status(), 200);
}

//! Sites below a path of a host behind nginx or Caddy, with the manual's recipes; and nginx with TLS.

use std::{fs, io::Read, net::SocketAddr, path::Path};

use docwright_testing::{ports::Port, wait::eventually};
use flate2::read::GzDecoder;
use rcgen::{CertificateParams, KeyPair};
use reqwest::{Client, Response, redirect::Policy};
use serde_json::json;
use tempfile::TempDir;

use super::recipes::{WebServer, recipe, replaced};
use crate::server::{Process, Setup};

const PAGE: &str = "run/proxies.mdx";
const BEHIND: &str = "127.0.0.1:8080";

struct Behind {
    _setup: Option<Setup>,
    process: Process,
    folder: TempDir,
}

impl Behind {
    /// A service with a site at a domain.
    async fn publish(domain: &str) -> Self {
        let setup = Setup::with_repository(write_site);
        setup.admin(&["domain", "create", domain, "--project", &setup.project]);
        let process = setup.serve_with(&[
            ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1"),
            ("DOCWRIGHT_PUBLIC_URL", "https://docwright.example.com"),
        ]);
        setup.admin(&["release", "create", "--domain", domain]);
        let (host, base) = domain.split_at(domain.find('/').unwrap_or(domain.len()));
        let page = format!("{}{base}/page-0", process.address);
        eventually("the site is published", async || {
            let asked = Client::new().get(&page).header("host", host).send().await.unwrap();
            asked.status() == 200
        })
        .await;
        Self { _setup: Some(setup), process, folder: other_site() }
    }

    /// A deployment of a bundle that was made for another place.
    async fn deploy(base: &str) -> Self {
        let folder = other_site();
        let docs = folder.path().join("source");
        write_site(&docs);
        let options = ["--base-path", base, "--trusted-proxies", "127.0.0.1"];
        let process = super::deploy(folder.path(), &docs, &options).await;
        Self { _setup: None, process, folder }
    }

    fn own(&self) -> &str {
        self.process.address.trim_start_matches("http://")
    }

    /// nginx with a recipe and a certificate for a host.
    async fn nginx(&self, words: &str, host: &str) -> (WebServer, reqwest::Certificate) {
        let key = KeyPair::generate().unwrap();
        let made =
            CertificateParams::new(vec![host.to_owned()]).unwrap().self_signed(&key).unwrap();
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        fs::write(path("tls.pem"), made.pem()).unwrap();
        fs::write(path("tls.key"), key.serialize_pem()).unwrap();
        let port = Port::take();
        let recipe = recipe(PAGE, "nginx", words);
        let listen = format!("listen 127.0.0.1:{} ssl;", port.number());
        let recipe = replaced(&recipe, "listen 443 ssl;", &listen);
        let mut lines: Vec<_> = recipe.lines().map(str::to_owned).collect();
        for (name, file) in
            [("ssl_certificate ", "tls.pem"), ("ssl_certificate_key ", "tls.key"), ("root ", ".")]
        {
            for line in lines.iter_mut().filter(|line| line.trim_start().starts_with(name)) {
                *line = format!("{name}{};", path(file));
            }
        }
        let server = WebServer::nginx(port, &replaced(&lines.join("\n"), BEHIND, self.own())).await;
        (server, reqwest::Certificate::from_pem(made.pem().as_bytes()).unwrap())
    }

    /// The recipe of Caddy, without TLS.
    async fn caddy(&self) -> WebServer {
        let port = Port::take();
        let recipe = recipe(PAGE, "caddy", "path /docs");
        let site = format!("http://example.com:{} {{\n\tbind 127.0.0.1", port.number());
        let recipe = replaced(&recipe, "example.com {", &site);
        let root = self.folder.path().display().to_string();
        let recipe = replaced(&recipe, "/var/www/example.com", &root);
        WebServer::caddy(port, &replaced(&recipe, BEHIND, self.own())).await
    }
}

/// A page and a redirect.
fn write_site(folder: &Path) {
    crate::server::write_repository(folder, 1);
    let path = folder.join("docs.json");
    let text = fs::read_to_string(&path).unwrap();
    let redirects = r#"{"redirects":[{"source":"/old","destination":"/page-0?from=old"}],"#;
    fs::write(path, text.replacen('{', redirects, 1)).unwrap();
}

/// A folder with the larger site.
fn other_site() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), "the other site").unwrap();
    folder
}

fn client(host: &str, server: &WebServer, trusted: Option<reqwest::Certificate>) -> Client {
    let address: SocketAddr = server.host.parse().unwrap();
    let builder = Client::builder().resolve(host, address).redirect(Policy::none());
    let builder = trusted.into_iter().fold(builder, reqwest::ClientBuilder::add_root_certificate);
    builder.build().unwrap()
}

async fn works_below_a_path(client: &Client, scheme: &str, server: &WebServer) {
    let port = server.host.rsplit(':').next().unwrap();
    let origin = format!("{scheme}://example.com:{port}");
    let get = async |path: &str, headers: &[(&str, &str)]| -> Response {
        let request = client.get(format!("{origin}{path}"));
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        request.send().await.unwrap()
    };
    for (path, location) in [
        ("/docs?a=b", "/docs/?a=b"),
        ("/docs/page-0/?a=b", "/docs/page-0?a=b"),
        ("/docs/old", "/docs/page-0?from=old"),
    ] {
        let answer = get(path, &[]).await;
        assert_eq!(answer.status(), 308, "{path}");
        let found = answer.headers()["location"].to_str().unwrap();
        assert_eq!(found.trim_start_matches(&origin), location, "{path}");
    }
    for (path, status) in [
        ("/docs/", 200),
        ("/docs/page-0?a=b%20c", 200),
        ("/docs/none", 404),
        ("/docsx", 404),
        ("/page-0", 404),
    ] {
        assert_eq!(get(path, &[]).await.status(), status, "{path}");
    }
    assert_eq!(get("/", &[]).await.text().await.unwrap(), "the other site");
    let page = get("/docs/page-0", &[]).await;
    let tag = page.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(page.headers()["x-llms-txt"], "/docs/llms.txt");
    let text = page.text().await.unwrap();
    assert_eq!(get("/docs/page-0", &[("if-none-match", &tag)]).await.status(), 304);
    let part = get("/docs/page-0.md", &[("range", "bytes=0-3")]).await;
    assert_eq!((part.status().as_u16(), part.content_length()), (206, Some(4)));
    let packed = get("/docs/page-0", &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let mut unpacked = String::new();
    let packed = packed.bytes().await.unwrap();
    GzDecoder::new(packed.as_ref()).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, text);
    let post = async |path: &str, body: serde_json::Value| {
        let request = client.post(format!("{origin}{path}")).header("origin", &origin).json(&body);
        request.send().await.unwrap().status().as_u16()
    };
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(post("/docs/mcp", ping).await, 200);
}

/// The service writes its own addresses into pages, and takes feedback.
async fn service_works_below_a_path(client: &Client, scheme: &str, server: &WebServer) {
    works_below_a_path(client, scheme, server).await;
    let port = server.host.rsplit(':').next().unwrap();
    let origin = format!("{scheme}://example.com:{port}");
    let page = client.get(format!("{origin}/docs/page-0")).send().await.unwrap();
    let text = page.text().await.unwrap();
    assert!(text.contains("https://example.com/docs/page-0"), "{text}");
    let request = client.post(format!("{origin}/docs/_docwright/feedback"));
    let said = json!({ "page": "page-0", "helpful": true });
    let taken = request.header("origin", &origin).json(&said).send().await.unwrap();
    assert_eq!(taken.status(), 204);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn site_is_served_below_a_path_of_nginx_with_tls() {
    let behind = Behind::publish("example.com/docs").await;
    let (server, trusted) = behind.nginx("location ~ ^/docs", "example.com").await;
    let client = client("example.com", &server, Some(trusted));
    service_works_below_a_path(&client, "https", &server).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn site_is_served_below_a_path_of_caddy() {
    let behind = Behind::publish("example.com/docs").await;
    let server = behind.caddy().await;
    service_works_below_a_path(&client("example.com", &server, None), "http", &server).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn bundle_is_served_below_a_path_of_nginx_and_caddy() {
    let behind = Behind::deploy("/docs").await;
    let (server, trusted) = behind.nginx("location ~ ^/docs", "example.com").await;
    works_below_a_path(&client("example.com", &server, Some(trusted)), "https", &server).await;
    let server = behind.caddy().await;
    works_below_a_path(&client("example.com", &server, None), "http", &server).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn site_has_its_own_host_behind_nginx_with_tls() {
    let behind = Behind::publish("next.example.com").await;
    let (server, trusted) = behind.nginx("server_name docwright", "next.example.com").await;
    let client = client("next.example.com", &server, Some(trusted));
    let port = server.host.rsplit(':').next().unwrap();
    let get = async |path: &str| {
        client.get(format!("https://next.example.com:{port}{path}")).send().await.unwrap()
    };
    assert_eq!(get("/old").await.headers()["location"], "/page-0?from=old");
    let page = get("/page-0?a=b").await;
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("https://next.example.com/page-0"));
}

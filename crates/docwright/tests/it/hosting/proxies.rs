//! The service behind nginx and Caddy, with the manual's recipes.

use std::{net::IpAddr, time::Duration};

use docwright_testing::ports::Port;
use reqwest::{Client, Method};
use serde_json::Value;
use tokio::time::timeout;

use super::recipes::{WebServer, recipe, replaced};
use crate::{
    limits::{DEADLINE, Waiting},
    server::git,
    sites::noise,
};

const PAGE: &str = "run/proxies.mdx";
/// The address of docwright in the recipes.
const BEHIND: &str = "127.0.0.1:8080";

/// A service behind a proxy.
struct Behind {
    waiting: Waiting,
    proxy: WebServer,
}

impl Behind {
    async fn nginx() -> Self {
        let port = Port::take();
        let waiting = start(port.number()).await;
        let own = waiting.process.address.trim_start_matches("http://").to_owned();
        let recipe = recipe(PAGE, "nginx", "server_name docwright");
        let listen = format!("listen 127.0.0.1:{};", port.number());
        let recipe = replaced(&recipe, "listen 443 ssl;", &listen);
        let without_tls = recipe.lines().filter(|line| !line.contains("ssl_"));
        let recipe = without_tls.collect::<Vec<_>>().join("\n");
        let recipe = replaced(&recipe, BEHIND, &own);
        Self { waiting, proxy: WebServer::nginx(port, &recipe).await }
    }

    async fn caddy() -> Self {
        let port = Port::take();
        let waiting = start(port.number()).await;
        let own = waiting.process.address.trim_start_matches("http://").to_owned();
        let recipe = replaced(&recipe(PAGE, "caddy", "docwright.example.com"), BEHIND, &own);
        let (names, rest) = recipe.split_once('\n').unwrap();
        assert!(names.starts_with("docwright.example.com, docs.example.com"));
        let recipe = format!("http://:{} {{\n\tbind 127.0.0.1\n{rest}", port.number());
        Self { waiting, proxy: WebServer::caddy(port, &recipe).await }
    }

    /// A client at an address that differs from the proxy's.
    fn client(&self) -> Client {
        let address = self.proxy.host.parse().unwrap();
        Client::builder()
            .local_address("127.0.0.2".parse::<IpAddr>().unwrap())
            .resolve("docwright.example.com", address)
            .resolve("docs.example.com", address)
            .build()
            .unwrap()
    }

    fn url(&self, host: &str, path: &str) -> String {
        let port = self.proxy.host.rsplit(':').next().unwrap();
        format!("http://{host}:{port}{path}")
    }

    /// The Host header distinguishes sites from the service.
    async fn hosts_are_passed_on(&self) {
        let get = async |host: &str, path: &str| {
            let answer = self.client().get(self.url(host, path)).send().await.unwrap();
            (answer.status().as_u16(), answer.text().await.unwrap())
        };
        let (status, page) = get("docs.example.com", "/page-0").await;
        // The site can be published already.
        let is_of_site = [200, 404].contains(&status) && page.contains("docs.example.com");
        assert!(is_of_site, "{status} {page}");
        assert_eq!(get("docwright.example.com", "/openapi.json").await.0, 200);
        assert_eq!(get("docs.example.com", "/openapi.json").await.0, 404);
    }

    /// Key allowlists check the client's address, regardless of its headers.
    async fn clients_are_known(&self) {
        let path = format!("/v2/agent/{}/jobs", self.waiting.setup.project);
        for (list, status) in [("127.0.0.2", 200), ("203.0.113.0/24", 403), ("127.0.0.1", 403)] {
            let key = self.waiting.setup.new_key(&["--allow", list]);
            for (name, value) in [
                ("x-nothing", ""),
                ("x-forwarded-for", "203.0.113.7"),
                ("x-forwarded-for", "127.0.0.1"),
                ("forwarded", "for=203.0.113.7"),
                ("x-real-ip", "203.0.113.7"),
            ] {
                let request = self.client().get(self.url("docwright.example.com", &path));
                let request = request.bearer_auth(&key).header(name, value);
                let answer = request.send().await.unwrap();
                assert_eq!(answer.status(), status, "{list} {name} {value}");
            }
        }
    }

    /// Events arrive while a stream is open.
    async fn events_come_at_once(&self) {
        let events = self.waiting.job().await;
        let request = self.client().get(self.url("docwright.example.com", &events));
        let request = request.bearer_auth(&self.waiting.setup.key);
        let mut stream = request.send().await.unwrap();
        assert_eq!(stream.status(), 200);
        let first = timeout(DEADLINE, stream.chunk()).await.expect("an event comes");
        assert!(first.unwrap().is_some());
    }

    /// Pushes can exceed the proxies' default size limit.
    async fn pushes_get_through(&self) {
        let Waiting { setup, api, .. } = &self.waiting;
        let path = format!("git/{}.git", setup.project);
        // Git can't set a Host header, so the proxy's own address belongs to the service.
        let url = format!("http://me:{}@{}/{path}", setup.key, self.proxy.host);
        let clone = setup.folder.path().join("pushed");
        git(setup.folder.path(), &["clone", "--quiet", &url, clone.to_str().unwrap()]);
        std::fs::write(clone.join("image.png"), noise(3_000_000)).unwrap();
        git(&clone, &["add", "--all"]);
        git(&clone, &["commit", "--quiet", "--message", "image"]);
        git(&clone, &["push", "--quiet", "origin", "HEAD:main"]);
        let job = api.start_export().await;
        let job = timeout(DEADLINE, api.wait_for(&job, &["completed", "failed"])).await.unwrap();
        assert_eq!(job["status"], "completed", "{job}");
        let path = format!("/v1/static-export/jobs/{}/bundle", job["jobId"].as_str().unwrap());
        let request = self.client().request(Method::POST, self.url("docwright.example.com", &path));
        let bundle: Value =
            request.bearer_auth(&setup.key).send().await.unwrap().json().await.unwrap();
        let link = bundle["bundleUrl"].as_str().unwrap();
        let public = self.url("docwright.example.com", "/objects/");
        assert!(link.starts_with(&public), "{link} {public}");
        let bytes = self.client().get(link).send().await.unwrap().bytes().await.unwrap();
        assert!(bytes.len() > 3_000_000);
    }

    async fn all(&self) {
        self.hosts_are_passed_on().await;
        self.clients_are_known().await;
        timeout(Duration::from_mins(3), self.events_come_at_once()).await.unwrap();
        self.pushes_get_through().await;
    }
}

/// Starts a service behind a proxy at a port.
async fn start(port: u16) -> Waiting {
    let url = format!("http://docwright.example.com:{port}");
    Waiting::start(&[
        ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1"),
        ("DOCWRIGHT_PUBLIC_URL", url.as_str()),
    ])
    .await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn service_works_behind_nginx() {
    Behind::nginx().await.all().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nginx and Caddy"]
async fn service_works_behind_caddy() {
    Behind::caddy().await.all().await;
}

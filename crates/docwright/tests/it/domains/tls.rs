//! Certificates from Pebble and from files.

use std::{fs, net::SocketAddr};

use docwright_testing::{ports::Port, wait::eventually};
use reqwest::{Client, Method, redirect::Policy};
use serde_json::{Value, json};

use super::{
    dns::NameServer,
    pebble::{Pebble, certificate},
};
use crate::{
    observing::Logged,
    server::{Api, Setup, write_repository},
};

const HOST: &str = "docs.acme.example";
const OWN: &str = "admin.acme.example";

struct World {
    setup: Setup,
    service: Logged,
    api: Api,
    dns: NameServer,
    pebble: Option<Pebble>,
    http: SocketAddr,
    https: SocketAddr,
    _ports: [Port; 2],
}

impl World {
    /// A service with certificates from Pebble that last a number of seconds.
    async fn start(seconds: u64) -> Self {
        Self::start_with(seconds, None).await
    }

    /// The same with a slow authority.
    async fn start_with(seconds: u64, asks_within: Option<u8>) -> Self {
        let dns = NameServer::start().await;
        // Pebble and the service need each other's address.
        let ports = [Port::take(), Port::take()];
        let (servers, http) = (dns.address.to_string(), ports[0].number());
        let pebble = Pebble::start(&servers, http, seconds, asks_within).await;
        let (directory, root) = (pebble.directory.clone(), pebble.root());
        let variables = [
            ("DOCWRIGHT_ACME_DIRECTORY", directory.as_str()),
            ("DOCWRIGHT_ACME_CA", &root),
            ("DOCWRIGHT_ACME_CONTACT", "ops@acme.example"),
        ];
        Self::with(&variables, (dns, Some(pebble)), ports)
    }

    fn with(
        variables: &[(&str, &str)],
        (dns, pebble): (NameServer, Option<Pebble>),
        ports: [Port; 2],
    ) -> Self {
        let setup = Setup::with_repository(|folder| write_repository(folder, 1));
        let [http, https] =
            [&ports[0], &ports[1]].map(|port| SocketAddr::from(([127, 0, 0, 1], port.number())));
        let servers = dns.address.to_string();
        let public = format!("https://{OWN}:{}", https.port());
        let mut command = setup.service(variables);
        command.args(["--listen", &http.to_string(), "--tls-listen", &https.to_string()]);
        command.args(["--dns-servers", &servers, "--public-url", &public, "--hsts-seconds", "300"]);
        command.args(["--approved-domains", "acme.example"]);
        // Removes the `--listen` flag that `service` adds.
        let service = Logged::start(without_first_listen(command), "info");
        let key = setup.new_key(&["--scope", "admin"]);
        let api = Api { base: format!("http://{http}"), key, ..setup.api(&service.process) };
        Self { setup, service, api, dns, pebble, http, https, _ports: ports }
    }

    /// A client for a host that trusts issued certificates.
    async fn client(&self, host: &str) -> Client {
        let builder = Client::builder().resolve(host, self.https).redirect(Policy::none());
        let builder = match &self.pebble {
            Some(pebble) => builder.add_root_certificate(pebble.issuer().await),
            None => builder,
        };
        builder.build().unwrap()
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.https.port())
    }

    /// Waits for the first HTTPS response of a host.
    async fn wait_for(&self, host: &str, path: &str) -> reqwest::Response {
        eventually(&format!("{host} has a certificate"), async || {
            self.client(host).await.get(self.url(host, path)).send().await
        })
        .await
    }

    async fn domain(&self, domain: &str) -> Value {
        // The service's own host is requested by its address.
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        let path = format!("http://{}/v1/domains/{}", self.http, domain.replace('/', "%2F"));
        client.get(path).bearer_auth(&self.api.key).send().await.unwrap().json().await.unwrap()
    }

    async fn create(&self, domain: &str) {
        let body = json!({ "domain": domain, "projectId": self.setup.project });
        let made = self.api.send(Method::POST, "/v1/domains", Some(body)).await;
        assert_eq!(made.status(), 201, "{domain}");
    }

    async fn certificate(&self, domain: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        eventually(&format!("the certificate of {domain} is as it should be"), async || {
            let certificate = self.domain(domain).await["certificate"].take();
            if is_so(&certificate) { Ok(certificate) } else { Err(certificate) }
        })
        .await
    }
}

fn without_first_listen(command: std::process::Command) -> std::process::Command {
    let mut arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let place = arguments.iter().position(|argument| argument == "--listen").unwrap();
    arguments.drain(place..place + 2);
    let mut other = std::process::Command::new(command.get_program());
    other.args(arguments);
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            other.env(name, value);
        }
    }
    other
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn certificates_are_ordered_and_served() {
    let world = World::start(3600).await;
    world.create(HOST).await;
    let export = json!({ "domain": HOST, "deployment": "cloud" });
    let export = world.api.send(Method::POST, "/v1/static-export/jobs", Some(export)).await;
    let export: Value = export.json().await.unwrap();
    world.api.wait_for(export["jobId"].as_str().unwrap(), &["completed"]).await;
    let page = world.wait_for(HOST, "/page-0").await;
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["strict-transport-security"], "max-age=300");
    assert!(page.text().await.unwrap().contains("Text of page-0"));
    let state = world.certificate(HOST, |state| state["state"] == "valid").await;
    assert!(state["expiresAt"].is_string() && state["error"].is_null(), "{state}");
    assert_eq!(world.wait_for(OWN, "/healthz").await.status(), 200);
    // Plain requests are redirected, except checks of certificate authorities and requests by address.
    let plain = Client::builder().resolve(HOST, world.http).resolve(OWN, world.http);
    let plain = plain.redirect(Policy::none()).build().unwrap();
    for host in [HOST, OWN] {
        let url = format!("http://{host}:{}/page-0?a=b", world.http.port());
        let answer = plain.get(&url).send().await.unwrap();
        assert_eq!(answer.status(), 308, "{host}");
        assert_eq!(answer.headers()["location"], world.url(host, "/page-0?a=b"));
        assert!(answer.headers().get("strict-transport-security").is_none());
        let url = format!("http://{host}:{}/.well-known/acme-challenge/unknown", world.http.port());
        assert_eq!(plain.get(&url).send().await.unwrap().status(), 404);
    }
    let probe = plain.get(format!("http://{}/healthz", world.http)).send().await.unwrap();
    assert_eq!(probe.status(), 200);
    // A certificate isn't used for other hosts.
    assert!(world.client(HOST).await.get(world.url(OWN, "/")).send().await.is_err());
    drop(world.service);
}

/// The authority checks a host three times, each after a random delay, and waits for the last check.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn slow_authority_is_waited_for() {
    let world = World::start_with(3600, Some(20)).await;
    world.create(HOST).await;
    let state = |state: &Value| state["state"] == "valid" || state["error"].is_string();
    let state = world.certificate(HOST, state).await;
    assert_eq!((&state["state"], &state["error"]), (&json!("valid"), &Value::Null));
    drop(world.service);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn certificates_are_renewed_before_they_expire() {
    let world = World::start(12).await;
    world.create(HOST).await;
    let first = world.certificate(HOST, |state| state["state"] == "valid").await;
    let end = first["expiresAt"].clone();
    let next = world.certificate(HOST, |state| state["expiresAt"] != end).await;
    assert_eq!(next["state"], "valid", "the certificate never expired: {next}");
    assert!(next["expiresAt"].as_str() > end.as_str());
    // The new certificate is served immediately.
    world.wait_for(HOST, "/").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn expired_certificate_is_a_problem() {
    let mut world = World::start(12).await;
    world.create(HOST).await;
    world.certificate(HOST, |state| state["state"] == "valid").await;
    // Without its authority, nothing is renewed.
    drop(world.pebble.take());
    let expired = world.certificate(HOST, |state| state["state"] == "expired").await;
    assert!(expired["expiresAt"].is_string(), "{expired}");
    let listed = format!("/v1/projects/{}/problems", world.setup.project);
    let problems = world.api.send(Method::GET, &listed, None).await.json::<Value>().await.unwrap();
    let of_host = |problem: &&Value| problem["subject"] == HOST;
    let problem = problems["problems"].as_array().unwrap().iter().find(of_host);
    assert_eq!(problem.unwrap()["kind"], "certificate", "{problems}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn failed_challenge_is_shown_at_the_domain() {
    let world = World::start(3600).await;
    world.dns.fail("broken.acme.example");
    world.create("broken.acme.example").await;
    world.create(HOST).await;
    let failed = world.certificate("broken.acme.example", |state| state["error"].is_string()).await;
    assert_eq!(failed["state"], "failed", "{failed}");
    let sentence = failed["error"].as_str().unwrap();
    assert!(sentence.starts_with("The certificate authority refused:"), "{sentence}");
    // Other domains get their certificates.
    world.certificate(HOST, |state| state["state"] == "valid").await;
    let again = world.certificate("broken.acme.example", |_| true).await;
    assert_eq!(again["error"], failed["error"], "the order isn't repeated immediately");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Pebble"]
async fn unverified_names_get_no_certificate() {
    let world = World::start(3600).await;
    world.wait_for(OWN, "/healthz").await;
    // A host with base paths only, which leads to another web server ...
    world.dns.lead("www.acme.example", Some([127, 0, 0, 2]));
    world.create("www.acme.example/docs").await;
    // ... and a pending domain isn't verified.
    world.create("pending.other.example").await;
    let strangers = ["stranger.example", "pending.other.example", "x.docs.acme.example"];
    for host in strangers {
        for _ in 0..20 {
            assert!(world.client(host).await.get(world.url(host, "/")).send().await.is_err());
        }
    }
    // Certificates are ordered in turn, so these hosts would have been ordered before this domain.
    world.create(HOST).await;
    world.certificate(HOST, |state| state["state"] == "valid").await;
    let count = async |sql: &str| {
        let file = world.setup.data().join("docwright.db").display().to_string();
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{file}")).await.unwrap();
        sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(sql.to_owned()))
            .fetch_one(&pool)
            .await
            .unwrap()
    };
    assert_eq!(
        count(
            "SELECT COUNT(*) FROM certificates WHERE ordered_at IS NOT NULL \
             AND host NOT IN ('admin.acme.example', 'docs.acme.example', 'docs.example.com')"
        )
        .await,
        0
    );
    // ... until it leads here, and clients connect for it.
    world.dns.lead("www.acme.example", Some([127, 0, 0, 1]));
    assert!(
        world
            .client("www.acme.example")
            .await
            .get(world.url("www.acme.example", "/"))
            .send()
            .await
            .is_err()
    );
    world.certificate("www.acme.example/docs", |state| state["state"] == "valid").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_of_files_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |names: &[&str]| {
        let (certificate, key) = certificate(names);
        fs::write(path("key.pem"), key).unwrap();
        fs::write(path("certificate.pem"), &certificate).unwrap();
        reqwest::Certificate::from_pem(certificate.as_bytes()).unwrap()
    };
    let first = write(&["*.acme.example"]);
    let variables = [
        ("DOCWRIGHT_TLS_CERTIFICATE", &*path("certificate.pem")),
        ("DOCWRIGHT_TLS_KEY", &path("key.pem")),
    ];
    let dns = NameServer::start().await;
    let world = World::with(&variables, (dns, None), [Port::take(), Port::take()]);
    world.create(HOST).await;
    let ask = async |host: &str, trusted: &reqwest::Certificate| {
        let client = Client::builder().resolve(host, world.https).tls_certs_only([trusted.clone()]);
        client.build().unwrap().get(world.url(host, "/healthz")).send().await
    };
    assert!(ask(OWN, &first).await.is_ok());
    assert_eq!(ask(HOST, &first).await.unwrap().status(), 404, "the domain has no release yet");
    assert!(ask("other.example", &first).await.is_err());
    // Unreadable files change nothing.
    fs::write(path("key.pem"), "nothing").unwrap();
    let failed = "certificates not reloaded; earlier ones kept";
    world.service.says(failed).await;
    assert!(ask(OWN, &first).await.is_ok());
    let second = write(&["*.acme.example"]);
    eventually("the new certificate is read", async || ask(OWN, &second).await).await;
}

#[test]
fn errors_of_certificate_files_are_reported_at_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (one, key) = certificate(&["a.example"]);
    let (_, other) = certificate(&["a.example"]);
    for (name, text) in [("one.pem", &one), ("key.pem", &key), ("other.pem", &other)] {
        fs::write(path(name), text).unwrap();
    }
    let (one, key, other, none) =
        (path("one.pem"), path("key.pem"), path("other.pem"), path("none.pem"));
    for (arguments, said) in [
        (vec!["--tls-listen", "127.0.0.1:0"], "--tls-listen needs certificates"),
        (vec!["--acme-contact", "ops@acme.example"], "need --tls-listen"),
        (vec!["--tls-listen", "127.0.0.1:0", "--acme-contact", "ops"], "isn't an email address"),
        (vec!["--tls-listen", "127.0.0.1:0", "--tls-certificate", &one], "name a key for each"),
        (
            vec!["--tls-listen", "127.0.0.1:0", "--tls-certificate", &one, "--tls-key", &other],
            "does not belong to",
        ),
        (
            vec!["--tls-listen", "127.0.0.1:0", "--tls-certificate", &one, "--tls-key", &none],
            "not found",
        ),
        (
            vec!["--tls-listen", "127.0.0.1:0", "--tls-certificate", &key, "--tls-key", &key],
            "contains no certificate",
        ),
    ] {
        let data = path("data");
        let mut command =
            crate::server::docwright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]);
        let ended = command.args(&arguments).stderr(std::process::Stdio::piped()).output().unwrap();
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && text.contains(said), "{arguments:?}: {text}");
        assert!(!text.contains("PRIVATE"), "{text}");
    }
}

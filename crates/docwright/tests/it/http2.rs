//! HTTP/2 requests over the service's own TLS, which name their host only in `:authority`.

use std::{path::Path, sync::Arc};

use docwright_testing::wait::eventually;
use h2::client::SendRequest;
use hyper::{Request, StatusCode, Version, body::Bytes, http::request::Builder};
use reqwest::header::{HeaderMap, HeaderValue};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::{
    dashboard::PASSWORD,
    domains::pebble::certificate,
    observing::Logged,
    server::{Setup, write_repository},
};

/// A service with TLS, and an HTTP/2 connection to it.
pub(crate) struct Secure {
    pub(crate) setup: Setup,
    pub(crate) service: Logged,
    /// Host and port of the TLS listener.
    pub(crate) authority: String,
    requests: SendRequest<Bytes>,
}

/// A response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Secure {
    pub(crate) async fn start(level: &str) -> Self {
        Self::start_with(level, |folder| write_repository(folder, 1), &[]).await
    }

    /// Starts a service with more variables and a repository with the files that `write` creates.
    pub(crate) async fn start_with(
        level: &str,
        write: impl Fn(&Path),
        variables: &[(&str, &str)],
    ) -> Self {
        let setup = Setup::built_in(write, &[]);
        // Other test clients use the other listener by address. Addresses have no certificate, so they aren't
        // redirected.
        let (certificate, key) = certificate(&["service.example"]);
        let path = |name: &str| setup.folder.path().join(name).display().to_string();
        std::fs::write(path("certificate.pem"), &certificate).unwrap();
        std::fs::write(path("key.pem"), key).unwrap();
        let mut command = setup.service(variables);
        command.args(["--tls-listen", "127.0.0.1:0", "--tls-certificate"]);
        command.args([&path("certificate.pem"), "--tls-key", &path("key.pem")]);
        let service = Logged::start(command, level);
        let started = service.says("started").await;
        let authority = started["tls"].as_str().expect("the service supports TLS").to_owned();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = TcpStream::connect(&authority).await.unwrap();
        let name = ServerName::try_from("service.example").unwrap();
        let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
        let (requests, connection) = h2::client::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        Self { setup, service, authority, requests }
    }

    /// A request to the service's own host.
    pub(crate) fn request(&self, method: &str, path: &str) -> Builder {
        Self::request_to(&self.authority, method, path)
    }

    /// A request to a host of the service.
    pub(crate) fn request_to(authority: &str, method: &str, path: &str) -> Builder {
        let address = format!("https://{authority}{path}");
        Request::builder().version(Version::HTTP_2).method(method).uri(address)
    }

    pub(crate) async fn send(&self, request: Builder, body: &str) -> HttpResponse {
        let mut requests = self.requests.clone().ready().await.unwrap();
        let (answer, mut sent) = requests.send_request(request.body(()).unwrap(), false).unwrap();
        // A server can respond before it reads the body and then refuse the rest.
        drop(sent.send_data(Bytes::from(body.to_owned()), true));
        let (parts, mut body) = answer.await.expect("the server responds").into_parts();
        let mut bytes = Vec::new();
        while let Some(part) = body.data().await {
            let part = part.unwrap();
            body.flow_control().release_capacity(part.len()).unwrap();
            bytes.extend_from_slice(&part);
        }
        let text = String::from_utf8(bytes).unwrap();
        HttpResponse { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    /// Sends a form like a browser, from a page of an origin.
    async fn form(
        &self,
        path: &str,
        origin: &str,
        cookie: &str,
        fields: &[(&str, &str)],
    ) -> HttpResponse {
        let kind = "application/x-www-form-urlencoded";
        let request = self.request("POST", path).header("content-type", kind);
        let request = request.header("origin", origin).header("sec-fetch-site", "same-origin");
        let request = request.header("cookie", cookie);
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        self.send(request, &body.extend_pairs(fields).finish()).await
    }
}

impl HttpResponse {
    fn cookie(&self) -> String {
        let line = self.headers["set-cookie"].to_str().unwrap();
        line.split(';').next().unwrap().to_owned()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_is_accepted_from_its_own_origin() {
    let secure = Secure::start("info").await;
    let reports_address = |line: &serde_json::Value| {
        line["message"].as_str().is_some_and(|message| message.contains("/setup?token="))
    };
    let line = secure.service.line("the address of the setup", reports_address).await;
    let token = line["message"].as_str().unwrap().split_once("token=").unwrap().1;
    let own = format!("https://{}", secure.authority);
    let port = secure.authority.split_once(':').unwrap().1;
    let fields = [
        ("token", token),
        ("name", "Root"),
        ("email", "root@example.com"),
        ("password", PASSWORD),
        ("organization", "First"),
    ];
    for foreign in [
        "https://127.0.0.1",
        "https://evil.example",
        "null",
        &format!("http://127.0.0.1:{port}"),
        &format!("https://localhost:{port}"),
    ] {
        let refused = secure.form("/setup", foreign, "", &fields).await;
        assert_eq!(refused.status, 403, "{foreign}: {}", refused.text);
    }
    let made = secure.form("/setup", &own, "", &fields).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let cookie = made.cookie();
    assert!(cookie.starts_with("__Host-docwright="), "{cookie}");
    let left = secure.form("/sign-out", &own, &cookie, &[]).await;
    assert_eq!(
        (left.status, &left.headers["location"]),
        (303, &HeaderValue::from_static("/sign-in"))
    );
    let fields = [("email", "root@example.com"), ("password", PASSWORD)];
    assert_eq!(secure.form("/sign-in", "https://evil.example", "", &fields).await.status, 403);
    let back = secure.form("/sign-in", &own, "", &fields).await;
    assert_eq!(back.status, 303, "{}", back.text);
    // HTTP/2 sends several cookie headers.
    let home = secure.request("GET", "/").header("cookie", "a=b").header("cookie", back.cookie());
    let home = secure.send(home, "").await;
    assert!(home.headers["location"].to_str().unwrap().starts_with("/organizations/"), "{home:?}");
    let pull = format!("/projects/{}/pull-requests/1/merge", secure.setup.project);
    let foreign = secure.form(&pull, "https://evil.example", &back.cookie(), &[]).await;
    assert_eq!(foreign.status, 403);
    let merge = secure.form(&pull, &own, &back.cookie(), &[]).await;
    assert_eq!(merge.status, 404, "the pull request doesn't exist: {}", merge.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_accepted_from_pages_of_the_site() {
    let secure = Secure::start("info").await;
    let api = secure.setup.api(&secure.service.process);
    let export = api.start_export().await;
    api.wait_for(&export, &["completed"]).await;
    // A node learns of a new release shortly after an export completes.
    eventually("the page is served", async || {
        let page = Secure::request_to("docs.example.com", "GET", "/page-0");
        secure.send(page, "").await.status == 200
    })
    .await;
    let answer = json!({ "page": "page-0", "helpful": true }).to_string();
    for (origin, status) in [("https://docs.example.com", 204), ("https://evil.example", 403)] {
        let request = Secure::request_to("docs.example.com", "POST", "/_docwright/feedback");
        let request = request.header("content-type", "application/json").header("origin", origin);
        assert_eq!(secure.send(request, &answer).await.status, status, "{origin}");
    }
    let bundle = format!("/v1/static-export/jobs/{export}/bundle");
    let request = secure.request("POST", &bundle);
    let request = request.header("authorization", format!("Bearer {}", api.key));
    let bundle = secure.send(request, "").await;
    assert!(bundle.text.contains(&format!("https://{}/objects/", secure.authority)), "{bundle:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn request_with_two_hosts_is_refused() {
    let secure = Secure::start("info").await;
    for (host, status) in [
        (secure.authority.as_str(), StatusCode::OK),
        ("docs.example.com", StatusCode::BAD_REQUEST),
        ("127.0.0.1", StatusCode::BAD_REQUEST),
        ("a/b", StatusCode::BAD_REQUEST),
    ] {
        let request = secure.request("GET", "/openapi.json").header("host", host);
        let answer = secure.send(request, "").await;
        assert_eq!(answer.status, status, "{host}: {}", answer.text);
    }
    let request = secure.request("GET", "/openapi.json").header("host", "docs.example.com");
    let said: serde_json::Value =
        serde_json::from_str(&secure.send(request, "").await.text).unwrap();
    let sentence =
        "`Host` and the address of the request name different hosts. Send the same host in both.";
    assert_eq!(said["error"], sentence);
}

//! Requests that a site's server sends for readers of API pages: the real program, over real HTTP, with an API on
//! this machine that the operator allows.

mod api;
mod deployed;
mod hosted;
mod tricks;

use std::{fs, path::Path};

use reqwest::{Client, Response, redirect::Policy};
use serde_json::{Value, json};

use api::RecordingApi;

/// A docs root with an API page whose spec names servers. The first ones are those of the API.
fn write_api_site(folder: &Path, servers: &[String]) {
    fs::create_dir_all(folder).unwrap();
    let config = json!({
        "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "groups": [
            { "group": "G", "pages": ["index", "GET /things"], "openapi": "api.json" },
        ] },
    });
    let servers: Vec<_> = servers.iter().map(|url| json!({ "url": url })).collect();
    let spec = json!({
        "openapi": "3.1.0", "info": { "title": "T", "version": "1" }, "servers": servers,
        "paths": { "/things": { "get": { "summary": "List", "responses": {} } } },
    });
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
    fs::write(folder.join("api.json"), spec.to_string()).unwrap();
    fs::write(folder.join("index.mdx"), "Hello").unwrap();
}

/// A server of docwright, and the host and base path of one of its sites.
#[derive(Debug)]
struct SiteServer {
    client: Client,
    address: String,
    host: Option<String>,
}

/// What a page asks the server of its site to send.
#[derive(Debug, Clone)]
struct Asked<'a> {
    method: &'a str,
    url: String,
    headers: Vec<(&'a str, &'a str)>,
    body: Vec<u8>,
    /// Headers of the page's own request.
    own: Vec<(&'a str, String)>,
}

impl Asked<'_> {
    fn get(url: impl Into<String>) -> Self {
        let (headers, own) = (Vec::new(), Vec::new());
        Self { method: "GET", url: url.into(), headers, body: Vec::new(), own }
    }

    /// The list of headers as pages write it.
    fn list(&self) -> String {
        let text = json!(self.headers).to_string();
        percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string()
    }
}

impl SiteServer {
    fn new(address: &str, host: Option<&str>) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { client, address: address.to_owned(), host: host.map(str::to_owned) }
    }

    async fn ask(&self, asked: &Asked<'_>) -> Response {
        let mut request = self
            .client
            .post(format!("{}/_docwright/request", self.address))
            .header("content-type", "application/octet-stream")
            .header("docwright-request-method", asked.method)
            .header("docwright-request-url", &asked.url)
            .header("docwright-request-headers", asked.list())
            .body(asked.body.clone());
        for (name, value) in &asked.own {
            request = request.header(*name, value);
        }
        self.send(request).await
    }

    async fn get(&self, path: &str) -> Response {
        self.send(self.client.get(format!("{}{path}", self.address))).await
    }

    async fn send(&self, mut request: reqwest::RequestBuilder) -> Response {
        if let Some(host) = &self.host {
            request = request.header("host", host);
        }
        request.send().await.expect("the server responds")
    }

    /// Whether the page announces that requests are sent here.
    async fn announces(&self) -> bool {
        let page = self.get("/index.html").await;
        assert_eq!(page.status(), 200);
        let offers = page.headers()["server-timing"].to_str().unwrap().to_owned();
        offers.contains("requests;desc=\"")
    }
}

/// The status of the API, and the list of its headers.
fn passed_on(response: &Response) -> (u16, Vec<(String, String)>) {
    let text = |name: &str| response.headers()[name].to_str().unwrap();
    let list = percent_encoding::percent_decode_str(text("docwright-response-headers"));
    let list = serde_json::from_str(&list.decode_utf8().unwrap()).unwrap();
    (text("docwright-response-status").parse().unwrap(), list)
}

/// The status and sentence of a refusal.
async fn refused(response: Response) -> (u16, String) {
    assert!(!response.headers().contains_key("docwright-response-status"), "{response:?}");
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{status}: {text}"));
    (status, body["error"].as_str().unwrap().to_owned())
}

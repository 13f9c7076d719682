//! A persistent client of the service. It repeats requests at another node with the same idempotency key
//! until it gets a response.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::Value;
use ureq::http::{Method, Request as HttpRequest, request::Builder};

use super::pace::wait;

/// How long a request is repeated.
const PATIENCE: Duration = Duration::from_mins(2);
/// The longest time of one response.
const ANSWER: Duration = Duration::from_secs(30);
/// The longest response in bytes.
const MAXIMUM_ANSWER: u64 = 256 * 1024 * 1024;

/// A client of all nodes.
#[derive(Debug)]
pub(super) struct Client {
    agent: ureq::Agent,
    addresses: Vec<String>,
    repeated: AtomicUsize,
    failures: AtomicUsize,
    given_up: AtomicBool,
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// Path and query string.
    pub(super) path: &'a str,
    /// The key of an organization; empty for readers' requests.
    pub(super) key: &'a str,
    /// The idempotency key, so that repeated requests count once.
    pub(super) idempotency: Option<&'a str>,
    /// The Host header of a reader.
    pub(super) host: Option<&'a str>,
    /// The body, which makes the request a POST.
    pub(super) body: Option<&'a Value>,
}

/// A response that isn't a server error.
#[derive(Debug)]
pub(super) struct HttpResponse {
    /// The HTTP status.
    pub(super) status: u16,
    /// The whole body.
    pub(super) body: Vec<u8>,
}

impl<'a> Request<'a> {
    /// A GET request.
    pub(super) const fn get(path: &'a str, key: &'a str) -> Self {
        Self { path, key, idempotency: None, host: None, body: None }
    }

    fn builder(&self, address: &str) -> Builder {
        let method = if self.body.is_some() { Method::POST } else { Method::GET };
        let mut builder =
            HttpRequest::builder().method(method).uri(format!("{address}{}", self.path));
        if !self.key.is_empty() {
            builder = builder.header("authorization", format!("Bearer {}", self.key));
        }
        if let Some(key) = self.idempotency {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(host) = self.host {
            builder = builder.header("host", host);
        }
        builder
    }
}

impl HttpResponse {
    /// The body as JSON, or null if it isn't JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The error's text.
    pub(super) fn sentence(&self) -> String {
        let sentence = self.json()["error"].as_str().map(str::to_owned);
        sentence.unwrap_or_else(|| format!("status {}", self.status))
    }
}

impl Client {
    /// Creates a client of nodes at these addresses.
    pub(super) fn new(addresses: Vec<String>) -> Self {
        Self {
            agent: agent(ANSWER),
            addresses,
            repeated: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
        }
    }

    /// Repeats a request until the response isn't a server error.
    pub(super) fn ask(&self, request: Request<'_>) -> anyhow::Result<HttpResponse> {
        let started = Instant::now();
        for address in self.addresses.iter().cycle() {
            self.go_on()?;
            match once(&self.agent, request, address) {
                Ok(answer) if answer.status < 500 => return Ok(answer),
                Ok(answer) => {
                    self.failures.fetch_add(usize::from(answer.status == 500), Ordering::Relaxed);
                    if started.elapsed() > PATIENCE {
                        bail!("{} is answered with: {}", request.path, answer.sentence());
                    }
                }
                Err(error) if started.elapsed() > PATIENCE => {
                    return Err(error.context(format!("{} is not answered", request.path)));
                }
                Err(_) => {}
            }
            self.repeated.fetch_add(1, Ordering::Relaxed);
            wait(Duration::from_millis(200));
        }
        bail!("there is no node")
    }

    /// Makes all further requests fail, because the run can't succeed.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Fails if the run can't succeed.
    pub(super) fn go_on(&self) -> anyhow::Result<()> {
        anyhow::ensure!(!self.given_up.load(Ordering::Relaxed), "the run was broken off");
        Ok(())
    }

    /// Downloads from a URL.
    pub(super) fn download(&self, url: &str) -> anyhow::Result<Vec<u8>> {
        let answer = once(&self.agent, Request::get("", ""), url)?;
        anyhow::ensure!(answer.status == 200, "the link is answered with {}", answer.sentence());
        Ok(answer.body)
    }

    /// The address of a node for an attempt.
    pub(super) fn address(&self, number: usize) -> &str {
        &self.addresses[number % self.addresses.len()]
    }

    /// The numbers of repeated requests and of server errors.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.repeated.load(Ordering::Relaxed), self.failures.load(Ordering::Relaxed))
    }
}

/// Whether a node responds.
pub(super) fn is_alive(address: &str) -> bool {
    let quick = agent(Duration::from_secs(2));
    once(&quick, Request::get("/healthz", ""), address).is_ok_and(|answer| answer.status == 200)
}

fn agent(time: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(time))
        .http_status_as_error(false)
        // Connections can belong to a dead process, so don't reuse them.
        .max_idle_connections(0)
        .build();
    config.into()
}

fn once(agent: &ureq::Agent, request: Request<'_>, address: &str) -> anyhow::Result<HttpResponse> {
    let builder = request.builder(address);
    let mut response = match request.body {
        Some(body) => {
            let builder = builder.header("content-type", "application/json");
            agent.run(builder.body(body.to_string())?)?
        }
        None => agent.run(builder.body(())?)?,
    };
    let status = response.status().as_u16();
    let body = response.body_mut().with_config().limit(MAXIMUM_ANSWER).read_to_vec();
    Ok(HttpResponse { status, body: body.context("the answer breaks off")? })
}

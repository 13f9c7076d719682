//! A client of the service that does not give up: it asks again, at another node, with the same
//! idempotency key, until it has an answer.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::Value;
use ureq::http::{Method, Request as HttpRequest, request::Builder};

use super::pace::wait;

/// A request is repeated for so long.
const PATIENCE: Duration = Duration::from_mins(2);
/// One answer can take so long.
const ANSWER: Duration = Duration::from_secs(30);
/// Longest answer, in bytes.
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

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// Path and query.
    pub(super) path: &'a str,
    /// Key of an organization; empty for what readers ask.
    pub(super) key: &'a str,
    /// Makes a repeated request the same one.
    pub(super) idempotency: Option<&'a str>,
    /// Host that a reader names.
    pub(super) host: Option<&'a str>,
    /// With a body it is a POST.
    pub(super) body: Option<&'a Value>,
}

/// An answer that is not a failure of the server.
#[derive(Debug)]
pub(super) struct HttpResponse {
    /// Status of HTTP.
    pub(super) status: u16,
    /// All of it.
    pub(super) body: Vec<u8>,
}

impl<'a> Request<'a> {
    /// Something to read.
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
    /// The body as JSON; null if it is none.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The sentence of an error.
    pub(super) fn sentence(&self) -> String {
        let sentence = self.json()["error"].as_str().map(str::to_owned);
        sentence.unwrap_or_else(|| format!("status {}", self.status))
    }
}

impl Client {
    /// A client of nodes at addresses.
    pub(super) fn new(addresses: Vec<String>) -> Self {
        Self {
            agent: agent(ANSWER),
            addresses,
            repeated: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
            given_up: AtomicBool::new(false),
        }
    }

    /// Asks until there is an answer that is not a failure of the server.
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

    /// Fails every request from now on: the run can't come to a good end.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Fails once the run can't come to a good end.
    pub(super) fn go_on(&self) -> anyhow::Result<()> {
        anyhow::ensure!(!self.given_up.load(Ordering::Relaxed), "the run was broken off");
        Ok(())
    }

    /// Downloads from a whole address.
    pub(super) fn download(&self, url: &str) -> anyhow::Result<Vec<u8>> {
        let answer = once(&self.agent, Request::get("", ""), url)?;
        anyhow::ensure!(answer.status == 200, "the link is answered with {}", answer.sentence());
        Ok(answer.body)
    }

    /// The address of a node, by the number of the try.
    pub(super) fn address(&self, number: usize) -> &str {
        &self.addresses[number % self.addresses.len()]
    }

    /// Requests that were repeated, and answers that said that the server failed.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.repeated.load(Ordering::Relaxed), self.failures.load(Ordering::Relaxed))
    }
}

/// Whether a node answers.
pub(super) fn is_alive(address: &str) -> bool {
    let quick = agent(Duration::from_secs(2));
    once(&quick, Request::get("/healthz", ""), address).is_ok_and(|answer| answer.status == 200)
}

fn agent(time: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(time))
        .http_status_as_error(false)
        // A connection to a process that is gone is no use.
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

//! Sends the requests of API pages for their readers, so that an API needs no CORS.
//!
//! A page names a request in headers of its own (module `reading`); the response is wrapped so that a browser never
//! takes it for a page of the site. Requests go to origins in the manifest of the bundle only, and to private
//! addresses only if the operator names the host. Nothing is stored, and the log never has paths, headers, or bodies
//! of these requests.
//!
//! Owns the contract, the limits, and what is passed on. [`docwright_repository::network`] owns which addresses are
//! contacted.

mod headers;
mod reading;
mod refusal;
mod response;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderValue, Method, header, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_http::{
    client::ClientAddress,
    metrics::{PlaygroundOutcome, PlaygroundRequests},
    origin,
};
use docwright_jobs::clock::Clock;
use docwright_operations::{
    attempts::Attempts,
    fair_limiter::{FairLimiter, Turn},
};
use docwright_repository::network::{Network, failure};
use docwright_types::{
    network::network,
    timestamp::{MINUTE, SECOND},
};
use tokio::time::{Instant, timeout_at};

use reading::ReaderRequest;
use refusal::Refusal;

/// Path of the endpoint, below the site root.
pub(crate) const PATH: &str = "/_docwright/request";
/// Requests at once: in all, and of one site. A stream keeps its turn until it ends.
const AT_ONCE: (usize, usize) = (128, 16);
/// Requests of one reader to a site in a minute.
const OF_READER: u32 = 60;
/// Requests of all readers to a site in a minute.
const OF_SITE: u32 = 1000;
/// Longest body, in each direction. Bytes.
const BODY: u64 = 10 * 1024 * 1024;
/// From the start of a request to the end of its response.
const TIME: Duration = Duration::from_secs(30);
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Limits of requests, which tests choose.
#[derive(Debug, Clone, Copy)]
struct Limits {
    of_reader: u32,
    of_site: u32,
    body: u64,
    time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { of_reader: OF_READER, of_site: OF_SITE, body: BODY, time: TIME }
    }
}

/// Sends requests for the readers of all sites of a process.
#[derive(Debug, Clone)]
pub struct RequestProxy(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    network: Network,
    clock: Clock,
    limits: Limits,
    counted: Attempts,
    turns: FairLimiter<String>,
    metrics: PlaygroundRequests,
}

/// The site whose page sends a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskingSite<'a> {
    /// Its name, which its limits are for.
    pub(crate) name: &'a str,
    /// The origins that it sends requests to.
    pub(crate) origins: &'a [String],
}

impl RequestProxy {
    /// A proxy that contacts hosts over a network.
    pub fn new(network: Network, clock: Clock, metrics: PlaygroundRequests) -> Self {
        Self::with_limits(network, clock, metrics, Limits::default())
    }

    fn with_limits(
        network: Network,
        clock: Clock,
        metrics: PlaygroundRequests,
        limits: Limits,
    ) -> Self {
        let (counted, turns) = (Attempts::within(MINUTE), FairLimiter::new(AT_ONCE.0, AT_ONCE.1));
        Self(Arc::new(Shared { network, clock, limits, counted, turns, metrics }))
    }

    /// Sends a request for a page of a site.
    pub(crate) async fn answer(&self, site: AskingSite<'_>, request: Request) -> Response {
        let sent = self.0.send(site, request).await;
        let outcome = sent.as_ref().map_or_else(Refusal::outcome, |_| PlaygroundOutcome::Sent);
        self.0.metrics.ended(outcome);
        sent.unwrap_or_else(IntoResponse::into_response)
    }
}

impl Shared {
    async fn send(&self, site: AskingSite<'_>, request: Request) -> Result<Response, Refusal> {
        let (parts, body) = request.into_parts();
        if parts.method != Method::POST {
            return Err(Refusal::Method);
        }
        if !origin::is_own(&parts) {
            return Err(Refusal::ForeignPage);
        }
        let asked = ReaderRequest::read(&parts.headers, site.origins)?;
        let length = body.size_hint().exact().ok_or(Refusal::NoLength)?;
        if length > self.limits.body {
            return Err(Refusal::LongRequest);
        }
        self.count(site.name, &parts)?;
        let turn = self.turns.take(&site.name.to_owned(), PATIENCE).await;
        let turn: Turn<String> = turn.ok_or(Refusal::Busy)?;
        let deadline = Instant::now() + self.limits.time;
        let host = asked.url.host_str().unwrap_or_default().to_owned();
        let exchanged = timeout_at(deadline, self.exchange(asked, (body, length))).await;
        let exchanged = exchanged.unwrap_or(Err(Refusal::Slow(host)))?;
        response::wrapped(exchanged, (self.limits.body, deadline), turn)
    }

    /// Counts a request that is complete and allowed; others cost nothing.
    fn count(&self, site: &str, parts: &Parts) -> Result<(), Refusal> {
        let reader = ClientAddress::of(parts).address.map(network);
        let bounds =
            [((site, None), self.limits.of_site), ((site, Some(reader)), self.limits.of_reader)];
        let now = self.clock.now();
        if self.counted.count(&bounds, now).is_some() {
            return Ok(());
        }
        let rest = MINUTE - now.rem_euclid(MINUTE);
        Err(Refusal::TooMany((rest + SECOND - 1).div_euclid(SECOND).unsigned_abs()))
    }

    /// One request to the host, whose addresses are resolved and checked once. Redirects are responses like others:
    /// the reader sees them.
    async fn exchange(
        &self,
        ReaderRequest { method, url, mut headers }: ReaderRequest,
        (body, length): (Body, u64),
    ) -> Result<reqwest::Response, Refusal> {
        let client = self.network.client(&url).await.map_err(Refusal::of_network)?;
        let request = client.request(method, url.clone());
        let request = if length == 0 {
            request.headers(headers)
        } else {
            // With its length, the API gets the body as if the reader had sent it, and not in chunks.
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            request.headers(headers).body(reqwest::Body::wrap_stream(body.into_data_stream()))
        };
        let sent = request.send().await;
        sent.map_err(|error| Refusal::of_network(failure(&url, &error)))
    }
}

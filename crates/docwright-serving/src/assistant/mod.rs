//! Answers the questions of readers on pages of a site, as a stream of events.
//!
//! Owns the endpoint, its limits, and the form of the stream; [`docwright_assistant`] owns the answers. Only sites whose
//! bundle has the assistant answer, and previews never do. Nothing is stored, and the log never has questions or
//! answers. A request asks no database.

mod refusal;
mod stream;

use std::{sync::Arc, time::Duration};

use axum::{
    body::to_bytes,
    extract::Request,
    http::{Method, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_assistant::{Assistant, Question};
use docwright_http::{client::ClientAddress, origin};
use docwright_jobs::clock::Clock;
use docwright_operations::{
    attempts::Attempts,
    fair_limiter::{FairLimiter, Turn},
};
use docwright_types::{
    network::network,
    timestamp::{MINUTE, SECOND},
};

use crate::{
    media_type::is_json,
    site::{OpenSite, SitePages},
};
use refusal::Refusal;

/// Path of the endpoint, below the site root.
pub(crate) const PATH: &str = "/_docwright/assistant";
/// Longest request, in bytes.
const MAXIMUM_BODY: usize = 64 * 1024;
/// Answers at once: in all, and of one site. An answer keeps its turn until it ends.
const AT_ONCE: (usize, usize) = (64, 16);
/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time of the limits below.
const WINDOW: i64 = 10 * MINUTE;
/// Questions of one reader to a site.
const OF_READER: u32 = 20;
/// Questions of all readers to a site.
const OF_SITE: u32 = 1_000;

/// Answers questions for all sites of a process.
#[derive(Debug, Clone)]
pub struct SiteAssistant(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    assistant: Assistant,
    clock: Clock,
    counted: Attempts,
    turns: FairLimiter<String>,
}

impl SiteAssistant {
    /// Answers with an assistant, with its model if it has one.
    pub fn new(assistant: Assistant, clock: Clock) -> Self {
        let (counted, turns) = (Attempts::within(WINDOW), FairLimiter::new(AT_ONCE.0, AT_ONCE.1));
        Self(Arc::new(Shared { assistant, clock, counted, turns }))
    }

    /// Answers a question on a site with this name.
    pub(crate) async fn answer(
        &self,
        name: &str,
        site: &Arc<OpenSite>,
        request: Request,
    ) -> Response {
        let accepted = self.0.accept(name, request).await;
        match accepted {
            Ok((question, turn)) => {
                let pages = SitePages(Arc::clone(site));
                stream::answer(self.0.assistant.clone(), pages, question, turn)
            }
            Err(refusal) => refusal.into_response(),
        }
    }
}

impl Shared {
    /// Reads a question, and takes a turn for its answer.
    async fn accept(
        &self,
        name: &str,
        request: Request,
    ) -> Result<(Question, Turn<String>), Refusal> {
        let (parts, body) = request.into_parts();
        if parts.method != Method::POST {
            return Err(Refusal::Method);
        }
        if !origin::is_own(&parts) {
            return Err(Refusal::ForeignPage);
        }
        if !is_json(&parts) {
            return Err(Refusal::MediaType);
        }
        let body = to_bytes(body, MAXIMUM_BODY).await.map_err(|_| Refusal::TooLong)?;
        let question: Question = serde_json::from_slice(&body)
            .map_err(|error| Refusal::Invalid(format!("Invalid question: {error}.")))?;
        question.check().map_err(Refusal::Invalid)?;
        self.count(name, &parts)?;
        let turn = self.turns.take(&name.to_owned(), PATIENCE).await;
        Ok((question, turn.ok_or(Refusal::Busy)?))
    }

    /// Counts a question that is complete and allowed; others cost nothing.
    fn count(&self, name: &str, parts: &Parts) -> Result<(), Refusal> {
        let reader = ClientAddress::of(parts).address.map(network);
        let bounds = [((name, None), OF_SITE), ((name, Some(reader)), OF_READER)];
        let now = self.clock.now();
        if self.counted.count(&bounds, now).is_some() {
            return Ok(());
        }
        let rest = WINDOW - now.rem_euclid(WINDOW);
        Err(Refusal::TooMany((rest + SECOND - 1).div_euclid(SECOND).unsigned_abs()))
    }
}

//! Answers the questions of readers on pages of a site, as a stream of events.
//!
//! Owns the endpoints, their limits, and the form of the stream; [`docwright_assistant`] owns the answers. Only sites
//! whose bundle has the assistant answer, and previews never do. A question asks no database. Where there is one, the
//! question is kept after its answer, for as long as the bundle says; the log never has questions or answers.

mod kept;
mod questions;
mod rating;
mod refusal;
mod stream;

use std::{sync::Arc, time::Duration};

use axum::{
    body::to_bytes,
    extract::Request,
    http::{Method, StatusCode, request::Parts},
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
    assistant::AskedFrom,
    network::network,
    timestamp::{MINUTE, SECOND},
};

use crate::{
    media_type::is_json,
    site::{OpenSite, SitePages},
};
use kept::{Asked, KeptQuestion};
use rating::RatedAnswer;
use refusal::Refusal;

pub use questions::QuestionWriter;
pub(crate) use rating::PATH as RATING_PATH;

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
/// Ratings of one reader on a site.
const RATINGS_OF_READER: u32 = 60;
/// Ratings of all readers on a site.
const RATINGS_OF_SITE: u32 = 3_000;

/// Answers questions for all sites of a process.
#[derive(Debug, Clone)]
pub struct SiteAssistant(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    assistant: Assistant,
    clock: Clock,
    counted: Attempts,
    turns: FairLimiter<String>,
    /// What keeps questions; `None` where there is no database.
    questions: Option<Arc<QuestionWriter>>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, Hash)]
enum Counted {
    Questions,
    Ratings,
}

impl Counted {
    /// The limits of a site and of one reader.
    const fn limits(self) -> (u32, u32) {
        match self {
            Self::Questions => (OF_SITE, OF_READER),
            Self::Ratings => (RATINGS_OF_SITE, RATINGS_OF_READER),
        }
    }
}

impl SiteAssistant {
    /// Answers with an assistant, with its model if it has one. Questions are kept if something writes them.
    pub fn new(assistant: Assistant, clock: Clock, questions: Option<Arc<QuestionWriter>>) -> Self {
        let (counted, turns) = (Attempts::within(WINDOW), FairLimiter::new(AT_ONCE.0, AT_ONCE.1));
        Self(Arc::new(Shared { assistant, clock, counted, turns, questions }))
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
                let kept = self.0.kept(name, site, &question);
                stream::answer(self.0.assistant.clone(), pages, question, (kept, turn))
            }
            Err(refusal) => refusal.into_response(),
        }
    }

    /// Takes the rating of an answer on a site with this name.
    pub(crate) async fn rate(&self, name: &str, site: &OpenSite, request: Request) -> Response {
        match self.0.rate(name, site, request).await {
            Ok(status) => status.into_response(),
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
        check(&parts)?;
        let body = to_bytes(body, MAXIMUM_BODY)
            .await
            .map_err(|_| Refusal::TooLong("The question with its context exceeds 64 KiB."))?;
        let question: Question = serde_json::from_slice(&body)
            .map_err(|error| Refusal::Invalid(format!("Invalid question: {error}.")))?;
        question.check().map_err(Refusal::Invalid)?;
        self.count(Counted::Questions, name, &parts)?;
        let turn = self.turns.take(&name.to_owned(), PATIENCE).await;
        Ok((question, turn.ok_or(Refusal::Busy)?))
    }

    /// What is kept of a question; `None` if nothing is.
    fn kept(&self, domain: &str, site: &OpenSite, question: &Question) -> Option<KeptQuestion> {
        let days = site.about().question_days;
        let writer = self.questions.as_ref().filter(|_| days > 0)?;
        let asked = Asked { domain, from: AskedFrom::Site, at: self.clock.now(), days };
        Some(KeptQuestion::new(writer, asked, question))
    }

    /// Reads a rating, and stores it.
    async fn rate(
        &self,
        name: &str,
        site: &OpenSite,
        request: Request,
    ) -> Result<StatusCode, Refusal> {
        let (parts, body) = request.into_parts();
        check(&parts)?;
        let writer = self.questions.as_ref().filter(|_| site.about().question_days > 0);
        let writer = writer.ok_or(Refusal::UnknownAnswer)?;
        self.count(Counted::Ratings, name, &parts)?;
        let RatedAnswer { thread, answer, rating } =
            RatedAnswer::read(Request::from_parts(parts, body)).await?;
        match writer.rate((name, &thread, &answer), &rating, self.clock.now()).await {
            Ok(true) => Ok(rating::STORED),
            Ok(false) => Err(Refusal::UnknownAnswer),
            Err(error) => {
                tracing::error!(%error, "rating of an answer not stored");
                Err(Refusal::NotStored)
            }
        }
    }

    /// Counts a question or rating that is allowed; others cost nothing.
    fn count(&self, what: Counted, name: &str, parts: &Parts) -> Result<(), Refusal> {
        let reader = ClientAddress::of(parts).address.map(network);
        let (of_site, of_reader) = what.limits();
        let bounds = [((what, name, None), of_site), ((what, name, Some(reader)), of_reader)];
        let now = self.clock.now();
        if self.counted.count(&bounds, now).is_some() {
            return Ok(());
        }
        let rest = WINDOW - now.rem_euclid(WINDOW);
        Err(Refusal::TooMany((rest + SECOND - 1).div_euclid(SECOND).unsigned_abs()))
    }
}

/// Checks that a page of the site sent JSON.
fn check(parts: &Parts) -> Result<(), Refusal> {
    if parts.method != Method::POST {
        return Err(Refusal::Method);
    }
    if !origin::is_own(parts) {
        return Err(Refusal::ForeignPage);
    }
    if !is_json(parts) {
        return Err(Refusal::MediaType);
    }
    Ok(())
}

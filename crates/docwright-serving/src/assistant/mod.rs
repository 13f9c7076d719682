//! Answers the questions of readers on pages of a site, as a stream of events.
//!
//! Owns the endpoints, their limits, and the form of the stream; [`docwright_assistant`] owns the answers. Only sites
//! whose bundle has the assistant answer, and previews never do. A question asks no database. Where there is one, the
//! question is kept after its answer, for as long as the bundle says; the log never has questions or answers.

mod answer_meter;
mod asker;
mod budget;
mod kept;
mod limits;
mod places;
mod questions;
mod rating;
mod refusal;
mod stream;

use std::{net::IpAddr, sync::Arc, time::Duration};

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{Method, StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use docwright_assistant::{Assistant, Question, TokenMeter};
use docwright_http::{
    client::ClientAddress,
    metrics::{AnswerOutcome, AssistantMetrics},
};
use docwright_jobs::{clock::Clock, propose::failure};
use docwright_operations::fair_limiter::FairLimiter;
use docwright_site::embedding::Embedder;
use docwright_storage::{Database, DependencyWatch, StorageError};
use docwright_types::{
    assistant::{AskedFrom, Event},
    problem::ProblemKind,
};
use futures::stream::BoxStream;

use crate::{
    media_type::is_json,
    site::{OpenSite, SitePages},
};
use answer_meter::AnswerMeter;
use asker::Asker;
use budget::Budget;
use kept::{Asked, KeptQuestion};
use limits::{Counted, Limits};
pub(crate) use places::Places;
use rating::RatedAnswer;
pub(crate) use refusal::Refusal;

pub use questions::QuestionWriter;
pub(crate) use rating::PATH as RATING_PATH;

/// Path of the endpoint, below the site root.
pub(crate) const PATH: &str = "/_docwright/assistant";
/// Longest request, in bytes.
const MAXIMUM_BODY: usize = 64 * 1024;
/// Answers at once: in all, and of one site. An answer keeps its turn until it ends.
const AT_ONCE: (usize, usize) = (64, 16);
/// How often nodes share the tokens that they used.
const SHARED_EVERY: Duration = Duration::from_secs(5);
/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers questions for all sites of a process.
#[derive(Debug, Clone)]
pub struct SiteAssistant(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    assistant: Assistant,
    clock: Clock,
    limits: Limits,
    turns: FairLimiter<String>,
    places: Places,
    budget: Budget,
    metrics: AssistantMetrics,
    /// What keeps questions; `None` where there is no database.
    questions: Option<Arc<QuestionWriter>>,
    /// The name of the model, and what notices that it doesn't work.
    watch: Option<(String, DependencyWatch)>,
}

/// A site, and its name for limits and kept questions: that of its domain.
pub(crate) type NamedSite<'a> = (&'a str, &'a Arc<OpenSite>);

impl SiteAssistant {
    /// Answers with an assistant, with its model if it has one and if an organization has used fewer tokens in the day
    /// than the limit. Questions are kept if something writes them.
    pub fn new(
        (assistant, tokens_a_day): (Assistant, Option<u64>),
        clock: Clock,
        metrics: AssistantMetrics,
        questions: Option<Arc<QuestionWriter>>,
    ) -> Self {
        let turns = FairLimiter::new(AT_ONCE.0, AT_ONCE.1);
        let (limits, places) = (Limits::new(), Places::default());
        let budget = Budget::new(tokens_a_day);
        let shared = Shared {
            assistant,
            clock,
            limits,
            turns,
            places,
            budget,
            metrics,
            questions,
            watch: None,
        };
        Self(Arc::new(shared))
    }

    /// The same assistant, whose model has a name and is watched. Only a new one can be.
    #[must_use]
    pub fn with_watch(mut self, model: &str, watch: &DependencyWatch) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.watch = Some((model.to_owned(), watch.clone()));
        }
        self
    }

    /// Shares the used tokens with other nodes until the task is aborted.
    pub async fn run(self, database: Database) {
        let mut is_away = false;
        loop {
            match self.share_tokens(&database).await {
                Ok(()) => is_away = false,
                Err(error) if !is_away => {
                    tracing::warn!(%error, "tokens of the assistant not written; retrying");
                    is_away = true;
                }
                Err(_) => {}
            }
            tokio::time::sleep(SHARED_EVERY).await;
        }
    }

    /// Writes the tokens that this process used, and reads those of all nodes.
    ///
    /// # Errors
    ///
    /// Fails if the database does.
    pub async fn share_tokens(&self, database: &Database) -> Result<(), StorageError> {
        self.0.budget.share(database, self.0.clock.now()).await
    }

    /// What finds sections by meaning, if something does.
    pub(crate) fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        self.0.assistant.embedder.clone()
    }

    /// What it knows of domains.
    pub(crate) fn places(&self) -> &Places {
        &self.0.places
    }

    /// Answers a question to a site.
    pub(crate) async fn answer(&self, site: NamedSite<'_>, request: Request) -> Response {
        self.respond(site.0, request, async |parts, body| {
            let asker = self.0.check(site.0, &parts)?;
            let question = read_question(body).await?;
            let address = ClientAddress::of(&parts).address;
            let from = (asker.asked_from(), address);
            Ok(stream::response(self.begin(site, question, from).await?))
        })
        .await
    }

    /// Takes the rating of an answer of a site.
    pub(crate) async fn rate(&self, site: NamedSite<'_>, request: Request) -> Response {
        self.respond(site.0, request, async |parts, body| {
            self.0.check(site.0, &parts)?;
            let address = ClientAddress::of(&parts).address;
            Ok(self.0.rate(site, address, body).await?.into_response())
        })
        .await
    }

    /// Answers a question that is allowed. The stream has the events of the answer.
    pub(crate) async fn begin(
        &self,
        (name, site): NamedSite<'_>,
        question: Question,
        (from, address): (AskedFrom, Option<IpAddr>),
    ) -> Result<BoxStream<'static, Event>, Refusal> {
        question.check().map_err(Refusal::Invalid)?;
        let limited = |refusal| {
            self.0.metrics.ended(AnswerOutcome::Limited);
            refusal
        };
        self.0.count(Counted::Questions, name, address).map_err(limited)?;
        let turn = self.0.turns.take(&name.to_owned(), PATIENCE).await;
        let turn = turn.ok_or(Refusal::Busy).map_err(limited)?;
        let kept = self.0.kept((name, site), &question, from);
        let organization = self.0.places.organization(name).unwrap_or_default();
        let (assistant, tokens) = self.0.metered(&organization);
        let assistant = self.0.watched(name, assistant);
        let meter = AnswerMeter::new(&self.0, organization, tokens);
        let pages = SitePages(Arc::clone(site));
        Ok(stream::events(assistant, pages, question, (kept, meter, turn)))
    }

    /// Counts a search or a page that a client of the API reads.
    pub(crate) fn count_search(&self, name: &str, address: Option<IpAddr>) -> Result<(), Refusal> {
        self.0.count(Counted::Searches, name, address)
    }

    /// The response to a request to one of the endpoints, with what pages of other sites need to see it.
    async fn respond(
        &self,
        name: &str,
        request: Request,
        answer: impl AsyncFnOnce(Parts, Body) -> Result<Response, Refusal>,
    ) -> Response {
        let (parts, body) = request.into_parts();
        if let Some(response) = asker::preflight(&self.0.places, name, &parts) {
            return response;
        }
        let asked = parts.headers.clone();
        let mut response = answer(parts, body).await.unwrap_or_else(IntoResponse::into_response);
        asker::share(&self.0.places, name, &asked, response.headers_mut());
        response
    }
}

impl Shared {
    /// Checks that a page of the site, or one with a key, sent JSON.
    fn check(&self, name: &str, parts: &Parts) -> Result<Asker, Refusal> {
        if parts.method != Method::POST {
            return Err(Refusal::Method);
        }
        let asker = Asker::of(&self.places, name, parts)?;
        if !is_json(parts) {
            return Err(Refusal::MediaType);
        }
        Ok(asker)
    }

    /// The assistant for an answer to a reader of an organization, and what counts its tokens. An organization without
    /// tokens left has no model.
    fn metered(&self, organization: &str) -> (Assistant, TokenMeter) {
        let (mut assistant, meter) = (self.assistant.clone(), TokenMeter::default());
        if self.budget.is_spent(organization, self.clock.now()) {
            assistant.model = None;
        }
        (assistant.metered(&meter), meter)
    }

    /// The assistant for an answer at a domain, whose project learns of a model that doesn't work.
    fn watched(&self, domain: &str, assistant: Assistant) -> Assistant {
        match (&self.watch, self.places.project(domain)) {
            (Some((model, watch)), Some(project)) => {
                let (model, watch) = (model.clone(), watch.clone());
                assistant.watched(Arc::new(move |used| match used {
                    Ok(()) => watch.worked(ProblemKind::Model, &model),
                    Err(reason) => {
                        let failure = failure(&model, reason);
                        watch.failed(ProblemKind::Model, (model.as_str(), &*project), failure);
                    }
                }))
            }
            // A preview, or a site without a database.
            _ => assistant,
        }
    }

    /// The question as it is stored after its answer; `None` if this site stores none.
    fn kept(
        &self,
        (domain, site): NamedSite<'_>,
        question: &Question,
        from: AskedFrom,
    ) -> Option<KeptQuestion> {
        let days = site.about().question_days;
        let writer = self.questions.as_ref().filter(|_| days > 0)?;
        let asked = Asked { domain, from, at: self.clock.now(), days };
        Some(KeptQuestion::new(writer, asked, question))
    }

    /// Reads a rating, and stores it.
    async fn rate(
        &self,
        (name, site): NamedSite<'_>,
        address: Option<IpAddr>,
        body: Body,
    ) -> Result<StatusCode, Refusal> {
        let writer = self.questions.as_ref().filter(|_| site.about().question_days > 0);
        let writer = writer.ok_or(Refusal::UnknownAnswer)?;
        let RatedAnswer { thread, answer, rating } = RatedAnswer::read(body).await?;
        self.count(Counted::Ratings, name, address)?;
        match writer.rate((name, &thread, &answer), &rating, self.clock.now()).await {
            Ok(true) => Ok(StatusCode::NO_CONTENT),
            Ok(false) => Err(Refusal::UnknownAnswer),
            Err(error) => {
                tracing::error!(%error, "rating of an answer not stored");
                Err(Refusal::NotStored)
            }
        }
    }

    /// Counts a request that is complete and allowed; others cost nothing.
    fn count(&self, what: Counted, name: &str, address: Option<IpAddr>) -> Result<(), Refusal> {
        let organization = self.places.organization(name);
        let counted =
            self.limits.count(what, (name, organization.as_deref()), address, self.clock.now());
        counted.map_err(Refusal::TooMany)
    }
}

async fn read_question(body: Body) -> Result<Question, Refusal> {
    let body = to_bytes(body, MAXIMUM_BODY).await;
    let body =
        body.map_err(|_| Refusal::TooLong("The question with its context exceeds 64 KiB."))?;
    serde_json::from_slice(&body)
        .map_err(|error| Refusal::Invalid(format!("Invalid question: {error}.")))
}

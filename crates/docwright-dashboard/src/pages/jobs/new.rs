//! A new agent job: its prompt and its model.

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    agent_jobs::{self, AgentModel, AgentModels},
    can,
    fields::field,
    idempotency::Idempotency,
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::FormError,
    paths::with_query,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// The model that works without a language model.
const EDITS: &str = docwright_agent::edits::NAME;

#[derive(Deserialize)]
pub(crate) struct NewJob {
    prompt: String,
    #[serde(default)]
    model: String,
}

/// A prompt to start from.
#[derive(Deserialize)]
pub(crate) struct Example {
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    model: String,
}

impl NewJob {
    fn input(&self) -> Result<agent_jobs::NewJob, OperationError> {
        let model = Some(self.model.as_str()).filter(|model| !model.is_empty());
        Ok(agent_jobs::NewJob {
            prompt: field("prompt", self.prompt.as_str())?,
            model: model.map(|model| field("model", model)).transpose()?,
        })
    }
}

pub(crate) async fn new(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(example): Query<Example>,
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::CreateAgentJob>()?;
    let given = NewJob { prompt: example.prompt, model: example.model };
    let body = form(&dashboard, &place, &given, None).await?;
    Ok(place.page("jobs", words::NEW_JOB, &body))
}

pub(crate) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewJob>,
) -> Result<Response, Refusal> {
    let (caller, no_key) = (place.of.caller.allowed()?, Idempotency::default());
    let created = match new.input() {
        Ok(_) if problem(&dashboard, &place).await?.is_some() => {
            let body = form(&dashboard, &place, &new, None).await?;
            return Ok(place.page_with(StatusCode::CONFLICT, "jobs", words::NEW_JOB, &body));
        }
        Ok(input) => {
            agent_jobs::create(&dashboard.operations, &caller, &place.project.id, input, no_key)
                .await
        }
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok((job, _)) => {
            let path = format!("{}/{}", place.path("jobs"), job.id);
            Ok(place.of.person.browser.done(Done::JobStarted, &path))
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&dashboard, &place, &new, Some(&sentence)).await?;
            Ok(place.page_with(StatusCode::BAD_REQUEST, "jobs", words::NEW_JOB, &body))
        }
    }
}

/// Why a job of the project would fail: its pull request can't be opened.
pub(super) async fn problem(
    dashboard: &Dashboard,
    place: &ProjectContext,
) -> Result<Option<String>, Refusal> {
    let caller = place.of.caller.allowed()?;
    Ok(agent_jobs::models(&dashboard.operations, &caller, &place.project.id).await?.problem)
}

async fn form(
    dashboard: &Dashboard,
    place: &ProjectContext,
    given: &NewJob,
    sentence: Option<&str>,
) -> Result<Markup, Refusal> {
    let caller = place.of.caller.allowed()?;
    let AgentModels { models, problem } =
        agent_jobs::models(&dashboard.operations, &caller, &place.project.id).await?;
    let here = format!("{}/new", place.path("jobs"));
    let usable = |model: &&AgentModel| model.problem.is_none();
    let chosen = models.iter().find(|model| model.name == given.model);
    let chosen = chosen.or_else(|| models.iter().find(usable)).map(|model| model.name.as_str());
    let has_language_model = models.iter().filter(usable).any(|model| model.name != EDITS);
    let fields = [("prompt", "prompt", words::PROMPT), ("model", "model", words::MODEL)];
    let error = FormError::of(sentence, &fields);
    Ok(html! {
        h1 { (words::NEW_JOB) }
        (error.show())
        @if let Some(problem) = &problem {
            div.problem role="alert" {
                p { strong { (words::JOBS_CANNOT_WORK) } " " (problem) "." }
                p { (words::JOBS_CANNOT_WORK_WHY) }
                @if place.of.caller.can::<can::UpdateProject>() {
                    div.actions { a.button href=(place.path("settings")) { (words::ADDRESS_AND_FOLDER) } }
                }
            }
        }
        form.wide method="post" action=(here) {
            div.field {
                label for="prompt" { (words::PROMPT) }
                textarea id="prompt" name="prompt" required maxlength="100000" aria-describedby="prompt-hint" { (given.prompt) }
                p.hint id="prompt-hint" { (words::PROMPT_HINT) }
            }
            fieldset {
                legend { (words::MODEL) }
                @for model in &models {
                    label.choice {
                        input type="radio" name="model" value=(model.name) disabled[model.problem.is_some()]
                            checked[chosen == Some(model.name.as_str())];
                        span {
                            code { (model.name) }
                            @if let Some(problem) = &model.problem { " " span.soft { (problem) } }
                        }
                    }
                }
            }
            button.primary type="submit" disabled[problem.is_some()] { (words::START_JOB) }
        }
        h2 { (words::EXAMPLES) }
        p { (words::EXAMPLES_WHY) }
        (examples(&here, &given.model))
        @if !has_language_model {
            h2 { (words::NO_MODEL) }
            p { (words::NO_MODEL_WHY) }
        }
    })
}

/// Prompts that fill the form.
fn examples(here: &str, model: &str) -> Markup {
    let model = Some(model).filter(|model| !model.is_empty());
    html! {
        ul.examples { @for sentence in words::EDITS {
            li { a href=(with_query(here, &[("prompt", Some(sentence)), ("model", model)])) { code { (sentence) } } }
        } }
    }
}

//! A new agent job: its prompt and its model.

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
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
    Dashboard, forms::Form, parts::problem, project_context::ProjectContext, refusal::Refusal,
    words,
};

/// The model that works without a language model.
const EDITS: &str = docwright_agent::edits::NAME;

#[derive(Default, Deserialize)]
pub(crate) struct NewJob {
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
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::CreateAgentJob>()?;
    let body = form(&dashboard, &place, &NewJob::default(), None).await?;
    Ok(place.page("jobs", words::NEW_JOB, &body))
}

pub(crate) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(new): Form<NewJob>,
) -> Result<Response, Refusal> {
    let (caller, no_key) = (place.of.caller.allowed()?, Idempotency::default());
    let created = match new.input() {
        Ok(input) => {
            agent_jobs::create(&dashboard.operations, &caller, &place.project.id, input, no_key)
                .await
        }
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok((job, _)) => {
            Ok(Redirect::to(&format!("{}/{}", place.path("jobs"), job.id)).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&dashboard, &place, &new, Some(&sentence)).await?;
            Ok(place.page_with(StatusCode::BAD_REQUEST, "jobs", words::NEW_JOB, &body))
        }
    }
}

async fn form(
    dashboard: &Dashboard,
    place: &ProjectContext,
    given: &NewJob,
    sentence: Option<&str>,
) -> Result<Markup, Refusal> {
    let caller = place.of.caller.allowed()?;
    let AgentModels { models } =
        agent_jobs::models(&dashboard.operations, &caller, &place.project.id).await?;
    let usable = |model: &&AgentModel| model.problem.is_none();
    let chosen = models.iter().find(|model| model.name == given.model);
    let chosen = chosen.or_else(|| models.iter().find(usable)).map(|model| model.name.as_str());
    let has_language_model = models.iter().filter(usable).any(|model| model.name != EDITS);
    Ok(html! {
        h1 { (words::NEW_JOB) }
        (problem(sentence))
        form.wide method="post" action=(format!("{}/new", place.path("jobs"))) {
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
            button.primary type="submit" { (words::START_JOB) }
        }
        @if !has_language_model {
            h2 { (words::NO_MODEL) }
            p { (words::NO_MODEL_WHY) }
            ul { @for sentence in words::EDITS { li { code { (sentence) } } } }
        }
    })
}

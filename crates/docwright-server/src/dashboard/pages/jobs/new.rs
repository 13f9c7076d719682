//! A new agent job: what is to be done, and by which model.

use axum::{
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::account::Role;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{forms::Form, parts::problem, place::ProjectPlace, refusal::Refusal, words};

/// The model that needs no language model.
const EDITS: &str = docwright_agent::edits::NAME;

#[derive(Deserialize)]
struct Models {
    models: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    name: String,
    problem: Option<String>,
}

#[derive(Default, Deserialize)]
pub(crate) struct NewJob {
    prompt: String,
    #[serde(default)]
    model: String,
}

pub(crate) async fn new(place: ProjectPlace) -> Result<Response, Refusal> {
    place.of.require(Role::Editor)?;
    let body = form(&place, &NewJob::default(), None).await?;
    Ok(place.page("jobs", words::NEW_JOB, &body))
}

pub(crate) async fn create(
    place: ProjectPlace,
    Form(new): Form<NewJob>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Editor)?;
    let mut body = json!({ "prompt": new.prompt });
    if !new.model.is_empty() {
        body["model"] = json!(new.model);
    }
    let path = format!("/v2/agent/{}/job", place.project.id);
    match place.of.operations.send(Method::POST, &path, Some(body)).await {
        Ok(made) => {
            let id = made["id"].as_str().unwrap_or_default();
            Ok(Redirect::to(&format!("{}/{id}", place.path("jobs"))).into_response())
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            let body = form(&place, &new, Some(&sentence)).await?;
            Ok(place.page_with(StatusCode::BAD_REQUEST, "jobs", words::NEW_JOB, &body))
        }
    }
}

async fn form(
    place: &ProjectPlace,
    given: &NewJob,
    sentence: Option<&str>,
) -> Result<Markup, Refusal> {
    let path = format!("/v2/agent/{}/models", place.project.id);
    let Models { models } = place.of.operations.get(&path).await?;
    let usable = |model: &&Model| model.problem.is_none();
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

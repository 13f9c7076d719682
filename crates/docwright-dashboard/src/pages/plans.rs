//! What each plan includes, for operators.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use docwright_operations::{
    OperationError,
    fields::field,
    plans::{self, Amount, Limits, PlanLimits},
};
use docwright_types::plan::Plan;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard, forms::Form, parts::problem, project_context::InstancePlace, refusal::Refusal, words,
};

#[derive(Deserialize)]
pub(super) struct LimitsForm {
    /// A box that is not ticked is not sent.
    static_export: Option<String>,
    projects: String,
    members: String,
    prompts_an_hour: String,
    #[serde(default)]
    storage_bytes: String,
}

impl LimitsForm {
    fn input(&self) -> Result<Limits, OperationError> {
        let prompts = limit("promptsAnHour", &self.prompts_an_hour)?;
        Ok(Limits {
            static_export: self.static_export.is_some(),
            projects: limit("projects", &self.projects)?,
            members: limit("members", &self.members)?,
            prompts_an_hour: prompts.map_or_else(|| field("promptsAnHour", "0"), Ok)?,
            storage_bytes: limit("storageBytes", &self.storage_bytes)?,
        })
    }
}

/// Reads a limit; an empty field is none.
fn limit<const LEAST: i64, const UP_TO: i64>(
    name: &str,
    text: &str,
) -> Result<Option<Amount<LEAST, UP_TO>>, OperationError> {
    let text = Some(text.trim()).filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.parse::<i64>().is_err()) {
        return Err(OperationError::Invalid(words::NOT_A_LIMIT.to_owned()));
    }
    text.map(|text| field(name, text)).transpose()
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
) -> Result<Response, Refusal> {
    answer(&dashboard, &place, None).await
}

pub(super) async fn set(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Path(plan): Path<String>,
    Form(form): Form<LimitsForm>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let plan = plan.parse::<Plan>().map_err(|_| Refusal::Missing)?;
    let set = match form.input() {
        Ok(limits) => plans::set(&dashboard.operations, &caller, plan, limits).await,
        Err(error) => Err(error),
    };
    match set.map_err(Refusal::from) {
        Ok(_) => Ok(Redirect::to("/plans").into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            answer(&dashboard, &place, Some(&sentence)).await
        }
    }
}

async fn answer(
    dashboard: &Dashboard,
    place: &InstancePlace,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let list = plans::list(&dashboard.operations, &place.caller.allowed()?).await?;
    let body = html! {
        h1 { (words::PLANS) }
        p { (words::PLANS_WHY) }
        (problem(sentence))
        div.cards { @for plan in &list.plans { (form(plan)) } }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "plans", words::PLANS, &body))
}

fn form(plan: &PlanLimits) -> Markup {
    let Limits { static_export, projects, members, prompts_an_hour, storage_bytes } = plan.limits;
    let plan = plan.name.name();
    let text = |limit: Option<i64>| limit.map(|limit| limit.to_string()).unwrap_or_default();
    let (projects, members) = (text(projects.map(i64::from)), text(members.map(i64::from)));
    let prompts = i64::from(prompts_an_hour).to_string();
    let storage = text(storage_bytes.map(i64::from));
    // Each field has its plan in its id, since there are three of each on the page.
    let field = |name: &'static str, label: &str, value: &str, hint: Option<&str>| {
        let id = format!("{plan}-{name}");
        html! {
            div.field {
                label for=(id) { (label) }
                input id=(id) name=(name) type="text" inputmode="numeric" autocomplete="off" value=(value)
                    required[hint.is_none()] aria-describedby=[hint.map(|_| format!("{id}-hint"))];
                @if let Some(hint) = hint { p.hint id=(format!("{id}-hint")) { (hint) } }
            }
        }
    };
    html! {
        section.card aria-labelledby=(plan) {
            h2 id=(plan) { (words::plan(plan)) }
            form method="post" action=(format!("/plans/{plan}")) {
                label.choice {
                    input type="checkbox" name="static_export" checked[static_export];
                    span { (words::STATIC_EXPORT) }
                }
                (field("projects", words::PROJECTS, &projects, Some(words::NO_LIMIT_HINT)))
                (field("members", words::MEMBERS, &members, Some(words::NO_LIMIT_HINT)))
                (field("prompts_an_hour", words::PROMPTS_AN_HOUR, &prompts, None))
                (field("storage_bytes", words::STORAGE_BYTES, &storage, Some(words::STORAGE_BYTES_HINT)))
                button type="submit" { (words::SAVE) }
            }
        }
    }
}

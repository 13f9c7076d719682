//! What each plan includes, for operators.

use axum::{
    extract::Path,
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use crate::dashboard::{
    forms::Form, operations::encoded, parts::problem, place::InstallPlace, refusal::Refusal, words,
};

/// The plans, the least first.
pub(super) const PLANS: [&str; 3] = ["free", "pro", "enterprise"];

/// What a plan includes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Limits {
    pub(super) static_export: bool,
    pub(super) projects: Option<i64>,
    pub(super) members: Option<i64>,
    pub(super) prompts_an_hour: i64,
    pub(super) storage_bytes: Option<i64>,
}

#[derive(Deserialize)]
struct List {
    plans: Vec<Plan>,
}

#[derive(Deserialize)]
struct Plan {
    name: String,
    limits: Limits,
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    /// A box that is not ticked is not sent.
    static_export: Option<String>,
    projects: String,
    members: String,
    prompts_an_hour: String,
    #[serde(default)]
    storage_bytes: String,
}

pub(super) async fn show(place: InstallPlace) -> Result<Response, Refusal> {
    answer(&place, StatusCode::OK, None).await
}

pub(super) async fn set(
    place: InstallPlace,
    Path(plan): Path<String>,
    Form(wanted): Form<Wanted>,
) -> Result<Response, Refusal> {
    let number = |text: &str| match text.trim() {
        "" => Ok(None),
        text => text.parse::<i64>().map(Some),
    };
    let Wanted { projects, members, prompts_an_hour, storage_bytes, .. } = &wanted;
    let limits = [projects, members, prompts_an_hour, storage_bytes].map(|text| number(text));
    let [Ok(projects), Ok(members), Ok(prompts), Ok(storage)] = limits else {
        return answer(&place, StatusCode::BAD_REQUEST, Some(words::NOT_A_LIMIT)).await;
    };
    let body = json!({
        "staticExport": wanted.static_export.is_some(), "projects": projects, "members": members,
        "promptsAnHour": prompts.unwrap_or_default(), "storageBytes": storage,
    });
    let path = format!("/v1/plans/{}", encoded(&plan));
    match place.operations.send(Method::PUT, &path, Some(body)).await {
        Ok(_) => Ok(Redirect::to("/plans").into_response()),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            answer(&place, StatusCode::BAD_REQUEST, Some(&sentence)).await
        }
    }
}

async fn answer(
    place: &InstallPlace,
    status: StatusCode,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let list: List = place.operations.get("/v1/plans").await?;
    let body = html! {
        h1 { (words::PLANS) }
        p { (words::PLANS_WHY) }
        (problem(sentence))
        div.cards { @for plan in &list.plans { (form(plan)) } }
    };
    Ok(place.page_with(status, "plans", words::PLANS, &body))
}

fn form(plan: &Plan) -> Markup {
    let Limits { static_export, projects, members, prompts_an_hour, storage_bytes } = &plan.limits;
    let text = |limit: &Option<i64>| limit.map(|limit| limit.to_string()).unwrap_or_default();
    // Each field has its plan in its id, since there are three of each on the page.
    let field = |name: &'static str, label: &str, value: &str, hint: Option<&str>| {
        let id = format!("{}-{name}", plan.name);
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
        section.card aria-labelledby=(plan.name) {
            h2 id=(plan.name) { (words::plan(&plan.name)) }
            form method="post" action=(format!("/plans/{}", plan.name)) {
                label.choice {
                    input type="checkbox" name="static_export" checked[*static_export];
                    span { (words::STATIC_EXPORT) }
                }
                (field("projects", words::PROJECTS, &text(projects), Some(words::NO_LIMIT_HINT)))
                (field("members", words::MEMBERS, &text(members), Some(words::NO_LIMIT_HINT)))
                (field("prompts_an_hour", words::PROMPTS_AN_HOUR, &prompts_an_hour.to_string(), None))
                (field("storage_bytes", words::STORAGE_BYTES, &text(storage_bytes), Some(words::STORAGE_BYTES_HINT)))
                button type="submit" { (words::SAVE) }
            }
        }
    }
}

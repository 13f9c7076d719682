//! Permanently deletes a project, after its name was typed.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::{can, projects};
use maud::html;
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Field, problem},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(in crate::pages) struct Confirmation {
    name: String,
}

pub(in crate::pages) async fn ask(place: ProjectContext) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::DeleteProject>()?;
    Ok(page(&place, None))
}

pub(in crate::pages) async fn delete(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(given): Form<Confirmation>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    if given.name.trim() != place.project.name {
        return Ok(page(&place, Some(words::OTHER_NAME)));
    }
    projects::delete(&dashboard.operations, &caller, &place.project.id).await?;
    let home = format!("/organizations/{}", place.of.organization.id);
    Ok(place.of.person.browser.done(Done::ProjectDeleted, &home))
}

fn page(place: &ProjectContext, sentence: Option<&str>) -> Response {
    let body = html! {
        p.above { a href=(place.path("settings")) { (words::SETTINGS) } }
        h1 { (words::DELETE_PROJECT) }
        (problem(sentence))
        p { (words::DELETE_PROJECT_WHY) }
        form.wide method="post" action=(place.path("settings/delete")) {
            (Field::text("name", &words::write_name(&place.project.name), "").show())
            div.actions {
                button.danger type="submit" { (words::DELETE_PROJECT) }
                a.button href=(place.path("settings")) { (words::CANCEL) }
            }
        }
    };
    let status = if sentence.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    place.page_with(status, "settings", words::DELETE_PROJECT, &body)
}

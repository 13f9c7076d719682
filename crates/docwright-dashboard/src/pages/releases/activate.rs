//! Activates a release, such as an earlier one, after explaining the effect.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    can,
    releases::{self, Release},
};
use maud::html;

use super::{ReleaseView, find, show::activate_label, table};
use crate::{
    Dashboard,
    parts::{Action, problem},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

pub(in crate::pages) async fn ask(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    place.of.caller.allowed::<can::ActivateRelease>()?;
    let release = find(&dashboard, &place, &id).await?.release;
    Ok(page(&dashboard, &place, &release, None))
}

pub(in crate::pages) async fn activate(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let here = place.path(&format!("releases/{}", release.id));
    let activated =
        releases::activate(&dashboard.operations, &place.of.caller.allowed()?, &id).await;
    match activated.map_err(Refusal::from) {
        Ok(_) => Ok(place.of.person.browser.done(Done::ReleaseActivated, &here)),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            Ok(page(&dashboard, &place, &release, Some(&sentence)))
        }
    }
}

fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    release: &Release,
    sentence: Option<&str>,
) -> Response {
    let here = place.path(&format!("releases/{}", release.id));
    let path = format!("{here}/activate");
    let body = html! {
        p.above { a href=(here) { (release.name()) } }
        h1 { (words::ACTIVATE) }
        (problem(sentence))
        @if let Some(errors) = release.held_errors {
            p.notice { (words::release_held(release.number, &release.domain, errors)) "." }
        }
        p { (words::ACTIVATE_WHY) }
        (table(dashboard.operations.now(), place, &[release]))
        div.actions.below {
            (Action::new(&path, activate_label(release)).primary().show())
            a.button href=(here) { (words::CANCEL) }
        }
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    place.page_with(status, "releases", words::ACTIVATE, &body)
}

//! A project at a glance.

use axum::{extract::State, response::Response};
use maud::html;

use super::releases::{Release, ReleaseList, table};
use crate::dashboard::{
    Dashboard, operations::with_query, parts::copied, place::ProjectPlace, refusal::Refusal, words,
};

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/releases", place.project.id);
    let last: ReleaseList =
        place.of.operations.get(&with_query(&path, &[("limit", Some("5"))])).await?;
    let live: Vec<&Release> = last.releases.iter().filter(|release| release.active).collect();
    let body = html! {
        h1 { (place.project.name) }
        dl.facts {
            dt { (words::REPOSITORY) } dd { code { (place.project.repository) } }
            dt { (words::PROJECT_ID) } dd { (copied(&place.project.id)) }
        }
        @if !live.is_empty() {
            h2 { (words::LIVE) }
            (table(dashboard.app.now(), &live))
        }
        h2 { (words::RELEASES) }
        (table(dashboard.app.now(), &last.releases.iter().collect::<Vec<_>>()))
        p { a href=(place.path("releases")) { (words::ALL_RELEASES) } }
    };
    Ok(place.page("", words::OVERVIEW, &body))
}

//! Webhooks that a git host sends for a project: their secret, and what was delivered.

use axum::{
    extract::{Query, State},
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{account::Role, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use super::sections;
use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::{encoded, with_query},
    parts::{Action, Tone, at, copied, empty, live, pager, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Wanted {
    cursor: Option<String>,
}

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Which {
    delivery: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    deliveries: Vec<Delivery>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delivery {
    id: String,
    event: String,
    received_at: String,
    outcome: String,
    summary: String,
}

pub(in crate::dashboard::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, wanted.cursor.as_deref(), None).await
}

/// Makes a secret, and shows it this once.
pub(in crate::dashboard::pages) async fn make_secret(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/webhook-secret", place.project.id);
    let made = place.of.operations.send(Method::POST, &path, None).await?;
    let secret = made["secret"].as_str().unwrap_or_default();
    page(&dashboard, &place, None, Some(secret)).await
}

pub(in crate::dashboard::pages) async fn redeliver(
    place: ProjectPlace,
    Form(which): Form<Which>,
) -> Result<Response, Refusal> {
    let (project, delivery) = (&place.project.id, encoded(&which.delivery));
    let path = format!("/v1/projects/{project}/deliveries/{delivery}/redeliver");
    place.of.operations.send(Method::POST, &path, None).await?;
    Ok(Redirect::to(&place.path("settings/webhooks")).into_response())
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectPlace,
    cursor: Option<&str>,
    secret: Option<&str>,
) -> Result<Response, Refusal> {
    let path = format!("/v1/projects/{}/deliveries", place.project.id);
    let list: List = place.of.operations.get(&with_query(&path, &[("cursor", cursor)])).await?;
    let here = place.path("settings/webhooks");
    let shown = with_query(&here, &[("cursor", cursor)]);
    let url = format!("{}/hooks/{}", dashboard.app.repositories.public_url, place.project.id);
    let is_running = list.deliveries.iter().any(|each| each.outcome == "accepted");
    let body = html! {
        h1 { (words::WEBHOOKS) }
        (sections(place, "webhooks"))
        p { (words::WEBHOOKS_WHY) }
        dl.facts {
            dt { (words::WEBHOOK_URL) } dd { (copied(&url)) }
            @if let Some(secret) = secret { dt { (words::SECRET) } dd { (copied(secret)) } }
        }
        @if secret.is_some() { p.notice role="status" { (words::SHOWN_ONCE) } }
        @if place.of.may(Role::Admin) {
            (Action::new(&place.path("settings/webhooks/secret"), words::MAKE_SECRET)
                .asks(words::MAKE_SECRET_QUESTION).show())
        } @else { p.soft { (words::needs(Role::Admin)) } }
        h2 { (words::DELIVERIES) }
        @if list.deliveries.is_empty() && cursor.is_none() {
            (empty(words::NO_DELIVERIES, words::NO_DELIVERIES_WHY, &Markup::default()))
        } @else {
            (live("deliveries", &shown, is_running, &table(place, dashboard.app.now(), &list.deliveries)))
            (pager(&here, &[], (cursor, list.next_cursor.as_deref())))
        }
    };
    Ok(place.page("settings", words::WEBHOOKS, &body))
}

fn table(place: &ProjectPlace, now: Timestamp, deliveries: &[Delivery]) -> Markup {
    let path = place.path("settings/webhooks/redeliver");
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::EVENT) } th { (words::OUTCOME) } th { (words::RECEIVED) }
                th { span.unseen { (words::ACTIONS) } }
            } }
            tbody {
                @for each in deliveries {
                    @let tone = match each.outcome.as_str() { "looked" => Tone::Good, "failed" => Tone::Bad, _ => Tone::Running };
                    tr {
                        td { (state(tone, words::delivery(&each.outcome))) }
                        td { code { (each.event) } }
                        td { (each.summary) }
                        td { (at(now, Some(&each.received_at))) }
                        td { @if place.of.may(Role::Editor) {
                            (Action::new(&path, words::REDELIVER).with(&[("delivery", &each.id)]).show())
                        } }
                    }
                }
            }
        } }
    }
}

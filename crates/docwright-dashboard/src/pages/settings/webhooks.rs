//! Webhooks from a git host for a project: the secret, and received deliveries.

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    can,
    lists::Page,
    webhooks::{self, Delivery},
};
use docwright_types::{account::Role, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use super::{ListQuery, sections};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Action, Tone, at, copied, empty, live, pager, state},
    paths::with_query,
    project_context::ProjectContext,
    refusal::Refusal,
    shown_once,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(in crate::pages) struct RedeliveryForm {
    delivery: String,
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(query): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let secret = shown_once::take(&dashboard, &place.of.person, &place.path("settings/webhooks"));
    let secret = secret.as_deref();
    let page = page(&dashboard, &place, query.cursor.as_deref(), secret).await?;
    Ok(shown_once::page(&place.of.person, secret, page))
}

/// Creates a secret, which is shown only once.
pub(in crate::pages) async fn create_secret(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let created =
        webhooks::create_secret(&dashboard.operations, &caller, &place.project.id).await?;
    let here = place.path("settings/webhooks");
    shown_once::redirect(&dashboard, &place.of.person, (&here, &created.secret))
}

pub(in crate::pages) async fn redeliver(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<RedeliveryForm>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    webhooks::redeliver(&dashboard.operations, &caller, &place.project.id, &form.delivery).await?;
    Ok(place.of.person.browser.done(Done::WebhookRedelivered, &place.path("settings/webhooks")))
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    cursor: Option<&str>,
    secret: Option<&str>,
) -> Result<Response, Refusal> {
    let (caller, list_page) = (place.of.caller.allowed()?, Page::new(None, cursor)?);
    let list =
        webhooks::deliveries(&dashboard.operations, &caller, &place.project.id, &list_page).await?;
    let here = place.path("settings/webhooks");
    let shown = with_query(&here, &[("cursor", cursor)]);
    let url =
        format!("{}/hooks/{}", dashboard.operations.repositories.public_url, place.project.id);
    let is_running = list.items.iter().any(|each| each.outcome == "accepted");
    let body = html! {
        h1 { (words::WEBHOOKS) }
        (sections(place, "webhooks"))
        p { (words::WEBHOOKS_WHY) }
        dl.facts {
            dt { (words::WEBHOOK_URL) } dd { (copied(&url)) }
            @if let Some(secret) = secret { dt { (words::SECRET) } dd { (copied(secret)) } }
        }
        @if secret.is_some() { p.notice role="status" { (words::SHOWN_ONCE) } }
        @if place.of.caller.can::<can::CreateWebhookSecret>() {
            (Action::new(&place.path("settings/webhooks/secret"), words::MAKE_SECRET)
                .asks(words::MAKE_SECRET_QUESTION).show())
        } @else { p.soft { (words::needs(Role::Admin)) } }
        h2 { (words::DELIVERIES) }
        @if list.items.is_empty() && cursor.is_none() {
            (empty(words::NO_DELIVERIES, words::NO_DELIVERIES_WHY, &Markup::default()))
        } @else {
            (live("deliveries", &shown, is_running, &table(place, dashboard.operations.now(), &list.items)))
            (pager(&here, &[], (cursor, list.next_cursor.as_deref())))
        }
    };
    Ok(place.page("settings", words::WEBHOOKS, &body))
}

fn table(place: &ProjectContext, now: Timestamp, deliveries: &[Delivery]) -> Markup {
    let path = place.path("settings/webhooks/redeliver");
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::EVENT) } th { (words::OUTCOME) } th { (words::RECEIVED) }
                th { span.unseen { (words::ACTIONS) } }
            } }
            tbody {
                @for each in deliveries {
                    @let tone = match each.outcome.as_str() { "polled" => Tone::Good, "failed" => Tone::Bad, _ => Tone::Running };
                    tr {
                        td { (state(tone, words::delivery(&each.outcome))) }
                        td { code { (each.event) } }
                        td { (each.summary) }
                        td { (at(now, Some(&each.received_at))) }
                        td { @if place.of.caller.can::<can::Redeliver>() {
                            (Action::new(&path, words::REDELIVER).with(&[("delivery", &each.id)]).show())
                        } }
                    }
                }
            }
        } }
    }
}

//! Who hears of what happens in a project: servers by webhooks, and mailboxes.

use axum::{
    extract::{Path, Query, State},
    http::{Method, StatusCode},
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{account::Role, notification::EventKind, timestamp::Timestamp};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::sections;
use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::{encoded, with_query},
    parts::{Action, Field, Tone, at, copied, empty, live, pager, problem, state},
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
    subscription: String,
}

#[derive(Deserialize)]
pub(in crate::dashboard::pages) struct Again {
    notification: String,
}

#[derive(Deserialize)]
struct List {
    subscriptions: Vec<Subscription>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: String,
    target: String,
    events: Vec<String>,
    project_id: Option<String>,
    secret: Option<String>,
    created_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    notifications: Vec<Notification>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Notification {
    id: String,
    event: String,
    status: String,
    attempts: i64,
    error: Option<String>,
    created_at: String,
}

pub(in crate::dashboard::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
) -> Result<Response, Refusal> {
    page(&place, dashboard.app.now(), None, None).await
}

/// Makes one; the secret of a server is shown this once.
pub(in crate::dashboard::pages) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Response, Refusal> {
    let all = |wanted: &str| {
        let of_name = fields.iter().filter(move |(name, _)| name == wanted);
        of_name.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    let target = all("target").first().map_or("", |target| target.trim()).to_owned();
    let events = all("events");
    let mut body = json!({ "target": target, "projectId": place.project.id });
    if !events.is_empty() {
        body["events"] = json!(events);
    }
    let now = dashboard.app.now();
    match place.of.operations.send(Method::POST, "/v1/subscriptions", Some(body)).await {
        Ok(made) => {
            let made: Subscription = serde_json::from_value(made)
                .map_err(|error| Refusal::Failed(format!("/v1/subscriptions: {error}")))?;
            page(&place, now, Some(&made), None).await
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&place, now, None, Some((&sentence, &target))).await
        }
    }
}

pub(in crate::dashboard::pages) async fn remove(
    place: ProjectPlace,
    Form(which): Form<Which>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Admin)?;
    let path = address(&which.subscription, "");
    place.of.operations.send(Method::DELETE, &path, None).await?;
    Ok(Redirect::to(&place.path("settings/notifications")).into_response())
}

/// What was sent for one.
pub(in crate::dashboard::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let subscription: Subscription = place.of.operations.get(&address(&id, "")).await?;
    let cursor = wanted.cursor.as_deref();
    let path = with_query(&address(&id, "/notifications"), &[("cursor", cursor)]);
    let sent: Sent = place.of.operations.get(&path).await?;
    let here = place.path(&format!("settings/notifications/{}", encoded(&subscription.id)));
    let shown = with_query(&here, &[("cursor", cursor)]);
    // One that failed is sent again later and later.
    let is_running =
        sent.notifications.iter().any(|each| each.status == "pending" && each.attempts == 0);
    let body = html! {
        p.above { a href=(place.path("settings/notifications")) { (words::NOTIFICATIONS) } }
        h1 { (subscription.target) }
        @if sent.notifications.is_empty() && cursor.is_none() {
            (empty(words::NOTHING_SENT, words::NOTHING_SENT_WHY, &Markup::default()))
        } @else {
            (live("sent", &shown, is_running, &notifications(&place, &here, dashboard.app.now(), &sent.notifications)))
            (pager(&here, &[], (cursor, sent.next_cursor.as_deref())))
        }
    };
    Ok(place.page("settings", words::NOTIFICATIONS, &body))
}

/// Sends one again.
pub(in crate::dashboard::pages) async fn resend(
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
    Form(again): Form<Again>,
) -> Result<Response, Refusal> {
    let below = format!("/notifications/{}/resend", encoded(&again.notification));
    place.of.operations.send(Method::POST, &address(&id, &below), None).await?;
    let path = place.path(&format!("settings/notifications/{}", encoded(&id)));
    Ok(Redirect::to(&path).into_response())
}

async fn page(
    place: &ProjectPlace,
    now: Timestamp,
    made: Option<&Subscription>,
    wrong: Option<(&str, &str)>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Admin)?;
    let organization = Some(place.of.organization.id.as_str());
    let path = with_query("/v1/subscriptions", &[("organizationId", organization)]);
    let mut list: List = place.of.operations.get(&path).await?;
    // Those of all projects are about this one too.
    let own = Some(place.project.id.as_str());
    list.subscriptions
        .retain(|each| each.project_id.is_none() || each.project_id.as_deref() == own);
    let here = place.path("settings/notifications");
    let body = html! {
        h1 { (words::NOTIFICATIONS) }
        (sections(place, "notifications"))
        (problem(wrong.map(|(sentence, _)| sentence)))
        @if let Some(secret) = made.and_then(|made| made.secret.as_deref()) {
            div.notice role="status" { p { (words::SUBSCRIPTION_SECRET) } p { (copied(secret)) } p { (words::SHOWN_ONCE) } }
        }
        @if list.subscriptions.is_empty() {
            (empty(words::NO_SUBSCRIPTIONS, words::NO_SUBSCRIPTIONS_WHY, &Markup::default()))
        } @else { (rows(&here, now, &list.subscriptions)) }
        h2 { (words::NEW_SUBSCRIPTION) }
        form.wide method="post" action=(here) {
            (Field::text("target", words::TARGET, wrong.map(|(_, target)| target).unwrap_or_default()).hint(words::TARGET_HINT).show())
            fieldset {
                legend { (words::EVENTS) }
                @for kind in EventKind::ALL {
                    label.choice { input type="checkbox" name="events" value=(kind.name()); (words::event(kind)) }
                }
                p.hint { (words::EVENTS_HINT) }
            }
            button.primary type="submit" { (words::ADD_SUBSCRIPTION) }
        }
    };
    let status = if wrong.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(place.page_with(status, "settings", words::NOTIFICATIONS, &body))
}

fn rows(here: &str, now: Timestamp, subscriptions: &[Subscription]) -> Markup {
    let path = format!("{here}/remove");
    html! {
        ul.rows {
            @for each in subscriptions {
                li {
                    span.grow {
                        a href=(format!("{here}/{}", encoded(&each.id))) { (each.target) }
                        br; span.soft { (each.events.join(", ")) }
                    }
                    @if each.project_id.is_none() { span.soft { (words::OF_ORGANIZATION) } }
                    (at(now, Some(&each.created_at)))
                    (Action::new(&path, words::REMOVE).with(&[("subscription", &each.id)])
                        .dangerous(words::REMOVE_SUBSCRIPTION_QUESTION).show())
                }
            }
        }
    }
}

fn notifications(
    place: &ProjectPlace,
    here: &str,
    now: Timestamp,
    sent: &[Notification],
) -> Markup {
    let path = format!("{here}/resend");
    html! {
        div.scroll tabindex="0" { table {
            thead { tr {
                th { (words::STATE) } th { (words::EVENT) } th.number { (words::ATTEMPTS) } th { (words::OUTCOME) }
                th { (words::CREATED) } th { span.unseen { (words::ACTIONS) } }
            } }
            tbody {
                @for each in sent {
                    @let tone = match each.status.as_str() { "delivered" => Tone::Good, "failed" => Tone::Bad, _ => Tone::Running };
                    tr {
                        td { (state(tone, words::notification(&each.status))) }
                        td { code { (each.event) } }
                        td.number { (each.attempts) }
                        td { (each.error.as_deref().unwrap_or_default()) }
                        td { (at(now, Some(&each.created_at))) }
                        td { @if each.status != "pending" && place.of.may(Role::Admin) {
                            (Action::new(&path, words::SEND_AGAIN).with(&[("notification", &each.id)]).show())
                        } }
                    }
                }
            }
        } }
    }
}

/// The path of an operation of a subscription.
fn address(id: &str, below: &str) -> String {
    format!("/v1/subscriptions/{}{below}", encoded(id))
}

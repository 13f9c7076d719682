//! Subscriptions to events of a project: webhooks and email addresses.

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError, can,
    fields::{Id, field},
    lists::Page,
    subscriptions::{
        self, CreateSubscription, Events, ListSubscriptions, Notification, Subscription,
    },
};
use docwright_types::{
    notification::{EventKind, NotificationStatus},
    timestamp::Timestamp,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{ListQuery, sections};
use crate::{
    Dashboard,
    forms::Form,
    parts::{Action, Field, FormError, Tone, at, copied, empty, live, pager, state},
    paths::{encoded, with_query},
    project_context::ProjectContext,
    refusal::Refusal,
    shown_once,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(in crate::pages) struct RemovalForm {
    subscription: String,
}

#[derive(Deserialize)]
pub(in crate::pages) struct ResendForm {
    notification: String,
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let person = &place.of.person;
    let secret = shown_once::take(&dashboard, person, &place.path("settings/notifications"));
    let secret = secret.as_deref();
    let page = page(&dashboard, &place, secret, None).await?;
    Ok(shown_once::page(person, secret, page))
}

/// Creates one. The secret of a webhook is shown only once.
pub(in crate::pages) async fn create(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(fields): Form<Vec<(String, String)>>,
) -> Result<Response, Refusal> {
    let all = |name: &str| {
        let of_name = fields.iter().filter(move |(given, _)| given == name);
        of_name.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    let caller = place.of.caller.allowed()?;
    let target = all("target").first().map_or("", |target| target.trim());
    let created = match input(target, &all("events"), &place.project.id) {
        Ok(input) => subscriptions::create(&dashboard.operations, &caller, input).await,
        Err(error) => Err(error),
    };
    match created.map_err(Refusal::from) {
        Ok(created) => {
            let here = place.path("settings/notifications");
            match &created.secret {
                Some(secret) => shown_once::redirect(&dashboard, &place.of.person, (&here, secret)),
                None => Ok(place.of.person.browser.done(Done::SubscriptionAdded, &here)),
            }
        }
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, None, Some((&sentence, target))).await
        }
    }
}

/// The subscription to create for a project.
fn input(
    target: &str,
    events: &[&str],
    project_id: &str,
) -> Result<CreateSubscription, OperationError> {
    let events = events.iter().map(|name| name.parse()).collect::<Result<Vec<EventKind>, _>>();
    let events = events.map_err(OperationError::Invalid)?;
    Ok(CreateSubscription {
        target: field("target", target)?,
        // Without events, the target decides.
        events: Events::try_from(events).ok(),
        project_id: Some(field::<Id>("projectId", project_id)?),
        organization_id: None,
    })
}

pub(in crate::pages) async fn remove(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Form(form): Form<RemovalForm>,
) -> Result<Response, Refusal> {
    subscriptions::delete(&dashboard.operations, &place.of.caller.allowed()?, &form.subscription)
        .await?;
    Ok(place
        .of
        .person
        .browser
        .done(Done::SubscriptionDeleted, &place.path("settings/notifications")))
}

/// The notifications of a subscription.
pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let (app, caller) = (&dashboard.operations, &place.of.caller);
    let subscription = subscriptions::get(app, &caller.allowed()?, &id).await?;
    let cursor = query.cursor.as_deref();
    let list_page = Page::new(None, cursor)?;
    let sent = subscriptions::notifications(app, &caller.allowed()?, &id, &list_page).await?;
    let here = place.path(&format!("settings/notifications/{}", encoded(&subscription.id)));
    let shown = with_query(&here, &[("cursor", cursor)]);
    // Failed notifications are retried at growing intervals.
    let is_new =
        |each: &Notification| each.status == NotificationStatus::Pending && each.attempts == 0;
    let is_running = sent.items.iter().any(is_new);
    let body = html! {
        p.above { a href=(place.path("settings/notifications")) { (words::NOTIFICATIONS) } }
        h1 { (subscription.target) }
        @if sent.items.is_empty() && cursor.is_none() {
            (empty(words::NOTHING_SENT, words::NOTHING_SENT_WHY, &Markup::default()))
        } @else {
            (live("sent", &shown, is_running, &notifications(&place, &here, app.now(), &sent.items)))
            (pager(&here, &[], (cursor, sent.next_cursor.as_deref())))
        }
    };
    Ok(place.page("settings", words::NOTIFICATIONS, &body))
}

/// Sends one again.
pub(in crate::pages) async fn resend(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Form(form): Form<ResendForm>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    subscriptions::resend(&dashboard.operations, &caller, &id, &form.notification).await?;
    let path = place.path(&format!("settings/notifications/{}", encoded(&id)));
    Ok(place.of.person.browser.done(Done::NotificationResent, &path))
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    secret: Option<&str>,
    wrong: Option<(&str, &str)>,
) -> Result<Response, Refusal> {
    let filter = ListSubscriptions { organization_id: Some(place.of.organization.id.clone()) };
    let caller = place.of.caller.allowed()?;
    let mut list = subscriptions::list(&dashboard.operations, &caller, &filter).await?;
    // Subscriptions for all projects include this one.
    let own = Some(place.project.id.as_str());
    list.subscriptions
        .retain(|each| each.project_id.is_none() || each.project_id.as_deref() == own);
    let here = place.path("settings/notifications");
    let fields = [("target", "target", words::TARGET)];
    let error = FormError::of(wrong.map(|(sentence, _)| sentence), &fields);
    let body = html! {
        h1 { (words::NOTIFICATIONS) }
        (sections(place, "notifications"))
        (error.show())
        @if let Some(secret) = secret {
            div.notice role="status" { p { (words::SUBSCRIPTION_SECRET) } p { (copied(secret)) } p { (words::SHOWN_ONCE) } }
        }
        @if list.subscriptions.is_empty() {
            (empty(words::NO_SUBSCRIPTIONS, words::NO_SUBSCRIPTIONS_WHY, &Markup::default()))
        } @else { (rows(&here, dashboard.operations.now(), &list.subscriptions)) }
        h2 { (words::NEW_SUBSCRIPTION) }
        form.wide method="post" action=(here) {
            (Field::text("target", words::TARGET, wrong.map(|(_, target)| target).unwrap_or_default()).hint(words::TARGET_HINT).checked(&error).show())
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
    let names = |each: &Subscription| {
        each.events.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    };
    html! {
        ul.rows {
            @for each in subscriptions {
                li {
                    span.grow {
                        a href=(format!("{here}/{}", encoded(&each.id))) { (each.target) }
                        br; span.soft { (names(each)) }
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
    place: &ProjectContext,
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
                    @let tone = match each.status { NotificationStatus::Delivered => Tone::Good, NotificationStatus::Failed => Tone::Bad, NotificationStatus::Pending => Tone::Running };
                    tr {
                        td { (state(tone, words::notification(each.status.name()))) }
                        td { code { (each.event.name()) } }
                        td.number { (each.attempts) }
                        td { (each.error.as_deref().unwrap_or_default()) }
                        td { (at(now, Some(&each.created_at))) }
                        td { @if each.status != NotificationStatus::Pending && place.of.caller.can::<can::ResendNotification>() {
                            (Action::new(&path, words::SEND_AGAIN).with(&[("notification", &each.id)]).show())
                        } }
                    }
                }
            }
        } }
    }
}

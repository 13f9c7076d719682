//! The inbox of a person.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::inbox::{self, InboxItem, InboxKind};
use docwright_types::{
    notification::EventKind,
    timestamp::{Timestamp, iso, parse_iso},
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    frame::{self, Frame},
    parts::{Tone, ago, empty, state},
    paths::{encoded, with_query},
    refusal::Refusal,
    session::SignedIn,
    words::{self, Done},
};

const HERE: &str = "/inbox";

/// The newest item that the page showed.
#[derive(Deserialize)]
pub(super) struct Shown {
    until: String,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let inbox = inbox::of_account(operations, &person.account, &person.memberships).await?;
    let (unread, now) = (inbox.unread(), operations.now());
    let body = html! {
        h1 { (words::INBOX) }
        @if inbox.items.is_empty() {
            (empty(words::NO_INBOX, words::INBOX_WHY, &Markup::default()))
        } @else {
            p { (words::INBOX_WHY) }
            @if let Some(newest) = inbox.items.first().filter(|_| unread > 0) {
                form.actions method="post" action=(HERE) {
                    input type="hidden" name="until" value=(iso(newest.at));
                    button type="submit" { (words::MARK_ALL_AS_READ) }
                    span.soft { (words::unread_items(unread)) }
                }
            }
            ul.rows.inbox { @for item in &inbox.items { (row(now, item)) } }
        }
    };
    let frame = Frame { person: &person, organization: None, project: None, section: "inbox" };
    Ok(frame::page(StatusCode::OK, &frame, words::INBOX, &body))
}

/// Marks the items that the page showed as read: one that came since stays unread.
pub(super) async fn read(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(shown): Form<Shown>,
) -> Result<Response, Refusal> {
    let until =
        parse_iso(&shown.until).ok_or_else(|| Refusal::Invalid(words::NOT_A_TIME.to_owned()))?;
    inbox::read(&dashboard.operations, &person.account, until).await?;
    Ok(person.browser.done(Done::InboxRead, HERE))
}

fn row(now: Timestamp, item: &InboxItem) -> Markup {
    let kind = words::inbox_kind(item.kind);
    let title = item.title.as_deref().and_then(|title| title.trim().lines().next());
    html! {
        li data-unread[item.is_unread] {
            div.grow {
                p.title {
                    (state(tone(item.kind), ""))
                    a href=(path(item)) { (kind) }
                    @if item.is_unread { span.badge { (words::UNREAD) } }
                }
                p.soft {
                    @if let Some((_, project)) = &item.project { (project) }
                    @if let (Some(_), Some(_)) = (&item.project, title) { " · " }
                    @if let Some(title) = title { (title) }
                }
                @if let Some(error) = item.error.as_deref().and_then(|error| error.lines().next()) {
                    p.error { (error) }
                }
            }
            (ago(now, item.at))
        }
    }
}

const fn tone(kind: InboxKind) -> Tone {
    match kind {
        InboxKind::Event(EventKind::ReleaseHeld) | InboxKind::ReleaseWaiting => Tone::Waiting,
        InboxKind::Event(event) if event.is_failure() => Tone::Bad,
        InboxKind::FollowUpFailed | InboxKind::Problem(_) => Tone::Bad,
        InboxKind::PullRequestClosed => Tone::Neutral,
        _ => Tone::Good,
    }
}

/// The page that shows the subject of an item.
fn path(item: &InboxItem) -> String {
    let Some((project, _)) = &item.project else {
        let members = format!("/organizations/{}/members", item.organization_id);
        return with_query(&members, &[("search", item.title.as_deref())]);
    };
    let (base, subject) = (format!("/projects/{project}"), encoded(&item.subject));
    match item.kind {
        InboxKind::Event(EventKind::ExportCompleted | EventKind::ExportFailed) => {
            format!("{base}/exports/{subject}")
        }
        InboxKind::Event(EventKind::JobCompleted | EventKind::JobFailed)
        | InboxKind::FollowUpFailed => format!("{base}/jobs/{subject}"),
        InboxKind::Event(_) | InboxKind::ReleaseWaiting => format!("{base}/releases/{subject}"),
        InboxKind::PullRequestMerged | InboxKind::PullRequestClosed => {
            format!("{base}/pull-requests/{subject}")
        }
        InboxKind::Problem(docwright_types::problem::ProblemKind::Certificate) => {
            format!("{base}/domains/{subject}")
        }
        InboxKind::Problem(_) | InboxKind::InvitationAccepted => base,
    }
}

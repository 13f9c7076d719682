//! Somebody's own account: where they are signed in.

use axum::http::StatusCode;
use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use maud::html;
use serde::Deserialize;

use crate::dashboard::{
    Dashboard, forms::Form, frame, frame::Frame, parts::ago, refusal::Refusal, session::SignedIn,
    words,
};

#[derive(Deserialize)]
pub(super) struct Which {
    /// Every other one, if none is named.
    session: Option<String>,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
) -> Result<Response, Refusal> {
    let now = dashboard.app.now();
    let sessions = dashboard.app.database.sessions(&person.account.id, now).await?;
    let body = html! {
        h1 { (words::ACCOUNT) }
        p { (person.account.name) " · " (person.account.email) }
        p { a href="/account/security" { (words::SECURITY) } }
        h2 { (words::SESSIONS) }
        ul.rows {
            @for session in &sessions {
                li {
                    span.grow { (session.user_agent) }
                    span.soft { (session.address.as_deref().unwrap_or_default()) }
                    span.soft { (ago(now, session.seen_at)) }
                    @if session.id == person.session.id {
                        strong { (words::THIS_SESSION) }
                    } @else {
                        form method="post" action="/account/sessions/end" {
                            input type="hidden" name="session" value=(session.id);
                            button type="submit" { (words::END_SESSION) }
                        }
                    }
                }
            }
        }
        @if sessions.len() > 1 {
            form method="post" action="/account/sessions/end" {
                button type="submit" { (words::END_OTHERS) }
            }
        }
    };
    let frame = Frame { person: &person, organization: None, project: None, section: "account" };
    Ok(frame::page(StatusCode::OK, &frame, words::ACCOUNT, &body))
}

pub(super) async fn end_session(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Form(which): Form<Which>,
) -> Result<Response, Refusal> {
    let (database, account) = (&dashboard.app.database, &person.account.id);
    match which.session {
        Some(id) => drop(database.end_session(account, &id).await?),
        None => drop(database.end_other_sessions(account, &person.session.id).await?),
    }
    Ok(Redirect::to("/account").into_response())
}

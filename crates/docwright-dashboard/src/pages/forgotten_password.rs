//! The page for people who forgot their password: an email with a sign-in link.

use axum::{extract::State, http::StatusCode, response::Response};
use docwright_operations::callers::links::{self, LinkRefusal};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    frame,
    parts::{Field, problem},
    session::Browser,
    words,
};

#[derive(Deserialize)]
pub(super) struct Person {
    email: String,
}

pub(super) async fn show(State(dashboard): State<Dashboard>) -> Response {
    page(&dashboard, StatusCode::OK, "", None)
}

pub(super) async fn send(
    State(dashboard): State<Dashboard>,
    browser: Browser,
    Form(person): Form<Person>,
) -> Response {
    let refused = |status, sentence| page(&dashboard, status, &person.email, Some(sentence));
    match links::send(&dashboard.operations, &browser.client, &person.email) {
        Ok(()) => frame::alone(StatusCode::OK, words::RESET_PASSWORD, &sent()),
        Err(LinkRefusal::Invalid) => refused(StatusCode::BAD_REQUEST, words::EMAIL_WRONG),
        Err(LinkRefusal::TooMany) => refused(StatusCode::TOO_MANY_REQUESTS, words::TOO_MANY_LINKS),
        Err(LinkRefusal::NoEmail) => page(&dashboard, StatusCode::NOT_FOUND, "", None),
    }
}

fn page(
    dashboard: &Dashboard,
    status: StatusCode,
    email: &str,
    sentence: Option<&str>,
) -> Response {
    let can_send = links::can_send(&dashboard.operations);
    let body = html! {
        h1 { (words::RESET_PASSWORD) }
        (problem(sentence))
        @if can_send {
            p { (words::RESET_PASSWORD_HINT) }
            form method="post" action="/sign-in/forgot" {
                (Field::text("email", words::EMAIL, email).of("email", "username").show())
                button.primary type="submit" { (words::SEND_LINK) }
            }
        } @else {
            p { (words::NO_EMAIL) }
            pre { "docwright admin sign-in-link EMAIL" }
        }
        (back())
    };
    frame::alone(status, words::RESET_PASSWORD, &body)
}

fn sent() -> Markup {
    html! {
        h1 { (words::RESET_PASSWORD) }
        p role="status" { (words::LINK_SENT) }
        (back())
    }
}

fn back() -> Markup {
    html! { p.other { a href="/sign-in" { (words::BACK_TO_SIGN_IN) } } }
}

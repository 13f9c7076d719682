//! The home page: organizations and projects of the user.

use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};

use crate::{Dashboard, refusal::Refusal, session::SignedIn};

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: Result<SignedIn, Refusal>,
) -> Result<Response, Refusal> {
    let person = match person {
        Ok(person) => person,
        // A new instance shows first steps.
        Err(Refusal::SignedOut(_)) if dashboard.operations.database.has_no_accounts().await? => {
            return Ok(Redirect::to("/setup").into_response());
        }
        Err(other) => return Err(other),
    };
    let path = match person.memberships.first() {
        Some(first) => format!("/organizations/{}", first.organization.id),
        None if person.account.is_operator => "/organizations".to_owned(),
        None => "/account".to_owned(),
    };
    Ok(Redirect::to(&path).into_response())
}

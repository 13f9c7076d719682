//! Access for members to password-protected previews, which have their own host.
//!
//! The host of a preview never gets the cookie of the dashboard. It gets a single-use code, valid for one minute
//! and one host, and sets its own cookie in exchange.

use axum::{
    extract::{Query, State},
    http::{HeaderValue, StatusCode},
    response::Response,
};
use docwright_types::timestamp::MINUTE;
use maud::html;
use serde::Deserialize;

use crate::{
    Dashboard, frame, paths::with_query, project_context::OrganizationPlace, refusal::Refusal,
    session::SignedIn, words,
};

/// Lifetime of a code.
const LIFETIME: i64 = MINUTE;

#[derive(Deserialize)]
pub(super) struct PreviewAccessQuery {
    #[serde(default)]
    host: String,
    #[serde(default)]
    next: String,
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    person: SignedIn,
    Query(wanted): Query<PreviewAccessQuery>,
) -> Result<Response, Refusal> {
    let operations = &dashboard.operations;
    let account = person.account.id.clone();
    let preview = operations.database.preview_at(&wanted.host).await?.ok_or(Refusal::Missing)?;
    let project =
        operations.database.project(&preview.project_id).await?.ok_or(Refusal::Missing)?;
    // People outside the organization get the same response as for a missing preview.
    OrganizationPlace::enter(&dashboard, person, &project.organization_id).await?;
    let addresses = operations.repositories.previews.as_ref().map_err(|_| Refusal::Missing)?;
    let until = operations.now() + LIFETIME;
    let code = operations.database.create_preview_code(&account, &preview.host, until).await?;
    let path = format!("{}/_docwright/sign-in", addresses.url(&preview.host));
    let query = [("code", Some(code.reveal())), ("next", Some(wanted.next.as_str()))];
    let address = with_query(&path, &query);
    let body = html! {
        h1 { (words::OPENING_PREVIEW) }
        p { a.button.primary href=(address) { (words::OPEN_PREVIEW) } }
    };
    let mut response = frame::alone(StatusCode::OK, words::OPENING_PREVIEW, &body);
    // Browsers refuse a redirect to another host after a form, such as the sign-in form. A page can redirect.
    if let Ok(refresh) = HeaderValue::try_from(format!("0; url={address}")) {
        response.headers_mut().insert("refresh", refresh);
    }
    Ok(response)
}

//! Keeps the token of a check until the project is created, since no page repeats it. It is in a cookie that only this
//! service can read, for this session and the origin that it was sent to. The server stores nothing.

use axum::{http::header, response::Response};
use docwright_storage::Encrypted;
use url::Url;

use super::NewProject;
use crate::{Dashboard, project_context::OrganizationPlace, refusal::Refusal};

/// Lifetime of the cookie in seconds.
const LIFETIME: i64 = 15 * 60;
/// Longest token that is kept, in bytes: browsers drop cookies of more than 4 KiB.
const LONGEST: usize = 2000;

/// Fills in the token of the last check, if the form has none. Returns whether it did.
pub(super) fn restore(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &mut NewProject,
) -> bool {
    let kept = place.person.browser.kept_secret().and_then(|cookie| cookie.split_once('.'));
    let Some(((key_id, text), context)) = kept.zip(context(place, new)) else { return false };
    if !new.secret.trim().is_empty() {
        return false;
    }
    let sealed = Encrypted { key_id: key_id.to_owned(), text: text.to_owned() };
    // A cookie of another session or origin, or an altered one, has none.
    let keyring = &dashboard.operations.repositories.keyring;
    let Ok(secret) = keyring.decrypt(&context, &sealed) else { return false };
    new.secret = secret;
    true
}

/// Whether the token of the form can be kept.
pub(super) fn can_keep(place: &OrganizationPlace, new: &NewProject) -> bool {
    let secret = new.secret.trim();
    (1..=LONGEST).contains(&secret.len()) && context(place, new).is_some()
}

/// Adds the cookie with the token of the form to a page.
pub(super) fn keep(
    dashboard: &Dashboard,
    place: &OrganizationPlace,
    new: &NewProject,
    mut page: Response,
) -> Result<Response, Refusal> {
    let Some(context) = context(place, new) else { return Ok(page) };
    let keyring = &dashboard.operations.repositories.keyring;
    let sealed = keyring.encrypt(&context, new.secret.trim())?;
    let value = format!("{}.{}", sealed.key_id, sealed.text);
    let cookie = place.person.browser.secret_cookie(&value, LIFETIME);
    page.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(page)
}

/// Deletes the cookie.
pub(super) fn forget(place: &OrganizationPlace, mut page: Response) -> Response {
    if place.person.browser.kept_secret().is_some() {
        let cookie = place.person.browser.secret_cookie("", 0);
        page.headers_mut().append(header::SET_COOKIE, cookie);
    }
    page
}

/// A token is for one session and the origin that the user typed it for.
fn context(place: &OrganizationPlace, new: &NewProject) -> Option<String> {
    let url = Url::parse(new.repository()?).ok()?;
    let origin = url.origin();
    let session = &place.person.session.id;
    origin.is_tuple().then(|| format!("token for {} of {session}", origin.ascii_serialization()))
}

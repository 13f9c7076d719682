//! A secret that the page after a form shows once, such as a new API key. Reloading that page shows nothing, and
//! creates nothing again.
//!
//! On its way to the page, the secret is in a cookie that only this service can read, for this session and this
//! page. The server stores nothing.

use axum::{
    http::{HeaderValue, header},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_storage::Encrypted;

use super::{Dashboard, compression::Uncompressed, refusal::Refusal, session::SignedIn};

/// Lifetime of the cookie in seconds.
const LIFETIME: i64 = 60;

/// Redirects to a page that shows the secret.
pub(super) fn redirect(
    dashboard: &Dashboard,
    person: &SignedIn,
    (path, secret): (&str, &str),
) -> Result<Response, Refusal> {
    let keyring = &dashboard.operations.repositories.keyring;
    let sealed = keyring.encrypt(&context(person, path), secret)?;
    let value = format!("{}.{}", sealed.key_id, sealed.text);
    let cookie = person.browser.secret_cookie(&value, LIFETIME);
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response())
}

/// The secret for the page at a path. A cookie of another session or page, or an altered one, has none.
pub(super) fn take(dashboard: &Dashboard, person: &SignedIn, path: &str) -> Option<String> {
    let (key_id, text) = person.browser.kept_secret()?.split_once('.')?;
    let sealed = Encrypted { key_id: key_id.to_owned(), text: text.to_owned() };
    dashboard.operations.repositories.keyring.decrypt(&context(person, path), &sealed).ok()
}

/// The page with a secret: it is not compressed, and the cookie is deleted.
pub(super) fn page(person: &SignedIn, secret: Option<&str>, mut page: Response) -> Response {
    if secret.is_some() {
        let over: HeaderValue = person.browser.secret_cookie("", 0);
        page.headers_mut().append(header::SET_COOKIE, over);
        page.extensions_mut().insert(Uncompressed);
    }
    page
}

fn context(person: &SignedIn, path: &str) -> String {
    format!("shown once to {} at {path}", person.session.id)
}

//! Cookies of a browser: of its session, of a flow to a provider, of a passkey challenge, and of what a form did. `callers` finds whose
//! they are.

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, Method, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_http::{client::ClientAddress, request::id_of, session};
use docwright_operations::{
    Operations,
    audit::Change,
    callers::{
        Client,
        sessions::{self, LIFETIME, NewSession, SignInMethod},
    },
    inbox,
};
use docwright_storage::{
    Database,
    database::{Account, Membership, Session},
};
use docwright_types::token::Token;

use super::{Dashboard, paths::with_query, refusal::Refusal, words::Done};

/// Lifetime in seconds of the cookie that names what a form did.
const DONE_LIFETIME: i64 = 60;

/// The origin of a request.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(super) client: Client,
    is_https: bool,
    /// Cookie of a flow to a provider.
    flow: Option<String>,
    /// Cookie of a passkey challenge.
    passkey: Option<String>,
    /// Cookie of a secret that the next page shows.
    secret: Option<String>,
    /// What a form just did.
    pub(super) done: Option<Done>,
}

/// A signed-in user.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(super) account: Account,
    pub(super) session: Session,
    pub(super) memberships: Vec<Membership>,
    /// Items of the inbox that the person hasn't read.
    pub(super) unread: usize,
    pub(super) browser: Browser,
}

impl Browser {
    fn of(parts: &Parts) -> Self {
        let client = ClientAddress::of(parts);
        let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
        let kept = |name: String| session::cookie(&parts.headers, &name).map(str::to_owned);
        Self {
            flow: kept(flow_name(client.is_https)),
            passkey: kept(passkey_name(client.is_https)),
            secret: kept(secret_name(client.is_https)),
            done: kept(done_name(client.is_https)).and_then(|name| Done::named(&name)),
            is_https: client.is_https,
            client: Client {
                address: client.address,
                user_agent: agent.unwrap_or_default().to_owned(),
                request_id: id_of(&parts.headers).to_owned(),
                session: session::token(parts),
            },
        }
    }

    /// The session here, whether or not the second factor was confirmed.
    pub(super) async fn session(
        &self,
        operations: &Operations,
    ) -> Result<Option<(Session, Account)>, Refusal> {
        Ok(sessions::find(operations, &self.client).await?)
    }

    /// Signs in with a new session, and redirects to a page, or to the one that asks for the second factor first.
    pub(super) async fn begin(
        &self,
        operations: &Operations,
        account_id: &str,
        method: SignInMethod,
        path: &str,
    ) -> Result<Response, Refusal> {
        let created = sessions::begin(operations, &self.client, account_id, method).await?;
        let NewSession { token, is_complete } = created;
        let code = with_query("/sign-in/code", &[("next", Some(path))]);
        Ok(self.keep(&token, if is_complete { path } else { &code }))
    }

    /// Continues a session after the second factor was confirmed, with a new token, and redirects to a page.
    pub(super) async fn complete(
        &self,
        operations: &Operations,
        session: &Session,
        path: &str,
    ) -> Result<Response, Refusal> {
        match sessions::complete(operations, session).await? {
            Some(token) => Ok(self.keep(&token, path)),
            None => Ok(self.forget("/sign-in")),
        }
    }

    fn keep(&self, token: &Token, path: &str) -> Response {
        let cookie = self.cookie(token.reveal(), LIFETIME / 1000);
        (AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response()
    }

    /// Redirects after a form. The next page says once what it did.
    pub(super) fn done(&self, done: Done, path: &str) -> Response {
        let cookie = self.cookie_of(&done_name(self.is_https), done.name(), DONE_LIFETIME);
        (AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response()
    }

    /// Text of the cookie for a secret that the next page shows.
    pub(super) fn kept_secret(&self) -> Option<&str> {
        self.secret.as_deref()
    }

    /// The cookie of a secret that the next page shows.
    pub(super) fn secret_cookie(&self, value: &str, seconds: i64) -> HeaderValue {
        self.cookie_of(&secret_name(self.is_https), value, seconds)
    }

    /// The cookie of what a form did, after a page said it.
    pub(super) fn said(&self) -> HeaderValue {
        self.cookie_of(&done_name(self.is_https), "", 0)
    }

    /// Text of the cookie for a flow to a provider; empty without the cookie.
    pub(super) fn kept_flow(&self) -> &str {
        self.flow.as_deref().unwrap_or_default()
    }

    /// Text of the cookie for a passkey challenge; empty without the cookie.
    pub(super) fn kept_challenge(&self) -> &str {
        self.passkey.as_deref().unwrap_or_default()
    }

    /// Deletes the cookie and redirects to a page.
    pub(super) fn forget(&self, path: &str) -> Response {
        self.forget_with(Redirect::to(path))
    }

    /// Deletes the cookie in a response.
    pub(super) fn forget_with(&self, answer: impl IntoResponse) -> Response {
        let cookie = self.cookie("", 0);
        (AppendHeaders([(header::SET_COOKIE, cookie)]), answer).into_response()
    }

    fn cookie(&self, value: &str, seconds: i64) -> HeaderValue {
        self.cookie_of(session::cookie_name(self.is_https), value, seconds)
    }

    /// The cookie of a flow to a provider.
    pub(super) fn flow_cookie(&self, value: &str, seconds: i64) -> HeaderValue {
        self.cookie_of(&flow_name(self.is_https), value, seconds)
    }

    /// The cookie of a passkey challenge.
    pub(super) fn passkey_cookie(&self, value: &str, seconds: i64) -> HeaderValue {
        self.cookie_of(&passkey_name(self.is_https), value, seconds)
    }

    fn cookie_of(&self, name: &str, value: &str, seconds: i64) -> HeaderValue {
        let secure = if self.is_https { "; Secure" } else { "" };
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        let mut header = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
        header.set_sensitive(true);
        header
    }
}

impl SignedIn {
    /// The database, which writes the entry of a change that people make to their own account.
    pub(super) fn recording(&self, operations: &Operations, change: Change) -> Database {
        let actor = (self.account.id.as_str(), self.account.email.as_str());
        self.browser.client.recording(operations, actor, change)
    }
}

impl<S: Sync> FromRequestParts<S> for Browser {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        Ok(Self::of(parts))
    }
}

impl FromRequestParts<Dashboard> for SignedIn {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, dashboard: &Dashboard) -> Result<Self, Refusal> {
        let browser = Browser::of(parts);
        let found = sessions::signed_in(&dashboard.operations, &browser.client).await?;
        let Some(sessions::SignedIn { account, session, memberships }) = found else {
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let wanted = if parts.method == Method::GET { path } else { "/" };
            return Err(Refusal::SignedOut(wanted.to_owned()));
        };
        let unread = unread(dashboard, parts, (&account, &memberships)).await;
        Ok(Self { account, session, memberships, unread, browser })
    }
}

/// The unread items of an inbox. No page fails because they can't be counted, and a script that takes a part of a page
/// needs no number.
async fn unread(
    dashboard: &Dashboard,
    parts: &Parts,
    (account, memberships): (&Account, &[Membership]),
) -> usize {
    if parts.headers.contains_key("hx-request") {
        return 0;
    }
    match inbox::of_account(&dashboard.operations, account, memberships).await {
        Ok(inbox) => inbox.unread(),
        Err(error) => {
            tracing::warn!(%error, "inbox not read");
            0
        }
    }
}

fn done_name(is_https: bool) -> String {
    format!("{}-done", session::cookie_name(is_https))
}

fn secret_name(is_https: bool) -> String {
    format!("{}-secret", session::cookie_name(is_https))
}

fn flow_name(is_https: bool) -> String {
    format!("{}-provider", session::cookie_name(is_https))
}

fn passkey_name(is_https: bool) -> String {
    format!("{}-passkey", session::cookie_name(is_https))
}

/// A path of this host from user input; the home page for any other input, so that no sign-in link leads to
/// another site.
pub(super) fn own_path(text: Option<&str>) -> &str {
    let is_own = |text: &&str| {
        text.starts_with('/')
            && !text.starts_with("//")
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    };
    text.filter(is_own).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_stays_on_own_site() {
        for (given, path) in [
            (Some("/projects/prj_1?tab=a"), "/projects/prj_1?tab=a"),
            (Some("//evil.example"), "/"),
            (Some("/\\evil.example"), "/"),
            (Some("/\t/evil.example"), "/"),
            (Some("https://evil.example"), "/"),
            (Some("javascript:alert(1)"), "/"),
            (Some(""), "/"),
            (None, "/"),
        ] {
            assert_eq!(own_path(given), path, "{given:?}");
        }
    }
}

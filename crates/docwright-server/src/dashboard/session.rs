//! Who is signed in: by a cookie that holds the token of a session.

use std::net::IpAddr;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_domain::{timestamp::DAY, token::Token};
use docwright_storage::database::{Account, Membership, NewSession, Session};

use super::{Dashboard, refusal::Refusal};
use crate::{client::ClientAddress, request::id_of, state::AppState};

/// How long a session lasts, in milliseconds.
const LIFETIME: i64 = 30 * DAY;
/// How much is kept of what a browser calls itself, in characters.
const LONGEST_AGENT: usize = 300;
/// Name of the cookie over HTTPS: browsers take a name that begins so only for this very host, and only
/// with `Secure`.
const SECURE_COOKIE: &str = "__Host-docwright";
/// Name of the cookie without HTTPS.
const PLAIN_COOKIE: &str = "docwright";

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(super) address: Option<IpAddr>,
    pub(super) is_https: bool,
    pub(super) user_agent: String,
    pub(super) request_id: String,
    token: Option<Token>,
}

/// Somebody who is signed in.
#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    pub(super) account: Account,
    pub(super) session: Session,
    pub(super) memberships: Vec<Membership>,
    pub(super) browser: Browser,
}

impl Browser {
    fn of(parts: &Parts) -> Self {
        let client = ClientAddress::of(parts);
        let agent = parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
        let agent = agent.unwrap_or_default().chars().take(LONGEST_AGENT);
        let name = if client.is_https { SECURE_COOKIE } else { PLAIN_COOKIE };
        Self {
            address: client.address,
            is_https: client.is_https,
            user_agent: agent.collect(),
            request_id: id_of(&parts.headers).to_owned(),
            token: cookie(&parts.headers, name).and_then(Token::parse),
        }
    }

    /// Who is signed in here, whether or not the second factor was shown.
    pub(super) async fn session(
        &self,
        app: &AppState,
    ) -> Result<Option<(Session, Account)>, Refusal> {
        let Some(token) = &self.token else { return Ok(None) };
        Ok(app.database.session(token, app.now()).await?)
    }

    /// Signs somebody in with a new session, which no one could know before, and leads them to a page.
    /// What the browser had ends.
    pub(super) async fn begin(
        &self,
        app: &AppState,
        account_id: &str,
        is_complete: bool,
        path: &str,
    ) -> Result<Response, Refusal> {
        let now = app.now();
        if let Some((before, account)) = self.session(app).await? {
            app.database.end_session(&account.id, &before.id).await?;
        }
        let new = NewSession {
            account_id,
            complete: is_complete,
            address: self.address.map(|address| address.to_canonical().to_string()),
            user_agent: &self.user_agent,
            expires_at: now + LIFETIME,
        };
        let token = app.database.create_session(&new, now).await?;
        let cookie = self.cookie(token.reveal(), LIFETIME / 1000);
        Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response())
    }

    /// Forgets the cookie and leads to a page.
    pub(super) fn forget(&self, path: &str) -> Response {
        let cookie = self.cookie("", 0);
        (AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response()
    }

    fn cookie(&self, value: &str, seconds: i64) -> HeaderValue {
        let (name, secure) =
            if self.is_https { (SECURE_COOKIE, "; Secure") } else { (PLAIN_COOKIE, "") };
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        let mut header = HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
        header.set_sensitive(true);
        header
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
        let app = &dashboard.app;
        let found = browser.session(app).await?.filter(|(session, _)| session.complete);
        let Some((session, account)) = found else {
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let wanted = if parts.method == Method::GET { path } else { "/" };
            return Err(Refusal::SignedOut(wanted.to_owned()));
        };
        app.database.touch_session(&session, app.now()).await?;
        let memberships = app.database.memberships(&account.id).await?;
        Ok(Self { account, session, memberships, browser })
    }
}

/// The value of a cookie. One that is there twice is none: somebody else may have set one of them.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
    let first = values.next();
    if values.next().is_some() { None } else { first }
}

/// A path of this host, as somebody gave it; the home page in place of anything else, so that no link to
/// the sign-in leads to another site.
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
    fn a_link_leads_to_no_other_site() {
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

    #[test]
    fn a_cookie_that_is_there_twice_is_none() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; docwright=x; b=2"));
        assert_eq!(cookie(&headers, "docwright"), Some("x"));
        assert_eq!(cookie(&headers, "c"), None);
        headers.append(header::COOKIE, HeaderValue::from_static("docwright=y"));
        assert_eq!(cookie(&headers, "docwright"), None);
    }
}

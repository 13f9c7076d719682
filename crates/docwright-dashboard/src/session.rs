//! Who is signed in: by a cookie that holds the token of a session.

use std::net::IpAddr;

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, Method, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_http::{
    client::{ClientAddress, network},
    request::id_of,
    session,
};
use docwright_operations::Operations;
use docwright_storage::{
    Database,
    database::{Account, Membership, NewSession, Session},
};
use docwright_types::{
    timestamp::{DAY, HOUR},
    token::Token,
};

use super::{Dashboard, own_account, paths::with_query, refusal::Refusal};

/// How long a session lasts, in milliseconds.
const LIFETIME: i64 = 30 * DAY;
/// How long one lasts that a provider of OpenID Connect vouched for: then it is asked again, and says which
/// groups someone is in by now.
const PROVIDED_LIFETIME: i64 = 12 * HOUR;
/// How much is kept of what a browser calls itself, in characters.
const LONGEST_AGENT: usize = 300;

/// Where a request comes from.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(super) address: Option<IpAddr>,
    pub(super) is_https: bool,
    pub(super) user_agent: String,
    pub(super) request_id: String,
    /// What it keeps on its way to a provider and back.
    pub(super) flow: Option<String>,
    /// What it keeps while it is asked for a passkey.
    pub(super) passkey: Option<String>,
    token: Option<Token>,
}

/// What someone signs in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Their password, or a link that was made for them.
    Secret,
    /// The word of a provider of OpenID Connect.
    Provider,
    /// A passkey that made sure who used it, which is two factors in one.
    Passkey,
}

/// Someone who is signed in.
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
        let kept = |name: String| session::cookie(&parts.headers, &name).map(str::to_owned);
        Self {
            flow: kept(flow_name(client.is_https)),
            passkey: kept(passkey_name(client.is_https)),
            address: client.address,
            is_https: client.is_https,
            user_agent: agent.collect(),
            request_id: id_of(&parts.headers).to_owned(),
            token: session::token(parts),
        }
    }

    /// Who is signed in here, whether or not the second factor was shown.
    pub(super) async fn session(
        &self,
        operations: &Operations,
    ) -> Result<Option<(Session, Account)>, Refusal> {
        let Some(token) = &self.token else { return Ok(None) };
        Ok(operations.database.session(token, operations.now()).await?)
    }

    /// Signs someone in with a new session, which no one could know before, and leads them to a page. What
    /// the browser had ends. An account with a second factor is asked for it first, unless
    /// they showed both.
    pub(super) async fn begin(
        &self,
        operations: &Operations,
        account_id: &str,
        by: By,
        path: &str,
    ) -> Result<Response, Refusal> {
        let now = operations.now();
        if let Some((before, account)) = self.session(operations).await? {
            operations.database.end_session(&account.id, &before.id).await?;
        }
        let complete =
            by == By::Passkey || !operations.database.has_second_factor(account_id).await?;
        let lifetime = if by == By::Provider { PROVIDED_LIFETIME } else { LIFETIME };
        let new = NewSession {
            account_id,
            complete,
            address: self.address_text(),
            user_agent: &self.user_agent,
            lifetime,
        };
        let token = operations.database.create_session(&new, now).await?;
        let code = with_query("/sign-in/code", &[("next", Some(path))]);
        Ok(self.keep(&token, if complete { path } else { &code }))
    }

    /// Goes on with a session whose second factor was shown, and leads to a page. Its token is a new one.
    pub(super) async fn complete(
        &self,
        operations: &Operations,
        session: &Session,
        path: &str,
    ) -> Result<Response, Refusal> {
        match operations.database.complete_session(session, operations.now()).await? {
            Some(token) => Ok(self.keep(&token, path)),
            None => Ok(self.forget("/sign-in")),
        }
    }

    /// The database, which writes down what someone does who signs in here.
    pub(super) fn recording(
        &self,
        operations: &Operations,
        who: (&str, &str),
        action: &'static str,
        organization_id: Option<&str>,
    ) -> Database {
        own_account::by(operations, self, who, (action, organization_id, None, None))
    }

    fn keep(&self, token: &Token, path: &str) -> Response {
        let cookie = self.cookie(token.reveal(), LIFETIME / 1000);
        (AppendHeaders([(header::SET_COOKIE, cookie)]), Redirect::to(path)).into_response()
    }

    /// Its network: those that have passwords checked take turns.
    pub(super) fn party(&self) -> String {
        self.address.map(|address| network(address).to_string()).unwrap_or_default()
    }

    /// Where it is, as the audit log has it.
    pub(super) fn address_text(&self) -> Option<String> {
        self.address.map(|address| address.to_canonical().to_string())
    }

    /// Forgets the cookie and leads to a page.
    pub(super) fn forget(&self, path: &str) -> Response {
        self.forget_with(Redirect::to(path))
    }

    /// Forgets the cookie with an answer.
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

    /// The cookie of a question to a passkey.
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
    /// The database, which writes down that someone changed their own account.
    pub(super) fn recording(&self, operations: &Operations, action: &'static str) -> Database {
        own_account::recording(operations, &self.browser, &self.account, (action, None, None))
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
        let operations = &dashboard.operations;
        let found = browser.session(operations).await?.filter(|(session, _)| session.complete);
        let Some((session, account)) = found else {
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let wanted = if parts.method == Method::GET { path } else { "/" };
            return Err(Refusal::SignedOut(wanted.to_owned()));
        };
        operations.database.touch_session(&session, operations.now()).await?;
        let memberships = operations.database.memberships(&account.id).await?;
        Ok(Self { account, session, memberships, browser })
    }
}

fn flow_name(is_https: bool) -> String {
    format!("{}-provider", session::cookie_name(is_https))
}

fn passkey_name(is_https: bool) -> String {
    format!("{}-passkey", session::cookie_name(is_https))
}

/// A path of this host, as someone gave it; the homepage in place of anything else, so that no link to
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
}

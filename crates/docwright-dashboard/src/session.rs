//! Sessions: a cookie contains the token of a session.

use std::net::IpAddr;

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, Method, header, request::Parts},
    response::{AppendHeaders, IntoResponse, Redirect, Response},
};
use docwright_http::{client::ClientAddress, request::id_of, session};
use docwright_operations::Operations;
use docwright_storage::{
    Database,
    database::{Account, Membership, NewSession, Session},
};
use docwright_types::{
    network::network,
    timestamp::{DAY, HOUR},
    token::Token,
};

use super::{Dashboard, own_account, paths::with_query, refusal::Refusal};

/// Lifetime of a session, in milliseconds.
const LIFETIME: i64 = 30 * DAY;
/// Lifetime of a session that started with an OpenID Connect provider. Afterward, the provider is asked again and
/// reports the current groups.
const PROVIDED_LIFETIME: i64 = 12 * HOUR;
/// Stored length of a user agent, in characters.
const LONGEST_AGENT: usize = 300;

/// The origin of a request.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(super) address: Option<IpAddr>,
    pub(super) is_https: bool,
    pub(super) user_agent: String,
    pub(super) request_id: String,
    /// Cookie of a flow to a provider.
    pub(super) flow: Option<String>,
    /// Cookie of a passkey challenge.
    pub(super) passkey: Option<String>,
    token: Option<Token>,
}

/// How someone signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// With a password, or with a link.
    Secret,
    /// With an OpenID Connect provider.
    Provider,
    /// With a passkey that verified its user, which is two factors in one.
    Passkey,
}

/// A signed-in user.
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

    /// The session here, whether or not the second factor was confirmed.
    pub(super) async fn session(
        &self,
        operations: &Operations,
    ) -> Result<Option<(Session, Account)>, Refusal> {
        let Some(token) = &self.token else { return Ok(None) };
        Ok(operations.database.session(token, operations.now()).await?)
    }

    /// Signs in with a new session, whose token nobody could know before, and redirects to a page. The browser's
    /// old session ends. An account with a second factor must confirm it first, unless the method includes both.
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

    /// Continues a session after the second factor was confirmed, with a new token, and redirects to a page.
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

    /// The database, with the signed-in user as the actor of the audit log.
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

    /// The client's network: networks take turns with password checks.
    pub(super) fn party(&self) -> String {
        self.address.map(|address| network(address).to_string()).unwrap_or_default()
    }

    /// The location for the audit log.
    pub(super) fn address_text(&self) -> Option<String> {
        self.address.map(|address| address.to_canonical().to_string())
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
    /// The database, with the owner of the account as the actor of the audit log.
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

//! A repository on a host of others. What is the same for all of them: find, else create, else find
//! again, then bring up to date.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use futures::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

use super::{
    Forge, ForgeError, NewPullRequest, OpenedPullRequest,
    bitbucket::Bitbucket,
    gitea::Gitea,
    github::GitHub,
    github_app::{self, GitHubApp},
    gitlab::GitLab,
    http::{Answer, Http},
    place::{Kind, Place},
};
use crate::{
    git::Credentials,
    location::{RemoteAddress, Scheme},
    network::Network,
    remote::Access,
};

/// What a service knows of git hosts.
#[derive(Clone, Default)]
pub struct HostSettings {
    /// Kinds of hosts whose names don't say it.
    pub kinds: BTreeMap<String, Kind>,
    /// Tokens by host.
    pub tokens: BTreeMap<String, String>,
    /// A GitHub App, for hosts of that kind without a token.
    pub github_app: Option<GitHubApp>,
    /// Private key for SSH.
    pub ssh_key: Option<PathBuf>,
    /// First wait before a request is repeated; a second if none is given.
    pub first_wait: Option<Duration>,
}

impl fmt::Debug for HostSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HostSettings")
            .field("kinds", &self.kinds)
            .field("tokens", &self.tokens.keys())
            .finish_non_exhaustive()
    }
}

impl HostSettings {
    /// Whether the operator gave a token, an app or a key that may open an address. Whoever could name
    /// it then would read what only the operator may.
    pub fn opens(&self, address: &RemoteAddress) -> bool {
        let host = address.host();
        let is_github = || {
            let kind = self.kinds.get(host).copied().or_else(|| Kind::of_host(host));
            kind.is_none_or(|kind| kind == Kind::GitHub)
        };
        let names = [host, &address.host_and_port()];
        names.iter().any(|name| self.tokens.keys().any(|own| own.eq_ignore_ascii_case(name)))
            || (self.ssh_key.is_some() && address.scheme() == Scheme::Ssh)
            || (self.github_app.is_some() && is_github())
    }

    /// How git gets into a repository, on hosts of unknown kinds too.
    pub async fn access(
        &self,
        address: &RemoteAddress,
        network: &Network,
    ) -> Result<Access, ForgeError> {
        if let Ok(host) = RemoteHost::new(address, None, self, network) {
            return host.access().await;
        }
        let token =
            self.tokens.get(&address.host_and_port()).filter(|_| address.scheme() != Scheme::Ssh);
        Ok(match (token, &self.ssh_key) {
            (Some(token), _) => Access::Password(Credentials {
                username: "x-access-token".to_owned(),
                password: token.clone(),
            }),
            (None, Some(key)) if address.scheme() == Scheme::Ssh => Access::SshKey(key.clone()),
            _ => Access::Anonymous,
        })
    }
}

/// A pull request with what its host knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) number: String,
    pub(super) opened: OpenedPullRequest,
}

/// What is to be sent.
pub(super) struct Request {
    pub(super) method: Method,
    /// Below the root of the API.
    pub(super) path: String,
    pub(super) body: Value,
}

/// How one kind of host is asked, and how its answers are read. Sends nothing itself.
pub(super) trait Dialect: fmt::Debug + Send + Sync {
    /// Root of the API, without a slash at its end.
    fn base(&self, at: &Place) -> String;
    /// The name that git gives with a token.
    fn username(&self) -> &'static str;
    /// Name and value of the header that carries a token.
    fn header(&self, token: &str) -> (&'static str, String);
    /// Path of a page of a list in which the pull request of a branch is. `None` after the last.
    fn list(&self, at: &Place, head: &str, page: usize) -> Option<String>;
    /// The pull requests on such a page.
    fn all<'a>(&self, body: &'a Value) -> &'a [Value];
    /// Whether a pull request of the list is that of a branch.
    fn is_of(&self, pull_request: &Value, head: &str) -> bool;
    /// Whether the list has no more pages than this.
    fn is_last(&self, count: usize) -> bool;
    /// Opens a pull request.
    fn create(&self, at: &Place, new: &NewPullRequest) -> Request;
    /// Changes one.
    fn update(&self, at: &Place, number: &str, new: &NewPullRequest) -> Request;
    /// Reads one.
    fn read(&self, pull_request: &Value) -> Found;
}

fn dialect(kind: Kind) -> Box<dyn Dialect> {
    match kind {
        Kind::GitHub => Box::new(GitHub),
        Kind::GitLab => Box::new(GitLab),
        Kind::Gitea => Box::new(Gitea),
        Kind::Bitbucket => Box::new(Bitbucket),
    }
}

/// A repository on a host of others.
#[derive(Debug)]
pub struct RemoteHost {
    dialect: Box<dyn Dialect>,
    place: Place,
    is_ssh: bool,
    http: Http,
    token: Token,
    ssh_key: Option<PathBuf>,
}

#[derive(Clone)]
enum Token {
    None,
    Fixed(String),
    App(GitHubApp),
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}

impl RemoteHost {
    /// The host of a repository; says what is missing in a sentence. `token` is one of the
    /// repository's own, which wins over those of the settings.
    pub fn new(
        address: &RemoteAddress,
        token: Option<&str>,
        settings: &HostSettings,
        network: &Network,
    ) -> Result<Self, String> {
        let place = Place::of(address).ok_or_else(no_host)?;
        let host = &place.host;
        let kind = settings.kinds.get(host).copied().or_else(|| Kind::of_host(host));
        let kind = kind.ok_or_else(|| {
            format!("it is not known what kind of git host {host} is; add `{host}=gitlab` (or github, gitea, bitbucket) to --git-hosts")
        })?;
        let token = token.or(settings.tokens.get(host).map(String::as_str));
        let token = match (token, &settings.github_app) {
            (Some(token), _) => Token::Fixed(token.to_owned()),
            (None, Some(app)) if kind == Kind::GitHub => Token::App(app.clone()),
            _ => Token::None,
        };
        let dialect = dialect(kind);
        let http = Http {
            network: network.clone(),
            base: dialect.base(&place),
            token: None,
            first_wait: settings.first_wait.unwrap_or(Duration::from_secs(1)),
        };
        let is_ssh = address.scheme() == Scheme::Ssh;
        let ssh_key = settings.ssh_key.clone();
        Ok(Self { dialect, place, is_ssh, http, token, ssh_key })
    }

    async fn token(&self) -> Result<Option<String>, ForgeError> {
        match &self.token {
            Token::None => Ok(None),
            Token::Fixed(token) => Ok(Some(token.clone())),
            Token::App(app) => github_app::token(app, &self.http, &self.place).await.map(Some),
        }
    }

    async fn git_access(&self) -> Result<Access, ForgeError> {
        if self.is_ssh {
            return Ok(self.ssh_key.clone().map_or(Access::Anonymous, Access::SshKey));
        }
        let username = self.dialect.username().to_owned();
        let credentials = |password| Access::Password(Credentials { username, password });
        Ok(self.token().await?.map_or(Access::Anonymous, credentials))
    }

    /// A client with the token of now.
    async fn api(&self) -> Result<Http, ForgeError> {
        let token = self.token().await?.ok_or_else(|| self.no_token())?;
        Ok(Http { token: Some(self.dialect.header(&token)), ..self.http.clone() })
    }

    fn no_token(&self) -> ForgeError {
        let host = &self.place.host;
        // Credentials of projects are for addresses that git itself reaches with a password.
        let own = if self.is_ssh {
            String::new()
        } else {
            format!("give one with `docwright admin credential set {host}`, or ")
        };
        let message = format!(
            "there is no token for {host}; {own}add `{host}=TOKEN` to DOCWRIGHT_GIT_TOKENS"
        );
        ForgeError { message, may_pass: false }
    }

    async fn find_by(&self, http: &Http, head: &str) -> Result<Option<Found>, ForgeError> {
        let mut page = 1;
        while let Some(path) = self.dialect.list(&self.place, head, page) {
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            let all = self.dialect.all(&answer.body);
            if let Some(found) = all.iter().find(|each| self.dialect.is_of(each, head)) {
                return Ok(Some(self.dialect.read(found)));
            }
            if self.dialect.is_last(all.len()) {
                break;
            }
            page += 1;
        }
        Ok(None)
    }

    /// `None` if the branch has one already.
    async fn create(&self, http: &Http, new: &NewPullRequest) -> Result<Option<Found>, ForgeError> {
        let Request { method, path, body } = self.dialect.create(&self.place, new);
        let answer = http.send(method, &path, Some(body), &[409, 422]).await?;
        if answer.status.is_success() {
            return Ok(Some(self.dialect.read(&answer.body)));
        }
        if says_that_it_exists(&answer) { Ok(None) } else { Err(http.refused(&answer)) }
    }

    /// One that another run opened in the meantime is found again.
    async fn open_or_update(&self, new: &NewPullRequest) -> Result<OpenedPullRequest, ForgeError> {
        let http = self.api().await?;
        let mut found = self.find_by(&http, &new.head).await?;
        if found.is_none() {
            if let Some(created) = self.create(&http, new).await? {
                return Ok(created.opened);
            }
            found = self.find_by(&http, &new.head).await?;
        }
        let found = found.ok_or_else(|| ForgeError {
            message: format!(
                "the git host {} says that `{}` has a pull request, but shows none",
                http.base, new.head
            ),
            may_pass: true,
        })?;
        let Request { method, path, body } = self.dialect.update(&self.place, &found.number, new);
        http.send(method, &path, Some(body), &[]).await?;
        Ok(found.opened)
    }
}

impl Forge for RemoteHost {
    fn access(&self) -> BoxFuture<'_, Result<Access, ForgeError>> {
        Box::pin(self.git_access())
    }

    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, ForgeError>> {
        Box::pin(async move {
            Ok(self.find_by(&self.api().await?, head).await?.map(|found| found.opened))
        })
    }

    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, ForgeError>> {
        Box::pin(self.open_or_update(new))
    }
}

fn no_host() -> String {
    "this project's repository is on no host of pull requests; use `built-in`, or an address like \
     https://github.com/owner/name.git"
        .to_owned()
}

fn says_that_it_exists(answer: &Answer) -> bool {
    answer.status == 409 || answer.body.to_string().contains("already exists")
}

/// What a part of a path or a query can hold as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// A field of an answer as text; empty if it is missing.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

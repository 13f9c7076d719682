//! A repository on a host of others.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Client;

use super::{
    ForgeError, NewPullRequest, OpenedPullRequest, bitbucket, gitea, github,
    github_app::{self, GitHubApp},
    gitlab,
    http::{Answer, Http},
    repository::{Kind, Repository},
};
use crate::git::{Credentials, Git};

/// What an install knows of git hosts.
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

/// A pull request with what its host knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) number: String,
    pub(super) opened: OpenedPullRequest,
}

/// A repository on a host of others.
#[derive(Debug, Clone)]
pub struct Remote {
    kind: Kind,
    repository: Repository,
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

impl Remote {
    /// The host of a repository; says what is missing in a sentence.
    pub fn new(address: &str, settings: &HostSettings) -> Result<Self, String> {
        let repository = Repository::parse(address).ok_or_else(|| {
            "this project's repository is on no host of pull requests; use `built-in`, or an address \
             like https://github.com/owner/name.git"
                .to_owned()
        })?;
        let host = &repository.host;
        let kind = settings.kinds.get(host).copied().or_else(|| Kind::of_host(host));
        let kind = kind.ok_or_else(|| {
            format!("nobody said what kind of git host {host} is; add `{host}=gitlab` (or github, gitea, bitbucket) to --git-hosts")
        })?;
        let token = match (settings.tokens.get(host), &settings.github_app) {
            (Some(token), _) => Token::Fixed(token.clone()),
            (None, Some(app)) if kind == Kind::GitHub => Token::App(app.clone()),
            _ => Token::None,
        };
        let base = match kind {
            Kind::GitHub => github::api(&repository),
            Kind::GitLab => gitlab::api(&repository),
            Kind::Gitea => gitea::api(&repository),
            Kind::Bitbucket => bitbucket::api(&repository),
        };
        let first_wait = settings.first_wait.unwrap_or(Duration::from_secs(1));
        let http = Http { client: Client::new(), base, token: None, first_wait };
        Ok(Self { kind, repository, http, token, ssh_key: settings.ssh_key.clone() })
    }

    /// Where git finds the repository.
    pub(super) fn address(&self) -> String {
        self.repository.address.clone()
    }

    /// Git with the credentials of the host.
    pub(super) async fn git(&self) -> Result<Git, ForgeError> {
        let git = Git::new();
        if self.repository.ssh {
            return Ok(match &self.ssh_key {
                Some(file) => git.with_ssh_key(file),
                None => git,
            });
        }
        let Some(password) = self.token().await? else { return Ok(git) };
        let username = match self.kind {
            Kind::GitHub => "x-access-token",
            Kind::GitLab => "oauth2",
            Kind::Gitea => "docwright",
            Kind::Bitbucket => "x-token-auth",
        };
        let credentials = Credentials { username: username.to_owned(), password };
        Ok(git.with_credentials(&self.repository.address, &credentials))
    }

    async fn token(&self) -> Result<Option<String>, ForgeError> {
        match &self.token {
            Token::None => Ok(None),
            Token::Fixed(token) => Ok(Some(token.clone())),
            Token::App(app) => github_app::token(app, &self.http, &self.repository).await.map(Some),
        }
    }

    /// A client with the token of now.
    async fn api(&self) -> Result<Http, ForgeError> {
        let token = self.token().await?.ok_or_else(|| ForgeError {
            message: format!(
                "there is no token for {host}; add `{host}=TOKEN` to DOCWRIGHT_GIT_TOKENS",
                host = self.repository.host
            ),
            may_pass: false,
        })?;
        let header = match self.kind {
            Kind::GitHub | Kind::Bitbucket => ("authorization", format!("Bearer {token}")),
            Kind::GitLab => ("private-token", token),
            Kind::Gitea => ("authorization", format!("token {token}")),
        };
        Ok(Http { token: Some(header), ..self.http.clone() })
    }

    /// The pull request of a branch, if it has one.
    pub(super) async fn find(&self, head: &str) -> Result<Option<OpenedPullRequest>, ForgeError> {
        Ok(self.find_by(&self.api().await?, head).await?.map(|found| found.opened))
    }

    async fn find_by(&self, http: &Http, head: &str) -> Result<Option<Found>, ForgeError> {
        let at = &self.repository;
        match self.kind {
            Kind::GitHub => github::find(http, at, head).await,
            Kind::GitLab => gitlab::find(http, at, head).await,
            Kind::Gitea => gitea::find(http, at, head).await,
            Kind::Bitbucket => bitbucket::find(http, at, head).await,
        }
    }

    /// Opens the pull request of a branch, or brings the one that it has up to date. One that
    /// another run opened in the meantime is found again.
    pub(super) async fn open(&self, new: &NewPullRequest) -> Result<OpenedPullRequest, ForgeError> {
        let (http, at) = (self.api().await?, &self.repository);
        let mut found = self.find_by(&http, &new.head).await?;
        if found.is_none() {
            let created = match self.kind {
                Kind::GitHub => github::create(&http, at, new).await?,
                Kind::GitLab => gitlab::create(&http, at, new).await?,
                Kind::Gitea => gitea::create(&http, at, new).await?,
                Kind::Bitbucket => bitbucket::create(&http, at, new).await?,
            };
            if let Some(created) = created {
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
        match self.kind {
            Kind::GitHub => github::update(&http, at, &found.number, new).await?,
            Kind::GitLab => gitlab::update(&http, at, &found.number, new).await?,
            Kind::Gitea => gitea::update(&http, at, &found.number, new).await?,
            Kind::Bitbucket => bitbucket::update(&http, at, &found.number, new).await?,
        }
        Ok(found.opened)
    }
}

/// `None` where the answer says that there is a pull request already; an error for any other.
pub(super) fn exists_or_error(http: &Http, answer: &Answer) -> Result<Option<Found>, ForgeError> {
    let text = answer.body.to_string();
    if answer.status == 409 || text.contains("already exists") {
        return Ok(None);
    }
    let reason: String = text.chars().take(300).collect();
    let message = format!("the git host {} refuses the pull request: {reason}", http.base);
    Err(ForgeError { message, may_pass: false })
}

/// What a part of a path or a query can hold as it is.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

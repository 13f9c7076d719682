//! A repository on another host. The logic that is the same for all: find, else create, else find again, then
//! update.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use docwright_types::git_host::GitHostKind;
use futures::future::BoxFuture;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

use super::{
    Comment, CommitStatus, GitHost, GitHostError, NewPullRequest, OpenPullRequest,
    OpenedPullRequest,
    bitbucket::Bitbucket,
    check_runs,
    gitea::Gitea,
    github::GitHub,
    github_app::{self, GitHubApp},
    gitlab::GitLab,
    hosted_repository::HostedRepository,
    http::{HostResponse, Http},
};
use crate::{
    git::Credentials,
    location::{RemoteAddress, Scheme},
    network::Network,
    remote::Access,
};

/// Settings of git hosts.
#[derive(Clone, Default)]
pub struct HostSettings {
    /// Kinds of hosts that their names don't show.
    pub kinds: BTreeMap<String, GitHostKind>,
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
    /// The kind of a repository's host: set by the operator, or known for a shared host.
    pub fn kind(&self, address: &RemoteAddress) -> Option<GitHostKind> {
        let names = [&address.host_and_port(), address.host()];
        let set = names.iter().find_map(|name| self.kinds.get(*name).copied());
        set.or_else(|| GitHostKind::of_host(address.host()))
    }

    /// Whether the operator's token, app, or key can open an address. Anyone who can add such a project would read
    /// what only the operator can.
    pub fn opens(&self, address: &RemoteAddress) -> bool {
        let host = address.host();
        let is_github = || self.kind(address).is_none_or(|kind| kind == GitHostKind::GitHub);
        let names = [host, &address.host_and_port()];
        names.iter().any(|name| self.tokens.keys().any(|own| own.eq_ignore_ascii_case(name)))
            || (self.ssh_key.is_some() && address.scheme() == Scheme::Ssh)
            || (self.github_app.is_some() && is_github())
    }

    /// Git access to a repository, also on hosts of unknown kinds.
    pub async fn access(
        &self,
        address: &RemoteAddress,
        network: &Network,
    ) -> Result<Access, GitHostError> {
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

/// A pull request with its id on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundPullRequest {
    pub(super) number: String,
    pub(super) opened: OpenedPullRequest,
}

/// A request to the API.
pub(super) struct Request {
    pub(super) method: Method,
    /// Path below the root of the API.
    pub(super) path: String,
    pub(super) body: Value,
}

/// Requests and responses of one kind of host. Sends nothing itself.
pub(super) trait Dialect: fmt::Debug + Send + Sync {
    /// Root of the API, without a slash at its end.
    fn base(&self, at: &HostedRepository) -> String;
    /// The name that git sends with a token.
    fn username(&self) -> &'static str;
    /// Name and value of the header with a token.
    fn header(&self, token: &str) -> (&'static str, String);
    /// Path of a page of a list that contains the pull request of a branch. `None` after the last.
    fn list(&self, at: &HostedRepository, head: &str, page: usize) -> Option<String>;
    /// The pull requests on a page.
    fn all<'a>(&self, body: &'a Value) -> &'a [Value];
    /// Whether a pull request in the list belongs to a branch.
    fn is_of(&self, pull_request: &Value, head: &str) -> bool;
    /// Whether the list has only these pages.
    fn is_last(&self, count: usize) -> bool;
    /// Opens a pull request.
    fn create(&self, at: &HostedRepository, new: &NewPullRequest) -> Request;
    /// Updates one.
    fn update(&self, at: &HostedRepository, number: &str, new: &NewPullRequest) -> Request;
    /// Reads one.
    fn read(&self, pull_request: &Value) -> FoundPullRequest;
    /// Path of a page of the list of open pull requests, newest first, of at most [`PAGE`].
    fn open(&self, at: &HostedRepository, page: usize) -> String;
    /// Reads one of them. `None` if it lacks what the host promises.
    fn read_open(&self, at: &HostedRepository, pull_request: &Value) -> Option<OpenPullRequest>;
    /// The requests for the status of a commit.
    fn status(&self, at: &HostedRepository, status: &CommitStatus) -> Vec<Request>;
    /// Whether a refusal of such a request means that the wanted state already exists.
    fn is_said(&self, _: &HostResponse) -> bool {
        false
    }
    /// Path of a page of the comments on a pull request, oldest first. `None` after the last.
    fn comments(&self, at: &HostedRepository, number: i64, page: usize) -> Option<String>;
    /// The text of a comment.
    fn comment_text<'a>(&self, comment: &'a Value) -> &'a str {
        comment["body"].as_str().unwrap_or_default()
    }
    /// Creates a comment, or updates the one with an id.
    fn comment(&self, at: &HostedRepository, number: i64, id: Option<&str>, text: &str) -> Request;
    /// A line that readers don't see.
    fn hidden(&self, marker: &str) -> String {
        format!("<!-- {marker} -->")
    }
}

/// Entries on a page of a list: a size that all hosts support.
pub(super) const PAGE: usize = 50;
/// Pages of open pull requests, and of comments, that are read.
const PAGES: usize = 10;

fn dialect(kind: GitHostKind) -> Box<dyn Dialect> {
    match kind {
        GitHostKind::GitHub => Box::new(GitHub),
        GitHostKind::GitLab => Box::new(GitLab),
        GitHostKind::Gitea => Box::new(Gitea),
        GitHostKind::Bitbucket => Box::new(Bitbucket),
    }
}

/// A repository on another host.
#[derive(Debug)]
pub struct RemoteHost {
    dialect: Box<dyn Dialect>,
    place: HostedRepository,
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
    /// The host of a repository; an error names missing settings. `token` is the repository's own, which overrides
    /// those of the settings.
    pub fn new(
        address: &RemoteAddress,
        token: Option<&str>,
        settings: &HostSettings,
        network: &Network,
    ) -> Result<Self, String> {
        let place = HostedRepository::of(address).ok_or_else(no_host)?;
        let host = &place.host;
        let kind = settings.kind(address).ok_or_else(|| {
            format!("the kind of the git host {host} is unknown; add `{host}=gitlab` (or github, gitea, bitbucket) to --git-hosts")
        })?;
        let token = token.or(settings.tokens.get(host).map(String::as_str));
        let token = match (token, &settings.github_app) {
            (Some(token), _) => Token::Fixed(token.to_owned()),
            (None, Some(app)) if kind == GitHostKind::GitHub => Token::App(app.clone()),
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

    async fn token(&self) -> Result<Option<String>, GitHostError> {
        match &self.token {
            Token::None => Ok(None),
            Token::Fixed(token) => Ok(Some(token.clone())),
            Token::App(app) => github_app::token(app, &self.http, &self.place).await.map(Some),
        }
    }

    async fn git_access(&self) -> Result<Access, GitHostError> {
        if self.is_ssh {
            return Ok(self.ssh_key.clone().map_or(Access::Anonymous, Access::SshKey));
        }
        let username = self.dialect.username().to_owned();
        let credentials = |password| Access::Password(Credentials { username, password });
        Ok(self.token().await?.map_or(Access::Anonymous, credentials))
    }

    /// A client with the current token.
    async fn api(&self) -> Result<Http, GitHostError> {
        let token = self.token().await?.ok_or_else(|| self.no_token())?;
        Ok(Http { token: Some(self.dialect.header(&token)), ..self.http.clone() })
    }

    fn no_token(&self) -> GitHostError {
        let host = &self.place.host;
        // Credentials of projects are for addresses that git itself opens with a password.
        let own = if self.is_ssh {
            String::new()
        } else {
            format!("set one with `docwright admin credential set {host}`, or ")
        };
        let message =
            format!("no token for {host}; {own}add `{host}=TOKEN` to DOCWRIGHT_GIT_TOKENS");
        GitHostError::of(message, false)
    }

    async fn find_by(
        &self,
        http: &Http,
        head: &str,
    ) -> Result<Option<FoundPullRequest>, GitHostError> {
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

    /// `None` if the branch already has one.
    async fn create(
        &self,
        http: &Http,
        new: &NewPullRequest,
    ) -> Result<Option<FoundPullRequest>, GitHostError> {
        let Request { method, path, body } = self.dialect.create(&self.place, new);
        let answer = http.send(method, &path, Some(body), &[409, 422]).await?;
        if answer.status.is_success() {
            return Ok(Some(self.dialect.read(&answer.body)));
        }
        if says_that_it_exists(&answer) { Ok(None) } else { Err(http.refused(&answer)) }
    }

    /// Until a page is not full.
    async fn list_open(&self) -> Result<Vec<OpenPullRequest>, GitHostError> {
        let http = self.api().await?;
        let mut open = Vec::new();
        for page in 1..=PAGES {
            let path = self.dialect.open(&self.place, page);
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            let all = self.dialect.all(&answer.body);
            for each in all {
                let read = self.dialect.read_open(&self.place, each);
                open.push(read.ok_or_else(|| strange(&http, "a pull request"))?);
            }
            if all.len() < PAGE {
                break;
            }
        }
        Ok(open)
    }

    async fn say(&self, status: &CommitStatus) -> Result<(), GitHostError> {
        let http = self.api().await?;
        // Only apps can create check runs.
        if matches!(self.token, Token::App(_)) {
            return check_runs::set(&http, &self.place, status).await;
        }
        for Request { method, path, body } in self.dialect.status(&self.place, status) {
            let answer = http.send(method, &path, Some(body), &[400]).await?;
            if !answer.status.is_success() && !self.dialect.is_said(&answer) {
                return Err(http.refused(&answer));
            }
        }
        Ok(())
    }

    /// Updates the known comment, or the one that is found, or creates one.
    async fn comment(
        &self,
        number: i64,
        known: Option<&str>,
        comment: &Comment,
    ) -> Result<String, GitHostError> {
        let http = self.api().await?;
        let hidden = self.dialect.hidden(&comment.marker);
        let text = format!("{}\n\n{hidden}", comment.body.trim_end());
        if let Some(id) = known {
            let Request { method, path, body } =
                self.dialect.comment(&self.place, number, Some(id), &text);
            // Someone might have removed it.
            if http.send(method, &path, Some(body), &[404, 410]).await?.status.is_success() {
                return Ok(id.to_owned());
            }
        }
        let found = self.find_comment(&http, number, &hidden).await?;
        let Request { method, path, body } =
            self.dialect.comment(&self.place, number, found.as_deref(), &text);
        let written = http.send(method, &path, Some(body), &[]).await?;
        found.or_else(|| id_of(&written.body)).ok_or_else(|| strange(&http, "a comment"))
    }

    async fn find_comment(
        &self,
        http: &Http,
        number: i64,
        hidden: &str,
    ) -> Result<Option<String>, GitHostError> {
        for page in 1..=PAGES {
            let Some(path) = self.dialect.comments(&self.place, number, page) else { break };
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            let all = self.dialect.all(&answer.body);
            let ours = |each: &&Value| {
                let text = self.dialect.comment_text(each);
                text.lines().any(|line| line.trim_end() == hidden)
            };
            if let Some(found) = all.iter().find(ours) {
                return Ok(id_of(found));
            }
            if all.len() < PAGE {
                break;
            }
        }
        Ok(None)
    }

    /// One that another run opened in the meantime is found again.
    async fn open_or_update(
        &self,
        new: &NewPullRequest,
    ) -> Result<OpenedPullRequest, GitHostError> {
        let http = self.api().await?;
        let mut found = self.find_by(&http, &new.head).await?;
        if found.is_none() {
            if let Some(created) = self.create(&http, new).await? {
                return Ok(created.opened);
            }
            found = self.find_by(&http, &new.head).await?;
        }
        let found = found.ok_or_else(|| {
            let (base, head) = (&http.base, &new.head);
            let message = format!(
                "the git host {base} reports a pull request for `{head}`, but returns none"
            );
            GitHostError::of(message, true)
        })?;
        let Request { method, path, body } = self.dialect.update(&self.place, &found.number, new);
        http.send(method, &path, Some(body), &[]).await?;
        Ok(found.opened)
    }
}

impl GitHost for RemoteHost {
    fn access(&self) -> BoxFuture<'_, Result<Access, GitHostError>> {
        Box::pin(self.git_access())
    }

    fn find<'a>(
        &'a self,
        head: &'a str,
    ) -> BoxFuture<'a, Result<Option<OpenedPullRequest>, GitHostError>> {
        Box::pin(async move {
            Ok(self.find_by(&self.api().await?, head).await?.map(|found| found.opened))
        })
    }

    fn open<'a>(
        &'a self,
        new: &'a NewPullRequest,
    ) -> BoxFuture<'a, Result<OpenedPullRequest, GitHostError>> {
        Box::pin(self.open_or_update(new))
    }

    fn pull_requests(&self) -> BoxFuture<'_, Result<Vec<OpenPullRequest>, GitHostError>> {
        Box::pin(self.list_open())
    }

    fn set_status<'a>(
        &'a self,
        status: &'a CommitStatus,
    ) -> BoxFuture<'a, Result<(), GitHostError>> {
        Box::pin(self.say(status))
    }

    fn set_comment<'a>(
        &'a self,
        number: i64,
        known: Option<&'a str>,
        comment: &'a Comment,
    ) -> BoxFuture<'a, Result<String, GitHostError>> {
        Box::pin(self.comment(number, known, comment))
    }
}

fn id_of(value: &Value) -> Option<String> {
    value["id"].as_i64().map(|id| id.to_string())
}

fn strange(http: &Http, what: &str) -> GitHostError {
    let base = &http.base;
    GitHostError::of(format!("the git host {base} returned {what} that can't be read"), false)
}

fn no_host() -> String {
    "this project's repository has no host for pull requests; use `built-in`, or a URL such as https://github.com/owner/name.git"
        .to_owned()
}

fn says_that_it_exists(answer: &HostResponse) -> bool {
    answer.status == 409 || answer.body.to_string().contains("already exists")
}

/// Characters that need no encoding in a path or query.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(super) fn encode(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// A field of a response as text; empty if it is missing.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

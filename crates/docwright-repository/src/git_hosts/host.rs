//! A repository on another host. The logic that is the same for all: find, else create, else find again, then
//! update.

use std::{collections::BTreeMap, fmt, path::PathBuf, time::Duration};

use docwright_types::git_host::GitHostKind;
use futures::future::BoxFuture;
use reqwest::Method;
use serde_json::Value;

use super::{
    Comment, CommitStatus, GitHost, GitHostError, NewPullRequest, OpenPullRequest,
    OpenedPullRequest, check_runs,
    dialect::{self, Dialect, ExistingComment, Request},
    github_app::{self, GitHubApp},
    hosted_repository::HostedRepository,
    http::{HostResponse, Http},
};
use crate::{
    git::{Credentials, TOKEN_USERNAME},
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

    /// Git access to a repository, also on hosts of unknown kinds. `own` are its own credentials, which override
    /// those of the settings.
    pub async fn access(
        &self,
        address: &RemoteAddress,
        own: Option<Credentials>,
        network: &Network,
    ) -> Result<Access, GitHostError> {
        // A token without a name is sent as its host expects it.
        let token = match own {
            Some(own) if own.username != TOKEN_USERNAME => return Ok(Access::Password(own)),
            own => own.map(|own| own.password),
        };
        if let Ok(host) = RemoteHost::new(address, token.as_deref(), self, network) {
            return host.access().await;
        }
        let token = token.or_else(|| self.tokens.get(&address.host_and_port()).cloned());
        let token = token.filter(|_| address.scheme() != Scheme::Ssh);
        Ok(match (token, &self.ssh_key) {
            (Some(password), _) => {
                Access::Password(Credentials { username: TOKEN_USERNAME.to_owned(), password })
            }
            (None, Some(key)) if address.scheme() == Scheme::Ssh => Access::SshKey(key.clone()),
            _ => Access::Anonymous,
        })
    }
}

/// Pages that are searched for the pull request of a branch.
const SEARCHED_PAGES: usize = 20;
/// Pages of open pull requests, and of comments, that are read.
const PAGES: usize = 10;

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
            let kinds = GitHostKind::names();
            format!("the kind of the git host {host} is unknown; add it to --git-hosts, such as `{host}=gitlab`; the kinds are {kinds}")
        })?;
        let token = token.or(settings.tokens.get(host).map(String::as_str));
        let token = match (token, &settings.github_app) {
            (Some(token), _) => Token::Fixed(token.to_owned()),
            (None, Some(app)) if kind == GitHostKind::GitHub => Token::App(app.clone()),
            _ => Token::None,
        };
        let dialect = dialect::of(kind);
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
        let credentials = |token: String| Access::Password(self.dialect.credentials(&token));
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

    async fn find_by(&self, http: &Http, head: &str) -> Result<Option<Value>, GitHostError> {
        let mut page = Some(1);
        for _ in 0..SEARCHED_PAGES {
            let path = page.and_then(|page| self.dialect.list(&self.place, head, page));
            let Some(path) = path else { break };
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            let all = self.dialect.all(&answer.body);
            if let Some(found) = all.iter().find(|each| self.dialect.is_of(each, head)) {
                return Ok(Some(found.clone()));
            }
            page = page.and_then(|page| self.dialect.next(&answer.body, page));
        }
        Ok(None)
    }

    /// `None` if the branch already has one.
    async fn create(
        &self,
        http: &Http,
        new: &NewPullRequest,
    ) -> Result<Option<Value>, GitHostError> {
        let Request { method, path, body } = self.dialect.create(&self.place, new);
        let answer = http.send(method, &path, Some(body), &[409, 422]).await?;
        if answer.status.is_success() {
            return Ok(Some(answer.body));
        }
        if self.dialect.has_one(&answer) { Ok(None) } else { Err(http.refused(&answer)) }
    }

    /// Returns the refusal of the host if the pull request changed after it was read.
    async fn update(
        &self,
        http: &Http,
        found: &Value,
        new: &NewPullRequest,
    ) -> Result<Option<HostResponse>, GitHostError> {
        let Some(request) = self.dialect.update(&self.place, found, new) else { return Ok(None) };
        let Request { method, path, body } = request;
        let answer = http.send(method, &path, Some(body), &[409]).await?;
        Ok((!answer.status.is_success()).then_some(answer))
    }

    /// Until the last page.
    async fn list_open(&self) -> Result<Vec<OpenPullRequest>, GitHostError> {
        let http = self.api().await?;
        let (mut open, mut page) = (Vec::new(), 1);
        for _ in 0..PAGES {
            let path = self.dialect.open(&self.place, page);
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            for each in self.dialect.all(&answer.body) {
                let read = self.dialect.read_open(&self.place, each);
                open.push(read.ok_or_else(|| strange(&http, "a pull request"))?);
            }
            let Some(next) = self.dialect.next(&answer.body, page) else { break };
            page = next;
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
        if let Some(id) = known
            && let Some(existing) = self.known_comment(&http, number, id).await?
        {
            let Request { method, path, body } =
                self.dialect.comment(&self.place, number, Some(&existing), &text);
            // Someone might have removed or changed it.
            let written = http.send(method, &path, Some(body), &[404, 409, 410]).await?;
            if written.status.is_success() {
                return Ok(existing.id);
            }
        }
        let found = self.find_comment(&http, number, &hidden).await?;
        let Request { method, path, body } =
            self.dialect.comment(&self.place, number, found.as_ref(), &text);
        let written = http.send(method, &path, Some(body), &[]).await?;
        let written = found.or_else(|| ExistingComment::of(&written.body));
        written.map(|written| written.id).ok_or_else(|| strange(&http, "a comment"))
    }

    /// The comment with an id, with its version if the host needs that. `None` if it is gone.
    async fn known_comment(
        &self,
        http: &Http,
        number: i64,
        id: &str,
    ) -> Result<Option<ExistingComment>, GitHostError> {
        let Some(path) = self.dialect.read_comment(&self.place, number, id) else {
            return Ok(Some(ExistingComment { id: id.to_owned(), version: None }));
        };
        let answer = http.send(Method::GET, &path, None, &[404]).await?;
        Ok(ExistingComment::of(&answer.body).filter(|_| answer.status.is_success()))
    }

    /// The oldest comment with a hidden line: others can copy that line only after it exists.
    async fn find_comment(
        &self,
        http: &Http,
        number: i64,
        hidden: &str,
    ) -> Result<Option<ExistingComment>, GitHostError> {
        let (mut found, mut page) = (None, Some(1));
        for _ in 0..PAGES {
            let path = page.and_then(|page| self.dialect.comments(&self.place, number, page));
            let Some(path) = path else { break };
            let answer = http.send(Method::GET, &path, None, &[]).await?;
            let all = self.dialect.all(&answer.body);
            let comments = all.iter().filter_map(|entry| self.dialect.comment_of(entry));
            let mut ours = comments.filter(|each| {
                let text = self.dialect.comment_text(each);
                text.lines().any(|line| line.trim_end() == hidden)
            });
            if self.dialect.newest_comment_is_first() {
                found = ours.last().or(found.as_ref()).cloned();
            } else {
                found = ours.next().cloned();
                if found.is_some() {
                    break;
                }
            }
            page = page.and_then(|page| self.dialect.next(&answer.body, page));
        }
        Ok(found.as_ref().and_then(ExistingComment::of))
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
                return Ok(self.dialect.read(&created));
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
        if let Some(refusal) = self.update(&http, &found, new).await? {
            // Someone changed it in the meantime.
            let changed = self.find_by(&http, &new.head).await?.unwrap_or(found);
            if self.update(&http, &changed, new).await?.is_some() {
                return Err(http.refused(&refusal));
            }
            return Ok(self.dialect.read(&changed));
        }
        Ok(self.dialect.read(&found))
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
            let found = self.find_by(&self.api().await?, head).await?;
            Ok(found.map(|found| self.dialect.read(&found)))
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

fn strange(http: &Http, what: &str) -> GitHostError {
    let base = &http.base;
    GitHostError::of(format!("the git host {base} returned {what} that can't be read"), false)
}

fn no_host() -> String {
    "this project's repository has no host for pull requests; use `built-in`, or a URL such as https://github.com/owner/name.git"
        .to_owned()
}

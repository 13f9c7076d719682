//! The way to an install: every command is a request to the API. It is answered by the same router, in this
//! process on the store of this machine, or by a running service elsewhere.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use axum::http::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use url::Url;

use super::{here::Here, there::There};
use crate::config::StoreSettings;

/// What needs no encoding in a part of a path.
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// What is said of commands that need the store.
const HERE_ONLY: &str =
    "works on the machine of the install only; run it there, without --server and DOCWRIGHT_SERVER";
/// Things on one page of a list.
const PAGE: usize = 100;

/// A service elsewhere. The key is never on the command line, where other users of the machine see it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Elsewhere")]
pub(super) struct ServerSettings {
    /// URL of the instance to administer
    #[arg(long, global = true, value_name = "URL", env = "DOCWRIGHT_SERVER")]
    server: Option<Url>,
    /// File with its key, or `DOCWRIGHT_KEY`
    #[arg(long, global = true, value_name = "FILE", env = "DOCWRIGHT_KEY_FILE")]
    key_file: Option<PathBuf>,
}

impl ServerSettings {
    /// Whether commands are for the store of this machine.
    pub(super) const fn is_here(&self) -> bool {
        self.server.is_none()
    }

    /// Refuses what can be done on the machine of the install only.
    pub(super) fn require_here(&self, what: &str) -> anyhow::Result<()> {
        ensure!(self.is_here(), "{what} {HERE_ONLY}");
        Ok(())
    }
}

/// An install that commands are for.
#[derive(Debug)]
pub(super) enum Client {
    /// That of this machine.
    Here(Box<Here>),
    /// One that runs elsewhere.
    There(There),
}

/// What the API answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Value,
    /// Why it failed, where the answer itself doesn't say it: nobody but this machine hears of it.
    pub(super) cause: Option<String>,
}

impl Client {
    /// Opens the store, or gets ready to ask the service of another machine. `deletes` says whether bundles
    /// may go.
    pub(super) async fn open(
        store: StoreSettings,
        server: ServerSettings,
        deletes: bool,
    ) -> anyhow::Result<Self> {
        let Some(address) = server.server else {
            return Ok(Self::Here(Box::new(Here::open(store, deletes).await?)));
        };
        There::new(address, server.key_file.as_deref()).map(Self::There)
    }

    /// The install of this machine, for what can be done nowhere else.
    pub(super) fn here(&self, what: &str) -> anyhow::Result<&Here> {
        match self {
            Self::Here(here) => Ok(here),
            Self::There(_) => bail!("{what} {HERE_ONLY}"),
        }
    }

    /// Lets go of the store.
    pub(super) async fn close(self) {
        if let Self::Here(here) = self {
            here.install.database.close().await;
        }
    }

    async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> anyhow::Result<Answer> {
        match self {
            Self::Here(here) => here.ask(method, path, body).await,
            Self::There(there) => there.ask(method, path, body).await,
        }
    }

    /// Makes a request and gives its answer.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Value> {
        self.ask(method, path, body).await?.succeeded()
    }

    /// Reads something.
    pub(super) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.send(Method::GET, path, None).await
    }

    /// Reads all of a list, which the answers have under a name.
    pub(super) async fn list(
        &self,
        path: &str,
        query: &[(&str, Option<&str>)],
        name: &str,
    ) -> anyhow::Result<Vec<Value>> {
        self.first(path, query, name, usize::MAX).await
    }

    /// Reads a list up to a length.
    pub(super) async fn first(
        &self,
        path: &str,
        query: &[(&str, Option<&str>)],
        name: &str,
        length: usize,
    ) -> anyhow::Result<Vec<Value>> {
        let (mut all, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let limit = PAGE.min(length - all.len()).to_string();
            let given = query.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
            let paging = [("limit", Some(limit.as_str())), ("cursor", cursor.as_deref())];
            let paging = paging.into_iter().filter_map(|(name, value)| Some((name, value?)));
            let query = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs(given.chain(paging))
                .finish();
            let mut page = self.get(&format!("{path}?{query}")).await?;
            if let Value::Array(rows) = page[name].take() {
                all.extend(rows);
            }
            let next = page["nextCursor"].as_str().map(str::to_owned);
            // A service that doesn't come to an end would be asked for ever.
            ensure!(next.is_none() || next != cursor, "the service lists the same page again");
            match next {
                Some(next) if all.len() < length => cursor = Some(next),
                _ => return Ok(all),
            }
        }
    }

    /// The organisation of an id or a name.
    pub(super) async fn organization(&self, given: &str) -> anyhow::Result<Value> {
        self.find("organization", given, |_| String::new()).await
    }

    /// The id of the organisation of an id or a name, if one is given.
    pub(super) async fn organization_id(
        &self,
        given: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let Some(given) = given else { return Ok(None) };
        let found = self.organization(given).await?;
        Ok(found["id"].as_str().map(str::to_owned))
    }

    /// The project of an id or a name.
    pub(super) async fn project(&self, given: &str) -> anyhow::Result<Value> {
        let of = |project: &Value| format!(" of {}", text(project, "organizationId"));
        self.find("project", given, of).await
    }

    async fn find(
        &self,
        kind: &str,
        given: &str,
        more: fn(&Value) -> String,
    ) -> anyhow::Result<Value> {
        let list = format!("/v1/{kind}s");
        let path = format!("{list}/{}", encoded(given));
        if !given.is_empty() {
            let found = self.ask(Method::GET, &path, None).await?;
            if found.status != StatusCode::NOT_FOUND {
                return found.succeeded();
            }
        }
        let mut named = self.list(&list, &[("name", Some(given))], &format!("{kind}s")).await?;
        named.retain(|each| each["name"] == *given);
        let word = if kind == "organization" { "organisation" } else { kind };
        let ids: Vec<_> =
            named.iter().map(|each| format!("{}{}", text(each, "id"), more(each))).collect();
        match (named.pop(), ids.len()) {
            (Some(found), 1) => Ok(found),
            (Some(_), count) => {
                bail!("{count} are named `{given}`: {}; say which by its id", ids.join(", "))
            }
            (None, _) => bail!("there is no {word} {given}; see `docwright admin {kind} list`"),
        }
    }
}

impl Answer {
    /// The answer, if the request succeeded; else what is wrong, in the manner of a command.
    fn succeeded(self) -> anyhow::Result<Value> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        if let Some(cause) = self.cause {
            bail!("{cause}");
        }
        let said = self.body["error"].as_str();
        let said = said.with_context(|| format!("the service answers {}", self.status))?;
        bail!("{}", in_a_line(said))
    }
}

/// A sentence without its period, and in small letters unless it begins with a name.
fn in_a_line(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// A part of a path.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, &PLAIN).to_string()
}

/// A text of an answer; empty if it has none of that name.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

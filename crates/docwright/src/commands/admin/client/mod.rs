//! The instance that commands call: the operations on this machine's instance, or the API of another one. One file
//! per resource; only this module knows the paths of the API.

mod accounts;
mod audit_log;
mod credentials;
mod domains;
mod feedback;
mod keys;
mod local;
mod members;
mod organizations;
mod plans;
mod previews;
mod projects;
mod releases;
mod remote;

use std::path::PathBuf;

use anyhow::{bail, ensure};
use docwright_operations::{Listed, lists::Page};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use url::Url;

use crate::config::StoreSettings;

pub(super) use local::{Local, command_error};
pub(super) use remote::Remote;

/// Characters that need no encoding in a segment of a path.
const PLAIN: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The error of commands that need the store.
const LOCAL_ONLY: &str = "works only on the machine of the instance; run it there, without --server and DOCWRIGHT_SERVER";
/// Items on one page of a list.
const PAGE: usize = 100;

/// An instance on another machine. The key is never on the command line, where other users of the machine could
/// see it.
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
    /// Whether commands are for the instance of this machine.
    pub(super) const fn is_local(&self) -> bool {
        self.server.is_none()
    }

    /// The option that names a remote instance.
    pub(super) fn named(&self) -> Option<String> {
        self.server.as_ref().map(|server| format!("--server {server}"))
    }

    /// Fails unless the command is for the instance of this machine.
    pub(super) fn require_local(&self, command: &str) -> anyhow::Result<()> {
        ensure!(self.is_local(), "{command} {LOCAL_ONLY}");
        Ok(())
    }
}

/// The instance that a command is for.
#[derive(Debug)]
pub(super) enum Client {
    /// That of this machine.
    Local(Box<Local>),
    /// One on another machine.
    Remote(Remote),
}

impl Client {
    /// Opens the store, or prepares requests to another machine. `deletes` says whether the command can delete
    /// bundles.
    pub(super) async fn open(
        store: StoreSettings,
        server: ServerSettings,
        deletes: bool,
    ) -> anyhow::Result<Self> {
        let Some(address) = server.server else {
            return Ok(Self::Local(Box::new(Local::open(store, deletes).await?)));
        };
        Remote::new(address, server.key_file.as_deref()).map(Self::Remote)
    }

    /// The local instance, for commands that work only locally.
    pub(super) fn local(&self, command: &str) -> anyhow::Result<&Local> {
        match self {
            Self::Local(local) => Ok(local),
            Self::Remote(_) => bail!("{command} {LOCAL_ONLY}"),
        }
    }

    /// Closes the store.
    pub(super) async fn close(self) {
        if let Self::Local(local) = self {
            local.instance.database.close().await;
        }
    }
}

/// The next page of a list to read, on the wire.
#[derive(Debug, Serialize)]
struct NextPage {
    limit: usize,
    cursor: Option<String>,
}

impl NextPage {
    /// The same for an operation.
    fn page(&self) -> anyhow::Result<Page> {
        let limit = i64::try_from(self.limit).ok();
        Page::new(limit, self.cursor.as_deref()).map_err(command_error)
    }
}

/// Reads a list page by page, up to a length.
async fn read_list<T>(
    length: usize,
    read: impl AsyncFn(&NextPage) -> anyhow::Result<Listed<T>>,
) -> anyhow::Result<Vec<T>> {
    let (mut all, mut next) = (Vec::new(), NextPage { limit: PAGE.min(length), cursor: None });
    loop {
        let page = read(&next).await?;
        all.extend(page.items);
        let cursor = page.next_cursor;
        // Without this check, a service with a bug would be asked forever.
        ensure!(
            cursor.is_none() || cursor != next.cursor,
            "the service returned the same page again"
        );
        if cursor.is_none() || all.len() >= length {
            return Ok(all);
        }
        next = NextPage { limit: PAGE.min(length - all.len()), cursor };
    }
}

/// The only item with a name; `kind` is its word in commands and texts. Each comes with the text that
/// distinguishes it from others.
fn only<T>(
    mut named: Vec<T>,
    (kind, word): (&str, &str),
    name: &str,
    describe: impl Fn(&T) -> String,
) -> anyhow::Result<T> {
    let described: Vec<_> = named.iter().map(describe).collect();
    match (named.pop(), described.len()) {
        (Some(found), 1) => Ok(found),
        (Some(_), count) => {
            bail!("{count} are named `{name}`: {}; use the ID", described.join(", "))
        }
        (None, _) => bail!("{word} {name} not found; see `docwright admin {kind} list`"),
    }
}

/// A sentence without its period, with its first letter in lower case.
fn lower_case(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut letters = sentence.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// A segment of a path.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, &PLAIN).to_string()
}

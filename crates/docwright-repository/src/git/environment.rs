//! The environment of git, and its authentication.

use std::{
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio::process::Command;

/// Variables of the machine that git needs to run, and for trusted certificates.
const ALLOWED: [&str; 4] = ["PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// The environment of programs: few variables, and a home folder without personal settings.
#[derive(Debug, Clone)]
pub struct Environment {
    home: PathBuf,
    variables: Vec<(OsString, OsString)>,
}

impl Environment {
    /// Takes the allowed variables out of those given. `home` is a folder with nothing but files of git and SSH,
    /// such as known hosts.
    pub fn new(home: PathBuf, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let allowed = |(name, _): &(OsString, OsString)| ALLOWED.iter().any(|each| name == each);
        Self { home, variables: variables.into_iter().filter(allowed).collect() }
    }

    /// An environment for tests.
    pub fn for_testing(home: &Path) -> Self {
        Self::new(home.to_owned(), std::env::vars_os())
    }

    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn apply(&self, command: &mut Command) {
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("HOME", &self.home).env("LC_ALL", "C");
    }
}

/// The name beside a token that has none.
pub const TOKEN_USERNAME: &str = "x-access-token";

/// Name and password for a git host over HTTP.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name; hosts that accept tokens ignore it or need a fixed one. Empty for a bearer token.
    pub username: String,
    /// The password or token.
    pub password: String,
}

impl Credentials {
    /// The value of an `Authorization` header.
    pub(crate) fn authorization(&self) -> String {
        if self.username.is_empty() {
            return format!("Bearer {}", self.password);
        }
        let pair = format!("{}:{}", self.username, self.password);
        format!("Basic {}", STANDARD.encode(pair))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({}, …)", self.username)
    }
}

//! The environment of git, and its authentication.

use std::{
    env,
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

    /// A program with its path. Rust forks to start one without a path in another environment, and a fork copies the
    /// page tables of this process, which takes milliseconds.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        let folders = self.variables.iter().find(|(variable, _)| variable == "PATH");
        let folders = folders.into_iter().flat_map(|(_, folders)| env::split_paths(folders));
        let found = folders.map(|folder| folder.join(name)).find(|path| can_run(path));
        found.unwrap_or_else(|| PathBuf::from(name))
    }

    pub(super) fn apply(&self, command: &mut Command) {
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("HOME", &self.home).env("LC_ALL", "C");
    }
}

#[cfg(unix)]
fn can_run(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Files of programs have an ending there, such as `.exe`, so the system finds them.
#[cfg(not(unix))]
fn can_run(_path: &Path) -> bool {
    false
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

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn first_program_that_can_run_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [text, program, later] = ["text", "program", "later"].map(|name| {
            let path = folder.path().join(name).join("git");
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        });
        for path in [&program, &later] {
            fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        let folders = [&text, &program, &later].map(|path| path.parent().unwrap());
        let variables = [("PATH".into(), env::join_paths(folders).unwrap())];
        let environment = Environment::new(folder.path().to_owned(), variables);
        assert_eq!(environment.program("git"), program);
        assert_eq!(environment.program("other"), Path::new("other"));
    }
}

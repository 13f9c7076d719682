//! Running git: with no settings of the machine, no hooks, no questions, and secrets in the
//! environment only, where no other user and no log sees them.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::Command;
use url::Url;

/// Longest time that one command may take.
const TIMEOUT: Duration = Duration::from_mins(5);
/// Longest part of git's own words that is passed on, in characters.
const MAXIMUM_MESSAGE: usize = 500;

/// Name and password for a git host over HTTPS.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name; hosts that take tokens ignore it or want a fixed one.
    pub username: String,
    /// The password or token.
    pub password: String,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Credentials({}, …)", self.username)
    }
}

/// Why git did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It can't be started.
    #[error("git can't be run ({0}); install git")]
    Missing(std::io::Error),
    /// It took too long.
    #[error("git {command} took longer than {} minutes", TIMEOUT.as_secs() / 60)]
    Timeout {
        /// The subcommand.
        command: String,
    },
    /// It failed.
    #[error("git {command} failed: {message}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What git said, without credentials.
        message: String,
    },
}

/// How git is run for one repository.
#[derive(Debug, Clone, Default)]
pub struct Git {
    /// Settings for this run, as `key=value`.
    config: Vec<(String, String)>,
    /// More of the environment.
    environment: Vec<(&'static str, String)>,
}

impl Git {
    /// Git without credentials.
    pub fn new() -> Self {
        let config = [
            ("core.hooksPath", "/dev/null"),
            ("core.fsmonitor", "false"),
            ("core.autocrlf", "false"),
            ("core.symlinks", "true"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("protocol.ext.allow", "never"),
            ("safe.directory", "*"),
            ("submodule.recurse", "false"),
            ("advice.detachedHead", "false"),
        ];
        let config = config.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        Self { config: config.collect(), environment: Vec::new() }
    }

    /// Sends credentials to the host of an address, and to no other.
    #[must_use]
    pub fn with_credentials(mut self, address: &str, credentials: &Credentials) -> Self {
        if let Ok(url) = Url::parse(address)
            && let Some(host) = url.host_str()
        {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            let key = format!("http.{}://{host}{port}/.extraHeader", url.scheme());
            let pair = format!("{}:{}", credentials.username, credentials.password);
            self.config.push((key, format!("Authorization: Basic {}", base64(pair.as_bytes()))));
        }
        self
    }

    /// Uses this private key for SSH.
    #[must_use]
    pub fn with_ssh_key(mut self, file: &Path) -> Self {
        let file = file.display().to_string().replace('\'', "'\\''");
        let command = format!(
            "ssh -i '{file}' -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=accept-new"
        );
        self.environment.push(("GIT_SSH_COMMAND", command));
        self
    }

    /// Adds to the environment, such as the author of a commit.
    #[must_use]
    pub fn with_environment(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    /// Runs a command in a folder; gives what it printed, without white space around it.
    pub async fn run(&self, folder: &Path, arguments: &[&str]) -> Result<String, GitError> {
        let command = arguments.first().copied().unwrap_or_default().to_owned();
        let mut process = Command::new("git");
        process.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).kill_on_drop(true);
        self.prepare(&mut process);
        let output = tokio::time::timeout(TIMEOUT, process.output())
            .await
            .map_err(|_| GitError::Timeout { command: command.clone() })?
            .map_err(GitError::Missing)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        let message = without_credentials(String::from_utf8_lossy(&output.stderr).trim());
        Err(GitError::Failed { command, message: message.chars().take(MAXIMUM_MESSAGE).collect() })
    }

    fn prepare(&self, process: &mut Command) {
        // Settings of the machine or of a caller must not change what git does here.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                process.env_remove(name);
            }
        }
        process
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_CONFIG_COUNT", self.config.len().to_string());
        for (index, (key, value)) in self.config.iter().enumerate() {
            process.env(format!("GIT_CONFIG_KEY_{index}"), key);
            process.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        for (name, value) in &self.environment {
            process.env(name, value);
        }
    }
}

/// Asks git about a folder as it is, with the settings of its owner; blocks. `None` if git does not
/// know, or is not there.
pub(crate) fn ask(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = question(folder, arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The same, not started yet. Nobody is there to answer what git might ask in return.
pub(crate) fn question(folder: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder).args(arguments).env("GIT_TERMINAL_PROMPT", "0");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// What git says may hold the address as it was given, and that a password.
pub(crate) fn without_credentials(message: &str) -> String {
    let words = message.split(' ').map(|word| match (word.find("://"), word.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}{}", &word[..scheme + 3], &word[at + 1..])
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_repeated() {
        let message = without_credentials("fatal: unable to access https://me:secret@e.org/a.git");
        assert_eq!(message, "fatal: unable to access https://e.org/a.git");
        let credentials = Credentials { username: "me".into(), password: "secret".into() };
        assert!(!format!("{credentials:?}").contains("secret"));
    }

    #[tokio::test]
    async fn hooks_and_settings_of_the_machine_do_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::new();
        git.run(folder.path(), &["init", "--quiet"]).await.unwrap();
        assert_eq!(
            git.run(folder.path(), &["config", "core.hooksPath"]).await.unwrap(),
            "/dev/null"
        );
        let error = git.run(folder.path(), &["fetch", "ext::sh -c true"]).await.unwrap_err();
        assert!(error.to_string().contains("not allowed"), "{error}");
    }
}

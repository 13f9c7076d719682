//! Runs git: without settings of the machine, hooks, or prompts, with limits of time and output, and with secrets
//! only in the environment, where no other user and no log sees them.
//!
//! Owns how git is started and ended, and its errors. [`crate::remote`] decides which addresses it gets.

mod environment;
mod error;
mod process;

use std::{ops::ControlFlow, path::Path, process::Stdio, time::Duration};

use tokio::process::Command;
use url::Url;

pub use environment::{Credentials, Environment, TOKEN_USERNAME};
pub use error::GitError;
pub use process::ProcessGroup;

/// Default time limit of one command.
const TIMEOUT: Duration = Duration::from_mins(5);
/// Default output limit of one command, in bytes.
const MAXIMUM_OUTPUT: usize = 64 * 1024 * 1024;

/// Settings of every command. They override those of a repository.
const CONFIG: [(&str, &str); 16] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.autocrlf", "false"),
    ("core.symlinks", "true"),
    ("core.quotePath", "false"),
    // Fetched data is written as it arrives, so its size can be watched.
    ("fetch.unpackLimit", "1"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("protocol.version", "2"),
    ("safe.directory", "*"),
    ("submodule.recurse", "false"),
    ("advice.detachedHead", "false"),
    ("credential.helper", ""),
    // Addresses were checked; redirects were not.
    ("http.followRedirects", "false"),
    // Repositories on this machine serve single commits and histories without contents, as hosts do.
    ("uploadpack.allowFilter", "true"),
];

/// A configured git command.
#[derive(Clone)]
pub struct Git {
    environment: Environment,
    /// Settings for this run.
    config: Vec<(String, String)>,
    /// Additional environment variables.
    variables: Vec<(&'static str, String)>,
    timeout: Duration,
    maximum_output: usize,
}

impl std::fmt::Debug for Git {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Settings can contain credentials.
        formatter.debug_struct("Git").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

impl Git {
    /// Git without credentials, and without access to any host.
    pub fn new(environment: &Environment) -> Self {
        let config = CONFIG.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let git = Self {
            environment: environment.clone(),
            config: config.collect(),
            variables: Vec::new(),
            timeout: TIMEOUT,
            maximum_output: MAXIMUM_OUTPUT,
        };
        git.with_protocol("none")
    }

    /// Allows only one protocol, such as `https` or `file`.
    #[must_use]
    pub fn with_protocol(self, protocol: &str) -> Self {
        self.with_variable("GIT_ALLOW_PROTOCOL", protocol)
    }

    /// Sends credentials only to the host of an address.
    #[must_use]
    pub fn with_credentials(self, address: &Url, credentials: &Credentials) -> Self {
        let origin = address.origin().ascii_serialization();
        let header = format!("Authorization: {}", credentials.authorization());
        self.with_config(&format!("http.{origin}/.extraHeader"), &header)
    }

    /// Adds a setting.
    #[must_use]
    pub fn with_config(mut self, key: &str, value: &str) -> Self {
        self.config.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Sets an environment variable, such as the author of a commit.
    #[must_use]
    pub fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.retain(|(other, _)| *other != name);
        self.variables.push((name, value.into()));
        self
    }

    /// Sets the author of commits.
    #[must_use]
    pub fn with_author(self, name: &str, email: &str) -> Self {
        self.with_variable("GIT_AUTHOR_NAME", name)
            .with_variable("GIT_AUTHOR_EMAIL", email)
            .with_variable("GIT_COMMITTER_NAME", name)
            .with_variable("GIT_COMMITTER_EMAIL", email)
    }

    /// Sets the time limit of a command.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the output limit of a command, in bytes.
    #[must_use]
    pub fn with_maximum_output(mut self, bytes: usize) -> Self {
        self.maximum_output = bytes;
        self
    }

    /// The home folder of git.
    pub(crate) fn home(&self) -> &Path {
        self.environment.home()
    }

    /// Runs a command in a folder; returns its trimmed output.
    pub async fn run(&self, folder: &Path, arguments: &[&str]) -> Result<String, GitError> {
        let mut output = Vec::new();
        self.stream(folder, arguments, |part| {
            output.extend_from_slice(part);
            if output.len() > self.maximum_output {
                return Err(GitError::Output {
                    command: name(arguments),
                    limit: self.maximum_output,
                });
            }
            Ok(ControlFlow::Continue(()))
        })
        .await?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Runs a command in a folder and passes on its output, part by part, until `take` has enough or refuses it.
    /// Then the command is ended.
    pub async fn stream(
        &self,
        folder: &Path,
        arguments: &[&str],
        take: impl FnMut(&[u8]) -> Result<ControlFlow<()>, GitError>,
    ) -> Result<(), GitError> {
        let mut command = self.command();
        command.arg("-C").arg(folder).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let name = name(arguments);
        let running = process::run(command, &name, take);
        tokio::time::timeout(self.timeout, running).await.unwrap_or_else(|_| {
            Err(GitError::Timeout { command: name.clone(), limit: self.timeout })
        })
    }

    /// Git with its environment and settings, in its own process group, not started yet. Take a [`ProcessGroup`]
    /// of it, so that its helpers end with it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.environment.program("git"));
        self.environment.apply(&mut command);
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_CONFIG_COUNT", self.config.len().to_string())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        for (index, (key, value)) in self.config.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{index}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The subcommand, for messages.
fn name(arguments: &[&str]) -> String {
    let first = arguments.iter().find(|argument| !argument.starts_with('-'));
    first.copied().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path) -> Git {
        Git::new(&Environment::for_testing(folder))
    }

    #[tokio::test]
    async fn hooks_and_settings_of_the_machine_do_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let git = git(folder.path());
        git.run(folder.path(), &["init", "--quiet"]).await.unwrap();
        let hooks = git.run(folder.path(), &["config", "core.hooksPath"]).await.unwrap();
        assert_eq!(hooks, "/dev/null");
        for address in ["ext::sh -c true", "https://127.0.0.1:1/a", "file:///none"] {
            let error = git.run(folder.path(), &["fetch", "--", address]).await.unwrap_err();
            assert!(error.to_string().contains("not allowed"), "{address}: {error}");
            assert!(!error.is_transient());
        }
    }

    #[tokio::test]
    async fn environment_has_only_allowed_variables() {
        let folder = tempfile::tempdir().unwrap();
        let secret = [("AWS_SECRET_ACCESS_KEY", "s3cret"), ("GIT_DIR", "/x"), ("PGPASSWORD", "s")];
        let path = std::env::vars_os().find(|(name, _)| name == "PATH").unwrap();
        let given = secret.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let environment = Environment::new(folder.path().to_owned(), given.chain([path]));
        let git = Git::new(&environment).with_config("alias.show-all", "!env");
        let shown = git.run(folder.path(), &["show-all"]).await.unwrap();
        let names: Vec<_> = shown.lines().filter_map(|line| line.split_once('=')).collect();
        assert!(names.iter().any(|(name, _)| *name == "PATH"));
        assert!(names.contains(&("HOME", &folder.path().display().to_string())));
        for (name, _) in secret {
            assert!(names.iter().all(|(other, _)| *other != name), "{name}");
        }
    }

    #[tokio::test]
    async fn output_and_time_have_limits() {
        let folder = tempfile::tempdir().unwrap();
        let git = git(folder.path()).with_config("alias.endless", "!yes");
        let few = git.clone().with_maximum_output(1000);
        let error = few.run(folder.path(), &["endless"]).await.unwrap_err();
        assert!(matches!(error, GitError::Output { limit: 1000, .. }), "{error}");
        assert!(!error.is_transient());
        let short = git.with_config("alias.wait", "!cat /dev/zero >/dev/null");
        let short = short.with_timeout(Duration::from_millis(50));
        let error = short.run(folder.path(), &["wait"]).await.unwrap_err();
        assert!(matches!(error, GitError::Timeout { .. }), "{error}");
        assert!(error.is_transient());
    }

    #[test]
    fn credentials_go_to_one_host_and_are_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let credentials = Credentials { username: "me".into(), password: "s3cret".into() };
        let address = Url::parse("https://e.org:8443/a.git").unwrap();
        let git = git(folder.path()).with_credentials(&address, &credentials);
        let (key, value) = git.config.last().unwrap();
        assert_eq!(key, "http.https://e.org:8443/.extraHeader");
        assert_eq!(value, "Authorization: Basic bWU6czNjcmV0");
        assert!(!format!("{git:?} {credentials:?}").contains("s3cret"));
        assert!(!format!("{git:?}").contains("bWU6"));
        let token = Credentials { username: String::new(), password: "s3cret".into() };
        assert_eq!(token.authorization(), "Bearer s3cret");
    }
}

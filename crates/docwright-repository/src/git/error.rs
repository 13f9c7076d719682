//! Errors of git, in words that can be shown.

use std::time::Duration;

use docwright_types::problem::ProblemKind;

use crate::network::NetworkError;

/// Longest quoted part of git's output, in characters.
const MAXIMUM_MESSAGE: usize = 500;

/// Git's messages for errors that need a person.
const FINAL: [&str; 23] = [
    "detected dubious ownership",
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "Invalid username or",
    "Permission denied",
    "Host key verification failed",
    "repository not found",
    "Repository not found",
    "' not found",
    "returned error: 401",
    "returned error: 403",
    "returned error: 404",
    "couldn't find remote ref",
    "Remote branch",
    "not our ref",
    "does not appear to be a git repository",
    "not a git repository",
    "does not exist",
    "not allowed",
    "unable to update url base from redirection",
    "protected branch",
    "not something we can merge",
];

/// Why git failed. It never contains credentials or paths of the machine.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It can't be started.
    #[error("git can't be run ({}); install git", .0.kind())]
    Missing(std::io::Error),
    /// It took too long.
    #[error("git {command} took longer than {} seconds, the limit", .limit.as_secs())]
    Timeout {
        /// The subcommand.
        command: String,
        /// The time limit.
        limit: Duration,
    },
    /// It printed too much.
    #[error("git {command} printed more than {limit} bytes, the limit")]
    Output {
        /// The subcommand.
        command: String,
        /// The output limit, in bytes.
        limit: usize,
    },
    /// The repository exceeds a limit; the sentence names it.
    #[error("{0}")]
    TooLarge(String),
    /// The host is refused, or can't be contacted.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// It failed.
    #[error("git {command} failed: {message}{}", advice(message))]
    Failed {
        /// The subcommand.
        command: String,
        /// Git's message.
        message: String,
    },
    /// The branch doesn't exist, or there is no branch at all; the sentence gives the remedy.
    #[error("{0}")]
    NoBranch(String),
    /// A repository of this service is gone.
    #[error("the repository is missing on the server; ask its operator to restore it")]
    NoRepository,
    /// Git's files can't be read or written. The cause can name a folder of the machine.
    #[error("the disk failed: {}", .0.kind())]
    Disk(#[from] std::io::Error),
}

impl GitError {
    pub(super) fn failed(command: &str, stderr: &str) -> Self {
        let message = clean(stderr.trim());
        let message = message.chars().take(MAXIMUM_MESSAGE).collect();
        Self::Failed { command: command.to_owned(), message }
    }

    /// What people check when they read a repository and meet this error.
    pub fn problem_kind(&self) -> ProblemKind {
        match self {
            Self::NoBranch(_) => ProblemKind::Branch,
            Self::Failed { message, .. } if is_refusal(message) => ProblemKind::Credentials,
            _ => ProblemKind::Repository,
        }
    }

    /// Whether the same command can succeed later without any change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Missing(_) | Self::Timeout { .. } | Self::Disk(_) => true,
            Self::Output { .. } | Self::TooLarge(_) | Self::NoBranch(_) | Self::NoRepository => {
                false
            }
            Self::Network(error) => error.is_transient(),
            Self::Failed { message, .. } => !FINAL.iter().any(|each| message.contains(each)),
        }
    }
}

/// Whether git's message says that the host refuses the credentials, or needs some.
fn is_refusal(message: &str) -> bool {
    const REFUSED: [&str; 6] = [
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "returned error: 401",
        "returned error: 403",
        "Permission denied",
    ];
    REFUSED.iter().any(|each| message.contains(each))
}

/// Advice for git's message about a host; empty if there is none.
fn advice(message: &str) -> &'static str {
    // Hosts report private repositories as missing.
    const UNKNOWN: [&str; 4] = [
        "epository not found",
        "' not found",
        "returned error: 404",
        "does not appear to be a git",
    ];
    if message.contains("detected dubious ownership") {
        return ". Ask the operator to give the repository to the user that runs docwright";
    }
    if is_refusal(message) {
        ". Add credentials that the host accepts to the project"
    } else if UNKNOWN.iter().any(|each| message.contains(each)) {
        ". Check the address; a private repository needs credentials"
    } else {
        ""
    }
}

/// Git's output can contain the address as given, with a password, and paths of the machine.
fn clean(message: &str) -> String {
    let words = message.split(' ').map(|word| match (word.find("://"), word.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            format!("{}{}", &word[..scheme + 3], &word[at + 1..])
        }
        _ => without_path(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A word without an absolute path of the machine.
fn without_path(word: &str) -> String {
    let start = word.find(|letter: char| !"'\"(".contains(letter)).unwrap_or(word.len());
    let (quotes, rest) = word.split_at(start);
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    if !rest.starts_with('/') || rest[1..].find('/').is_none() {
        return word.to_owned();
    }
    let end = rest.find(|letter: char| "'\")\n:,".contains(letter)).unwrap_or(rest.len());
    format!("{quotes}(path){}", &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_no_passwords_or_paths() {
        for (said, shown) in [
            (
                "fatal: unable to access https://me:secret@e.org/a.git",
                "fatal: unable to access https://e.org/a.git",
            ),
            (
                "fatal: '/data/clones/x.git' does not appear to be a git repository",
                "fatal: '(path)' does not appear to be a git repository",
            ),
            ("error: file:///data/x is gone", "error: (path) is gone"),
            (
                "Unable to create '/data/a/shallow.lock': File exists.",
                "Unable to create '(path)': File exists.",
            ),
            ("a/b is fine, and / too", "a/b is fine, and / too"),
        ] {
            assert_eq!(clean(said), shown);
        }
    }

    #[test]
    fn messages_of_hosts_come_with_advice() {
        for (said, advice) in [
            (
                "fatal: could not read Username for 'https://e.org': terminal prompts disabled",
                "credentials that",
            ),
            ("git@e.org: Permission denied (publickey).", "credentials that"),
            ("remote: Repository not found.", "Check the address; a private"),
            ("fatal: repository 'https://e.org/a/' not found", "Check the address; a private"),
        ] {
            let text = GitError::failed("ls-remote", said).to_string();
            assert!(text.contains(advice), "{text}");
        }
        let said =
            "fatal: detected dubious ownership in repository at '/srv/x/y'\nTo add an exception";
        let error = GitError::failed("ls-remote", said);
        assert!(error.to_string().contains("Ask the operator to give"), "{error}");
        assert!(!error.is_transient(), "it stays until someone acts");
        let plain = GitError::failed("fetch", "fatal: early EOF").to_string();
        assert_eq!(plain, "git fetch failed: fatal: early EOF");
    }

    #[test]
    fn failures_of_the_disk_name_no_folder() {
        let failure = || std::io::Error::new(std::io::ErrorKind::NotFound, "at path /srv/data/x");
        for error in [GitError::Missing(failure()), GitError::Disk(failure())] {
            let text = error.to_string();
            assert!(text.contains("not found") && !text.contains("/srv"), "{text}");
        }
    }

    #[test]
    fn network_errors_are_transient() {
        for (said, passes) in [
            ("fatal: unable to access 'https://e.org/': Could not resolve host: e.org", true),
            ("error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502", true),
            ("fatal: Unable to create '/x/shallow.lock': File exists.", true),
            ("fatal: early EOF", true),
            (
                "remote: Repository not found.\nfatal: repository 'https://e.org/a/' not found",
                false,
            ),
            ("fatal: Authentication failed for 'https://e.org/a/'", false),
            ("git@e.org: Permission denied (publickey).", false),
            ("fatal: couldn't find remote ref refs/heads/none", false),
            ("fatal: '/srv/x' does not appear to be a git repository", false),
            ("fatal: transport 'ext' not allowed", false),
        ] {
            assert_eq!(GitError::failed("fetch", said).is_transient(), passes, "{said}");
        }
        let slow = GitError::Timeout { command: "fetch".into(), limit: Duration::from_secs(1) };
        assert!(slow.is_transient());
        assert!(!GitError::TooLarge("it is large".into()).is_transient());
    }
}

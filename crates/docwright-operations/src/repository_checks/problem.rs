//! Errors of a check, at the input that causes them.

use docwright_jobs::repositories::{ConnectError, has_credentials};
use docwright_repository::{
    git::GitError, git_hosts::GitHostError, location::RemoteAddress, network::NetworkError,
};
use docwright_types::problem::ProblemKind;

use super::{PATIENCE, RepositoryField, RepositoryProblem};
use crate::{OperationError, error::sentence};

/// The problem that an error is. Errors of docwright itself stay errors.
pub(super) fn of(
    error: ConnectError,
    address: &RemoteAddress,
    has_secret: bool,
) -> Result<RepositoryProblem, OperationError> {
    match error {
        ConnectError::Storage(error) => Err(error.into()),
        ConnectError::Host(GitHostError { message, .. }) => Ok(at_repository(sentence(&message))),
        ConnectError::Git(error) => of_git(&error, address, has_secret),
    }
}

/// The host said nothing in time.
pub(super) fn of_silence(address: &RemoteAddress) -> RepositoryProblem {
    at_repository(format!(
        "{} didn't answer within {} seconds. Check the URL, or try again later.",
        address.host(),
        PATIENCE.as_secs()
    ))
}

/// The branch doesn't exist.
pub(super) fn of_branch(branch: &str) -> RepositoryProblem {
    let message = format!("Branch `{branch}` not found. Choose one of the repository's branches.");
    RepositoryProblem { field: RepositoryField::Branch, message }
}

/// No branch was named, and the repository names none.
pub(super) fn of_no_default() -> RepositoryProblem {
    let message = "The repository has no default branch. Choose a branch.".to_owned();
    RepositoryProblem { field: RepositoryField::Branch, message }
}

fn of_git(
    error: &GitError,
    address: &RemoteAddress,
    has_secret: bool,
) -> Result<RepositoryProblem, OperationError> {
    let host = address.host();
    if let GitError::Missing(_) | GitError::Disk(_) = error {
        return Err(OperationError::Unavailable(error.to_string()));
    }
    if let GitError::Timeout { .. } = error {
        return Ok(of_silence(address));
    }
    if error.problem_kind() == ProblemKind::Credentials {
        return Ok(of_credentials(address, has_secret));
    }
    Ok(at_repository(match error {
        GitError::Network(NetworkError::UnknownName { host }) => {
            format!("Host {host} not found. Check its spelling.")
        }
        GitError::Network(NetworkError::Private { host }) => format!(
            "{host} has a private address, and docwright connects to such hosts only if the operator allows it. Check the URL, or ask the operator."
        ),
        GitError::Network(NetworkError::Unreachable { host, .. }) => {
            format!("docwright can't connect to {host}. Check the URL, or try again later.")
        }
        GitError::Network(NetworkError::Certificate { host, reason }) => {
            format!("{host} has no valid certificate: {reason}.")
        }
        GitError::Failed { message, .. } if is_unknown(message) => format!(
            "{host} has no repository at this URL. Check the URL. If the repository is private, enter credentials."
        ),
        other => sentence(&shown(&format!("docwright can't read the repository: {other}"))),
    }))
}

fn of_credentials(address: &RemoteAddress, has_secret: bool) -> RepositoryProblem {
    let host = address.host();
    if !has_credentials(address) {
        return at_repository(format!(
            "{host} doesn't accept docwright's SSH key. Use the repository's https:// URL with a token, or ask the operator."
        ));
    }
    let message = if has_secret {
        format!("{host} doesn't accept these credentials for this repository. Check them.")
    } else {
        format!("{host} needs credentials to read this repository. Enter them.")
    };
    RepositoryProblem { field: RepositoryField::Credentials, message }
}

/// Whether git's message says that the host knows no such repository.
fn is_unknown(message: &str) -> bool {
    const UNKNOWN: [&str; 4] = [
        "epository not found",
        "' not found",
        "returned error: 404",
        "does not appear to be a git",
    ];
    UNKNOWN.iter().any(|each| message.contains(each))
}

fn at_repository(message: String) -> RepositoryProblem {
    RepositoryProblem { field: RepositoryField::Repository, message }
}

/// A text that can be from a host, on one line.
fn shown(text: &str) -> String {
    let line = text.split(|letter: char| letter.is_control() || letter.is_whitespace());
    line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

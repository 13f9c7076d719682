//! A remote repository for git: its address was checked, and git is limited to it.
//!
//! Owns reading and pushing branches. [`crate::clones`] owns the fetched commits.

use std::{fmt, net::IpAddr, path::Path, path::PathBuf, time::Duration};

use url::Url;

use crate::{
    git::{Credentials, Git, GitError},
    location::{RemoteAddress, Scheme},
    network::{Network, NetworkError},
};

/// Time limit of finding the address of a repository.
const REDIRECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Git's first request.
const FIRST_REQUEST: &str = "/info/refs";
/// And its parameter.
const SERVICE: &str = "service=git-upload-pack";

/// Authentication of git.
#[derive(Debug, Clone, Default)]
pub enum Access {
    /// None.
    #[default]
    Anonymous,
    /// By name and password, over HTTP.
    Password(Credentials),
    /// By a private key in a file, over SSH.
    SshKey(PathBuf),
}

/// A branch and its newest commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name of the branch.
    pub branch: String,
    /// Its newest commit.
    pub commit: String,
}

/// A repository that git can talk to.
#[derive(Clone)]
pub struct Remote {
    git: Git,
    url: String,
}

impl fmt::Debug for Remote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Remote").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Remote {
    /// A bare repository on this machine.
    pub fn local(git: &Git, repository: &Path) -> Self {
        Self { git: git.clone().with_protocol("file"), url: repository.display().to_string() }
    }

    /// Checks an address, and its redirects.
    pub async fn connect(
        git: &Git,
        network: &Network,
        address: &RemoteAddress,
        access: &Access,
    ) -> Result<Self, GitError> {
        let git = git.clone().with_protocol(address.scheme().name());
        match address.scheme() {
            Scheme::File => Ok(Self { git, url: address.as_str().to_owned() }),
            Scheme::Ssh => {
                let found = network.addresses(address.host(), address.port().unwrap_or(22)).await?;
                let command = ssh(&git, address.host(), found.first(), access);
                let git = git.with_variable("GIT_SSH_COMMAND", command);
                Ok(Self { git, url: address.as_str().to_owned() })
            }
            Scheme::Https | Scheme::Http => over_http(git, network, address, access).await,
        }
    }

    /// Git with the credentials and the checked route to this repository.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// The address for git.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The newest commit of a branch; of the default branch if none is named.
    pub async fn head(&self, branch: Option<&str>) -> Result<Head, GitError> {
        let folder = self.git.home().to_owned();
        let Some(branch) = branch else { return self.default_head(&folder).await };
        let commit = self.find(&format!("refs/heads/{}", checked(branch)?)).await?;
        let commit = commit.ok_or_else(|| no_branch(branch))?;
        Ok(Head { branch: branch.to_owned(), commit })
    }

    /// The commit of a ref that isn't a branch, such as `refs/pull/7/head`.
    pub async fn commit_of(&self, name: &str) -> Result<String, GitError> {
        let found = self.find(checked(name)?).await?;
        found.ok_or_else(|| {
            GitError::NoBranch(format!(
                "the repository has no `{name}`; the pull request might be closed"
            ))
        })
    }

    async fn find(&self, name: &str) -> Result<Option<String>, GitError> {
        let listed = self.git.run(self.git.home(), &["ls-remote", "--", &self.url, name]).await?;
        // A pattern also matches the end of longer names.
        let line = listed.lines().find_map(|line| line.strip_suffix(&format!("\t{name}")));
        Ok(line.map(str::to_owned))
    }

    async fn default_head(&self, folder: &Path) -> Result<Head, GitError> {
        let arguments = ["ls-remote", "--symref", "--", &self.url, "HEAD"];
        let listed = self.git.run(folder, &arguments).await?;
        let branch = listed.lines().find_map(|line| line.strip_prefix("ref: refs/heads/"));
        let branch = branch.and_then(|line| line.split('\t').next());
        let commits = listed.lines().filter_map(|line| line.strip_suffix("\tHEAD"));
        match (branch, commits.into_iter().find(|commit| is_commit(commit))) {
            (Some(branch), Some(commit)) => {
                Ok(Head { branch: branch.to_owned(), commit: commit.to_owned() })
            }
            _ => Err(GitError::NoBranch(
                "the repository is empty, or names no default branch; push a commit".to_owned(),
            )),
        }
    }

    /// Pushes a commit from a local repository to a branch, and replaces its contents.
    pub async fn push(
        &self,
        repository: &Path,
        commit: &str,
        branch: &str,
    ) -> Result<(), GitError> {
        let refspec = format!("+{commit}:refs/heads/{}", checked(branch)?);
        let arguments = ["push", "--quiet", "--", &self.url, &refspec];
        self.git.run(repository, &arguments).await.map(drop)
    }
}

/// Whether a text is the full name of a commit.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.chars().all(|letter| letter.is_ascii_hexdigit())
}

/// Whether a text can be the name of a branch.
pub fn is_branch(text: &str) -> bool {
    checked(text).is_ok()
}

/// A name of a branch or another ref that is unambiguous. <https://git-scm.com/docs/git-check-ref-format>
pub(crate) fn checked(branch: &str) -> Result<&str, GitError> {
    let special = |letter: char| letter.is_control() || " ~^:?*[\\".contains(letter);
    let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let bad = branch.starts_with('-')
        || branch.ends_with('.')
        || branch.contains(special)
        || branch.contains("..")
        || branch.contains("@{")
        || branch.split('/').any(bad_part);
    if bad { Err(no_branch(branch)) } else { Ok(branch) }
}

pub(crate) fn no_branch(branch: &str) -> GitError {
    GitError::NoBranch(format!("branch `{branch}` not found; check its name, or push it"))
}

/// SSH that connects to a checked address, trusts a host's key on first use, and uses no settings or keys of the
/// machine.
fn ssh(git: &Git, host: &str, address: Option<&IpAddr>, access: &Access) -> String {
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
    let mut command = format!(
        "ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=accept-new \
         -o UserKnownHostsFile={} -o ConnectTimeout=20 -o HostKeyAlias={host}",
        quoted(&git.home().join("known_hosts"))
    );
    if let Some(address) = address {
        command.push_str(&format!(" -o HostName={address}"));
    }
    let key = match access {
        Access::SshKey(file) => quoted(file),
        Access::Anonymous | Access::Password(_) => "none".to_owned(),
    };
    command.push_str(&format!(" -o IdentityFile={key}"));
    command
}

/// Follows redirects, such as of a renamed repository, before git gets the address: each host on the way is
/// checked, and git itself follows none.
async fn over_http(
    mut git: Git,
    network: &Network,
    address: &RemoteAddress,
    access: &Access,
) -> Result<Remote, GitError> {
    let wrong = || NetworkError::Address(address.to_string());
    let given = Url::parse(address.as_str()).map_err(|_| wrong())?;
    let mut first = given.clone();
    first.set_path(&format!("{}{FIRST_REQUEST}", given.path().trim_end_matches('/')));
    first.set_query(Some(SERVICE));
    let authorization = match access {
        Access::Password(credentials) => {
            git = git.with_credentials(&given, credentials);
            Some(credentials.authorization())
        }
        Access::Anonymous | Access::SshKey(_) => None,
    };
    let answer = network.get(&first, REDIRECT_TIMEOUT, authorization.as_deref()).await?;
    let mut url = given.clone();
    if *answer.url() != first {
        url = repository_of(answer.url()).ok_or_else(|| NetworkError::Redirect {
            host: address.to_string(),
            reason: "redirects to an address that isn't a repository".to_owned(),
        })?;
    }
    let (host, port) = url.host_str().zip(url.port_or_known_default()).ok_or_else(wrong)?;
    let found = network.addresses(host, port).await?;
    if let Some(url::Host::Domain(_)) = url.host() {
        git = git.with_config("http.curloptResolve", &resolved(host, port, &found));
    }
    git = git.with_config("http.proxy", "").with_protocol(url.scheme());
    Ok(Remote { git, url: url.into() })
}

/// The repository of git's first request.
fn repository_of(request: &Url) -> Option<Url> {
    let path = request.path().strip_suffix(FIRST_REQUEST)?;
    if request.query() != Some(SERVICE) {
        return None;
    }
    let mut repository = request.clone();
    repository.set_path(path);
    repository.set_query(None);
    Some(repository)
}

/// A name's addresses in curl's format. <https://curl.se/libcurl/c/CURLOPT_RESOLVE.html>
fn resolved(host: &str, port: u16, addresses: &[IpAddr]) -> String {
    let shown = addresses.iter().map(|address| match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    });
    format!("{host}:{port}:{}", shown.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Environment;

    #[test]
    fn names_of_branches_are_only_that() {
        for branch in ["main", "docwright/job-1", "release/1.0", "ä"] {
            assert!(checked(branch).is_ok(), "{branch}");
        }
        for branch in
            ["", "-x", "a:b", "a b", "a..b", "a^", "/a", "a/", ".a", "a.lock", "a@{1}", "a*", "a\n"]
        {
            assert!(checked(branch).is_err(), "{branch}");
        }
    }

    #[test]
    fn ssh_uses_only_pinned_hosts_and_no_key_of_the_machine() {
        let git = Git::new(&Environment::for_testing(Path::new("/home/it's")));
        let address = "93.184.216.34".parse().unwrap();
        let command = ssh(&git, "e.org", Some(&address), &Access::Anonymous);
        for part in [
            "-F /dev/null",
            "HostName=93.184.216.34",
            "HostKeyAlias=e.org",
            "IdentityFile=none",
            r"UserKnownHostsFile='/home/it'\''s/known_hosts'",
        ] {
            assert!(command.contains(part), "{part}: {command}");
        }
        let key = ssh(&git, "e.org", None, &Access::SshKey("/keys/a b".into()));
        assert!(key.ends_with("IdentityFile='/keys/a b'"), "{key}");
    }
}

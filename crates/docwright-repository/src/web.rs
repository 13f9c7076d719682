//! Web addresses of a repository, for viewing and editing.

use std::path::Path;

use docwright_types::git_host::{GitHostKind, RepositoryFolder};
use url::Url;

use crate::{
    git::Git,
    git_hosts::HostSettings,
    location::{RemoteAddress, Scheme, split_credentials},
};

/// The web pages of a repository on a host of known kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebRepository {
    address: Url,
    kind: GitHostKind,
}

impl WebRepository {
    /// The web pages of the repository of an address; `None` if the kind of its host is unknown.
    pub fn of(address: &RemoteAddress, hosts: &HostSettings) -> Option<Self> {
        Some(Self { address: web_address(address)?, kind: hosts.kind(address)? })
    }

    /// The page of a commit.
    pub fn commit(&self, sha: &str) -> Url {
        self.kind.commit(&self.address, sha)
    }

    /// The page of a pull request.
    pub fn pull_request(&self, number: i64) -> Url {
        self.kind.pull_request(&self.address, number)
    }

    /// A file at a commit, at a line; 0 for the whole file.
    pub fn file(&self, sha: &str, path: &str, line: u32) -> Url {
        self.kind.file(&self.address, sha, path, line)
    }
}

/// The web address of a repository; `None` for one on this machine.
pub fn web_address(address: &RemoteAddress) -> Option<Url> {
    // The SSH port is not that of the web pages.
    let (scheme, host) = match address.scheme() {
        Scheme::File => return None,
        Scheme::Ssh => ("https", address.host().to_owned()),
        Scheme::Http => ("http", address.host_and_port()),
        Scheme::Https => ("https", address.host_and_port()),
    };
    let path = address.path().trim_matches('/').trim_end_matches(".git");
    Url::parse(&format!("{scheme}://{host}/{path}")).ok()
}

/// The web address of a folder of the operator, from git.
pub async fn of_folder(git: &Git, folder: &Path) -> Option<RepositoryFolder> {
    let ask = async |arguments: &[&str]| git.run(folder, arguments).await.ok();
    let origin = ask(&["remote", "get-url", "origin"]).await?;
    let origin = split_credentials(&origin).map_or(origin, |(clean, _)| clean);
    let address = web_address(&RemoteAddress::parse(&origin).ok()?)?;
    // The default branch on the host; in a fresh clone also the present one.
    let default = ask(&["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]).await;
    let branch = match default.and_then(|name| name.strip_prefix("origin/").map(str::to_owned)) {
        Some(branch) => branch,
        None => ask(&["branch", "--show-current"]).await?,
    };
    let folder = ask(&["rev-parse", "--show-prefix"]).await?;
    let folder = folder.trim_matches('/').to_owned();
    let kind = address.host_str().and_then(GitHostKind::suggested_by);
    (!branch.is_empty()).then_some(RepositoryFolder { kind, address, branch, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_address_keeps_port_of_http_and_drops_that_of_ssh() {
        for (address, expected) in [
            (
                "https://git.example.com:8443/acme/docs.git",
                "https://git.example.com:8443/acme/docs",
            ),
            ("http://git.example.com:3000/acme/docs", "http://git.example.com:3000/acme/docs"),
            ("ssh://git@git.example.com:7999/acme/docs.git", "https://git.example.com/acme/docs"),
            ("git@git.example.com:acme/docs.git", "https://git.example.com/acme/docs"),
        ] {
            let web = web_address(&RemoteAddress::parse(address).unwrap()).unwrap();
            assert_eq!(web.as_str(), expected);
        }
    }

    #[test]
    fn repository_is_found_on_hosts_of_known_kinds() {
        let commit = |address: &str| {
            let mut hosts = HostSettings::default();
            hosts.kinds.insert("localhost:3000".to_owned(), GitHostKind::Gitea);
            let web = WebRepository::of(&RemoteAddress::parse(address).unwrap(), &hosts);
            web.map(|web| web.commit("8f2c").to_string())
        };
        for (address, expected) in [
            ("git@github.com:acme/docs.git", Some("https://github.com/acme/docs/commit/8f2c")),
            ("https://gitlab.com/a/b/docs", Some("https://gitlab.com/a/b/docs/-/commit/8f2c")),
            (
                "http://localhost:3000/acme/docs.git",
                Some("http://localhost:3000/acme/docs/commit/8f2c"),
            ),
            ("https://git.example.com/acme/docs", None),
            // A name suggests a kind, but the operator didn't set it.
            ("https://gitlab.example.com/acme/docs", None),
            ("file:///srv/docs.git", None),
        ] {
            assert_eq!(commit(address).as_deref(), expected, "{address}");
        }
    }
}

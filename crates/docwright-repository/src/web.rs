//! Where a repository is seen and edited on the web.

use std::path::Path;

use url::Url;

use crate::{
    git::Git,
    git_hosts::{HostSettings, Kind},
    location::{RemoteAddress, Scheme, split_credentials},
};

/// A folder of a repository on its host's web pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebFolder {
    /// The repository.
    pub address: Url,
    /// The branch.
    pub branch: String,
    /// Path below the repository; empty for all of it.
    pub folder: String,
}

/// The pages of a repository on a host whose kind is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebRepository {
    address: Url,
    kind: Kind,
}

impl WebRepository {
    /// The pages of the repository of an address; `None` if it is not known what kind of host has it.
    pub fn of(address: &RemoteAddress, hosts: &HostSettings) -> Option<Self> {
        let names = [address.host_and_port(), address.host().to_owned()];
        let kind = names.iter().find_map(|name| hosts.kinds.get(name).copied());
        let kind = kind.or_else(|| Kind::of_host(address.host()))?;
        // The port of SSH is not that of the pages.
        let (scheme, host) = match address.scheme() {
            Scheme::File => return None,
            Scheme::Ssh => ("https", address.host().to_owned()),
            Scheme::Http => ("http", address.host_and_port()),
            Scheme::Https => ("https", address.host_and_port()),
        };
        let path = address.path().trim_matches('/').trim_end_matches(".git");
        let address = Url::parse(&format!("{scheme}://{host}/{path}")).ok()?;
        Some(Self { address, kind })
    }

    /// The page of a commit.
    pub fn commit(&self, sha: &str) -> Url {
        let place: &[&str] = match self.kind {
            Kind::GitHub | Kind::Gitea => &["commit"],
            Kind::GitLab => &["-", "commit"],
            Kind::Bitbucket => &["commits"],
        };
        self.page(&[place, &[sha]].concat())
    }

    /// The page of a pull request.
    pub fn pull_request(&self, number: i64) -> Url {
        let place: &[&str] = match self.kind {
            Kind::GitHub => &["pull"],
            Kind::Gitea => &["pulls"],
            Kind::GitLab => &["-", "merge_requests"],
            Kind::Bitbucket => &["pull-requests"],
        };
        self.page(&[place, &[&number.to_string()]].concat())
    }

    /// A file as a commit has it, at a line; 0 for the whole file.
    pub fn file(&self, sha: &str, path: &str, line: u32) -> Url {
        let mut parts = match self.kind {
            Kind::GitHub => vec!["blob", sha],
            Kind::Gitea => vec!["src", "commit", sha],
            Kind::GitLab => vec!["-", "blob", sha],
            Kind::Bitbucket => vec!["src", sha],
        };
        parts.extend(path.split('/'));
        let mut page = self.page(&parts);
        let mark = if self.kind == Kind::Bitbucket { "lines-" } else { "L" };
        page.set_fragment((line > 0).then(|| format!("{mark}{line}")).as_deref());
        page
    }

    fn page(&self, parts: &[&str]) -> Url {
        let mut page = self.address.clone();
        if let Ok(mut path) = page.path_segments_mut() {
            path.extend(parts);
        }
        page
    }
}

/// Where browsers find a repository; `None` for one on this machine.
pub fn web_address(address: &RemoteAddress) -> Option<Url> {
    if address.scheme() == Scheme::File {
        return None;
    }
    let path = address.path().trim_matches('/').trim_end_matches(".git");
    Url::parse(&format!("https://{}/{path}", address.host())).ok()
}

/// Where browsers find a folder of the operator, as git knows it.
pub async fn of_folder(git: &Git, folder: &Path) -> Option<WebFolder> {
    let ask = async |arguments: &[&str]| git.run(folder, arguments).await.ok();
    let origin = ask(&["remote", "get-url", "origin"]).await?;
    let origin = split_credentials(&origin).map_or(origin, |(clean, _)| clean);
    let address = web_address(&RemoteAddress::parse(&origin).ok()?)?;
    // The branch that the host shows first; in a fresh clone that is also the one at hand.
    let default = ask(&["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]).await;
    let branch = match default.and_then(|name| name.strip_prefix("origin/").map(str::to_owned)) {
        Some(branch) => branch,
        None => ask(&["branch", "--show-current"]).await?,
    };
    let folder = ask(&["rev-parse", "--show-prefix"]).await?;
    let folder = folder.trim_matches('/').to_owned();
    (!branch.is_empty()).then_some(WebFolder { address, branch, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_where_each_kind_of_host_has_them() {
        let of = |address: &str| {
            let mut hosts = HostSettings::default();
            hosts.kinds.insert("localhost:3000".to_owned(), Kind::Gitea);
            WebRepository::of(&RemoteAddress::parse(address).unwrap(), &hosts)
        };
        for (address, commit, file, pull) in [
            (
                "git@github.com:acme/docs.git",
                "https://github.com/acme/docs/commit/8f2c",
                "https://github.com/acme/docs/blob/8f2c/a%20b/c.mdx#L3",
                "https://github.com/acme/docs/pull/7",
            ),
            (
                "https://gitlab.com/a/b/docs",
                "https://gitlab.com/a/b/docs/-/commit/8f2c",
                "https://gitlab.com/a/b/docs/-/blob/8f2c/a%20b/c.mdx#L3",
                "https://gitlab.com/a/b/docs/-/merge_requests/7",
            ),
            (
                "http://localhost:3000/acme/docs.git",
                "http://localhost:3000/acme/docs/commit/8f2c",
                "http://localhost:3000/acme/docs/src/commit/8f2c/a%20b/c.mdx#L3",
                "http://localhost:3000/acme/docs/pulls/7",
            ),
            (
                "https://bitbucket.org/acme/docs",
                "https://bitbucket.org/acme/docs/commits/8f2c",
                "https://bitbucket.org/acme/docs/src/8f2c/a%20b/c.mdx#lines-3",
                "https://bitbucket.org/acme/docs/pull-requests/7",
            ),
        ] {
            let web = of(address).unwrap();
            assert_eq!(web.commit("8f2c").as_str(), commit);
            assert_eq!(web.file("8f2c", "a b/c.mdx", 3).as_str(), file);
            assert_eq!(web.pull_request(7).as_str(), pull);
        }
        let whole = of("git@github.com:a/b").unwrap().file("8f2c", "x?y#z/\"<.mdx", 0);
        assert_eq!(whole.as_str(), "https://github.com/a/b/blob/8f2c/x%3Fy%23z/%22%3C.mdx");
        for unknown in ["https://git.example.com/acme/docs", "file:///srv/docs.git"] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }
}

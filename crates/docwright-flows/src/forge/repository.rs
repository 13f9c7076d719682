//! Addresses of git repositories on hosts.

use url::Url;

/// What kind of host has a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// github.com, or GitHub Enterprise.
    GitHub,
    /// gitlab.com, or a GitLab of one's own.
    GitLab,
    /// Gitea or Forgejo, such as codeberg.org.
    Gitea,
    /// bitbucket.org.
    Bitbucket,
}

impl Kind {
    /// The kind of a host that everybody knows.
    pub fn of_host(host: &str) -> Option<Self> {
        match host {
            "github.com" => Some(Self::GitHub),
            "gitlab.com" => Some(Self::GitLab),
            "codeberg.org" | "gitea.com" => Some(Self::Gitea),
            "bitbucket.org" => Some(Self::Bitbucket),
            _ => None,
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "github" => Ok(Self::GitHub),
            "gitlab" => Ok(Self::GitLab),
            "gitea" | "forgejo" => Ok(Self::Gitea),
            "bitbucket" => Ok(Self::Bitbucket),
            other => Err(format!(
                "`{other}` is no kind of git host; use github, gitlab, gitea or bitbucket"
            )),
        }
    }
}

/// A repository on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The host, with its port if that is unusual.
    pub(super) host: String,
    /// `https`, or `http` for a host that is reached that way.
    pub(super) scheme: String,
    /// Who owns it; for GitLab all groups, as in `group/subgroup`.
    pub(super) owner: String,
    /// Its name.
    pub(super) name: String,
    /// The address that git takes, without a password.
    pub(super) address: String,
    /// Whether git speaks SSH with the host.
    pub(super) ssh: bool,
}

impl Repository {
    /// Reads `https://host/owner/name.git`, `ssh://git@host/owner/name` or `git@host:owner/name.git`.
    pub(super) fn parse(address: &str) -> Option<Self> {
        let short = address.split_once(':').filter(|(host, path)| {
            host.contains('@') && !host.contains('/') && !path.starts_with("//")
        });
        if let Some((user, path)) = short {
            let host = user.rsplit('@').next()?;
            return Self::new("https", host, path, address.to_owned(), true);
        }
        let mut url = Url::parse(address).ok()?;
        let host = url.host_str()?.to_owned();
        match url.scheme() {
            "ssh" => Self::new("https", &host, url.path(), address.to_owned(), true),
            scheme @ ("https" | "http") => {
                let scheme = scheme.to_owned();
                let host = url.port().map_or(host.clone(), |port| format!("{host}:{port}"));
                // Credentials come from the settings, never from an address.
                url.set_username("").ok()?;
                url.set_password(None).ok()?;
                let path = url.path().to_owned();
                Self::new(&scheme, &host, &path, url.to_string(), false)
            }
            _ => None,
        }
    }

    fn new(scheme: &str, host: &str, path: &str, address: String, ssh: bool) -> Option<Self> {
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let (owner, name) = path.rsplit_once('/')?;
        let sane = |text: &str| !text.is_empty() && !text.contains(['?', '#', ' ', '\\']);
        (sane(owner) && sane(name)).then(|| Self {
            host: host.to_owned(),
            scheme: scheme.to_owned(),
            owner: owner.to_owned(),
            name: name.to_owned(),
            address,
            ssh,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_git_takes_them() {
        for (address, host, owner, name, ssh) in [
            ("https://github.com/acme/docs.git", "github.com", "acme", "docs", false),
            (
                "https://me:secret@git.example.com:8443/a/b/docs",
                "git.example.com:8443",
                "a/b",
                "docs",
                false,
            ),
            ("git@github.com:acme/docs.git", "github.com", "acme", "docs", true),
            ("ssh://git@example.com:2222/acme/docs", "example.com", "acme", "docs", true),
        ] {
            let read = Repository::parse(address).unwrap();
            assert_eq!(
                (read.host.as_str(), read.owner.as_str(), read.name.as_str(), read.ssh),
                (host, owner, name, ssh)
            );
            assert!(!read.address.contains("secret"));
        }
        for address in
            ["https://github.com/docs", "file:///srv/docs.git", "built-in", "/srv/docs", "ext::sh"]
        {
            assert_eq!(Repository::parse(address), None, "{address}");
        }
    }
}

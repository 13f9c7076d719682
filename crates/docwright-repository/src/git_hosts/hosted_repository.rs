//! Host, owner, and name of a repository from its address.

use crate::location::{RemoteAddress, Scheme};

/// A repository on a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostedRepository {
    /// The host, with its port if that is unusual.
    pub(super) host: String,
    /// Scheme of its API: `https`, or `http` for a host that is used over HTTP.
    pub(super) scheme: &'static str,
    /// Its owner; for GitLab all groups, such as `group/subgroup`.
    pub(super) owner: String,
    /// Its name.
    pub(super) name: String,
}

impl HostedRepository {
    /// Reads owner and name from an address. `None` if it has none.
    pub(super) fn of(address: &RemoteAddress) -> Option<Self> {
        let host = match (address.scheme(), address.port()) {
            (Scheme::File, _) => return None,
            // The SSH port is not that of the API.
            (Scheme::Ssh, _) | (_, None) => address.host().to_owned(),
            (_, Some(port)) => format!("{}:{port}", address.host()),
        };
        let scheme = if address.scheme() == Scheme::Http { "http" } else { "https" };
        let path = address.path().trim_matches('/');
        let (owner, name) = path.strip_suffix(".git").unwrap_or(path).rsplit_once('/')?;
        let sane = |text: &str| !text.is_empty() && !text.contains(['?', '#', ' ', '\\', '%']);
        let (owner, name) = (owner.to_owned(), name.to_owned());
        (sane(&owner) && sane(&name)).then_some(Self { host, scheme, owner, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_and_names_are_read() {
        for (address, scheme, host, owner, name) in [
            ("https://github.com/acme/docs.git", "https", "github.com", "acme", "docs"),
            ("http://e.org:8443/a/b/docs", "http", "e.org:8443", "a/b", "docs"),
            ("git@github.com:acme/docs.git", "https", "github.com", "acme", "docs"),
            ("ssh://git@e.org:2222/acme/docs", "https", "e.org", "acme", "docs"),
        ] {
            let place = HostedRepository::of(&RemoteAddress::parse(address).unwrap()).unwrap();
            assert_eq!(
                (place.scheme, &*place.host, &*place.owner, &*place.name),
                (scheme, host, owner, name)
            );
        }
        for address in ["https://github.com/docs", "file:///srv/docs.git", "git@e.org:docs"] {
            assert_eq!(
                HostedRepository::of(&RemoteAddress::parse(address).unwrap()),
                None,
                "{address}"
            );
        }
    }
}

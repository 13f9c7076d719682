//! Previews: sites of branches and pull requests, each at its own unguessable host.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{domain_name::DomainName, site_origin::SiteOrigin, timestamp::Timestamp};

/// Random bytes in the name of a preview. A character encodes five bits.
const NAME_BYTES: usize = 20;
/// Letters and digits of a name (RFC 4648, in lower case): hosts have no upper case.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// State of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewState {
    /// It is served.
    Open,
    /// It is closed.
    Closed,
}

/// Reason why a preview closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewEnd {
    /// Its pull request was merged or closed.
    PullRequest,
    /// Nothing was pushed for a long time.
    Unchanged,
    /// The project has newer previews, as many as it can have.
    Newer,
    /// Someone deleted it.
    Deleted,
}

impl PreviewState {
    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

impl FromStr for PreviewState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = [Self::Open, Self::Closed].into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| format!("`{text}` isn't a state of a preview"))
    }
}

impl PreviewEnd {
    /// Every reason.
    pub const ALL: [Self; 4] = [Self::PullRequest, Self::Unchanged, Self::Newer, Self::Deleted];

    /// Its name in the database and the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PullRequest => "pull_request",
            Self::Unchanged => "unchanged",
            Self::Newer => "newer",
            Self::Deleted => "deleted",
        }
    }

    /// The same as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::PullRequest => "Its pull request was merged or closed.",
            Self::Unchanged => "Nothing was pushed to it for a long time.",
            Self::Newer => "The project has as many newer previews as it can have.",
            Self::Deleted => "Someone closed it.",
        }
    }
}

impl FromStr for PreviewEnd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|end| end.name() == text);
        found.ok_or_else(|| format!("`{text}` closes no preview"))
    }
}

/// Source of a preview's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewSource {
    /// The ref to fetch: a branch, or a ref with the prefix `refs/`.
    pub git_ref: String,
    /// Address of the fork; `None` for the project's own repository.
    pub fork: Option<String>,
    /// Whether its author can't write to the project's repository. Its build is untrusted.
    pub is_fork: bool,
}

/// A preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Its id.
    pub id: String,
    /// Its project.
    pub project_id: String,
    /// Its site, which has the releases.
    pub site_id: String,
    /// Number of its pull request; `None` if the API asked for a branch.
    pub pull_request: Option<i64>,
    /// Title of the pull request.
    pub title: Option<String>,
    /// The branch, as people write it.
    pub branch: String,
    /// The base branch of the pull request; empty if there is none.
    pub base: String,
    /// Source of its files.
    pub source: PreviewSource,
    /// The last recorded head of the branch.
    pub head: Option<String>,
    /// Its host.
    pub host: String,
    /// Id of the comment on the pull request, as its host gave it.
    pub comment_id: Option<String>,
    /// Whether it is served.
    pub state: PreviewState,
    /// Why it is closed.
    pub end: Option<PreviewEnd>,
    /// When it was first opened.
    pub created_at: Timestamp,
    /// When something was last pushed or requested.
    pub changed_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
}

/// Location of an instance's previews: a domain with nothing else below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewAddresses {
    /// The domain: each preview has a host directly below it.
    pub domain: DomainName,
    /// The origin of all sites.
    pub origin: SiteOrigin,
}

impl PreviewAddresses {
    /// The host of a preview.
    pub fn host(&self, name: &PreviewName) -> String {
        format!("{name}.{}", self.domain)
    }

    /// The address of a preview's host, without a trailing slash.
    pub fn url(&self, host: &str) -> String {
        self.origin.address(host)
    }

    /// Whether a host can belong to a preview.
    pub fn contains(&self, host: &str) -> bool {
        let name = host.strip_suffix(self.domain.as_str()).and_then(|name| name.strip_suffix('.'));
        name.is_some_and(|name| !name.is_empty())
    }
}

/// The first label of a preview's host: 160 random bits, so it can't be guessed.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviewName(String);

impl PreviewName {
    /// A new name. Fails only if the system has no randomness.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; NAME_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.chunks(5).map(five_bytes).collect()))
    }
}

impl fmt::Display for PreviewName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name leads to a possibly confidential site.
impl fmt::Debug for PreviewName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PreviewName(…)")
    }
}

/// Five bytes as eight characters.
fn five_bytes(bytes: &[u8]) -> String {
    let bits = bytes.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let place = |index: u32| usize::try_from(bits >> (35 - 5 * index) & 31).unwrap_or_default();
    (0..8).map(|index| char::from(ALPHABET[place(index)])).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_long_and_random_and_fit_into_a_host() {
        let names: HashSet<_> =
            (0..1000).map(|_| PreviewName::generate().unwrap().to_string()).collect();
        assert_eq!(names.len(), 1000);
        for name in &names {
            assert_eq!(name.len(), 32, "160 bits");
            assert!(name.bytes().all(|byte| ALPHABET.contains(&byte)), "{name}");
            DomainName::parse(&format!("{name}.example.com")).unwrap();
        }
        let letters: HashSet<_> = names.iter().flat_map(|name| name.chars()).collect();
        assert_eq!(letters.len(), 32, "each letter comes up");
        // The test vector of RFC 4648 for "fooba".
        assert_eq!(five_bytes(b"fooba"), "mzxw6ytb");
    }

    #[test]
    fn addresses_have_the_scheme_and_the_port_of_the_service() {
        let domain = DomainName::parse("previews.example.net").unwrap();
        let addresses = PreviewAddresses { domain, origin: SiteOrigin::default() };
        assert_eq!(addresses.url("a.previews.example.net"), "https://a.previews.example.net");
        let origin = SiteOrigin::new("http", Some(8080));
        let local = PreviewAddresses { origin, ..addresses.clone() };
        assert_eq!(local.url("a.localhost"), "http://a.localhost:8080");
        assert!(addresses.contains("a.previews.example.net"));
        for other in
            ["previews.example.net", ".previews.example.net", "apreviews.example.net", "a.b"]
        {
            assert!(!addresses.contains(other), "{other}");
        }
    }

    #[test]
    fn names_of_states_are_read_back() {
        for state in [PreviewState::Open, PreviewState::Closed] {
            assert_eq!(state.name().parse(), Ok(state));
        }
        for end in PreviewEnd::ALL {
            assert_eq!(end.name().parse(), Ok(end));
            assert!(end.sentence().ends_with('.'));
        }
        assert!("gone".parse::<PreviewState>().is_err() && "gone".parse::<PreviewEnd>().is_err());
    }
}

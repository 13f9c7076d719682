//! Git hosts: their kinds, and the web addresses of repositories on each. Add new kinds here: the compiler then
//! finds every other place to change.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

/// The product that runs a git host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GitHostKind {
    /// github.com, or GitHub Enterprise.
    GitHub,
    /// gitlab.com, or GitLab on other hosts.
    GitLab,
    /// Gitea or Forgejo, such as codeberg.org.
    Gitea,
    /// Bitbucket Cloud, which is bitbucket.org.
    Bitbucket,
    /// Bitbucket Data Center, on hosts of its users.
    #[serde(rename = "bitbucket-data-center")]
    BitbucketDataCenter,
}

/// Names of the kinds for users.
const NAMES: [(&str, GitHostKind); 6] = [
    ("github", GitHostKind::GitHub),
    ("gitlab", GitHostKind::GitLab),
    ("gitea", GitHostKind::Gitea),
    ("forgejo", GitHostKind::Gitea),
    ("bitbucket", GitHostKind::Bitbucket),
    ("bitbucket-data-center", GitHostKind::BitbucketDataCenter),
];

/// Public hosts.
const SHARED_HOSTS: [(&str, GitHostKind); 5] = [
    ("github.com", GitHostKind::GitHub),
    ("gitlab.com", GitHostKind::GitLab),
    ("codeberg.org", GitHostKind::Gitea),
    ("gitea.com", GitHostKind::Gitea),
    ("bitbucket.org", GitHostKind::Bitbucket),
];

impl FromStr for GitHostKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = NAMES.iter().find(|(name, _)| *name == text);
        named.map(|(_, kind)| *kind).ok_or_else(|| {
            format!("`{text}` isn't a kind of git host; the kinds are {}", Self::names())
        })
    }
}

impl GitHostKind {
    /// The names of all kinds, for messages.
    pub fn names() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// The kind of a public host, such as github.com.
    pub fn of_host(host: &str) -> Option<Self> {
        SHARED_HOSTS.iter().find(|(shared, _)| *shared == host).map(|(_, kind)| *kind)
    }

    /// The kind that the name of a host suggests, such as `gitlab.example.com`. Sufficient for links, but not for
    /// sending a token: anyone can have a host with such a name.
    pub fn suggested_by(host: &str) -> Option<Self> {
        let label = host.split('.').next().unwrap_or_default();
        Self::of_host(host).or_else(|| match label.parse().ok()? {
            // Bitbucket Cloud has no other hosts.
            Self::Bitbucket => Some(Self::BitbucketDataCenter),
            kind => Some(kind),
        })
    }

    /// The page of a commit.
    pub fn commit(self, repository: &Url, sha: &str) -> Url {
        let page: &[&str] = match self {
            Self::GitHub | Self::Gitea => &["commit"],
            Self::GitLab => &["-", "commit"],
            Self::Bitbucket | Self::BitbucketDataCenter => &["commits"],
        };
        below(&self.home(repository), page, &[sha])
    }

    /// The page of a pull request.
    pub fn pull_request(self, repository: &Url, number: i64) -> Url {
        let page: &[&str] = match self {
            Self::GitHub => &["pull"],
            Self::Gitea => &["pulls"],
            Self::GitLab => &["-", "merge_requests"],
            Self::Bitbucket | Self::BitbucketDataCenter => &["pull-requests"],
        };
        below(&self.home(repository), page, &[&number.to_string()])
    }

    /// A file at a commit, at a line; 0 for the whole file.
    pub fn file(self, repository: &Url, sha: &str, path: &str, line: u32) -> Url {
        let (page, mark): (&[&str], _) = match self {
            Self::BitbucketDataCenter => {
                let mut url = self.browse(repository, sha, path);
                url.set_fragment((line > 0).then(|| line.to_string()).as_deref());
                return url;
            }
            Self::GitHub => (&["blob"], "L"),
            Self::Gitea => (&["src", "commit"], "L"),
            Self::GitLab => (&["-", "blob"], "L"),
            Self::Bitbucket => (&["src"], "lines-"),
        };
        let mut url = below(repository, page, &[sha, path]);
        url.set_fragment((line > 0).then(|| format!("{mark}{line}")).as_deref());
        url
    }

    /// The editor of a file on a branch. Bitbucket Data Center has no address for it, so this is the page with
    /// its button.
    pub fn editor(self, repository: &Url, branch: &str, path: &str) -> Url {
        let (page, query): (&[&str], _) = match self {
            Self::BitbucketDataCenter => {
                return self.browse(repository, &format!("refs/heads/{branch}"), path);
            }
            Self::GitHub => (&["edit"], None),
            Self::Gitea => (&["_edit"], None),
            Self::GitLab => (&["-", "edit"], None),
            Self::Bitbucket => (&["src"], Some("mode=edit")),
        };
        let mut url = below(repository, page, &[branch, path]);
        url.set_query(query);
        url
    }

    /// The form for a new issue with a title. `None` if the host has no issues.
    pub fn new_issue(self, repository: &Url, title: &str) -> Option<Url> {
        let (page, field): (&[&str], _) = match self {
            Self::GitHub | Self::Gitea => (&["issues", "new"], "title"),
            Self::GitLab => (&["-", "issues", "new"], "issue[title]"),
            Self::Bitbucket | Self::BitbucketDataCenter => return None,
        };
        let mut url = below(repository, page, &[]);
        url.query_pairs_mut().append_pair(field, title);
        Some(url)
    }

    /// The page of a repository, from the address that git clones. On Bitbucket Data Center, that is
    /// `/scm/KEY/name` over HTTP and `/KEY/name` over SSH, below the path of the service; the key of a person's own
    /// project is `~name`. <https://developer.atlassian.com/server/bitbucket/rest/v902/>
    fn home(self, repository: &Url) -> Url {
        let segments: Vec<_> = repository.path_segments().into_iter().flatten().collect();
        let [service @ .., key, name] = &*segments else { return repository.clone() };
        if self != Self::BitbucketDataCenter {
            return repository.clone();
        }
        let service = service.strip_suffix(&["scm"]).unwrap_or(service);
        let (owners, owner) = match key.strip_prefix('~') {
            Some(person) => ("users", person),
            None => ("projects", *key),
        };
        let mut url = repository.clone();
        url.set_path(&[service, &[owners, owner, "repos", name]].concat().join("/"));
        url
    }

    /// A file at a commit or ref, on Bitbucket Data Center.
    fn browse(self, repository: &Url, at: &str, path: &str) -> Url {
        let mut url = below(&self.home(repository), &["browse"], &[path]);
        url.query_pairs_mut().append_pair("at", at);
        url
    }
}

/// An address below a repository. The slashes of branches and paths separate segments.
fn below(repository: &Url, page: &[&str], names: &[&str]) -> Url {
    let mut url = repository.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(page);
        path.extend(names.iter().flat_map(|name| name.split('/')));
    }
    url
}

/// A docs root on the web pages of its git host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepositoryFolder {
    /// The kind of the host, if it is known.
    pub kind: Option<GitHostKind>,
    /// Address of the repository, such as `https://github.com/owner/name`.
    pub address: Url,
    /// The branch that is edited.
    pub branch: String,
    /// Path of the docs root below the repository's own root; can be empty.
    pub folder: String,
}

impl RepositoryFolder {
    /// The editor of a file of the docs root.
    pub fn editor(&self, path: &str) -> Option<Url> {
        let file = format!("{}/{path}", self.folder);
        Some(self.kind?.editor(&self.address, &self.branch, file.trim_start_matches('/')))
    }

    /// The form for a new issue with a title.
    pub fn new_issue(&self, title: &str) -> Option<Url> {
        self.kind?.new_issue(&self.address, title)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own_pages() {
        for (repository, commit, file, pull_request, editor, issue) in [
            (
                "https://github.com/acme/docs",
                "commit/8f2c",
                "blob/8f2c/a%20b/c.mdx#L3",
                "pull/7",
                "edit/a/main/docs/c.mdx",
                Some("issues/new?title=Page+%2Fa"),
            ),
            (
                "https://gitlab.example.com/a/b/docs",
                "-/commit/8f2c",
                "-/blob/8f2c/a%20b/c.mdx#L3",
                "-/merge_requests/7",
                "-/edit/a/main/docs/c.mdx",
                Some("-/issues/new?issue%5Btitle%5D=Page+%2Fa"),
            ),
            (
                "http://gitea.example.com:3000/acme/docs",
                "commit/8f2c",
                "src/commit/8f2c/a%20b/c.mdx#L3",
                "pulls/7",
                "_edit/a/main/docs/c.mdx",
                Some("issues/new?title=Page+%2Fa"),
            ),
            (
                "https://bitbucket.org/acme/docs/",
                "commits/8f2c",
                "src/8f2c/a%20b/c.mdx#lines-3",
                "pull-requests/7",
                "src/a/main/docs/c.mdx?mode=edit",
                None,
            ),
        ] {
            let address = Url::parse(repository).unwrap();
            let kind = GitHostKind::suggested_by(address.host_str().unwrap()).unwrap();
            let folder = RepositoryFolder {
                kind: Some(kind),
                address: address.clone(),
                branch: "a/main".to_owned(),
                folder: "docs".to_owned(),
            };
            let expected = |page: &str| format!("{}/{page}", repository.trim_end_matches('/'));
            assert_eq!(kind.commit(&address, "8f2c").as_str(), expected(commit));
            assert_eq!(kind.file(&address, "8f2c", "a b/c.mdx", 3).as_str(), expected(file));
            assert_eq!(kind.pull_request(&address, 7).as_str(), expected(pull_request));
            assert_eq!(folder.editor("c.mdx").unwrap().as_str(), expected(editor));
            let found = folder.new_issue("Page /a").map(String::from);
            assert_eq!(found, issue.map(expected));
        }
    }

    #[test]
    fn bitbucket_data_center_has_pages_away_from_its_clones() {
        for (clone, page) in [
            ("https://bitbucket.example.com/scm/DOC/docs", "projects/DOC/repos/docs"),
            ("https://bitbucket.example.com/a/b/scm/DOC/docs", "a/b/projects/DOC/repos/docs"),
            ("https://bitbucket.example.com/scm/~ada/docs", "users/ada/repos/docs"),
            // From an address of SSH.
            ("https://bitbucket.example.com/DOC/docs", "projects/DOC/repos/docs"),
        ] {
            let address = Url::parse(clone).unwrap();
            let kind = GitHostKind::suggested_by(address.host_str().unwrap()).unwrap();
            assert_eq!(kind, GitHostKind::BitbucketDataCenter);
            let expected = |rest: &str| format!("https://bitbucket.example.com/{page}/{rest}");
            assert_eq!(kind.commit(&address, "8f2c").as_str(), expected("commits/8f2c"));
            assert_eq!(kind.pull_request(&address, 7).as_str(), expected("pull-requests/7"));
            let file = kind.file(&address, "8f2c", "a b/c.mdx", 3);
            assert_eq!(file.as_str(), expected("browse/a%20b/c.mdx?at=8f2c#3"));
            let editor = kind.editor(&address, "a/main", "docs/c.mdx");
            assert_eq!(editor.as_str(), expected("browse/docs/c.mdx?at=refs%2Fheads%2Fa%2Fmain"));
            assert_eq!(kind.new_issue(&address, "Page"), None);
        }
        let short = Url::parse("https://bitbucket.example.com/docs").unwrap();
        let commit = GitHostKind::BitbucketDataCenter.commit(&short, "8f2c");
        assert_eq!(commit.as_str(), "https://bitbucket.example.com/docs/commits/8f2c");
    }

    #[test]
    fn hostile_names_stay_below_the_repository() {
        let address = Url::parse("https://github.com/a/b").unwrap();
        let file = GitHostKind::GitHub.file(&address, "8f2c", "x?y#z/\"<.mdx", 0);
        assert_eq!(file.as_str(), "https://github.com/a/b/blob/8f2c/x%3Fy%23z/%22%3C.mdx");
        let file = GitHostKind::GitHub.file(&address, "8f2c", "../../../evil", 0);
        assert!(file.as_str().starts_with("https://github.com/a/b/blob/8f2c/"), "{file}");
    }

    #[test]
    fn kinds_are_found_by_name_and_shared_host() {
        assert_eq!("forgejo".parse(), Ok(GitHostKind::Gitea));
        assert_eq!("bitbucket-data-center".parse(), Ok(GitHostKind::BitbucketDataCenter));
        assert_eq!(GitHostKind::suggested_by("bitbucket.org"), Some(GitHostKind::Bitbucket));
        let error = "sourcehut".parse::<GitHostKind>().unwrap_err();
        assert!(error.contains("`sourcehut`") && error.contains("gitlab"), "{error}");
        assert_eq!(GitHostKind::of_host("codeberg.org"), Some(GitHostKind::Gitea));
        assert_eq!(GitHostKind::of_host("gitlab.example.com"), None);
        assert_eq!(GitHostKind::suggested_by("git.example.com"), None);
    }
}

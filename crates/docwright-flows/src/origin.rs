//! Where a docs root is seen and edited on the web.

use std::path::Path;

use docwright_site::options::Repository;
use url::Url;

use crate::git::ask;

/// The repository of a docs root on its host's web pages; `None` where git knows no such host.
pub fn repository(root: &Path) -> Option<Repository> {
    let address = web_address(&ask(root, &["remote", "get-url", "origin"])?)?;
    // The branch that the host shows first; in a fresh clone that is also the one at hand.
    let default = ask(root, &["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]);
    let default = default.and_then(|name| name.strip_prefix("origin/").map(str::to_owned));
    let branch = default.or_else(|| ask(root, &["branch", "--show-current"]))?;
    let folder = ask(root, &["rev-parse", "--show-prefix"])?;
    let folder = folder.trim_matches('/').to_owned();
    (!branch.is_empty()).then_some(Repository { address, branch, folder })
}

/// `git@host:owner/name.git` and `https://user:secret@host/owner/name` as addresses for a browser.
fn web_address(remote: &str) -> Option<Url> {
    let remote = match remote.split_once(':') {
        Some((host, path)) if !path.starts_with("//") => {
            format!("https://{}/{path}", host.rsplit('@').next()?)
        }
        _ => remote.to_owned(),
    };
    let url = Url::parse(&remote).ok()?;
    if !matches!(url.scheme(), "https" | "http" | "ssh" | "git") {
        return None;
    }
    let path = url.path().trim_matches('/').trim_end_matches(".git");
    Url::parse(&format!("https://{}/{path}", url.host_str()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_become_addresses_without_secrets() {
        for remote in [
            "git@host.example:o/n.git",
            "https://me:secret@host.example/o/n.git",
            "ssh://git@host.example:22/o/n",
        ] {
            assert_eq!(web_address(remote).unwrap().as_str(), "https://host.example/o/n");
        }
        assert_eq!(web_address("file:///srv/n.git"), None);
        assert_eq!(web_address("/srv/n"), None);
    }

    #[test]
    fn a_docs_root_knows_its_folder_and_branch() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("docs");
        std::fs::create_dir(&root).unwrap();
        assert_eq!(repository(&root), None);
        ask(&root, &["init", "-q", "-b", "trunk", "--", ".."]).unwrap();
        ask(&root, &["remote", "add", "origin", "git@host.example:o/n.git"]).unwrap();
        let found = repository(&root).unwrap();
        assert_eq!((found.branch.as_str(), found.folder.as_str()), ("trunk", "docs"));
    }
}

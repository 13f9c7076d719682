//! Where a repository is seen and edited on the web.

use std::path::Path;

use url::Url;

use crate::{
    git::Git,
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

//! Finds paths that are not pages of a site, before an export of some pages is queued.

use docwright_storage::database::Project;
use docwright_types::site::Site;

use super::check_out::check_out;
use crate::{
    child::{Folders, Launcher, work::UnknownPaths},
    queue::JobError,
    repositories::Repositories,
};

/// The given paths that are not pages of a site's newest files. The repository is read in a child process.
pub async fn unknown_paths(
    repositories: &Repositories,
    launcher: &Launcher,
    (project, site): (&Project, &Site),
    paths: &[String],
) -> Result<Vec<String>, JobError> {
    let files = check_out(repositories, project, (site, None)).await?;
    if let Some(error) = files.no_root {
        return Err(error);
    }
    let folders = Folders { read: vec![files.checkout.folder().to_owned()], ..Folders::default() };
    let work = UnknownPaths { root: files.root.clone(), paths: paths.to_vec() };
    let unknown = launcher.run(work, &folders, &(), std::future::pending()).await;
    unknown.map_err(|error| JobError::of(&error, error.is_transient()))
}

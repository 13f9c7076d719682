//! The docs root of a project on disk.

use std::path::{Path, PathBuf};

use docwright_repository::checkout::{Checkout, Revision};
use docwright_site::source::find_root;
use docwright_storage::database::Project;

use super::PublishError;
use crate::repositories::Repositories;

/// A docs root on disk.
#[derive(Debug)]
pub(super) struct DocsRoot {
    /// The folder that holds the configuration.
    pub(super) root: PathBuf,
    /// The files that it is part of, which stay as long as this.
    pub(super) checkout: Checkout,
}

/// Puts the project's files at hand.
pub(super) async fn check_out(
    project: &Project,
    repositories: &Repositories,
) -> Result<DocsRoot, PublishError> {
    let checkout = repositories.check_out(project, Revision::Default).await?;
    let root = find_root(checkout.root())
        .map_err(|error| PublishError::Source(hide(&error.to_string(), checkout.folder())))?;
    Ok(DocsRoot { root, checkout })
}

/// A message without the folder where the server keeps its files.
pub(crate) fn hide(message: &str, folder: &Path) -> String {
    message.replace(&folder.display().to_string(), "the repository")
}

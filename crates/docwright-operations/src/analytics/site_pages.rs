//! The pages of a project's sites, from the bundles of their active releases.

use std::collections::BTreeMap;

use docwright_storage::database::Project;

use crate::{OperationError, Operations, pages};

/// The titles of all pages, by path.
///
/// # Errors
///
/// Fails if others read bundles for too long, or if a bundle can't be read.
pub(super) async fn site_pages(
    operations: &Operations,
    project: &Project,
) -> Result<BTreeMap<String, String>, OperationError> {
    let outlines = pages::of_project(operations, project).await?;
    let all = outlines.iter().flat_map(|outline| outline.pages());
    Ok(all.map(|page| (page.path.clone(), page.title.clone())).collect())
}

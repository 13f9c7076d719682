//! Releases that wait until someone activates them.

use docwright_storage::database::Project;

use super::{Release, sites_of};
use crate::{OperationError, Operations, web};

/// The newest such release of each site of a project, newest first.
pub(crate) async fn waiting(
    operations: &Operations,
    project: &Project,
) -> Result<Vec<Release>, OperationError> {
    let waiting = operations.database.waiting_releases(&project.id).await?;
    let sites = sites_of(operations, &waiting).await?;
    let web = web::of_project(operations, project);
    let shown = waiting.into_iter().map(|release| {
        let site = sites.get(&release.site_id);
        Release::of(release, site, web.as_ref())
    });
    Ok(shown.collect())
}

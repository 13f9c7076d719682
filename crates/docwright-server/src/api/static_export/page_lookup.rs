//! Whether the pages of an export exist, before it is queued: a repository is read in a child process,
//! for one request of an organisation at a time.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use docwright_domain::site::Site;
use docwright_flows::{child::Launcher, publish::unknown_paths, queue::JobError};
use docwright_storage::database::Project;

use crate::api::{ApiError, App};

/// Looks up pages in repositories.
#[derive(Debug, Clone)]
pub(crate) struct PageLookup {
    launcher: Launcher,
    /// Organisations that have something looked up now.
    busy: Arc<Mutex<BTreeSet<String>>>,
}

impl PageLookup {
    /// Looks up in child processes of a launcher.
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self { launcher, busy: Arc::default() }
    }

    /// Fails with the first path that is no page of a site.
    pub(super) async fn check(
        &self,
        app: &App,
        (project, site): (&Project, &Site),
        paths: &[String],
    ) -> Result<(), ApiError> {
        let _turn = self.turn(&project.organization_id)?;
        let unknown =
            unknown_paths(&app.repositories, &self.launcher, (project, site), paths).await;
        let unknown = unknown.map_err(|error| match error {
            JobError::Permanent(reason) => {
                ApiError::Conflict(format!("`paths` can't be checked: {reason}."))
            }
            other => ApiError::Unavailable(other.to_string()),
        })?;
        match unknown.first() {
            Some(path) => Err(ApiError::Invalid(format!(
                "`paths` names `{path}`, but there is no such page."
            ))),
            None => Ok(()),
        }
    }

    fn turn(&self, organization: &str) -> Result<Turn<'_>, ApiError> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if !busy.insert(organization.to_owned()) {
            return Err(ApiError::Unavailable(
                "pages of this organisation are being looked up already".to_owned(),
            ));
        }
        Ok(Turn { lookup: self, organization: organization.to_owned() })
    }
}

/// An organisation's turn, until this is dropped.
struct Turn<'a> {
    lookup: &'a PageLookup,
    organization: String,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let busy = self.lookup.busy.lock();
        busy.unwrap_or_else(PoisonError::into_inner).remove(&self.organization);
    }
}

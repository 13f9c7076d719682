//! Checks that the pages of an export exist, before it is queued: a repository is read in a child process, for one
//! request of an organization at a time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use docwright_jobs::{
    child::Launcher, publish::unknown_paths, queue::JobError, repositories::Repositories,
};
use docwright_storage::database::Project;
use docwright_types::site::Site;

use crate::error::OperationError;

/// Characters of an unknown path that the error repeats.
const SHOWN: usize = 100;

/// Looks up pages in repositories.
#[derive(Debug, Clone)]
pub struct PageLookup {
    launcher: Launcher,
    /// The locks of organizations with earlier requests.
    turns: Arc<Mutex<BTreeMap<String, Turn>>>,
}

/// Locked while pages are looked up for an organization.
type Turn = Arc<tokio::sync::Mutex<()>>;

impl PageLookup {
    /// Looks up in child processes of a launcher.
    pub fn new(launcher: Launcher) -> Self {
        Self { launcher, turns: Arc::default() }
    }

    /// Starts the child processes.
    pub(crate) const fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// Fails with the first path that isn't a page of a site.
    pub async fn check(
        &self,
        repositories: &Repositories,
        (project, site): (&Project, &Site),
        paths: &[String],
    ) -> Result<(), OperationError> {
        let turn = self.turn(&project.organization_id);
        let _held = turn.lock().await;
        let unknown = unknown_paths(repositories, &self.launcher, (project, site), paths).await;
        let unknown = unknown.map_err(|error| match error {
            JobError::Permanent(reason) => {
                OperationError::Conflict(format!("`paths` can't be checked: {reason}."))
            }
            other => OperationError::Unavailable(other.to_string()),
        })?;
        match unknown.first() {
            Some(path) => Err(OperationError::Invalid(format!(
                "`paths` contains `{}`, but there is no such page.",
                shown(path)
            ))),
            None => Ok(()),
        }
    }

    fn turn(&self, organization: &str) -> Turn {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(organization.to_owned()).or_default())
    }
}

/// The start of a long path.
fn shown(path: &str) -> String {
    match path.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

//! The instance of this machine: its store, and its operations.

use docwright_http::request::new_id;
use docwright_operations::{
    Allowed, LocalResources, OperationError, Operations, Resources, callers::CliUser,
    permissions::Permission,
};
use docwright_storage::Objects;
use tempfile::TempDir;

use crate::{
    commands::admin::instance::Instance,
    config::{GitHostSettings, StoreSettings},
    flows,
    repositories::repositories,
};

use super::lower_case;

/// The instance of this machine.
#[derive(Debug)]
pub(in crate::commands::admin) struct Local {
    pub(in crate::commands::admin) instance: Instance,
    pub(in crate::commands::admin) operations: Operations,
    /// The user of this process.
    pub(in crate::commands::admin) user: CliUser,
    /// Removed with the command.
    _scratch: TempDir,
}

impl Local {
    /// Opens the store; the store of bundles only for commands that delete. Others get an empty one, so they work
    /// without access to the object storage.
    pub(super) async fn open(store: StoreSettings, deletes: bool) -> anyhow::Result<Self> {
        let instance = Instance::open(store).await?;
        let (database, store) = (&instance.database, &instance.store);
        let keyring = store.keyring(database).await?;
        // No command reads a repository of a git host.
        let settings = (store, &GitHostSettings::default());
        let repositories = repositories(settings, (database, &keyring), String::new())?;
        let scratch = tempfile::tempdir()?;
        let objects = if deletes {
            store.open_objects(keyring, database).await?
        } else {
            Objects::open_folder(scratch.path(), keyring)?
        };
        let operations = Operations::new(Resources::local(LocalResources {
            objects,
            repositories,
            site_origin: database.site_origin().await?,
            data: store.data.clone(),
            scratch: scratch.path().to_owned(),
            program: flows::program()?,
        }));
        Ok(Self { instance, operations, user: CliUser::of_process(), _scratch: scratch })
    }

    /// The user as the caller of an operation, with its own request ID.
    pub(super) fn caller<P: Permission>(&self) -> anyhow::Result<Allowed<P>> {
        let request_id = new_id();
        let caller = self.user.caller(request_id.to_str().unwrap_or_default());
        caller.allowed().map_err(command_error)
    }
}

/// An error of an operation, in the form of a command's errors. Its cause is shown: it concerns this machine.
pub(in crate::commands::admin) fn command_error(error: OperationError) -> anyhow::Error {
    let text = error.to_string();
    match error {
        OperationError::Unavailable(cause) | OperationError::Internal(cause) => {
            anyhow::Error::msg(cause)
        }
        _ => anyhow::Error::msg(lower_case(&text)),
    }
}

/// The result of an operation, or `None` if its target doesn't exist.
pub(super) fn if_found<T>(result: Result<T, OperationError>) -> anyhow::Result<Option<T>> {
    match result {
        Err(OperationError::NotFound(_)) => Ok(None),
        other => other.map(Some).map_err(command_error),
    }
}

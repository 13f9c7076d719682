//! The instance that commands work on.

use docwright_storage::Database;

use crate::config::StoreSettings;

/// An instance, opened for one command.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) database: Database,
    pub(super) store: StoreSettings,
}

impl Instance {
    /// Opens the store. Prints a note if it is new, since the folder might be wrong.
    pub(super) async fn open(store: StoreSettings) -> anyhow::Result<Self> {
        let is_new = store.is_new();
        let database = store.database().await?;
        if is_new {
            eprintln!("note: there was no instance in {}; this is a new one", store.data.display());
        }
        Ok(Self { database, store })
    }
}

//! Writing down who changed what. The entry is written with the change, by the database.

use docwright_storage::database;
use serde_json::Value;

use crate::{Operations, callers::Caller, error::OperationError};

/// A change that a caller makes: what the entry says besides who and from where. What is changed, the
/// function of the database says that does it.
#[derive(Debug)]
pub struct Change {
    action: &'static str,
    organization_id: Option<String>,
    before: Option<Value>,
    after: Option<Value>,
}

/// A change outside of the database that is under way.
#[derive(Debug)]
pub struct PendingAuditEntry {
    database: docwright_storage::Database,
    entry: String,
}

impl Change {
    /// What is done to what, such as `project.create`, in an organization; `None` stands for the instance.
    /// The kind of its subject is the first part of the action.
    pub fn of(action: &'static str, organization_id: Option<&str>) -> Self {
        let organization_id = organization_id.map(str::to_owned);
        Self { action, organization_id, before: None, after: None }
    }

    /// What it was before. Holds no secrets.
    #[must_use]
    pub fn before(mut self, state: Value) -> Self {
        self.before = Some(state);
        self
    }

    /// What it is to be. Holds no secrets.
    #[must_use]
    pub fn after(mut self, state: Value) -> Self {
        self.after = Some(state);
        self
    }
}

impl Caller {
    /// The database, which writes the entry of a change in the transaction that makes it. What comes to
    /// nothing leaves no entry.
    pub fn recording(
        &self,
        operations: &Operations,
        change: Change,
    ) -> docwright_storage::Database {
        let Change { action, organization_id, before, after } = change;
        operations.database.recording(database::Change {
            organization_id,
            actor: self.actor(),
            action,
            address: self.address.map(|address| address.to_canonical().to_string()),
            request_id: self.request_id.clone(),
            before,
            after,
            at: operations.now(),
        })
    }

    /// Writes the entry of a change that is made outside of the database, before it begins. One that is
    /// cut off keeps its entry as it is here.
    pub async fn begin(
        &self,
        operations: &Operations,
        change: Change,
        subject: &str,
    ) -> Result<PendingAuditEntry, OperationError> {
        let entry = self.recording(operations, change).begin_change(subject).await?;
        Ok(PendingAuditEntry { database: operations.database.clone(), entry })
    }
}

impl PendingAuditEntry {
    /// Says what it was before and what came of it; `None` if nothing was changed.
    pub async fn end(self, outcome: Option<(Value, Value)>) -> Result<(), OperationError> {
        let outcome = outcome.as_ref().map(|(before, after)| (before, after));
        Ok(self.database.end_change(&self.entry, outcome).await?)
    }
}

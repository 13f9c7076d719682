//! Audit entries of changes. The database writes an entry together with its change.

use docwright_storage::database::{self, Actor};
use serde_json::Value;

use crate::{Operations, callers::Caller, error::OperationError};

/// A change by a caller: the contents of the entry besides the actor and the address. The database function that
/// makes the change adds the subject.
#[derive(Debug)]
pub struct Change {
    action: &'static str,
    organization_id: Option<String>,
    before: Option<Value>,
    after: Option<Value>,
}

/// A change outside the database that is under way.
#[derive(Debug)]
pub struct PendingAuditEntry {
    database: docwright_storage::Database,
    entry: String,
}

impl Change {
    /// The action, such as `project.create`, in an organization; `None` stands for the instance. The kind of its
    /// subject is the first part of the action.
    pub fn of(action: &'static str, organization_id: Option<&str>) -> Self {
        let organization_id = organization_id.map(str::to_owned);
        Self { action, organization_id, before: None, after: None }
    }

    /// The state before. Contains no secrets.
    #[must_use]
    pub fn before(mut self, state: Value) -> Self {
        self.before = Some(state);
        self
    }

    /// The state after. Contains no secrets.
    #[must_use]
    pub fn after(mut self, state: Value) -> Self {
        self.after = Some(state);
        self
    }

    /// The database, which writes the entry of the change by an actor, in a request.
    pub(crate) fn recording(
        self,
        operations: &Operations,
        actor: Actor,
        (address, request_id): (Option<String>, String),
    ) -> docwright_storage::Database {
        let Self { action, organization_id, before, after } = self;
        let at = operations.now();
        operations.database.recording(database::Change {
            organization_id,
            actor,
            action,
            address,
            request_id,
            before,
            after,
            at,
        })
    }
}

impl Caller {
    /// The database, which writes the entry of a change in its transaction. A change without effect leaves no
    /// entry.
    pub fn recording(
        &self,
        operations: &Operations,
        change: Change,
    ) -> docwright_storage::Database {
        let address = self.address.map(|address| address.to_canonical().to_string());
        change.recording(operations, self.actor(), (address, self.request_id.clone()))
    }

    /// Writes the entry of a change outside the database, before the change starts. An interrupted change keeps
    /// this entry.
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
    /// Records the state before and the result; `None` if nothing changed.
    pub async fn end(self, outcome: Option<(Value, Value)>) -> Result<(), OperationError> {
        let outcome = outcome.as_ref().map(|(before, after)| (before, after));
        Ok(self.database.end_change(&self.entry, outcome).await?)
    }
}

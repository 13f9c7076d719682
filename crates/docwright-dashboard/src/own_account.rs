//! What people change of their own account, which the audit log says too.

use docwright_operations::Operations;
use docwright_storage::{
    Database,
    database::{Account, Actor, ActorKind, Change},
};
use serde_json::Value;

use super::session::Browser;

/// The database, which writes an entry of a change by the owner of an account.
pub(super) fn recording(
    operations: &Operations,
    browser: &Browser,
    account: &Account,
    (action, before, after): (&'static str, Option<Value>, Option<Value>),
) -> Database {
    by(operations, browser, (&account.id, &account.email), (action, None, before, after))
}

/// The same for someone who is about to have an account, or to join an organization.
pub(super) fn by(
    operations: &Operations,
    browser: &Browser,
    (id, email): (&str, &str),
    (action, organization_id, before, after): (
        &'static str,
        Option<&str>,
        Option<Value>,
        Option<Value>,
    ),
) -> Database {
    operations.database.recording(Change {
        organization_id: organization_id.map(str::to_owned),
        actor: Actor { kind: ActorKind::Account, id: id.to_owned(), name: email.to_owned() },
        action,
        address: browser.address_text(),
        request_id: browser.request_id.clone(),
        before,
        after,
        at: operations.now(),
    })
}

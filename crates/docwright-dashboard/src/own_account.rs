//! Changes that people make to their own account, with entries in the audit log.

use docwright_operations::Operations;
use docwright_storage::{
    Database,
    database::{Account, Actor, ActorKind, Change},
};
use serde_json::Value;

use super::session::Browser;

/// The database, with the owner of the account as the actor of the audit log.
pub(super) fn recording(
    operations: &Operations,
    browser: &Browser,
    account: &Account,
    (action, before, after): (&'static str, Option<Value>, Option<Value>),
) -> Database {
    by(operations, browser, (&account.id, &account.email), (action, None, before, after))
}

/// The same for a person who is creating an account or joining an organization.
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

//! Callers with an API key.

use std::{
    net::IpAddr,
    sync::atomic::{AtomicI64, Ordering},
};

use docwright_storage::database::Organization;
use docwright_types::{
    key::{self, ApiKey, KeyRefusal},
    timestamp::{MINUTE, Timestamp},
};

use super::{Caller, Principal};
use crate::{Operations, error::OperationError, trace::concerns};

/// A key that was sent with a request and isn't checked yet.
#[derive(Debug)]
pub struct UncheckedKey {
    /// The key.
    pub key: key::PresentedKey,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// The ID of the request.
    pub request_id: String,
}

impl UncheckedKey {
    /// The public ID of the key.
    pub fn id(&self) -> &str {
        self.key.id()
    }

    /// Checks the key.
    pub async fn caller(self, operations: &Operations) -> Result<Caller, OperationError> {
        let known = operations.database.key(self.id()).await?;
        self.check(operations, known).await
    }

    /// Checks the key against one that was already read by its ID.
    pub async fn check(
        self,
        operations: &Operations,
        known: Option<(ApiKey, Option<Organization>)>,
    ) -> Result<Caller, OperationError> {
        let Self { key: presented, address, request_id } = self;
        let now = operations.now();
        let known = known.ok_or(KeyRefusal::Unknown);
        let known = known.and_then(|known| known.0.check(&presented, now).map(|()| known));
        let (key, organization) = known.map_err(|why| {
            operations.failed_sign_ins.record(why, Some(presented.id()));
            // The exact reason must not help someone who guesses keys.
            OperationError::Unauthorized("The API key is invalid, revoked, or expired.")
        })?;
        concerns("key", &key.id);
        concerns("organization", key.organization_id.as_deref().unwrap_or_default());
        if !address.is_some_and(|address| key.allows(address)) && !key.allowlist.is_empty() {
            operations.failed_sign_ins.record(KeyRefusal::Address, Some(&key.id));
            return Err(OperationError::Forbidden(
                "The API key's allowlist doesn't include your IP address.".to_owned(),
            ));
        }
        record_use(operations, &key, now).await;
        Ok(Caller { organization, principal: Principal::Key(Box::new(key)), address, request_id })
    }
}

/// Records that a key was used. Reads still work if nothing can be written, such as on a full disk.
async fn record_use(operations: &Operations, key: &ApiKey, now: Timestamp) {
    /// When the failure was last logged.
    static LOGGED: AtomicI64 = AtomicI64::new(0);
    let Err(error) = operations.database.touch_key(key, now).await else { return };
    let logged = LOGGED.load(Ordering::Relaxed);
    let is_first =
        || LOGGED.compare_exchange(logged, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if now - logged >= MINUTE && is_first() {
        tracing::warn!(%error, "last use of keys not recorded");
    }
}

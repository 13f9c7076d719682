//! Who asks, and whether they may.

use std::sync::atomic::{AtomicI64, Ordering};

use axum::{
    extract::FromRequestParts,
    http::{Method, header, request::Parts},
};
use docwright_domain::{
    key::{ApiKey, KeyRefusal, PresentedKey, Scope},
    timestamp::{MINUTE, Timestamp},
};
use docwright_storage::database::{Organization, Project};

use crate::{client::ClientAddress, error::ApiError, request::concerns, state::AppState};

/// Someone with a good key.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The organisation that the key belongs to.
    pub(crate) organization: Organization,
    /// The public id of the key.
    pub(crate) key_id: String,
}

/// A key that was sent and not looked at yet, with what it is to be good for.
pub(crate) struct Presented {
    key: PresentedKey,
    scope: Scope,
    client: ClientAddress,
}

impl FromRequestParts<AppState> for Presented {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let reads = parts.method == Method::GET || parts.method == Method::HEAD;
        let scope = if reads { Scope::Read } else { Scope::Write };
        Ok(Self { key: presented_key(app, parts)?, scope, client: ClientAddress::of(parts) })
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let presented = Presented::from_request_parts(parts, app).await?;
        let known = app.database.key(presented.id()).await?;
        presented.check(app, known).await
    }
}

impl Presented {
    /// The public id of the key.
    pub(crate) fn id(&self) -> &str {
        self.key.id()
    }

    /// Who sent the key, if it is good. `known` is the key of that id, as it is now.
    pub(crate) async fn check(
        &self,
        app: &AppState,
        known: Option<(ApiKey, Organization)>,
    ) -> Result<Caller, ApiError> {
        let now = app.now();
        let known = known.ok_or(KeyRefusal::Unknown);
        let known = known.and_then(|known| known.0.check(&self.key, now).map(|()| known));
        let (key, organization) = known.map_err(|why| {
            app.failed_sign_ins.record(why, Some(self.key.id()));
            // Why exactly is nothing to somebody who guesses keys.
            ApiError::Unauthorized("This key is unknown, revoked or expired; make a new one.")
        })?;
        concerns("key", &key.id);
        concerns("organization", &key.organization_id);
        if !key.has(self.scope) {
            return Err(ApiError::Forbidden(format!(
                "This key lacks the scope `{}`; use one that has it.",
                self.scope.name()
            )));
        }
        if !self.client.address.is_some_and(|address| key.allows(address))
            && !key.allowlist.is_empty()
        {
            app.failed_sign_ins.record(KeyRefusal::Address, Some(&key.id));
            return Err(ApiError::Forbidden(
                "This key may not be used from this address; change its list.".to_owned(),
            ));
        }
        record_use(app, &key, now).await;
        Ok(Caller { organization, key_id: key.id })
    }
}

impl Caller {
    /// Who presents a key, if it is good for a scope and an address.
    pub(crate) async fn of(
        app: &AppState,
        presented: PresentedKey,
        scope: Scope,
        client: ClientAddress,
    ) -> Result<Self, ApiError> {
        let known = app.database.key(presented.id()).await?;
        Presented { key: presented, scope, client }.check(app, known).await
    }

    /// A project of the caller's organisation. Another's answers like one that does not exist.
    pub(crate) async fn project(&self, app: &AppState, id: &str) -> Result<Project, ApiError> {
        let project = app.database.project(id).await?;
        let own = project.filter(|project| project.organization_id == self.organization.id);
        own.inspect(|project| concerns("project", &project.id)).ok_or_else(no_project)
    }

    /// Fails unless the plan includes static export.
    pub(crate) fn require_static_export(&self) -> Result<(), ApiError> {
        if self.organization.plan.has_static_export() {
            return Ok(());
        }
        Err(ApiError::Forbidden(
            "Static export needs an Enterprise plan; this organisation has none.".to_owned(),
        ))
    }
}

/// The answer to whoever asks for a project of others, or none.
pub(crate) fn no_project() -> ApiError {
    ApiError::NotFound("There is no such project; see `admin project list`.".to_owned())
}

/// Records that a key was used. Who only reads can do so while nothing can be written, as on a full
/// disk.
async fn record_use(app: &AppState, key: &ApiKey, now: Timestamp) {
    /// When the log last said that it failed.
    static REPORTED: AtomicI64 = AtomicI64::new(0);
    let Err(error) = app.database.touch_key(key, now).await else { return };
    let reported = REPORTED.load(Ordering::Relaxed);
    let is_first =
        || REPORTED.compare_exchange(reported, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if now - reported >= MINUTE && is_first() {
        tracing::warn!(%error, "the last use of keys can't be recorded");
    }
}

fn presented_key(app: &AppState, parts: &Parts) -> Result<PresentedKey, ApiError> {
    let header = parts.headers.get(header::AUTHORIZATION);
    let header =
        header.ok_or(ApiError::Unauthorized("Send a key: `Authorization: Bearer dw_…`."))?;
    let text = header.to_str().ok().and_then(|text| text.split_once(' '));
    let key = text
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .and_then(|(_, key)| PresentedKey::parse(key.trim()));
    key.ok_or_else(|| {
        app.failed_sign_ins.record(KeyRefusal::Malformed, None);
        ApiError::Unauthorized("This is not a key; send `Authorization: Bearer dw_…`.")
    })
}

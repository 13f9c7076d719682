//! Who asks, and whether they may.

use std::{
    net::{IpAddr, SocketAddr},
    sync::atomic::{AtomicI64, Ordering},
};

use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::{Method, header, request::Parts},
};
use docwright_domain::{
    key::{ApiKey, KeyRefusal, PresentedKey, Scope},
    timestamp::{MINUTE, Timestamp},
};
use docwright_storage::database::{Organization, Project};

use crate::{error::ApiError, request::concerns, state::AppState};

/// Someone with a good key.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The organisation that the key belongs to.
    pub(crate) organization: Organization,
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let scope = if parts.method == Method::GET || parts.method == Method::HEAD {
            Scope::Read
        } else {
            Scope::Write
        };
        Self::of(app, presented_key(app, parts)?, scope, peer(parts)).await
    }
}

/// Where a request comes from.
pub(crate) fn peer(parts: &Parts) -> Option<IpAddr> {
    let info = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map(|ConnectInfo(address)| address.ip())
}

impl Caller {
    /// Who presents a key, if it is good for a scope and an address.
    pub(crate) async fn of(
        app: &AppState,
        presented: PresentedKey,
        scope: Scope,
        peer: Option<IpAddr>,
    ) -> Result<Self, ApiError> {
        let now = app.now();
        let key = app.database.key(presented.id()).await?.ok_or(KeyRefusal::Unknown);
        let key = key.and_then(|key| key.check(&presented, now).map(|()| key)).map_err(|why| {
            app.failed_sign_ins.record(why, Some(presented.id()));
            // Why exactly is nothing to somebody who guesses keys.
            ApiError::Unauthorized("This key is unknown, revoked or expired; make a new one.")
        })?;
        concerns("key", &key.id);
        concerns("organization", &key.organization_id);
        if !key.has(scope) {
            return Err(ApiError::Forbidden(format!(
                "This key lacks the scope `{}`; use one that has it.",
                scope.name()
            )));
        }
        if !peer.is_some_and(|address| key.allows(address)) && !key.allowlist.is_empty() {
            app.failed_sign_ins.record(KeyRefusal::Address, Some(&key.id));
            return Err(ApiError::Forbidden(
                "This key may not be used from this address; change its list.".to_owned(),
            ));
        }
        note_use(app, &key, now).await;
        let organization = app.database.organization(&key.organization_id).await?;
        let organization = organization
            .ok_or_else(|| ApiError::Internal(format!("key {} has no organisation", key.id)))?;
        Ok(Self { organization })
    }

    /// A project of the caller's organisation. Another's answers like one that does not exist.
    pub(crate) async fn project(&self, app: &AppState, id: &str) -> Result<Project, ApiError> {
        let project = app.database.project(id).await?;
        let own = project.filter(|project| project.organization_id == self.organization.id);
        own.inspect(|project| concerns("project", &project.id)).ok_or_else(|| {
            ApiError::NotFound("There is no such project; see `admin project list`.".to_owned())
        })
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

/// Notes that a key was used. Who only reads can do so while nothing can be written, as on a full disk.
async fn note_use(app: &AppState, key: &ApiKey, now: Timestamp) {
    /// When the log last said that it failed.
    static LOGGED: AtomicI64 = AtomicI64::new(0);
    let Err(error) = app.database.touch_key(key, now).await else { return };
    let logged = LOGGED.load(Ordering::Relaxed);
    let is_first =
        || LOGGED.compare_exchange(logged, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    if now - logged >= MINUTE && is_first() {
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

//! The callers of requests to the API: by a key, or as this process says that makes the request itself.

use std::ops::Deref;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use docwright_domain::key::{KeyRefusal, PresentedKey, Scope};
use docwright_operations::{
    Allowed,
    callers::{CliUser, Member, Polling, UncheckedKey},
    permissions::Permission,
};
pub(crate) use docwright_operations::{
    Caller,
    callers::{no_organization, no_project, unnamed_organization},
};

use crate::{client::ClientAddress, error::ApiError, request::id_of, state::AppState};

/// A key that came with a request.
pub(crate) fn unchecked(key: PresentedKey, parts: &Parts) -> UncheckedKey {
    let (address, request_id) =
        (ClientAddress::of(parts).address, id_of(&parts.headers).to_owned());
    UncheckedKey { key, address, request_id }
}

/// The caller of a request. A request has members and users of the command line among its extensions only if
/// this process made it itself: nothing that comes over a connection sets extensions.
async fn caller(parts: &Parts, app: &AppState) -> Result<Caller, ApiError> {
    if let Some(caller) = inner_caller(parts) {
        return Ok(caller);
    }
    let key = presented_key(app, &parts.headers)?;
    Ok(unchecked(key, parts).caller(app).await?)
}

fn inner_caller(parts: &Parts) -> Option<Caller> {
    let request_id = id_of(&parts.headers);
    if let Some(user) = parts.extensions.get::<CliUser>() {
        return Some(user.caller(request_id));
    }
    parts.extensions.get::<Member>().map(|member| member.caller(request_id))
}

impl<P: Permission> FromRequestParts<AppState> for Allowed<P> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        Ok(Self::new(caller(parts, app).await?)?)
    }
}

impl FromRequestParts<AppState> for Polling {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if let Some(caller) = inner_caller(parts) {
            return Ok(Self::Caller(caller));
        }
        presented_key(app, &parts.headers).map(|key| Self::Key(unchecked(key, parts)))
    }
}

/// A caller with a scope at least.
macro_rules! with_scope {
    ($($name:ident: $scope:ident),+) => {$(
        #[derive(Debug)]
        pub(crate) struct $name(pub(crate) Caller);

        impl Deref for $name {
            type Target = Caller;

            fn deref(&self) -> &Caller {
                &self.0
            }
        }

        impl FromRequestParts<AppState> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
                let caller = caller(parts, app).await?;
                caller.require(Scope::$scope)?;
                Ok(Self(caller))
            }
        }
    )+};
}

with_scope!(Reader: Read, Writer: Write, Admin: Admin, Operator: Operator);

fn presented_key(app: &AppState, headers: &HeaderMap) -> Result<PresentedKey, ApiError> {
    let header = headers.get(header::AUTHORIZATION);
    let header = header
        .ok_or(ApiError::Unauthorized("API key missing. Send `Authorization: Bearer dw_…`."))?;
    let text = header.to_str().ok().and_then(|text| text.split_once(' '));
    let key = text
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .and_then(|(_, key)| PresentedKey::parse(key.trim()));
    key.ok_or_else(|| {
        app.failed_sign_ins.record(KeyRefusal::Malformed, None);
        ApiError::Unauthorized("This isn't an API key. Send `Authorization: Bearer dw_…`.")
    })
}

//! docwright's own git host: clone, fetch, and push over smart HTTP. Its pull requests are operations.
//!
//! Git asks for a name and a password; the password is a personal access token or an API key.

mod backend;
mod push_message;
mod smart_http;

use std::ops::Deref;

use axum::{
    Router,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use docwright_http::{api_key::unchecked, error::ApiError};
use docwright_jobs::built_in::{BuiltIn, BuiltInError};
use docwright_operations::{Caller, OperationError, Operations, built_in, callers::UncheckedKey};
use docwright_repository::git::GitError;
use docwright_storage::database::Project;
use docwright_types::key::{PresentedKey, Scope};

/// What the host works with.
#[derive(Debug, Clone)]
pub(crate) struct GitHostState {
    /// The caller, and the effects of a push.
    pub(crate) operations: Operations,
    /// Largest push, in bytes.
    pub(crate) maximum_push: u64,
}

impl Deref for GitHostState {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

/// Routes of the host.
pub(crate) fn router(state: GitHostState) -> Router {
    Router::new()
        .route("/git/{repository}/info/refs", get(smart_http::info_refs))
        .route("/git/{repository}/git-upload-pack", post(smart_http::upload_pack))
        .route("/git/{repository}/git-receive-pack", post(smart_http::receive_pack))
        .with_state(state)
}

/// Someone with a key, given as the password of HTTP's basic scheme or as a bearer token.
pub(crate) struct GitCaller(UncheckedKey);

/// The response to a request without a key; git then asks for one.
pub(crate) struct AskForKey;

impl IntoResponse for AskForKey {
    fn into_response(self) -> Response {
        let sentence = "Send a personal access token or an API key as the password, with any name.";
        let mut response = ApiError::from(OperationError::Unauthorized(sentence)).into_response();
        let ask = HeaderValue::from_static("Basic realm=\"docwright\", charset=\"UTF-8\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, ask);
        response
    }
}

impl FromRequestParts<GitHostState> for GitCaller {
    type Rejection = AskForKey;

    async fn from_request_parts(parts: &mut Parts, _: &GitHostState) -> Result<Self, AskForKey> {
        let key = presented(&parts.headers).ok_or(AskForKey)?;
        Ok(Self(unchecked(key, parts)))
    }
}

fn presented(headers: &HeaderMap) -> Option<PresentedKey> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, value) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return PresentedKey::parse(value.trim());
    }
    let pair = String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()?;
    let (name, password) = pair.split_once(':')?;
    // `https://KEY@host/…` gives the key as the name.
    PresentedKey::parse(password).or_else(|| PresentedKey::parse(name))
}

/// Why the host does not answer with what was asked for.
pub(crate) enum Refused {
    /// The key is no good.
    Key(AskForKey),
    /// The organization has no storage left for a push. Git shows people only plain text.
    NoStorage(String),
    /// Anything else.
    Api(ApiError),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Key(ask) => ask.into_response(),
            Self::NoStorage(why) => {
                let headers = [(header::CACHE_CONTROL, "no-store")];
                (StatusCode::FORBIDDEN, headers, why).into_response()
            }
            Self::Api(error) => error.into_response(),
        }
    }
}

impl From<AskForKey> for Refused {
    fn from(ask: AskForKey) -> Self {
        Self::Key(ask)
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Operation(OperationError::Unauthorized(_)) => Self::Key(AskForKey),
            other => Self::Api(other),
        }
    }
}

impl From<OperationError> for Refused {
    fn from(error: OperationError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<BuiltInError> for Refused {
    fn from(error: BuiltInError) -> Self {
        OperationError::from(error).into()
    }
}

impl From<GitError> for Refused {
    fn from(error: GitError) -> Self {
        BuiltInError::Git(error).into()
    }
}

impl GitCaller {
    /// Who it is, and the repository of a project that the key is good for.
    async fn repository(
        self,
        app: &GitHostState,
        project_id: &str,
        scope: Scope,
    ) -> Result<(Caller, Project, BuiltIn), Refused> {
        let caller = self.0.caller(app).await?;
        caller.require(scope)?;
        let (project, repository) = built_in::repository(app, &caller, project_id).await?;
        Ok((caller, project, repository))
    }
}

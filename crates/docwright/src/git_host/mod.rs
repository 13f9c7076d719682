//! docwright's own git host: smart HTTP for git, and a page for each pull request.
//!
//! Git asks for a name and a password; the password is an admin API key. So do browsers, unless someone is
//! signed in at the dashboard.

mod backend;
mod markdown;
mod page;
mod pull_request;
mod smart_http;
mod tree;

use std::{net::IpAddr, ops::Deref, sync::Arc};

use axum::{
    Router,
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use docwright_http::{
    api_key::unchecked, client::ClientAddress, error::ApiError, origin, request::id_of, session,
};
use docwright_jobs::{
    built_in::{BuiltIn, BuiltInError},
    previews,
    repositories::location,
};
use docwright_operations::{
    Caller, OperationError, Operations,
    callers::{Member, UncheckedKey, no_project},
};
use docwright_repository::{git::GitError, location::Location};
use docwright_storage::database::{Account, Project};
use docwright_types::key::{PresentedKey, Scope};
use url::form_urlencoded;

pub(crate) use markdown::MarkdownReader;

/// What the host works with.
#[derive(Debug, Clone)]
pub(crate) struct GitHostState {
    /// The caller, and the effects of a push or a merge.
    pub(crate) operations: Operations,
    /// Reads Markdown of strangers, in child processes.
    pub(crate) markdown: Arc<MarkdownReader>,
    /// Bytes of a push at most.
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
        .route("/git/{project}/pulls", get(pull_request::list))
        .route("/git/{project}/pull/{number}", get(pull_request::show))
        .route("/git/{project}/pull/{number}/merge", post(pull_request::merge))
        .route("/git/{project}/pull/{number}/close", post(pull_request::close))
        .with_state(state)
}

/// Someone with a key, given as the password of HTTP's basic scheme or as a bearer token.
pub(crate) struct GitCaller(UncheckedKey);

/// Someone who looks at pages: signed in at the dashboard, or with a key.
pub(crate) enum Guest {
    /// By a key, as git has it.
    Key(GitCaller),
    /// By the cookie of the dashboard.
    Person { account: Box<Account>, address: Option<IpAddr>, request_id: String },
}

impl FromRequestParts<GitHostState> for Guest {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &GitHostState) -> Result<Self, Refused> {
        // Who sends a key means it.
        if parts.headers.contains_key(header::AUTHORIZATION) {
            return Ok(Self::Key(GitCaller::from_request_parts(parts, app).await?));
        }
        if let Some(account) = session::account(app, parts).await? {
            let (address, request_id) =
                (ClientAddress::of(parts).address, id_of(&parts.headers).to_owned());
            return Ok(Self::Person { account: Box::new(account), address, request_id });
        }
        let accepts = parts.headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
        let is_page = parts.method == Method::GET
            && accepts.is_some_and(|accepts| accepts.contains("text/html"));
        if is_page && !app.database.has_no_accounts().await.map_err(ApiError::from)? {
            return Err(Refused::SignedOut(parts.uri.path().to_owned()));
        }
        Err(AskForKey.into())
    }
}

impl Guest {
    /// Who it is, and the repository of a project that they reach.
    async fn repository(
        self,
        app: &GitHostState,
        project_id: &str,
        scope: Scope,
    ) -> Result<(Caller, Project, BuiltIn), Refused> {
        let caller = match self {
            Self::Key(visitor) => visitor.0.caller(app).await?,
            Self::Person { account, address, request_id } => {
                let project = app.database.project(project_id).await.map_err(ApiError::from)?;
                let project = project.ok_or_else(no_project)?;
                let organization = &project.organization_id;
                let member = Member::of_organization(app, *account, organization, address).await?;
                let member = member.ok_or_else(no_project)?;
                member.caller(&request_id)
            }
        };
        caller.require(scope)?;
        built_in(app, caller, project_id).await
    }
}

/// What is answered to someone without a key, so that git and browsers ask for one.
pub(crate) struct AskForKey;

impl IntoResponse for AskForKey {
    fn into_response(self) -> Response {
        let sentence = "Send an admin API key as the password, with any name.";
        let mut response = ApiError::Unauthorized(sentence).into_response();
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
    /// Nobody is signed in; after that the page of this path is wanted.
    SignedOut(String),
    /// The organization has no storage left for a push. Git shows people only plain text.
    NoStorage(String),
    /// Anything else.
    Api(ApiError),
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Key(ask) => ask.into_response(),
            Self::SignedOut(path) => {
                let query = form_urlencoded::Serializer::new(String::new())
                    .append_pair("next", &path)
                    .finish();
                let location = format!("/sign-in?{query}");
                (StatusCode::SEE_OTHER, [NO_STORE], [(header::LOCATION, location)]).into_response()
            }
            Self::NoStorage(why) => (StatusCode::FORBIDDEN, [NO_STORE], why).into_response(),
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
            ApiError::Unauthorized(_) => Self::Key(AskForKey),
            other => Self::Api(other),
        }
    }
}

impl From<OperationError> for Refused {
    fn from(error: OperationError) -> Self {
        ApiError::from(error).into()
    }
}

impl From<GitError> for Refused {
    fn from(error: GitError) -> Self {
        Self::from(BuiltInError::Git(error))
    }
}

impl From<BuiltInError> for Refused {
    fn from(error: BuiltInError) -> Self {
        Self::Api(match error {
            BuiltInError::Refused(reason) => {
                ApiError::Conflict(format!("This can't be done: {reason}."))
            }
            BuiltInError::Storage(error) => error.into(),
            BuiltInError::Git(error) => ApiError::Internal(error.to_string()),
            BuiltInError::Foreign(error) => ApiError::Unavailable(error.to_string()),
            BuiltInError::Disk(error) => ApiError::Unavailable(error.to_string()),
        })
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
        built_in(app, caller, project_id).await
    }
}

/// The repository of a project that a caller reaches.
async fn built_in(
    app: &GitHostState,
    caller: Caller,
    project_id: &str,
) -> Result<(Caller, Project, BuiltIn), Refused> {
    let project = caller.project(app, project_id).await?;
    if location(&project) != Ok(Location::BuiltIn) {
        let elsewhere = "The repository of this project is not with docwright's git host.";
        return Err(Refused::Api(ApiError::NotFound(elsewhere.to_owned())));
    }
    let repository = app.repositories.built_in(&project.id);
    if !repository.exists() {
        let folder = repository.repository();
        // Made in passing, it would look like one that nobody has pushed to.
        return Err(Refused::Api(ApiError::Internal(format!(
            "the repository {} is missing; restore it from a backup",
            folder.display()
        ))));
    }
    Ok((caller, project, repository))
}

/// Refuses what another site made a browser send: it would carry the key that the browser keeps.
fn refuse_other_sites(parts: &Parts) -> Result<(), Refused> {
    if origin::is_own(parts) {
        return Ok(());
    }
    Err(Refused::Api(ApiError::Forbidden(
        "Another site sent this; open the page itself.".to_owned(),
    )))
}

/// Brings the previews of a project to its pull requests, after one of them changed. If that fails, it is
/// done a little later.
async fn follow(app: &GitHostState, project: &Project) {
    match previews::follow_built_in(&app.repositories, project).await {
        Ok(true) => app.release_wake.notify_one(),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, "previews don't follow pull requests; trying again"),
    }
}

/// Status of an answer that is not there to be kept.
const NO_STORE: (header::HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

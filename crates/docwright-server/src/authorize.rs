//! Who asks, and whether they may.
//!
//! An operation takes its caller as a [`Reader`], a [`Writer`], an [`Admin`] or an [`Operator`]: that is
//! the scope that it needs. What the caller then reaches, it asks the caller.

use std::{
    net::IpAddr,
    ops::Deref,
    sync::atomic::{AtomicI64, Ordering},
};

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use docwright_domain::{
    key::{ApiKey, KeyRefusal, PresentedKey, Scope},
    timestamp::{MINUTE, Timestamp},
};
use docwright_storage::database::{Account, Actor, ActorKind, Organization, Project};
use ipnet::IpNet;

use crate::{
    client::ClientAddress,
    error::ApiError,
    request::{concerns, id_of},
    state::AppState,
};

/// Someone who may do what was asked for: by a good key, or because they are signed in.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The organisation that it is about; `None` for keys of the install, operators, and the shell.
    organization: Option<Organization>,
    by: By,
    /// Where the request came from.
    pub(crate) address: Option<IpAddr>,
    /// The id of the request.
    pub(crate) request_id: String,
}

/// By what a caller may do something.
#[derive(Debug)]
enum By {
    Key(Box<ApiKey>),
    /// They are signed in at the dashboard.
    Member(Box<Member>),
    /// The store of the install is open to the one who asks, so that they may do everything.
    Shell(Shell),
}

/// Somebody who is signed in, in an organisation that they belong to. A request has this among its
/// extensions only if the dashboard made it: nothing that comes over a connection sets extensions.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// Who.
    pub(crate) account: Account,
    /// Where; `None` for operators.
    pub(crate) organization: Option<Organization>,
    /// What their role lets them do.
    pub(crate) scope: Scope,
    /// Where their browser is.
    pub(crate) address: Option<IpAddr>,
}

/// Somebody in the shell of the machine. A request has this among its extensions only if this process made
/// it itself: nothing that comes over a connection sets extensions.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// The user, as the system knows it.
    user: String,
}

/// A key that was sent and not looked at yet.
#[derive(Debug)]
pub(crate) struct Presented {
    key: PresentedKey,
    client: ClientAddress,
    request_id: String,
}

impl FromRequestParts<AppState> for Presented {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let key = presented_key(app, &parts.headers)?;
        Ok(Self::new(key, parts))
    }
}

/// Who asks for what clients ask for again and again, so that a key is read together with it.
#[derive(Debug)]
pub(crate) enum Polling {
    /// By a key, which was not looked at yet.
    Key(Presented),
    /// By other means, which let them read.
    Reader(Caller),
}

impl FromRequestParts<AppState> for Polling {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let extensions = &parts.extensions;
        if extensions.get::<Shell>().is_some() || extensions.get::<Member>().is_some() {
            let Reader(caller) = Reader::from_request_parts(parts, app).await?;
            return Ok(Self::Reader(caller));
        }
        Presented::from_request_parts(parts, app).await.map(Self::Key)
    }
}

/// A caller whose key has a scope at least.
macro_rules! with_scope {
    ($($(#[$about:meta])* $name:ident: $scope:ident),+) => {$(
        $(#[$about])*
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
                if let Some(shell) = parts.extensions.get::<Shell>() {
                    return Ok(Self(shell.caller(parts)));
                }
                if let Some(member) = parts.extensions.get::<Member>() {
                    return member.caller(id_of(&parts.headers), Scope::$scope).map(Self);
                }
                let presented = Presented::from_request_parts(parts, app).await?;
                presented.caller(app, Scope::$scope).await.map(Self)
            }
        }
    )+};
}

with_scope! {
    /// Someone who may read.
    Reader: Read,
    /// Someone who may start work.
    Writer: Write,
    /// Someone who may change what an organisation has.
    Admin: Admin,
    /// Someone who may change the install.
    Operator: Operator
}

impl Shell {
    /// Whoever runs this process.
    pub(crate) fn of_process() -> Self {
        #[cfg(target_os = "linux")]
        let user = format!("uid:{}", rustix::process::geteuid().as_raw());
        #[cfg(not(target_os = "linux"))]
        let user = "shell".to_owned();
        Self { user }
    }

    /// What the audit log knows them by.
    pub(crate) fn actor(&self) -> Actor {
        Actor { kind: ActorKind::Shell, id: self.user.clone(), name: String::new() }
    }

    fn caller(&self, parts: &Parts) -> Caller {
        Caller {
            organization: None,
            by: By::Shell(self.clone()),
            address: None,
            request_id: id_of(&parts.headers).to_owned(),
        }
    }
}

impl Member {
    /// They as a caller, in a request of an id, if their role includes a scope.
    pub(crate) fn caller(&self, request_id: &str, scope: Scope) -> Result<Caller, ApiError> {
        if self.scope < scope {
            let who = match scope {
                Scope::Operator => "the operator of this install",
                Scope::Admin => "admins of the organisation",
                Scope::Read | Scope::Write => "editors and admins of the organisation",
            };
            return Err(ApiError::Forbidden(format!("Only {who} can do this.")));
        }
        Ok(Caller {
            organization: self.organization.clone(),
            by: By::Member(Box::new(self.clone())),
            address: self.address,
            request_id: request_id.to_owned(),
        })
    }
}

impl Presented {
    /// A key that came with a request.
    pub(crate) fn new(key: PresentedKey, parts: &Parts) -> Self {
        let request_id = id_of(&parts.headers).to_owned();
        Self { key, client: ClientAddress::of(parts), request_id }
    }

    /// The public id of the key.
    pub(crate) fn id(&self) -> &str {
        self.key.id()
    }

    /// Who sent the key, if it is good and has a scope.
    pub(crate) async fn caller(self, app: &AppState, scope: Scope) -> Result<Caller, ApiError> {
        let known = app.database.key(self.id()).await?;
        self.check(app, scope, known).await
    }

    /// The same where the key of that id, as it is now, is known already.
    pub(crate) async fn check(
        self,
        app: &AppState,
        scope: Scope,
        known: Option<(ApiKey, Option<Organization>)>,
    ) -> Result<Caller, ApiError> {
        let now = app.now();
        let known = known.ok_or(KeyRefusal::Unknown);
        let known = known.and_then(|known| known.0.check(&self.key, now).map(|()| known));
        let (key, organization) = known.map_err(|why| {
            app.failed_sign_ins.record(why, Some(self.key.id()));
            // Why exactly is nothing to somebody who guesses keys.
            ApiError::Unauthorized("The API key is invalid, revoked, or expired.")
        })?;
        concerns("key", &key.id);
        concerns("organization", key.organization_id.as_deref().unwrap_or_default());
        if !key.has(scope) {
            return Err(ApiError::Forbidden(format!(
                "The API key doesn't have the scope `{}`.",
                scope.name()
            )));
        }
        if !self.client.address.is_some_and(|address| key.allows(address))
            && !key.allowlist.is_empty()
        {
            app.failed_sign_ins.record(KeyRefusal::Address, Some(&key.id));
            return Err(ApiError::Forbidden(
                "The API key's allowlist doesn't include your IP address.".to_owned(),
            ));
        }
        record_use(app, &key, now).await;
        let Self { client, request_id, .. } = self;
        let by = By::Key(Box::new(key));
        Ok(Caller { organization, by, address: client.address, request_id })
    }
}

impl Caller {
    /// What the audit log knows them by.
    pub(crate) fn actor(&self) -> Actor {
        match &self.by {
            By::Key(key) => {
                Actor { kind: ActorKind::Key, id: key.id.clone(), name: key.name.clone() }
            }
            By::Member(member) => {
                let account = &member.account;
                let (id, name) = (account.id.clone(), account.email.clone());
                Actor { kind: ActorKind::Account, id, name }
            }
            By::Shell(shell) => shell.actor(),
        }
    }

    /// The public id of the key, if they have one.
    pub(crate) fn key_id(&self) -> Option<&str> {
        self.key().map(|key| key.id.as_str())
    }

    fn key(&self) -> Option<&ApiKey> {
        match &self.by {
            By::Key(key) => Some(key),
            By::Member(_) | By::Shell(_) => None,
        }
    }

    /// The account of who is signed in, or of who created the key.
    pub(crate) fn account_id(&self) -> Option<&str> {
        match &self.by {
            By::Key(key) => key.created_by.as_deref(),
            By::Member(member) => Some(&member.account.id),
            By::Shell(_) => None,
        }
    }

    /// What they may do.
    pub(crate) fn scope(&self) -> Scope {
        match &self.by {
            By::Key(key) => key.scope,
            By::Member(member) => member.scope,
            By::Shell(_) => Scope::Operator,
        }
    }

    /// Whether the install is theirs.
    pub(crate) fn is_operator(&self) -> bool {
        self.scope() == Scope::Operator
    }

    /// The networks that the key may be used from; empty for all.
    pub(crate) fn allowlist(&self) -> &[IpNet] {
        self.key().map(|key| key.allowlist.as_slice()).unwrap_or_default()
    }

    /// The only projects that the key reaches; empty for all.
    pub(crate) fn only_projects(&self) -> &[String] {
        self.key().map(|key| key.projects.as_slice()).unwrap_or_default()
    }

    /// Whether they reach what belongs to a project of an organisation.
    pub(crate) fn reaches(&self, organization_id: &str, project_id: &str) -> bool {
        match &self.by {
            By::Key(key) => key.reaches(organization_id, project_id),
            By::Member(member) => {
                member.organization.as_ref().is_none_or(|own| own.id == organization_id)
            }
            By::Shell(_) => true,
        }
    }

    /// A project that they reach. Another answers like one that does not exist.
    pub(crate) async fn project(&self, app: &AppState, id: &str) -> Result<Project, ApiError> {
        let project = app.database.project(id).await?;
        let own = project.filter(|project| self.reaches(&project.organization_id, &project.id));
        own.inspect(|project| concerns("project", &project.id)).ok_or_else(no_project)
    }

    /// The organisation that a request is about: the caller's own, or for a key of the install the one
    /// that the request names; `None` if it names none. Another one answers like one that does not exist.
    pub(crate) async fn organization(
        &self,
        app: &AppState,
        asked: Option<&str>,
    ) -> Result<Option<Organization>, ApiError> {
        let found = match (&self.organization, asked) {
            (Some(own), None) => Some(own.clone()),
            (Some(own), Some(id)) => Some(own.clone()).filter(|own| own.id == id),
            (None, Some(id)) => app.database.organization(id).await?,
            (None, None) => return Ok(None),
        };
        found.map(Some).ok_or_else(no_organization)
    }

    /// The same for what concerns all of an organisation. A key that is limited to projects is refused.
    pub(crate) async fn whole_organization(
        &self,
        app: &AppState,
        asked: Option<&str>,
    ) -> Result<Option<Organization>, ApiError> {
        if !self.only_projects().is_empty() {
            return Err(ApiError::Forbidden(
                "This key is limited to projects, and this concerns all of the organisation; use a key without that limit."
                    .to_owned(),
            ));
        }
        self.organization(app, asked).await
    }

    /// Fails unless the plan includes static export. The operator has no plan.
    pub(crate) async fn require_static_export(&self, app: &AppState) -> Result<(), ApiError> {
        let Some(own) = &self.organization else { return Ok(()) };
        if app.database.plan_limits(own.plan).await?.static_export {
            return Ok(());
        }
        Err(ApiError::Forbidden(format!(
            "The plan of this organisation, {}, has no static export; ask the operator for another one.",
            own.plan
        )))
    }
}

/// The answer to whoever asks for a project of others, or none.
pub(crate) fn no_project() -> ApiError {
    ApiError::NotFound("Project not found. Check the ID.".to_owned())
}

/// The answer to whoever asks for an organisation of others, or none.
pub(crate) fn no_organization() -> ApiError {
    ApiError::NotFound("There is no such organisation.".to_owned())
}

/// The answer to a key of the install that does not say which organisation is meant.
pub(crate) fn unnamed_organization() -> ApiError {
    ApiError::Invalid(
        "`organizationId` is missing: name the organisation, which `docwright admin` does with `--organization`."
            .to_owned(),
    )
}

/// Records that a key was used. Who only reads can do so while nothing can be written, as on a full
/// disk.
async fn record_use(app: &AppState, key: &ApiKey, now: Timestamp) {
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
        ApiError::Unauthorized("This is not a key; send `Authorization: Bearer dw_…`.")
    })
}

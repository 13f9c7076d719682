//! Callers of operations: programs with an API key, members with a session, and people on the command line of the
//! server.
//!
//! Callers are found here alone, for the API, the dashboard, and the git host. They pass what they read from a
//! request, and get an account, a session, or a typed refusal; cookies, forms, pages, and words are theirs.
//! People sign in with a password ([`passwords`]), a link ([`links`]), a passkey ([`passkeys`]), or a provider
//! ([`openid`]), confirm a [`second_factor`], and then have one of [`sessions`]. [`proof`] confirms them again.
//!
//! - A session that waits for the second factor can do nothing else. [`sessions`] alone creates sessions.
//! - Attempts are counted before a code or password is checked, in the row of the account, so parallel attempts gain
//!   nothing. A code works once.
//! - A passkey alone signs in only if its device verified the user. Its challenge is the signature of a text that the
//!   browser keeps in a cookie, so nothing is stored before the response.
//! - An identity provider is trusted for what it signed for this browser's sign-in. Existing accounts are linked by
//!   verified email and their password.

mod client;
mod keys;
mod limits;
pub mod links;
mod members;
pub mod openid;
pub mod passkeys;
pub mod passwords;
pub mod proof;
pub mod second_factor;
pub mod sessions;

use std::{fmt::Display, net::IpAddr};

use docwright_storage::database::{Account, Actor, ActorKind, Organization, Project};
use docwright_types::{
    domain_address::DomainAddress,
    key::{ApiKey, Scope},
};
use ipnet::IpNet;

use crate::{Operations, error::OperationError, trace::concerns};

pub use client::Client;
pub use keys::UncheckedKey;
pub use members::Member;

/// An authenticated request: its principal, scope, and address.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The organization that it is limited to; `None` for keys of the instance, operators, and the CLI.
    organization: Option<Organization>,
    principal: Principal,
    /// Address of the client.
    pub address: Option<IpAddr>,
    /// The ID of the request.
    pub request_id: String,
}

/// The principal of a caller.
#[derive(Debug, Clone)]
enum Principal {
    Key(Box<ApiKey>),
    Member(Box<Member>),
    Cli(CliUser),
}

/// A user on the command line of the server, who can do everything because of access to the store.
#[derive(Debug, Clone)]
pub struct CliUser {
    /// The username of the system.
    user: String,
}

/// The caller of a frequently repeated request, whose key is read together with the answer.
#[derive(Debug)]
pub enum DeferredCaller {
    /// With a key that isn't checked yet.
    Key(UncheckedKey),
    /// With another kind of authentication.
    Caller(Caller),
}

impl CliUser {
    /// The user that runs this process.
    pub fn of_process() -> Self {
        #[cfg(target_os = "linux")]
        let user = format!("uid:{}", rustix::process::geteuid().as_raw());
        #[cfg(not(target_os = "linux"))]
        let user = "cli".to_owned();
        Self { user }
    }

    /// Their name in the audit log.
    pub fn actor(&self) -> Actor {
        Actor { kind: ActorKind::Shell, id: self.user.clone(), name: String::new() }
    }

    /// The principal as the caller of a request.
    pub fn caller(&self, request_id: &str) -> Caller {
        Caller {
            organization: None,
            principal: Principal::Cli(self.clone()),
            address: None,
            request_id: request_id.to_owned(),
        }
    }
}

impl Caller {
    /// Their name in the audit log. A personal access token acts as its owner.
    pub fn actor(&self) -> Actor {
        match &self.principal {
            Principal::Key(key) => match &key.owner {
                Some(owner) => {
                    let (id, name) = (owner.account_id.clone(), owner.email.clone());
                    Actor { kind: ActorKind::Account, id, name }
                }
                None => Actor { kind: ActorKind::Key, id: key.id.clone(), name: key.name.clone() },
            },
            Principal::Member(member) => {
                let account = &member.account;
                let (id, name) = (account.id.clone(), account.email.clone());
                Actor { kind: ActorKind::Account, id, name }
            }
            Principal::Cli(user) => user.actor(),
        }
    }

    /// The public ID of the API key, if they have one.
    pub fn key_id(&self) -> Option<&str> {
        self.key().map(|key| key.id.as_str())
    }

    /// The API key, if they have one.
    pub(crate) fn key(&self) -> Option<&ApiKey> {
        match &self.principal {
            Principal::Key(key) => Some(key),
            Principal::Member(_) | Principal::Cli(_) => None,
        }
    }

    /// The account that is signed in, if the request comes from a page.
    pub(crate) fn signed_in(&self) -> Option<&Account> {
        match &self.principal {
            Principal::Member(member) => Some(&member.account),
            Principal::Key(_) | Principal::Cli(_) => None,
        }
    }

    /// Whether they have a personal access token.
    pub(crate) fn has_personal_token(&self) -> bool {
        self.key().is_some_and(|key| key.owner.is_some())
    }

    /// The account of the member, or of the owner or the creator of the key.
    pub fn account_id(&self) -> Option<&str> {
        match &self.principal {
            Principal::Key(key) => key.created_by.as_deref(),
            Principal::Member(member) => Some(&member.account.id),
            Principal::Cli(_) => None,
        }
    }

    /// Their scope.
    pub fn scope(&self) -> Scope {
        match &self.principal {
            Principal::Key(key) => key.scope(),
            Principal::Member(member) => member.scope,
            Principal::Cli(_) => Scope::Operator,
        }
    }

    /// Fails unless they have a scope.
    pub fn require(&self, scope: Scope) -> Result<(), OperationError> {
        if self.scope() >= scope {
            return Ok(());
        }
        let ask = "of the organization can do this. Ask an admin to change your role.";
        Err(OperationError::Forbidden(match (&self.principal, scope) {
            (Principal::Member(_), Scope::Operator) => {
                "Only the operator of this instance can do this.".to_owned()
            }
            (Principal::Member(_), Scope::Admin) => format!("Only admins {ask}"),
            (Principal::Member(_), Scope::Read | Scope::Write) => {
                format!("Only editors and admins {ask}")
            }
            (Principal::Key(key), _) if key.owner.is_some() => format!(
                "The personal access token doesn't have the scope `{}`, or its owner's role doesn't allow it.",
                scope.name()
            ),
            (Principal::Key(_) | Principal::Cli(_), _) => {
                format!("The API key doesn't have the scope `{}`.", scope.name())
            }
        }))
    }

    /// Whether they are an operator.
    pub fn is_operator(&self) -> bool {
        self.scope() == Scope::Operator
    }

    /// The networks that the key is limited to; empty for all.
    pub fn allowlist(&self) -> &[IpNet] {
        self.key().map(|key| key.allowlist.as_slice()).unwrap_or_default()
    }

    /// The only projects that the key can access; empty for all.
    pub fn only_projects(&self) -> &[String] {
        self.key().map(|key| key.projects.as_slice()).unwrap_or_default()
    }

    /// Whether they can access objects of a project of an organization.
    pub fn reaches(&self, organization_id: &str, project_id: &str) -> bool {
        match &self.principal {
            Principal::Key(key) => key.reaches(organization_id, project_id),
            Principal::Member(member) => {
                member.organization.as_ref().is_none_or(|own| own.id == organization_id)
            }
            Principal::Cli(_) => true,
        }
    }

    /// A project that they can access. Any other counts as missing.
    pub async fn project(
        &self,
        operations: &Operations,
        id: &str,
    ) -> Result<Project, OperationError> {
        let project = operations.database.project(id).await?;
        let own = project.filter(|project| self.reaches(&project.organization_id, &project.id));
        own.inspect(|project| concerns("project", &project.id)).ok_or_else(no_project)
    }

    /// The project of a domain. If they can't access it, the domain counts as missing.
    pub async fn project_of_domain(
        &self,
        operations: &Operations,
        domain: &DomainAddress,
    ) -> Result<Project, OperationError> {
        let project = operations.database.project_of_domain(domain).await?;
        let own = project.filter(|own| self.reaches(&own.organization_id, &own.id));
        own.inspect(|own| concerns("project", &own.id)).ok_or_else(|| no_domain(domain))
    }

    /// The organization of a request: the caller's own, or for a key of the instance the one that the request
    /// names; `None` if it names none. Any other counts as missing.
    pub async fn organization(
        &self,
        operations: &Operations,
        named: Option<&str>,
    ) -> Result<Option<Organization>, OperationError> {
        let found = match (&self.organization, named) {
            (Some(own), None) => Some(own.clone()),
            (Some(own), Some(id)) => Some(own.clone()).filter(|own| own.id == id),
            (None, Some(id)) => operations.database.organization(id).await?,
            (None, None) => return Ok(None),
        };
        found.map(Some).ok_or_else(no_organization)
    }

    /// The same for requests about a whole organization. A key that is limited to projects is refused.
    pub async fn whole_organization(
        &self,
        operations: &Operations,
        named: Option<&str>,
    ) -> Result<Option<Organization>, OperationError> {
        if !self.only_projects().is_empty() {
            return Err(OperationError::Forbidden(
                "This key is limited to projects, and this operation affects the whole organization. Use a key without that limit."
                    .to_owned(),
            ));
        }
        self.organization(operations, named).await
    }

    /// The organization with an ID, for requests about all of it.
    pub async fn named_organization(
        &self,
        operations: &Operations,
        id: &str,
    ) -> Result<Organization, OperationError> {
        self.whole_organization(operations, Some(id)).await?.ok_or_else(no_organization)
    }

    /// Fails unless the plan includes static export. Operators have no plan.
    pub async fn require_static_export(
        &self,
        operations: &Operations,
    ) -> Result<(), OperationError> {
        let Some(own) = &self.organization else { return Ok(()) };
        if operations.database.plan_limits(own.plan).await?.limits.static_export {
            return Ok(());
        }
        Err(OperationError::Forbidden(format!(
            "The plan of this organization, {}, doesn't include static export. Ask the operator for another plan.",
            own.plan
        )))
    }
}

/// The error for a project that doesn't exist, or that the caller can't access.
pub fn no_project() -> OperationError {
    OperationError::NotFound("Project not found. Check the ID.".to_owned())
}

/// The error for a domain that doesn't exist, or that the caller can't access.
pub fn no_domain(domain: &impl Display) -> OperationError {
    OperationError::NotFound(format!("Domain {domain} isn't configured. Add it to a project."))
}

/// The error for an organization that doesn't exist, or that the caller can't access.
pub fn no_organization() -> OperationError {
    OperationError::NotFound("Organization not found. Check the ID.".to_owned())
}

/// The error for a key of the instance that names no organization although one is required.
pub fn unnamed_organization() -> OperationError {
    OperationError::Invalid("`organizationId` is missing: name the organization.".to_owned())
}

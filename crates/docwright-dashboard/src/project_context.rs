//! The context of a page: an organization, or a project in one. Pages take it as an argument. For people outside
//! the organization, the response is the same as if it didn't exist.

use std::collections::HashMap;

use axum::{
    extract::{FromRequestParts, Path},
    http::{StatusCode, request::Parts},
    response::Response,
};
use docwright_http::request::concerns;
use docwright_operations::{Caller, callers::Member};
use docwright_storage::database::{Organization, Project};
use docwright_types::account::Role;
use maud::Markup;

use super::{Dashboard, frame, frame::Frame, refusal::Refusal, session::SignedIn};

/// An organization, and the user's role in it.
#[derive(Debug, Clone)]
pub(crate) struct OrganizationPlace {
    pub(super) person: SignedIn,
    pub(super) organization: Organization,
    pub(super) role: Role,
    /// The user as a caller of operations.
    pub(super) caller: Caller,
}

/// A project of an organization.
#[derive(Debug, Clone)]
pub(crate) struct ProjectContext {
    pub(super) of: OrganizationPlace,
    pub(super) project: Project,
}

/// The whole instance, for operators.
#[derive(Debug, Clone)]
pub(crate) struct InstancePlace {
    pub(super) person: SignedIn,
    /// The user as a caller of operations.
    pub(super) caller: Caller,
}

impl OrganizationPlace {
    /// The context of an organization, if the user can access it.
    pub(super) async fn enter(
        dashboard: &Dashboard,
        person: SignedIn,
        id: &str,
    ) -> Result<Self, Refusal> {
        let membership = person.memberships.iter().find(|each| each.organization.id == id);
        let (organization, role) = match membership {
            Some(found) => (found.organization.clone(), found.role),
            None if person.account.is_operator => {
                let found = dashboard.operations.database.organization(id).await?;
                (found.ok_or(Refusal::Missing)?, Role::Admin)
            }
            None => return Err(Refusal::Missing),
        };
        concerns("organization", &organization.id);
        let role = if person.account.is_operator { Role::Admin } else { role };
        let caller = caller(&person, Some((organization.clone(), role)))?;
        Ok(Self { person, organization, role, caller })
    }

    /// Whether the user has at least a role.
    pub(super) fn can(&self, role: Role) -> bool {
        self.role >= role
    }

    /// A page in this context. `section` is the last part of its path, which the navigation marks.
    pub(super) fn page(&self, section: &'static str, title: &str, body: &Markup) -> Response {
        self.page_with(StatusCode::OK, section, title, body)
    }

    /// The same with another status.
    pub(super) fn page_with(
        &self,
        status: StatusCode,
        section: &'static str,
        title: &str,
        body: &Markup,
    ) -> Response {
        let frame =
            Frame { person: &self.person, organization: Some(self), project: None, section };
        frame::page(status, &frame, title, body)
    }
}

impl ProjectContext {
    /// A page in this context.
    pub(super) fn page(&self, section: &'static str, title: &str, body: &Markup) -> Response {
        self.page_with(StatusCode::OK, section, title, body)
    }

    /// The same with another status.
    pub(super) fn page_with(
        &self,
        status: StatusCode,
        section: &'static str,
        title: &str,
        body: &Markup,
    ) -> Response {
        let (organization, project) = (Some(&self.of), Some(&self.project));
        let frame = Frame { person: &self.of.person, organization, project, section };
        frame::page(status, &frame, title, body)
    }

    /// The path of a page of the project.
    pub(super) fn path(&self, section: &str) -> String {
        match section {
            "" => format!("/projects/{}", self.project.id),
            _ => format!("/projects/{}/{section}", self.project.id),
        }
    }
}

impl InstancePlace {
    /// A page in this context.
    pub(super) fn page(&self, section: &'static str, title: &str, body: &Markup) -> Response {
        self.page_with(StatusCode::OK, section, title, body)
    }

    /// The same with another status.
    pub(super) fn page_with(
        &self,
        status: StatusCode,
        section: &'static str,
        title: &str,
        body: &Markup,
    ) -> Response {
        let frame = Frame { person: &self.person, organization: None, project: None, section };
        frame::page(status, &frame, title, body)
    }
}

/// A user as a caller of operations: in an organization, or an operator.
pub(super) fn caller(
    person: &SignedIn,
    place: Option<(Organization, Role)>,
) -> Result<Caller, Refusal> {
    let browser = &person.browser;
    let member = Member::new(person.account.clone(), place, browser.client.address);
    let member = member.ok_or(Refusal::Missing)?;
    Ok(member.caller(&browser.client.request_id))
}

async fn parameter(parts: &mut Parts, name: &str) -> Result<String, Refusal> {
    let all = Path::<HashMap<String, String>>::from_request_parts(parts, &()).await;
    let Path(mut all) = all.map_err(|_| Refusal::Missing)?;
    all.remove(name).ok_or(Refusal::Missing)
}

impl FromRequestParts<Dashboard> for OrganizationPlace {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, dashboard: &Dashboard) -> Result<Self, Refusal> {
        let person = SignedIn::from_request_parts(parts, dashboard).await?;
        let id = parameter(parts, "organization_id").await?;
        Self::enter(dashboard, person, &id).await
    }
}

impl FromRequestParts<Dashboard> for ProjectContext {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, dashboard: &Dashboard) -> Result<Self, Refusal> {
        let person = SignedIn::from_request_parts(parts, dashboard).await?;
        let id = parameter(parts, "project_id").await?;
        let project = dashboard.operations.database.project(&id).await?.ok_or(Refusal::Missing)?;
        let of = OrganizationPlace::enter(dashboard, person, &project.organization_id).await?;
        concerns("project", &project.id);
        Ok(Self { of, project })
    }
}

impl FromRequestParts<Dashboard> for InstancePlace {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, dashboard: &Dashboard) -> Result<Self, Refusal> {
        let person = SignedIn::from_request_parts(parts, dashboard).await?;
        let caller = caller(&person, None)?;
        Ok(Self { person, caller })
    }
}

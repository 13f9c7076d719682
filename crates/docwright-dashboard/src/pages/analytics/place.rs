//! Where the pages of analytics are: in a project of the dashboard, or beside a site that `docwright deploy` serves.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts, response::Response};
use docwright_operations::{Allowed, Caller, OperationError, Operations, permissions::Permission};
use maud::Markup;

use crate::{Dashboard, frame, project_context::ProjectContext, refusal::Refusal, words};

/// Analytics beside a site: they have no project that anyone sees, no account, and no other page of the dashboard.
#[derive(Debug, Clone)]
pub(crate) struct SiteAnalytics {
    pub(crate) operations: Operations,
    pub(crate) caller: Caller,
    /// The project that counts the readers of the site.
    pub(crate) project_id: Arc<str>,
    /// The path of the page on the host of the site.
    pub(crate) path: Arc<str>,
    /// The path of the site.
    pub(crate) site: Arc<str>,
}

/// The context of a page of analytics.
pub(in crate::pages) struct AnalyticsPlace {
    pub(super) operations: Operations,
    pub(super) project_id: Arc<str>,
    caller: Caller,
    place: Place,
}

enum Place {
    Project(Box<ProjectContext>),
    Site { path: Arc<str>, site: Arc<str> },
}

impl AnalyticsPlace {
    /// The caller of an operation.
    pub(super) fn allowed<P: Permission>(&self) -> Result<Allowed<P>, OperationError> {
        self.caller.allowed()
    }

    /// The path of the page with all tables.
    pub(super) fn path(&self) -> String {
        match &self.place {
            Place::Project(project) => project.path("analytics"),
            Place::Site { path, .. } => path.to_string(),
        }
    }

    /// The path of another page of the project; `None` beside a site, which has none.
    pub(super) fn elsewhere(&self, section: &str) -> Option<String> {
        match &self.place {
            Place::Project(project) => Some(project.path(section)),
            Place::Site { .. } => None,
        }
    }

    pub(super) fn page(&self, body: &Markup) -> Response {
        match &self.place {
            Place::Project(project) => project.page("analytics", words::ANALYTICS, body),
            Place::Site { path, site } => frame::beside_site((path, site), words::ANALYTICS, body),
        }
    }

    /// A page with the numbers of the last minutes, which refreshes itself.
    pub(super) fn refreshed_page(&self, body: &Markup) -> Response {
        match &self.place {
            Place::Project(_) => self.page(body),
            Place::Site { .. } => frame::refreshed(self.page(body)),
        }
    }
}

impl FromRequestParts<Dashboard> for AnalyticsPlace {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, dashboard: &Dashboard) -> Result<Self, Refusal> {
        let project = ProjectContext::from_request_parts(parts, dashboard).await?;
        Ok(Self {
            operations: dashboard.operations.clone(),
            project_id: project.project.id.as_str().into(),
            caller: project.of.caller.clone(),
            place: Place::Project(Box::new(project)),
        })
    }
}

impl FromRequestParts<SiteAnalytics> for AnalyticsPlace {
    type Rejection = Refusal;

    async fn from_request_parts(_: &mut Parts, of: &SiteAnalytics) -> Result<Self, Refusal> {
        let SiteAnalytics { operations, caller, project_id, path, site } = of.clone();
        Ok(Self { operations, project_id, caller, place: Place::Site { path, site } })
    }
}

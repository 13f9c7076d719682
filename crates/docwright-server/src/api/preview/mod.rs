//! Previews of a project: of branches, which the API asks for, and of pull requests, which come by
//! themselves.

pub(super) mod delete;
pub(super) mod get;
pub(super) mod list;
pub(super) mod password;
pub(super) mod start;

use docwright_domain::{preview, release::Release, timestamp::iso};
use docwright_storage::database::Project;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{releases::ReleaseStatus, web};
use crate::{error::ApiError, state::AppState};

/// A preview of a project.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct PreviewPath {
    /// Identifier of the project. The dashboard shows it on the "API keys" page.
    #[param(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// Identifier of the preview.
    #[param(example = "prv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    preview_id: String,
}

/// A site of a branch or a pull request, which is not published yet.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preview {
    /// Identifier of the preview.
    #[schema(example = "prv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// The project that it is of.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    project_id: String,
    /// The branch that it shows.
    #[schema(example = "new-install-page")]
    branch: String,
    /// Number of its pull request; null if the API asked for it.
    #[schema(example = 7)]
    pull_request: Option<i64>,
    /// The page of the pull request, where that is known.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/7")]
    pull_request_url: Option<String>,
    /// Title of the pull request.
    #[schema(example = "Say how to install it")]
    title: Option<String>,
    /// Whether the branch is in a fork.
    is_fork: bool,
    /// Whether it is open.
    #[schema(example = "open")]
    state: PreviewState,
    /// Why it is closed: `pull_request`, `unchanged`, `newer` or `deleted`.
    #[schema(example = "pull_request")]
    closed_because: Option<&'static str>,
    /// Where it is.
    #[schema(
        format = "uri",
        example = "https://mzxw6ytbmzxw6ytbmzxw6ytbmzxw6ytb.previews.example.net"
    )]
    #[expect(clippy::struct_field_names, reason = "clients know it by this name")]
    preview_url: String,
    /// Its newest release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    release_id: Option<String>,
    /// Where its newest release stands.
    #[schema(example = "ready")]
    release_status: Option<ReleaseStatus>,
    /// Why that failed.
    error: Option<String>,
    /// The commit of that release, once it is known.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    commit: Option<String>,
    /// Mistakes in pages of that release.
    #[schema(example = 1)]
    warnings: Option<i64>,
    /// When it was opened first.
    #[schema(format = DateTime)]
    created_at: String,
    /// When something was pushed or asked for last.
    #[schema(format = DateTime)]
    changed_at: String,
    /// When it was closed.
    #[schema(format = DateTime)]
    closed_at: Option<String>,
}

/// Whether a preview is open.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PreviewState {
    /// It is.
    Open,
    /// It was.
    Closed,
}

impl From<preview::PreviewState> for PreviewState {
    fn from(state: preview::PreviewState) -> Self {
        match state {
            preview::PreviewState::Open => Self::Open,
            preview::PreviewState::Closed => Self::Closed,
        }
    }
}

impl From<PreviewState> for preview::PreviewState {
    fn from(state: PreviewState) -> Self {
        match state {
            PreviewState::Open => Self::Open,
            PreviewState::Closed => Self::Closed,
        }
    }
}

impl Preview {
    fn of(
        app: &AppState,
        project: &Project,
        preview: preview::Preview,
        newest: Option<Release>,
    ) -> Self {
        let pull_request_url =
            preview.pull_request.and_then(|number| web::pull_request(app, project, number));
        let preview_url = match &app.repositories.previews {
            Ok(addresses) => addresses.url(&preview.host),
            // Previews were turned off since; nothing answers there.
            Err(_) => format!("https://{}", preview.host),
        };
        Self {
            id: preview.id,
            project_id: preview.project_id,
            branch: preview.branch,
            pull_request: preview.pull_request,
            pull_request_url,
            title: preview.title,
            is_fork: preview.source.is_fork,
            state: preview.state.into(),
            closed_because: preview.end.map(preview::PreviewEnd::name),
            preview_url,
            release_id: newest.as_ref().map(|newest| newest.id.clone()),
            warnings: newest.as_ref().map(|newest| newest.warning_count),
            release_status: newest.as_ref().map(|newest| newest.status.into()),
            error: newest.as_ref().and_then(|newest| newest.error.clone()),
            commit: newest.and_then(|newest| newest.commit.sha),
            created_at: iso(preview.created_at),
            changed_at: iso(preview.changed_at),
            closed_at: preview.closed_at.map(iso),
        }
    }
}

fn missing() -> ApiError {
    ApiError::NotFound("This project has no such preview.".to_owned())
}

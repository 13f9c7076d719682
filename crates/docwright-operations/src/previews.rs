//! Previews of a project: of branches, on request, and of pull requests, automatically.

use docwright_jobs::repositories::NoPreviews;
use docwright_storage::database::{Allowance, Limited, PreviewOfBranch, Project, StartedPreview};
use docwright_types::{
    preview::{self, PreviewEnd, PreviewState},
    release::{Release, ReleaseStatus},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, OperationError, Operations,
    audit::Change,
    can,
    diagnostics::{Diagnostic, FoundDiagnostics},
    fields::Text,
    idempotency::Idempotency,
    listed::Listed,
    lists::{Page, Search},
    password,
    rate_limit::RateLimit,
    web,
};

/// Longest name of a branch, in characters.
const MAXIMUM_BRANCH: usize = 250;

/// A preview: the temporary site of a branch or pull request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// ID of the preview.
    #[schema(example = "prv_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// ID of the project.
    #[schema(example = "prj_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub project_id: String,
    /// Branch of the preview.
    #[schema(example = "new-install-page")]
    pub branch: String,
    /// Number of the pull request; null if the preview was requested through the API.
    #[schema(example = 7)]
    pub pull_request: Option<i64>,
    /// URL of the pull request, if known.
    #[schema(format = "uri", example = "https://github.com/acme/docs/pull/7")]
    pub pull_request_url: Option<String>,
    /// Title of the pull request.
    #[schema(example = "Say how to install it")]
    pub title: Option<String>,
    /// Whether the branch belongs to a fork.
    pub is_fork: bool,
    /// State of the preview.
    #[schema(example = "open")]
    pub state: PreviewState,
    /// Reason why the preview closed: `pull_request`, `unchanged`, `newer`, or `deleted`.
    #[schema(value_type = Option<String>, example = "pull_request")]
    pub closed_because: Option<PreviewEnd>,
    /// URL of the preview.
    #[schema(
        format = "uri",
        example = "https://mzxw6ytbmzxw6ytbmzxw6ytbmzxw6ytb.previews.example.net"
    )]
    pub preview_url: String,
    /// ID of its newest release.
    #[schema(example = "rel_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub release_id: Option<String>,
    /// State of its newest release.
    #[schema(example = "ready")]
    pub release_status: Option<ReleaseStatus>,
    /// Reason why that release failed.
    pub error: Option<String>,
    /// Commit of that release; null until it is known.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub commit: Option<String>,
    /// Number of diagnostics in pages of that release.
    #[schema(example = 1)]
    pub warnings: Option<i64>,
    /// Time when the preview was first opened.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the last push or request.
    #[schema(format = DateTime)]
    pub changed_at: String,
    /// Time when the preview was closed.
    #[schema(format = DateTime)]
    pub closed_at: Option<String>,
}

/// A page of previews, newest first.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewList {
    /// The previews.
    pub previews: Vec<Preview>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// Whether the project's previews ask for a password.
    pub asks_for_password: bool,
    /// Reason why the instance has no previews, and what the operator can do; null if it has
    /// previews.
    #[schema(example = json!(null))]
    pub unavailable: Option<String>,
}

/// A preview, with the diagnostics of its newest release.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreviewDetails {
    /// The preview.
    #[serde(flatten)]
    pub preview: Preview,
    /// The first 200 diagnostics in files that the published release doesn't have.
    pub new_diagnostics: Vec<Diagnostic>,
}

/// Which previews to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListPreviews {
    /// Return only previews in this state.
    #[param(inline, value_type = PreviewState, required = false)]
    pub state: Option<PreviewState>,
    /// Return only previews whose branch or title contains this text, grouped by branch. The case of
    /// ASCII letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "new-")]
    pub search: Option<Search>,
}

/// A branch to preview.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPreview {
    /// Name of the branch.
    #[schema(value_type = String, min_length = 1, max_length = 250, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "new-install-page")]
    pub branch: Text<MAXIMUM_BRANCH>,
}

/// A preview that was requested.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartedPreviewBody {
    /// ID of the update that builds the preview. Use it to get the update's state.
    #[schema(example = "upd_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub status_id: String,
    /// URL of the preview, after it is built.
    #[schema(
        format = "uri",
        example = "https://mzxw6ytbmzxw6ytbmzxw6ytbmzxw6ytb.previews.example.net"
    )]
    pub preview_url: String,
}

/// A password for previews.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewPassword {
    /// Password for previews. docwright keeps only a hash and never shows it.
    #[schema(value_type = String, min_length = 1, max_length = 200, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "correct horse battery staple")]
    pub password: Text<200>,
}

/// Lists the previews of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListPreviews>,
    project_id: &str,
    filter: &ListPreviews,
    page: &Page,
) -> Result<PreviewList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("previews", &project.id, filter))?;
    let wanted = page.searched(filter.search.as_ref());
    let read = operations.database.previews(&project.id, filter.state, wanted).await?;
    let sites: Vec<_> = read.iter().map(|preview| preview.site_id.as_str()).collect();
    let mut newest = operations.database.newest_releases(&sites).await?;
    let position = |preview: &preview::Preview| wanted.position(Some(&preview.branch), &preview.id);
    let Listed { items, next_cursor } = page.cut(read, position, |preview| {
        let newest = newest.remove(&preview.site_id);
        Preview::of(operations, &project, preview, newest)
    });
    let unavailable = operations.repositories.previews.as_ref().err().map(ToString::to_string);
    let asks_for_password = operations.database.has_preview_password(&project.id).await?;
    Ok(PreviewList { previews: items, next_cursor, asks_for_password, unavailable })
}

/// Builds a branch into its own site. Also returns the rest of the rate limit.
pub async fn start(
    operations: &Operations,
    caller: &Allowed<can::StartPreview>,
    project_id: &str,
    input: NewPreview,
    idempotency: &Idempotency,
) -> Result<(StartedPreviewBody, Allowance), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let off = |reason: &NoPreviews| OperationError::Conflict(reason.to_string());
    let addresses = operations.repositories.previews.as_ref().map_err(off)?;
    operations.require_room().await?;
    let branch = String::from(input.branch);
    let requested = PreviewOfBranch {
        project_id: &project.id,
        branch: &branch,
        idempotency: idempotency.of(&project.organization_id),
    };
    let change = Change::of("preview.create", Some(&project.organization_id))
        .after(json!({ "projectId": project.id, "branch": branch }));
    let database = caller.recording(operations, change);
    match database.start_preview(requested, addresses, operations.now()).await? {
        Limited::Taken(StartedPreview::Started(status_id, preview), allowance) => {
            operations.wakes.releases.notify_one();
            let preview_url = addresses.url(&preview.host);
            Ok((StartedPreviewBody { status_id, preview_url }, allowance))
        }
        Limited::Taken(StartedPreview::Conflict, _) => Err(OperationError::Conflict(
            "This Idempotency-Key was used with a different request. Use a new key.".to_owned(),
        )),
        Limited::Refused(allowance) => {
            Err(OperationError::TooManyRequests(RateLimit::PREVIEWS, allowance))
        }
    }
}

/// Returns a preview with its new diagnostics.
pub async fn get(
    operations: &Operations,
    caller: &Allowed<can::GetPreview>,
    (project_id, id): (&str, &str),
) -> Result<PreviewDetails, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let database = &operations.database;
    let preview = database.preview(&project.id, id).await?.ok_or_else(no_preview)?;
    let newest = database.newest_releases(&[&preview.site_id]).await?.remove(&preview.site_id);
    let mut new_diagnostics = Vec::new();
    if let Some(newest) = newest.as_ref().filter(|each| each.status == ReleaseStatus::Ready) {
        let before = match database.base_of_preview(&preview.id).await? {
            Some(base) => database.diagnostics(&base).await?,
            None => None,
        };
        let found = database.diagnostics(&newest.id).await?;
        let new = found.zip(before).map(|(found, before)| found.new_since(&before));
        let web = web::of_project(operations, &project);
        let found = FoundDiagnostics::of(operations, newest, new, web.as_ref()).await?;
        new_diagnostics = found.diagnostics;
        new_diagnostics.retain(|each| each.is_new);
    }
    let preview = Preview::of(operations, &project, preview, newest);
    Ok(PreviewDetails { preview, new_diagnostics })
}

/// Closes a preview. Closing a closed one does nothing.
pub async fn close(
    operations: &Operations,
    caller: &Allowed<can::ClosePreview>,
    (project_id, id): (&str, &str),
) -> Result<(), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let preview = operations.database.preview(&project.id, id).await?.ok_or_else(no_preview)?;
    let change = Change::of("preview.close", Some(&project.organization_id))
        .before(json!({ "projectId": project.id, "branch": preview.branch }));
    let database = caller.recording(operations, change);
    database.close_preview(&project.id, &preview.id, operations.now()).await?;
    Ok(())
}

/// Sets the password of all previews of a project.
pub async fn set_password(
    operations: &Operations,
    caller: &Allowed<can::SetPreviewPassword>,
    project_id: &str,
    input: PreviewPassword,
) -> Result<(), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let hash = password::hash(&project.organization_id, input.password.into()).await?;
    let change = Change::of("preview_password.set", Some(&project.organization_id));
    let database = caller.recording(operations, change);
    database.set_preview_password(&project.id, Some(&hash)).await?;
    Ok(())
}

/// Removes the password of the previews of a project.
pub async fn remove_password(
    operations: &Operations,
    caller: &Allowed<can::RemovePreviewPassword>,
    project_id: &str,
) -> Result<(), OperationError> {
    let project = caller.project(operations, project_id).await?;
    let change = Change::of("preview_password.remove", Some(&project.organization_id));
    let database = caller.recording(operations, change);
    database.set_preview_password(&project.id, None).await?;
    Ok(())
}

impl Preview {
    fn of(
        operations: &Operations,
        project: &Project,
        preview: preview::Preview,
        newest: Option<Release>,
    ) -> Self {
        let pull_request_url =
            preview.pull_request.and_then(|number| web::pull_request(operations, project, number));
        let preview_url = match &operations.repositories.previews {
            Ok(addresses) => addresses.url(&preview.host),
            // Previews were turned off since then, so nothing answers there.
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
            state: preview.state,
            closed_because: preview.end,
            preview_url,
            release_id: newest.as_ref().map(|newest| newest.id.clone()),
            warnings: newest.as_ref().map(|newest| newest.warning_count),
            release_status: newest.as_ref().map(|newest| newest.status),
            error: newest.as_ref().and_then(|newest| newest.error.clone()),
            commit: newest.and_then(|newest| newest.commit.sha),
            created_at: iso(preview.created_at),
            changed_at: iso(preview.changed_at),
            closed_at: preview.closed_at.map(iso),
        }
    }
}

fn no_preview() -> OperationError {
    OperationError::NotFound("Preview not found in this project. Check the ID.".to_owned())
}

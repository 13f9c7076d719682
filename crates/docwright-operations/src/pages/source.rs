//! The file of a page at the head of its site's branch, for editing.

use std::{sync::LazyLock, time::Duration};

use docwright_jobs::{page_edit::PageFile, queue::JobError};
use docwright_site::outline::OutlinePage;
use docwright_storage::database::Project;
use docwright_types::counted;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

use super::{
    line_endings::without_mark,
    outlines::{SiteOutline, of_site},
};
use crate::{
    Allowed, OperationError, Operations, can,
    error::sentence,
    fair_limiter::FairLimiter,
    fields::{SiteDomain, Text},
};

/// Longest text of a page that can be edited here: in characters, and in bytes of its file.
pub const MAXIMUM_TEXT: usize = 500_000;
/// Longest path of a page, in characters.
pub(super) const MAXIMUM_PATH: usize = 500;
/// Simultaneous readers of repositories: in all, and of one organization.
static READERS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(4, 2));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a request waits for the files of a repository. Fetching them continues after that.
const FETCH_TIME: Duration = Duration::from_secs(30);

/// The page to edit.
#[derive(Debug, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GetPageSource {
    /// Path of the page, as the list of pages returns it.
    #[param(value_type = String, min_length = 1, max_length = 500, pattern = r"^[^\x00]*[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\x00]*$", example = "guides/start")]
    pub path: Text<MAXIMUM_PATH>,
    /// Domain of the site. Defaults to the same domain as the list of pages.
    #[param(inline, required = false)]
    pub domain: Option<SiteDomain>,
}

/// The file of a page at the head of its site's branch.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageSource {
    /// Path of the page, below the root of the site.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Title of the page in the active release.
    #[schema(example = "Start here")]
    pub title: String,
    /// Domain of the site.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Path of the file, relative to the root of the repository.
    #[schema(example = "docs/guides/start.mdx")]
    pub file: String,
    /// Branch of the site.
    #[schema(example = "main")]
    pub branch: String,
    /// Newest commit of the branch.
    #[schema(example = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098")]
    pub commit: String,
    /// Name of this version of the file: another text has another one. An edit names the one that it is based on.
    #[schema(example = "257cc5642cb1a054f08cc83f2d943e56fd3ebe99")]
    pub revision: String,
    /// Text of the file, without a byte order mark.
    #[schema(example = "---\ntitle: Start here\n---\n\nInstall docwright.\n")]
    pub text: String,
    /// Why an edit can't become a pull request, and what to do; null if it can.
    #[schema(example = json!(null))]
    pub unavailable: Option<String>,
}

/// Returns the file of a page.
pub async fn source(
    operations: &Operations,
    caller: &Allowed<can::GetPageSource>,
    project_id: &str,
    asked: &GetPageSource,
) -> Result<PageSource, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = EditedPage::find(operations, &project, (&asked.path, asked.domain.as_ref())).await?;
    let text = page.text(operations).await?;
    let unavailable = unavailable(operations, &project, &page).await?;
    let EditedPage { site, title, path, file, revision } = page;
    Ok(PageSource {
        text: without_mark(&text).to_owned(),
        domain: site.domain,
        branch: file.branch,
        commit: file.commit,
        file: file.path,
        path,
        title,
        revision,
        unavailable,
    })
}

/// A page, and its file at the head of its branch.
#[derive(Debug)]
pub(super) struct EditedPage {
    pub(super) site: SiteOutline,
    pub(super) path: String,
    title: String,
    pub(super) file: PageFile,
    pub(super) revision: String,
}

impl EditedPage {
    /// Finds a page of the active release, and its file. No path finds any other file.
    pub(super) async fn find(
        operations: &Operations,
        project: &Project,
        (path, domain): (&Text<MAXIMUM_PATH>, Option<&SiteDomain>),
    ) -> Result<Self, OperationError> {
        let domain = domain.map(|domain| domain.0.as_str());
        let site = of_site(operations, project, domain).await?.ok_or_else(|| {
            OperationError::Conflict(
                "No domain of this project has an active release yet. Publish it first.".to_owned(),
            )
        })?;
        let path = match path.as_str().trim_matches('/') {
            "" => "index",
            path => path,
        };
        let page = site.outline.pages.iter().find(|page| page.path == path);
        let OutlinePage { title, file, path, .. } = page.cloned().ok_or_else(|| {
            OperationError::NotFound(
                "Page not found in the active release. List the pages for their paths.".to_owned(),
            )
        })?;
        let below = file.ok_or_else(|| {
            OperationError::Conflict(
                "This page has no file: docwright makes it from an API spec. Edit the spec in the repository."
                    .to_owned(),
            )
        })?;
        let site_row = operations.database.site(&site.release.site_id).await?;
        let branch = site_row.and_then(|row| row.branch);
        let file = find_file(operations, project, branch, below).await?;
        let revision = match &file.file {
            Some(found) if !found.is_regular() => {
                return Err(OperationError::Conflict(format!(
                    "`{}` is a symbolic link. Edit its target in the repository.",
                    file.path
                )));
            }
            Some(found) => found.blob.clone(),
            None => {
                return Err(OperationError::Conflict(format!(
                    "`{}` doesn't exist on the branch {} any more. It was moved or deleted after the page was published.",
                    file.path, file.branch
                )));
            }
        };
        Ok(Self { site, path, title, file, revision })
    }

    /// The text of the file, with its byte order mark.
    pub(super) async fn text(&self, operations: &Operations) -> Result<String, OperationError> {
        let size = self.file.file.as_ref().map_or(0, |file| file.size);
        let shown = |size: u64| counted::bytes(i64::try_from(size).unwrap_or(i64::MAX));
        if size > MAXIMUM_TEXT as u64 {
            return Err(OperationError::Conflict(format!(
                "`{}` has {}, more than the {} that can be edited here. Edit it with git.",
                self.file.path,
                shown(size),
                shown(MAXIMUM_TEXT as u64)
            )));
        }
        let contents = self.file.contents(&operations.repositories).await.map_err(unreadable)?;
        let text = String::from_utf8(contents).ok().filter(|text| !text.contains('\0'));
        text.ok_or_else(|| {
            OperationError::Conflict(format!(
                "`{}` isn't text in UTF-8, so editing it here could damage it. Edit it with git.",
                self.file.path
            ))
        })
    }
}

/// Finds a file at the head of a branch. A repository that isn't on this node yet is fetched first, for which a request
/// waits a limited time.
async fn find_file(
    operations: &Operations,
    project: &Project,
    branch: Option<String>,
    below: String,
) -> Result<PageFile, OperationError> {
    let busy = |why: &str| OperationError::Busy(format!("{why} Try again soon."));
    let turn = READERS.take(&project.organization_id, PATIENCE).await;
    let turn = turn.ok_or_else(|| busy("Other pages are being read."))?;
    let (repositories, project) = (operations.repositories.clone(), project.clone());
    let found = tokio::spawn(
        async move {
            let _turn = turn;
            PageFile::find(&repositories, &project, (branch.as_deref(), &below)).await
        }
        .in_current_span(),
    );
    let found = timeout(FETCH_TIME, found).await;
    let found = found.map_err(|_| busy("The repository is still being fetched."))?;
    found.map_err(|error| OperationError::Internal(error.to_string()))?.map_err(unreadable)
}

/// Why the git host of a project opens no pull requests, and what to do.
async fn unavailable(
    operations: &Operations,
    project: &Project,
    page: &EditedPage,
) -> Result<Option<String>, OperationError> {
    match operations.repositories.git_hosts(project).await {
        Ok(_) => Ok(None),
        Err(JobError::Permanent(_)) => Ok(Some(format!(
            "docwright can't open pull requests on the git host of this project. Clone the repository, change `{}`, and push it to the branch {}. The operator can name the kind of this git host.",
            page.file.path, page.file.branch
        ))),
        Err(error) => Err(unreadable(error)),
    }
}

/// The error for a repository that can't be read or written.
pub(super) fn unreadable(error: JobError) -> OperationError {
    match error {
        JobError::Permanent(reason) => OperationError::Conflict(sentence(&reason)),
        other => OperationError::Unavailable(other.to_string()),
    }
}

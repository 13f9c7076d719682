//! The first flow: repository → content → site → bundle → storage.

mod check_out;
mod compile;
mod store;

use std::{path::PathBuf, sync::Arc};

use docwright_domain::export_job::{ExportJob, ExportWarning, StoredBundle};
use docwright_site::{
    build::{BuildError, Progress},
    bundle::BundleError,
    content::{Content, ContentError},
};
use docwright_storage::{LocalObjects, StorageError, database::Project};

pub(crate) use check_out::hide;

use crate::repositories::{Repositories, RepositoryError};

/// What a publication needs besides the job.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The job.
    pub job: ExportJob,
    /// The project that it publishes.
    pub project: Project,
    /// Where projects have their files.
    pub repositories: Repositories,
    /// Where bundles go.
    pub objects: LocalObjects,
    /// Where work in progress may be put.
    pub scratch: PathBuf,
    /// Folder for copies of API descriptions on other hosts; `None` if they may not be fetched.
    pub remote_specs: Option<PathBuf>,
    /// Whether the site loads the analytics that its author configured.
    pub analytics: bool,
}

/// What a publication made.
#[derive(Debug)]
pub struct Published {
    /// Pages rendered.
    pub page_count: usize,
    /// The first mistakes found.
    pub warnings: Vec<ExportWarning>,
    /// How many were found.
    pub warning_count: usize,
    /// The bundle.
    pub bundle: StoredBundle,
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The repository can't be read.
    #[error("the repository can't be read: {0}")]
    Repository(#[from] RepositoryError),
    /// The job broke off, or its project is gone.
    #[error("{0}")]
    Broken(String),
    /// There is nothing in it that could be rendered.
    #[error("{0}")]
    Source(String),
    /// There is no readable configuration.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The site can't be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The bundle can't be made.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The bundle can't be stored.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The disk failed.
    #[error("the disk failed: {0}")]
    Disk(#[from] std::io::Error),
}

impl PublishError {
    /// Whether the same job may succeed later without anyone changing anything.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Repository(error) => error.may_pass(),
            Self::Broken(_) | Self::Storage(_) | Self::Disk(_) | Self::Bundle(_) => true,
            Self::Build(error) => matches!(error, BuildError::Output(_) | BuildError::Threads(_)),
            Self::Source(_) | Self::Content(_) => false,
        }
    }
}

/// Publishes a project.
pub async fn publish(
    publication: Publication,
    progress: Arc<dyn Fn(Progress) + Send + Sync>,
) -> Result<Published, PublishError> {
    let docs = check_out::check_out(&publication.project, &publication.repositories).await?;
    let extras = compile::gather(&docs, &publication).await?;
    let work = move || {
        let folder = tempfile::tempdir_in(&publication.scratch)?;
        let site = folder.path().join("site");
        let report = compile::compile(&docs, extras, &publication, &site, &*progress)?;
        let bundle = store::store(&site, &report, &docs, &publication)?;
        let (warnings, warning_count) = compile::warnings(&report);
        Ok(Published { page_count: report.pages, warnings, warning_count, bundle })
    };
    blocking(work).await
}

/// Runs work that keeps a thread busy. A panic is a fault of ours; the job must still come to an end.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PublishError> + Send + 'static,
) -> Result<T, PublishError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(PublishError::Broken(format!("rendering broke off: {error}"))))
}

/// The paths among those asked for that are no pages of a project.
pub async fn unknown_paths(
    project: &Project,
    paths: Vec<String>,
    repositories: &Repositories,
) -> Result<Vec<String>, PublishError> {
    let docs = check_out::check_out(project, repositories).await?;
    blocking(move || {
        let (source, _) = compile::read(&docs)?;
        let (content, _) = Content::load(&source)?;
        let known = |path: &String| {
            content.pages.contains_key(&docwright_site::content::slug::of_reference(path))
        };
        Ok(paths.into_iter().filter(|path| !known(path)).collect())
    })
    .await
}

//! The first flow: repository → content → site → bundle → storage.

mod check_out;
mod compile;
mod store;

use std::path::{Path, PathBuf};

use docwright_domain::export_job::{ExportJob, ExportWarning, StoredBundle};
use docwright_site::{
    build::{BuildError, Progress},
    bundle::BundleError,
    content::{Content, ContentError},
    source::SourceError,
};
use docwright_storage::{LocalObjects, StorageError, database::Project};

pub use check_out::check_repository;

/// What a publication needs besides the job.
#[derive(Debug, Clone)]
pub struct Publication {
    /// The job.
    pub job: ExportJob,
    /// The project that it publishes.
    pub project: Project,
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
    /// The repository can't be read; trying again may help.
    #[error("the repository can't be read: {0}")]
    Repository(String),
    /// There is nothing in it that could be rendered.
    #[error(transparent)]
    Source(#[from] SourceError),
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
            Self::Repository(_) | Self::Storage(_) | Self::Disk(_) | Self::Bundle(_) => true,
            Self::Build(error) => matches!(error, BuildError::Output(_) | BuildError::Threads(_)),
            Self::Source(_) | Self::Content(_) => false,
        }
    }
}

/// A project with an address that can be checked out: that of docwright's own git host is a folder.
pub fn located(mut project: Project, git_folder: &Path) -> Project {
    if project.is_built_in() {
        let folder = std::path::absolute(git_folder).unwrap_or_else(|_| git_folder.to_owned());
        project.repository = format!("file://{}/{}.git", folder.display(), project.id);
    }
    project
}

/// Publishes a project. Blocks: it renders with every core.
pub fn publish(
    publication: &Publication,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Published, PublishError> {
    let folder = tempfile::tempdir_in(&publication.scratch)?;
    let checkout = check_out::check_out(&publication.project, folder.path())?;
    let site = folder.path().join("site");
    let report = compile::compile(&checkout, publication, &site, progress)?;
    let bundle = store::store(&site, &report, &checkout, publication)?;
    let (warnings, warning_count) = compile::warnings(&report);
    Ok(Published { page_count: report.pages, warnings, warning_count, bundle })
}

/// The paths among those asked for that are no pages of a project.
pub fn unknown_paths(
    project: &Project,
    paths: &[String],
    scratch: &Path,
) -> Result<Vec<String>, PublishError> {
    let folder = tempfile::tempdir_in(scratch)?;
    let checkout = check_out::check_out(project, folder.path())?;
    let (source, _) = docwright_site::source::Source::read(&checkout.root)?;
    let (content, _) = Content::load(&source)?;
    let known = |path: &&String| {
        content.pages.contains_key(&docwright_site::content::slug::of_reference(path))
    };
    Ok(paths.iter().filter(|path| !known(path)).cloned().collect())
}

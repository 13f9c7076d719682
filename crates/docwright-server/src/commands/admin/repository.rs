//! Where the files of a project are: what the operator says, checked as far as this machine can tell.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use docwright_repository::location::Location;
use docwright_site::source::find_root_within;
use docwright_storage::Database;
use url::Url;

use crate::{
    config::{GitHostSettings, StoreSettings},
    repositories::repositories,
};

/// Where files are, and how that is stored. The server may run in another folder, so that paths become
/// absolute. A bare repository of this machine becomes an address that git clones.
pub(super) fn location(text: &str) -> anyhow::Result<(Location, String)> {
    let location = Location::parse(text)?;
    let Location::Folder(folder) = &location else {
        let stored = location.to_string();
        return Ok((location, stored));
    };
    let folder = std::fs::canonicalize(folder)
        .with_context(|| format!("there is no folder {}", folder.display()))?;
    ensure!(
        folder.is_dir(),
        "{} is a file; a repository is a folder or an address",
        folder.display()
    );
    if !is_git_folder(&folder) {
        let stored = folder.display().to_string();
        return Ok((Location::Folder(folder), stored));
    }
    refuse_inner(&folder)?;
    warn_of_owner(&folder);
    let address = Url::from_file_path(&folder);
    let address = address.map_err(|()| anyhow::anyhow!("{} is no path", folder.display()))?;
    Ok((Location::parse(address.as_str())?, address.into()))
}

/// The folder of `--import`, as an absolute path.
pub(super) fn import(folder: &Path) -> anyhow::Result<PathBuf> {
    let found = std::fs::canonicalize(folder)
        .with_context(|| format!("--import: there is no folder {}", folder.display()))?;
    ensure!(found.is_dir(), "--import: {} is a file; name a folder", found.display());
    if is_git_folder(&found) {
        refuse_inner(&found)?;
        bail!(
            "--import: {} is a bare repository, which holds commits and no files; use it as it is with --repository, or import a checkout of it",
            found.display()
        );
    }
    Ok(found)
}

/// Says on the standard error if no site can be made of a folder as it is. It may change until there is
/// a build.
pub(super) fn warn(folder: &Path, path: &str) {
    if let Err(error) = find_root_within(folder, path) {
        eprintln!(
            "warning: {}: {error}; until that changes, no release of this project can be built",
            folder.display()
        );
    }
}

/// The repository of a project on docwright's own git host, with the files of a folder.
pub(crate) async fn create(
    database: &Database,
    store: &StoreSettings,
    project_id: &str,
    import: Option<&Path>,
) -> anyhow::Result<()> {
    let keyring = store.keyring()?;
    let places = (store, &GitHostSettings::default());
    let repositories = repositories(places, (database, &keyring), String::new())?;
    let repository = repositories.built_in(project_id);
    repository.create(import).await.context("cannot make the repository")
}

/// Whether git keeps a repository in this folder itself, so that it holds no files.
fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Says on the standard error whom a bare repository belongs to, if that is somebody else: git reads it
/// for its owner only.
#[cfg(target_os = "linux")]
fn warn_of_owner(folder: &Path) {
    use std::os::unix::fs::MetadataExt;
    let me = rustix::process::geteuid().as_raw();
    if let Some(owner) =
        folder.metadata().ok().map(|about| about.uid()).filter(|owner| *owner != me)
    {
        eprintln!(
            "warning: {} belongs to the user {owner}, and git reads it for that user only; run `docwright serve` as that user, or give the repository to the one that runs it",
            folder.display()
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn warn_of_owner(_: &Path) {}

fn refuse_inner(folder: &Path) -> anyhow::Result<()> {
    match folder.parent() {
        Some(checkout) if folder.ends_with(".git") => bail!(
            "{} belongs to git; the files are in {}, use that",
            folder.display(),
            checkout.display()
        ),
        _ => Ok(()),
    }
}

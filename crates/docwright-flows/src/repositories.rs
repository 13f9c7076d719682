//! The repositories of projects: which one a project means, and how git gets into it.
//!
//! Leaves to `docwright-repository` how files are got, and to the flows what is done with them.

use std::path::{Path, PathBuf};

use docwright_repository::{
    checkout::{Checkout, CheckoutError, Checkouts, Origin, Revision},
    forge::{ForgeError, HostSettings},
    location::{Location, LocationError, RemoteAddress, split_credentials},
    remote::Access,
    web::{of_folder, web_address},
};
use docwright_site::options;
use docwright_storage::database::Project;

/// What is needed to get at the repositories of all projects.
#[derive(Debug, Clone)]
pub struct Repositories {
    /// Files of repositories.
    pub checkouts: Checkouts,
    /// Git hosts and their tokens.
    pub hosts: HostSettings,
    /// Folder of docwright's own git host.
    pub built_in: PathBuf,
}

/// Why the files of a project can't be had.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// The project's repository is not an address.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// The host gives no token.
    #[error(transparent)]
    Forge(#[from] ForgeError),
    /// The files can't be got.
    #[error(transparent)]
    Checkout(#[from] CheckoutError),
}

impl RepositoryError {
    /// Whether the same may succeed later without anyone changing anything.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Location(_) => false,
            Self::Forge(error) => error.may_pass,
            Self::Checkout(error) => error.may_pass(),
        }
    }
}

/// The repository of one project, with the way into it.
#[derive(Debug)]
pub(crate) enum Place {
    Folder(PathBuf),
    BuiltIn(PathBuf),
    Remote { owner: String, address: RemoteAddress, access: Access },
}

impl Place {
    pub(crate) fn origin(&self) -> Origin<'_> {
        match self {
            Self::Folder(folder) => Origin::Folder(folder),
            Self::BuiltIn(repository) => Origin::Bare(repository),
            Self::Remote { owner, address, access } => Origin::Remote { owner, address, access },
        }
    }
}

/// Where the repository of a project is.
pub fn location(project: &Project) -> Result<Location, LocationError> {
    match split_credentials(&project.repository) {
        Some((clean, _)) => Location::parse(&clean),
        None => Location::parse(&project.repository),
    }
}

impl Repositories {
    /// The files of a project.
    pub async fn check_out(
        &self,
        project: &Project,
        revision: Revision<'_>,
    ) -> Result<Checkout, RepositoryError> {
        let place = self.place(project).await?;
        let docs = project.docs_path.trim_matches('/');
        Ok(self.checkouts.check_out(&place.origin(), docs, revision).await?)
    }

    pub(crate) async fn place(&self, project: &Project) -> Result<Place, RepositoryError> {
        Ok(match location(project)? {
            Location::Folder(folder) => Place::Folder(folder),
            Location::BuiltIn => Place::BuiltIn(self.built_in.join(format!("{}.git", project.id))),
            Location::Remote(address) => {
                let access = match split_credentials(&project.repository) {
                    Some((_, credentials)) => Access::Password(credentials),
                    None => self.hosts.access(&address, &self.checkouts.network).await?,
                };
                Place::Remote { owner: project.organization_id.clone(), address, access }
            }
        })
    }

    /// Where browsers find a docs root.
    pub(crate) async fn web_folder(
        &self,
        project: &Project,
        checkout: &Checkout,
        root: &Path,
    ) -> Option<options::Repository> {
        match location(project).ok()? {
            Location::BuiltIn => None,
            Location::Remote(address) => Some(options::Repository {
                address: web_address(&address)?,
                branch: checkout.branch()?.to_owned(),
                folder: checkout.path_of(root).ok()?,
            }),
            Location::Folder(_) => {
                let found = of_folder(&self.checkouts.git, root).await?;
                let (address, branch, folder) = (found.address, found.branch, found.folder);
                Some(options::Repository { address, branch, folder })
            }
        }
    }
}

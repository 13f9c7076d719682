//! The repositories of projects: their location, credentials, and hosts of pull requests.

use std::path::PathBuf;

use docwright_repository::{
    checkout::{Checkout, CheckoutError, Checkouts, Origin, Revision},
    git::{Credentials, GitError},
    git_hosts::{GitHost, GitHostError, HostSettings, RemoteHost},
    location::{Location, RemoteAddress, Scheme},
    remote::{Access, Remote},
};
use docwright_site::source::find_root_within;
use docwright_storage::{Database, Keyring, StorageError, database::Project};
use docwright_types::preview::{PreviewAddresses, PreviewSource};

use crate::{built_in::BuiltIn, clock::Clock, queue::JobError, result_caches::ResultCaches};

/// Access to every repository of an instance.
#[derive(Debug, Clone)]
pub struct Repositories {
    /// The database.
    pub database: Database,
    /// Reads credentials.
    pub keyring: Keyring,
    /// The time.
    pub clock: Clock,
    /// Clones and files.
    pub checkouts: Checkouts,
    /// Other git hosts.
    pub hosts: HostSettings,
    /// Folder of docwright's own git host.
    pub git_folder: PathBuf,
    /// Results of earlier builds.
    pub result_caches: ResultCaches,
    /// Address of the server, without a slash at its end.
    pub public_url: String,
    /// Domain of previews, or why there are none.
    pub previews: Result<PreviewAddresses, NoPreviews>,
}

/// Why an instance has no previews: a sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPreviews(pub String);

/// Why docwright can't connect to a repository that no project has yet.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The credentials can't be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The git host fails.
    #[error(transparent)]
    Host(#[from] GitHostError),
    /// The host is refused, or can't be contacted.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Suffix of an organization as the owner of clones of forks.
const FORKS: &str = "/forks";

/// The repository of a project.
#[derive(Debug)]
pub struct ProjectRepository {
    project_id: String,
    owner: String,
    place: RepositoryLocation,
}

#[derive(Debug)]
enum RepositoryLocation {
    Folder(PathBuf),
    /// The bare repository of docwright's own git host.
    BuiltIn(PathBuf),
    Remote {
        address: RemoteAddress,
        access: Access,
    },
}

impl Repositories {
    /// The repository of a project, with its credentials.
    pub async fn of(&self, project: &Project) -> Result<ProjectRepository, JobError> {
        let place = match location(project)? {
            Location::Folder(folder) => RepositoryLocation::Folder(folder),
            Location::BuiltIn => {
                RepositoryLocation::BuiltIn(self.built_in(&project.id).repository())
            }
            Location::Remote(address) => {
                let access = self.access(project, &address).await?;
                RepositoryLocation::Remote { address, access }
            }
        };
        Ok(ProjectRepository::new(project, place))
    }

    /// The repository of a preview's files. Forks have separate clones, so they use no space of the project's
    /// clone.
    pub(crate) async fn of_preview(
        &self,
        project: &Project,
        source: &PreviewSource,
    ) -> Result<ProjectRepository, JobError> {
        let mut repository = match &source.fork {
            None => self.of(project).await?,
            Some(address) => {
                // No credentials are sent to a repository that anyone could have created.
                let place = RepositoryLocation::Remote {
                    address: fork_address(project, address)?,
                    access: Access::Anonymous,
                };
                ProjectRepository::new(project, place)
            }
        };
        if source.is_fork {
            repository.owner.push_str(FORKS);
        }
        Ok(repository)
    }

    /// Checks out files, with the folder at a docs path, and records the size of their clone.
    pub(crate) async fn check_out(
        &self,
        repository: &ProjectRepository,
        docs: &str,
        revision: Revision<'_>,
    ) -> Result<Checkout, CheckoutError> {
        let checkout = self.checkouts.check_out(&repository.origin(), docs, revision).await?;
        if let Some(clone) = checkout.clone_size() {
            let size = (clone.name.as_str(), i64::try_from(clone.bytes).unwrap_or(i64::MAX));
            // The files are available; the next use records it.
            if let Err(error) = self.database.record_clone_size(&repository.project_id, size).await
            {
                tracing::warn!(%error, "size of a clone not recorded");
            }
        }
        Ok(checkout)
    }

    /// The repository of a project on docwright's own git host.
    pub fn built_in(&self, project_id: &str) -> BuiltIn {
        BuiltIn {
            database: self.database.clone(),
            git: self.checkouts.git.clone(),
            clock: self.clock.clone(),
            folder: self.git_folder.clone(),
            public_url: self.public_url.clone(),
            project_id: project_id.to_owned(),
        }
    }

    /// The host of a project's pull requests.
    pub async fn git_hosts(&self, project: &Project) -> Result<Box<dyn GitHost>, JobError> {
        match location(project)? {
            Location::BuiltIn => Ok(Box::new(self.built_in(&project.id))),
            Location::Folder(_) => Err(JobError::Permanent(
                "this project's repository is a folder, which has no pull requests; use `built-in`, or an address"
                    .to_owned(),
            )),
            Location::Remote(address) => {
                let own = self.credentials(project, &address).await?;
                let token = own.as_ref().map(|own| own.password.as_str());
                let host = RemoteHost::new(&address, token, &self.hosts, &self.checkouts.network);
                Ok(Box::new(host.map_err(JobError::Permanent)?))
            }
        }
    }

    /// Git access to a repository on another host: with the credentials of the project or its organization, else
    /// with those of the operator for the host.
    async fn access(&self, project: &Project, address: &RemoteAddress) -> Result<Access, JobError> {
        let own = self.credentials(project, address).await?;
        Ok(self.hosts.access(address, own, &self.checkouts.network).await?)
    }

    /// Connects to a repository that no project has yet: with credentials for it, else with those that the
    /// organization's projects share, else with those of the operator for the host.
    pub async fn connect_for(
        &self,
        organization_id: &str,
        address: &RemoteAddress,
        own: Option<Credentials>,
    ) -> Result<Remote, ConnectError> {
        let own = match own {
            Some(own) => Some(own),
            None if has_credentials(address) => {
                let (host, keyring) = (address.host_and_port(), &self.keyring);
                let shared =
                    self.database.credential_of_organization(organization_id, &host, keyring);
                shared.await?.map(|(username, password)| Credentials { username, password })
            }
            None => None,
        };
        let access = self.hosts.access(address, own, &self.checkouts.network).await?;
        let origin = Origin::Remote { owner: organization_id, address, access: &access };
        Ok(self.checkouts.connect(&origin).await?)
    }

    async fn credentials(
        &self,
        project: &Project,
        address: &RemoteAddress,
    ) -> Result<Option<Credentials>, JobError> {
        if !has_credentials(address) {
            return Ok(None);
        }
        let host = address.host_and_port();
        let found = self.database.credential_for(&project.id, &host, &self.keyring).await?;
        Ok(found.map(|(username, password)| Credentials { username, password }))
    }
}

impl ProjectRepository {
    fn new(project: &Project, place: RepositoryLocation) -> Self {
        Self { project_id: project.id.clone(), owner: project.organization_id.clone(), place }
    }

    /// Source of the files.
    pub fn origin(&self) -> Origin<'_> {
        match &self.place {
            RepositoryLocation::Folder(folder) => Origin::Folder(folder),
            RepositoryLocation::BuiltIn(folder) => Origin::Bare(folder),
            RepositoryLocation::Remote { address, access } => {
                Origin::Remote { owner: &self.owner, address, access }
            }
        }
    }

    /// The address on another host.
    pub fn address(&self) -> Option<&RemoteAddress> {
        match &self.place {
            RepositoryLocation::Remote { address, .. } => Some(address),
            _ => None,
        }
    }

    /// Whether docwright's own git host has it.
    pub fn is_built_in(&self) -> bool {
        matches!(self.place, RepositoryLocation::BuiltIn(_))
    }
}

impl From<GitHostError> for JobError {
    fn from(error: GitHostError) -> Self {
        Self::of(error.message, error.is_transient)
    }
}

/// The address of a fork, which must be on the same host as the project's own repository: a host's answer about
/// forks can't redirect git.
fn fork_address(project: &Project, address: &str) -> Result<RemoteAddress, JobError> {
    let fork =
        RemoteAddress::parse(address).map_err(|error| JobError::Permanent(error.to_string()))?;
    match location(project)? {
        Location::Remote(own)
            if (own.scheme(), own.host_and_port()) == (fork.scheme(), fork.host_and_port()) =>
        {
            Ok(fork)
        }
        _ => Err(JobError::Permanent(format!(
            "the fork {fork} is not on the host of the project's repository, so that it has no preview"
        ))),
    }
}

/// Whether stored credentials are for such an address: those over SSH are the operator's.
pub fn has_credentials(address: &RemoteAddress) -> bool {
    matches!(address.scheme(), Scheme::Https | Scheme::Http)
}

/// Location of the repository of a project.
pub fn location(project: &Project) -> Result<Location, JobError> {
    Location::parse(&project.repository).map_err(|error| JobError::Permanent(error.to_string()))
}

/// The docs root of a checkout, and its path below all files. Errors don't name folders of the server.
pub fn docs_root(checkout: &Checkout) -> Result<(PathBuf, String), JobError> {
    docs_root_at(checkout, &checkout.docs())
}

/// The error for a docs root outside a docs path.
pub(crate) fn docs_root_at(checkout: &Checkout, docs: &str) -> Result<(PathBuf, String), JobError> {
    let root = find_root_within(checkout.folder(), docs)
        .map_err(|error| JobError::Permanent(error.to_string()))?;
    let docs = checkout.path_of(&root)?;
    Ok((root, docs))
}

#[cfg(test)]
mod tests {
    use docwright_types::site::Activation;

    use super::*;

    #[test]
    fn fork_is_on_host_of_its_repository() {
        let project = |repository: &str| Project {
            id: "prj_1".to_owned(),
            organization_id: "org_1".to_owned(),
            name: "Docs".to_owned(),
            repository: repository.to_owned(),
            docs_path: String::new(),
            model: None,
            activation: Activation::Automatic,
            agent_paths: Vec::new(),
            created_at: 0,
            revision: 1,
        };
        let own = project("https://bitbucket.org/acme/docs.git");
        let fork = fork_address(&own, "https://bitbucket.org/eve/docs.git").unwrap();
        assert_eq!(fork.as_str(), "https://bitbucket.org/eve/docs.git");
        for elsewhere in [
            "https://evil.example/eve/docs.git",
            "https://bitbucket.org:8443/eve/docs.git",
            "http://bitbucket.org/eve/docs.git",
            "http://169.254.169.254/latest",
            "file:///etc",
            "ext::sh -c id",
            "/etc",
            "--upload-pack=id",
        ] {
            assert!(fork_address(&own, elsewhere).is_err(), "{elsewhere}");
        }
        let built_in = project("built-in");
        assert!(fork_address(&built_in, "https://bitbucket.org/eve/docs.git").is_err());
    }
}

//! Checks of repositories, before a project is created: whether docwright can read one, which branches it has, and
//! where its docs roots are. A check stores nothing.

mod found;
mod problem;

use std::{path::PathBuf, time::Duration};

use docwright_jobs::repositories::{ConnectError, has_credentials};
use docwright_repository::{
    git::{Credentials, GitError, TOKEN_USERNAME},
    listing::{Branches, Paths, paths_of_folder},
    location::{Location, RemoteAddress},
    remote::Remote,
};
use docwright_storage::database::Limited;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{
    Allowed, OperationError, Operations,
    callers::unnamed_organization,
    can,
    credentials::Secret,
    fair_limiter::FairLimiter,
    fields::{Id, Name, Text},
    projects::{DocsPath, repository},
    rate_limit::RateLimit,
};

/// Time limit of a host for its branches, and then for the paths of a commit.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long a check waits for others.
const TURN: Duration = Duration::from_secs(5);
/// Checks at the same time.
const ALL: usize = 8;
/// Checks of one organization at the same time.
const EACH: usize = 2;

/// Limits how many repositories are checked at the same time.
#[derive(Debug)]
pub struct RepositoryChecks(FairLimiter<String>);

impl Default for RepositoryChecks {
    fn default() -> Self {
        Self(FairLimiter::new(ALL, EACH))
    }
}

/// A repository to check.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CheckRepository {
    /// ID of the organization. Defaults to the key's organization. Operator keys must send it.
    pub organization_id: Option<Id>,
    /// Repository: an `https://` or `ssh://` URL, or `git@host:path`. Operator keys can also send a folder on the
    /// server.
    #[schema(value_type = String, min_length = 1, max_length = 2000, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "https://github.com/acme/docs")]
    pub repository: Text<2000>,
    /// Branch to check. If omitted, docwright checks the default branch.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 250, pattern = r"^[^\x00]*[^\s\x00-\x1f\x7f-\x9f][^\x00]*$", example = "main")]
    pub branch: Option<Text<250>>,
    /// Docs root within the repository. If omitted, docwright detects it.
    #[schema(value_type = Option<String>, max_length = 1000, pattern = r"^[^\x00-\x1f\x7f-\x9f]*$", example = "docs")]
    pub path: Option<DocsPath>,
    /// Username for the git host; `x-access-token` if omitted. Hosts that use tokens ignore it.
    pub username: Option<Name>,
    /// Token or password for the git host. If omitted, docwright uses the organization's credential for the host, if
    /// it has one. The check doesn't store it.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 65_536, pattern = r"^[!-~]([ -~]*[!-~])?$", example = "ghp-0123456789")]
    pub secret: Option<Secret>,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryCheck {
    /// The repository, as a project stores it.
    #[schema(example = "https://github.com/acme/docs")]
    pub repository: String,
    /// Host of the credential that the repository can use; null if it can't use one.
    #[schema(example = "github.com")]
    pub credential_host: Option<String>,
    /// The default branch; null if docwright couldn't read it, or if the repository is empty.
    #[schema(example = "main")]
    pub default_branch: Option<String>,
    /// The branch that was checked; null if there is none.
    #[schema(example = "main")]
    pub branch: Option<String>,
    /// Branches, the default branch first: at most 1,000.
    #[schema(max_items = 1000, example = json!(["main", "next"]))]
    pub branches: Vec<String>,
    /// Whether the repository has more branches.
    pub more_branches: bool,
    /// Folders of the branch that contain `docs.json`, at most 100; null if docwright couldn't list its files.
    #[schema(max_items = 100)]
    pub docs_roots: Option<Vec<DocsRoot>>,
    /// The one that the project would publish; null if there is none, or if it isn't known.
    pub docs_root: Option<DocsRoot>,
    /// What to correct before you create the project; null if nothing is wrong.
    pub problem: Option<RepositoryProblem>,
}

/// A folder that contains `docs.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocsRoot {
    /// Path within the repository; empty for its root.
    #[schema(example = "docs")]
    pub path: String,
    /// Number of pages that its files make. API specs can add more.
    #[schema(minimum = 0, example = 12)]
    pub pages: u64,
}

/// What is wrong with an input of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RepositoryProblem {
    /// The input to correct.
    pub field: RepositoryField,
    /// What is wrong and what to do, in sentences.
    #[schema(example = "github.com needs credentials to read this repository.")]
    pub message: String,
}

/// An input of a check, or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryField {
    /// `repository`.
    Repository,
    /// `username` and `secret`.
    Credentials,
    /// `branch`.
    Branch,
    /// `path`.
    Path,
}

/// Checks a repository. What is wrong with it is a result, not an error.
pub async fn check(
    operations: &Operations,
    caller: &Allowed<can::CheckRepository>,
    input: CheckRepository,
) -> Result<RepositoryCheck, OperationError> {
    let organization = input.organization_id.as_ref().map(Id::as_str);
    let organization = caller.whole_organization(operations, organization).await?;
    let organization = organization.ok_or_else(unnamed_organization)?;
    let (location, stored) =
        repository::read(operations, caller, input.repository.as_str()).await?;
    let limit = RateLimit::REPOSITORY_CHECKS;
    let taken = operations.database.take_request(&organization.id, limit.limit).await?;
    if let Limited::Refused(allowance) = taken {
        return Err(OperationError::TooManyRequests(limit, allowance));
    }
    let turn = operations.repository_checks.0.take(&organization.id, TURN).await;
    let Some(_turn) = turn else {
        return Err(OperationError::Busy(
            "Too many checks are running. Try again soon.".to_owned(),
        ));
    };
    let mut result = RepositoryCheck::of(stored);
    match location {
        Location::BuiltIn => Err(OperationError::Invalid(
            "`repository` is on the built-in git host, which needs no check. Send a URL."
                .to_owned(),
        )),
        Location::Folder(folder) => {
            let paths = read_folder(folder).await?;
            result.find(&paths, input.path.as_ref());
            Ok(result)
        }
        Location::Remote(address) => {
            let remote = (organization.id.as_str(), &address);
            check_remote(operations, remote, &input, &mut result).await?;
            Ok(result)
        }
    }
}

/// The branches of a repository on another host, and then the files of one.
async fn check_remote(
    operations: &Operations,
    (organization, address): (&str, &RemoteAddress),
    input: &CheckRepository,
    result: &mut RepositoryCheck,
) -> Result<(), OperationError> {
    result.credential_host = has_credentials(address).then(|| address.host_and_port());
    let read = async {
        let own = credentials(input);
        let remote = operations.repositories.connect_for(organization, address, own).await?;
        let branches = remote.branches().await?;
        Ok::<_, ConnectError>((remote, branches))
    };
    let (remote, branches) = match timeout(PATIENCE, read).await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => {
            result.problem = Some(problem::of(error, address, input.secret.is_some())?);
            return Ok(());
        }
        Err(_) => {
            result.problem = Some(problem::of_silence(address));
            return Ok(());
        }
    };
    let wanted = input.branch.as_ref().map(Text::as_str).or(branches.default.as_deref());
    let wanted = wanted.map(str::to_owned);
    result.take(branches);
    if result.is_empty() {
        return Ok(());
    }
    let Some(branch) = wanted else {
        result.problem = Some(problem::of_no_default());
        return Ok(());
    };
    match timeout(PATIENCE, paths(operations, &remote, &branch)).await {
        Ok(Ok(paths)) => {
            result.branch = Some(branch);
            result.find(&paths, input.path.as_ref());
        }
        Ok(Err(GitError::NoBranch(_))) => result.problem = Some(problem::of_branch(&branch)),
        // docwright can read the branches, so the first release says more.
        Ok(Err(error)) => {
            tracing::info!(%error, "files of a repository not listed");
            result.branch = Some(branch);
        }
        Err(_) => result.branch = Some(branch),
    }
    Ok(())
}

async fn paths(operations: &Operations, remote: &Remote, branch: &str) -> Result<Paths, GitError> {
    let head = remote.head(Some(branch)).await?;
    remote.paths(&head.commit, &operations.comparer.scratch).await
}

async fn read_folder(folder: PathBuf) -> Result<Paths, OperationError> {
    let read = tokio::task::spawn_blocking(move || paths_of_folder(&folder)).await;
    let read = read.map_err(|error| OperationError::Internal(error.to_string()))?;
    read.map_err(|error| OperationError::Unavailable(error.to_string()))
}

/// The credentials of the input.
fn credentials(input: &CheckRepository) -> Option<Credentials> {
    let username = input.username.as_ref().map_or(TOKEN_USERNAME, Name::as_str).to_owned();
    let password = input.secret.as_ref()?.reveal().to_owned();
    Some(Credentials { username, password })
}

impl RepositoryCheck {
    fn of(repository: String) -> Self {
        Self {
            repository,
            credential_host: None,
            default_branch: None,
            branch: None,
            branches: Vec::new(),
            more_branches: false,
            docs_roots: None,
            docs_root: None,
            problem: None,
        }
    }

    fn take(&mut self, branches: Branches) {
        self.more_branches = !branches.is_complete;
        self.default_branch = branches.default;
        self.branches = branches.names;
    }

    /// Whether the repository is known to have no branch.
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty() && !self.more_branches
    }
}

//! Clone, fetch, and push: `git http-backend` does the work, as behind any web server.
//! <https://git-scm.com/docs/git-http-backend>
//!
//! Owns authorization, and that a push is published even if its client disconnects. [`super::backend`] runs git.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use docwright_http::parameters::Path as Parameters;
use docwright_jobs::built_in::BuiltIn;
use docwright_operations::{
    OperationError,
    audit::Change,
    built_in::sync_previews,
    error::sentence,
    fair_limiter::{FairLimiter, Turn},
};
use docwright_storage::{StorageError, database::Project};
use docwright_types::key::Scope;
use serde_json::{Map, Value, json};
use tracing::Instrument;

use super::{
    GitCaller, GitHostState, Refused,
    backend::{Call, Path, Service, answer},
    push_message,
};

/// Simultaneous pushes, in all and of one organization.
static PUSHES: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(4, 2));
/// Simultaneous clones, fetches, and listings of branches, in all and of one organization.
static FETCHES: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(16, 8));
/// How long a client waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest list of a client's commits, in bytes.
const MAXIMUM_WANTS: u64 = 16 * 1024 * 1024;
/// Longest answer to a push, in bytes.
const MAXIMUM_ANSWER: usize = 64 * 1024 * 1024;
/// Branches of a push whose pull requests git shows.
const ANNOUNCED_BRANCHES: usize = 5;
/// Branches of a push that the audit log names.
const SHOWN_BRANCHES: usize = 100;

/// `GET …/info/refs?service=…`.
pub(super) async fn info_refs(
    State(app): State<GitHostState>,
    visitor: GitCaller,
    Parameters(name): Parameters<String>,
    request: Request,
) -> Result<Response, Refused> {
    let service = Service::asked_for(request.uri().query().unwrap_or_default())?;
    let scope = service.scope();
    let (_, project, repository) = visitor.repository(&app, id(&name)?, scope).await?;
    if scope == Scope::Write {
        require_storage(&app, &project).await?;
    }
    let turn = turn(&FETCHES, &project).await?;
    let (path, maximum_input) = (Path::Refs(service), app.maximum_push);
    Ok(answer(Call { repository: &repository, path, maximum_input }, turn, request).await?)
}

/// `POST …/git-upload-pack`: a fetch.
pub(super) async fn upload_pack(
    State(app): State<GitHostState>,
    visitor: GitCaller,
    Parameters(name): Parameters<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (_, project, repository) = visitor.repository(&app, id(&name)?, Scope::Read).await?;
    let turn = turn(&FETCHES, &project).await?;
    let (path, maximum_input) = (Path::Service(Service::UploadPack), MAXIMUM_WANTS);
    Ok(answer(Call { repository: &repository, path, maximum_input }, turn, request).await?)
}

/// `POST …/git-receive-pack`: a push. A push to a branch of a site publishes.
pub(super) async fn receive_pack(
    State(app): State<GitHostState>,
    visitor: GitCaller,
    Parameters(name): Parameters<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (caller, project, repository) = visitor.repository(&app, id(&name)?, Scope::Write).await?;
    let turn = turn(&PUSHES, &project).await?;
    require_storage(&app, &project).await?;
    // A separate task runs to its end if the client leaves and this handler is dropped.
    let push = async move {
        let before = repository.branches().await?;
        repository.expect_change().await.map_err(OperationError::from)?;
        // Branches change in git, so the entry comes first.
        let change = Change::of("repository.push", Some(&project.organization_id));
        let entry = caller.begin(&app, change, &project.id).await?;
        let (path, maximum_input) = (Path::Service(Service::ReceivePack), app.maximum_push);
        let call = Call { repository: &repository, path, maximum_input };
        let answered = answer(call, turn, request).await;
        let (parts, body) = answered.unwrap_or_else(IntoResponse::into_response).into_parts();
        // The answer is read to its end: only then has git changed the branches.
        let bytes = axum::body::to_bytes(body, MAXIMUM_ANSWER).await;
        // Git might have changed them even if its answer is cut off.
        let after = repository.branches().await?;
        entry.end(moved(&before, &after)).await?;
        if repository.record_push(&before).await? {
            app.wakes.releases.notify_one();
        }
        sync_previews(&app, &project).await;
        let bytes = bytes.map_err(|error| OperationError::Internal(error.to_string()))?;
        let lines = pull_request_lines(&app, &repository, (&before, &after)).await?;
        let bytes = push_message::add(bytes, &lines);
        Ok::<_, Refused>(Response::from_parts(parts, Body::from(bytes)))
    };
    let pushed = tokio::spawn(push.in_current_span());
    pushed.await.unwrap_or_else(|error| Err(OperationError::Internal(error.to_string()).into()))
}

/// The branches that differ, before and after; `None` if none does.
fn moved(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Option<(Value, Value)> {
    let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let differ = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let named: Vec<_> = differ.take(SHOWN_BRANCHES).collect();
    let of = |all: &BTreeMap<String, String>| {
        named.iter().map(|name| ((*name).clone(), json!(all.get(*name)))).collect::<Map<_, _>>()
    };
    (!named.is_empty()).then(|| (of(before).into(), of(after).into()))
}

/// Lines with the address of the pull request of each branch that moved, or of the page that opens one.
async fn pull_request_lines(
    app: &GitHostState,
    repository: &BuiltIn,
    (before, after): (&BTreeMap<String, String>, &BTreeMap<String, String>),
) -> Result<Vec<String>, Refused> {
    let default = repository.default_branch().await?;
    let is_new = |(name, commit): &(&String, &String)| {
        **name != default && before.get(*name) != Some(*commit)
    };
    let mut lines = Vec::new();
    for (branch, _) in after.iter().filter(is_new).take(ANNOUNCED_BRANCHES) {
        let found = app.database.pull_request_of(&repository.project_id, branch).await;
        let (what, url) = match found.map_err(OperationError::from)? {
            Some(found) => ("View", repository.pull_request_url(found.number)),
            None => ("Open", repository.new_pull_request_url(branch)),
        };
        lines.push(String::new());
        lines.push(format!("{what} pull request for {branch}:"));
        lines.push(format!("  {url}"));
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    Ok(lines)
}

/// Refuses a push if the organization has no storage left. Fetching still works.
async fn require_storage(app: &GitHostState, project: &Project) -> Result<(), Refused> {
    match app.database.require_storage(&project.id).await {
        Err(StorageError::PlanLimit(why)) => Err(Refused::NoStorage(sentence(&why))),
        asked => Ok(asked.map_err(OperationError::from)?),
    }
}

/// A turn to run git for an organization.
async fn turn(
    turns: &FairLimiter<String>,
    project: &Project,
) -> Result<Turn<String>, OperationError> {
    let turn = turns.take(&project.organization_id, PATIENCE).await;
    turn.ok_or_else(|| {
        OperationError::Busy("Too many clones and pushes at once. Try again soon.".to_owned())
    })
}

fn id(name: &str) -> Result<&str, OperationError> {
    let missing = || OperationError::NotFound("Repository not found.".to_owned());
    name.strip_suffix(".git").ok_or_else(missing)
}

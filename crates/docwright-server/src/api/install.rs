//! `GET /v1/install`.

use std::time::{Duration, Instant};

use axum::{Json, extract::State};
use docwright_domain::timestamp::iso;
use docwright_flows::propose::ModelSettings;
use docwright_storage::database::Queue;
use serde::Serialize;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{authorize::Operator, error::ApiError, state::AppState};

/// What says nothing for so long does not answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Jobs that nobody begins for so long have no worker. Milliseconds.
const TOO_LONG: i64 = 60_000;

/// How the service is doing, as the process sees it that answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Install {
    /// Version of docwright.
    #[schema(example = "0.1.0")]
    version: &'static str,
    /// Address at which clients reach it.
    #[schema(format = "uri", example = "https://docs-admin.example.com")]
    address: String,
    /// The database.
    database: DatabaseHealth,
    /// The disk of the data folder.
    disk: DiskHealth,
    /// Git.
    git: GitHealth,
    /// The queues of all nodes.
    queues: Vec<QueueHealth>,
    /// Models of agent jobs that have a name of their own, as this process is set up for them.
    models: Vec<ModelHealth>,
    /// Why there are no previews; null if there are.
    #[schema(example = json!(null))]
    no_previews: Option<String>,
}

/// How the database is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DatabaseHealth {
    /// `sqlite` or `postgres`.
    #[schema(example = "postgres")]
    kind: &'static str,
    /// How long it took to answer, in milliseconds; null if it gave no answer.
    #[schema(example = 1)]
    milliseconds: Option<u64>,
    /// Connections of this process that are open.
    #[schema(example = 4)]
    connections: u32,
    /// Connections that this process may have.
    #[schema(example = 16)]
    maximum_connections: u32,
}

/// How the disk is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiskHealth {
    /// Bytes that are free; null if it can't be asked.
    #[schema(example = 37_580_963_840_i64)]
    free_bytes: Option<u64>,
    /// Bytes in all.
    #[schema(example = 107_374_182_400_i64)]
    total_bytes: Option<u64>,
    /// Whether there is too little room to begin a job.
    #[schema(example = false)]
    is_low: bool,
}

/// How git is doing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GitHealth {
    /// Its version; null if it does not run.
    #[schema(example = "2.47.3")]
    version: Option<String>,
}

/// How a queue is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueueHealth {
    /// What its jobs are: `release`, `agent_job`, `look` at a repository, or `report` to a git host.
    #[schema(example = "release")]
    kind: &'static str,
    /// Jobs that a worker could begin.
    #[schema(example = 0)]
    waiting: i64,
    /// Jobs that met a fault and wait for their next attempt.
    #[schema(example = 0)]
    delayed: i64,
    /// Jobs that a worker has a lease of.
    #[schema(example = 1)]
    running: i64,
    /// Seconds for which the oldest job waits that could have been begun.
    #[schema(example = 0)]
    oldest_wait_seconds: i64,
    /// Whether jobs wait, and no worker has begun any for a minute.
    #[schema(example = false)]
    is_stuck: bool,
}

/// Whether a model can be used.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelHealth {
    /// Its name.
    #[schema(example = "builtin:edits")]
    name: String,
    /// Why it can't be used; null if it can, as far as the settings tell.
    #[schema(example = json!(null))]
    problem: Option<String>,
    /// Whether it is behind a host that can be asked, unlike built-in edits and external agents.
    #[schema(example = false)]
    has_host: bool,
    /// When its host was asked last; null if nobody did since this process began.
    #[schema(format = DateTime, example = json!(null))]
    asked_at: Option<String>,
    /// How long the host took then, in milliseconds.
    #[schema(example = json!(null))]
    milliseconds: Option<u64>,
    /// Why there was no answer then; null if there was one.
    #[schema(example = json!(null))]
    failure: Option<String>,
}

/// The models of an install, with what their hosts said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InstallModels {
    /// The models that have a name of their own.
    models: Vec<ModelHealth>,
}

impl ModelHealth {
    /// The models that have a name of their own.
    fn all(app: &AppState) -> Vec<Self> {
        let mut names = app.models.names();
        names.dedup();
        let health = |name: String| {
            let answer = app.model_answers.of(&name);
            Self {
                problem: app.models.refuse(&name).err(),
                has_host: ModelSettings::has_host(&name),
                asked_at: answer.as_ref().map(|answer| iso(answer.at)),
                milliseconds: answer.as_ref().map(|answer| answer.milliseconds),
                failure: answer.and_then(|answer| answer.failure),
                name,
            }
        };
        names.into_iter().map(health).collect()
    }
}

/// See how the service is doing
///
/// What it depends on, and how full its queues are. What gives no answer within two seconds is null.
#[utoipa::path(
    get,
    path = "/v1/install",
    tag = "Install",
    operation_id = "getInstall",
    responses((status = 200, description = "How it is doing", body = Install)),
)]
pub(crate) async fn get(
    State(app): State<AppState>,
    _: Operator,
) -> Result<Json<Install>, ApiError> {
    let (database, disk, git, queues) =
        tokio::join!(database(&app), disk(&app), git(&app), queues(&app));
    Ok(Json(Install {
        version: env!("CARGO_PKG_VERSION"),
        address: app.repositories.public_url.clone(),
        database,
        disk,
        git,
        queues,
        models: ModelHealth::all(&app),
        no_previews: app.repositories.previews.as_ref().err().map(ToString::to_string),
    }))
}

/// Ask the models
///
/// Asks each model of the install that has a host for a word, which costs a few tokens, and waits 20 seconds at
/// most. Whoever asks within 10 seconds of another gets the answers of then.
#[utoipa::path(
    post,
    path = "/v1/install/models",
    tag = "Install",
    operation_id = "askModels",
    responses((status = 200, description = "What they said", body = InstallModels)),
)]
pub(crate) async fn ask_models(
    State(app): State<AppState>,
    _: Operator,
) -> Result<Json<InstallModels>, ApiError> {
    app.model_answers.ask(&app.models, &app.repositories.clock).await;
    Ok(Json(InstallModels { models: ModelHealth::all(&app) }))
}

async fn database(app: &AppState) -> DatabaseHealth {
    let began = Instant::now();
    let answered = matches!(timeout(PATIENCE, app.database.check()).await, Ok(Ok(())));
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    DatabaseHealth {
        kind: app.database.kind(),
        milliseconds: answered.then_some(milliseconds),
        connections: app.database.connections().0,
        maximum_connections: app.database.maximum_connections(),
    }
}

async fn disk(app: &AppState) -> DiskHealth {
    let room = app.disk.room().await;
    DiskHealth {
        free_bytes: room.map(|room| room.free),
        total_bytes: room.map(|room| room.total),
        is_low: app.disk.is_low().await,
    }
}

async fn git(app: &AppState) -> GitHealth {
    let mut command = app.repositories.checkouts.git.command();
    let asked = timeout(PATIENCE, command.arg("--version").kill_on_drop(true).output()).await;
    let said = asked.ok().and_then(Result::ok).filter(|output| output.status.success());
    let said = said.and_then(|output| String::from_utf8(output.stdout).ok());
    GitHealth {
        version: said.and_then(|said| Some(said.trim().strip_prefix("git version ")?.to_owned())),
    }
}

async fn queues(app: &AppState) -> Vec<QueueHealth> {
    let mut all = Vec::new();
    for queue in Queue::ALL {
        let Ok(Ok(depth)) = timeout(PATIENCE, app.database.queue_depth(queue)).await else {
            continue;
        };
        all.push(QueueHealth {
            kind: queue.kind(),
            waiting: depth.waiting,
            delayed: depth.delayed,
            running: depth.running,
            oldest_wait_seconds: depth.oldest_wait / 1000,
            is_stuck: depth.waiting > 0 && depth.running == 0 && depth.oldest_wait > TOO_LONG,
        });
    }
    all
}

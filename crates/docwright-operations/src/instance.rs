//! The health of the instance.

use std::time::{Duration, Instant};

use docwright_jobs::propose::ModelSettings;
use docwright_storage::database::Queue;
use docwright_types::timestamp::iso;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{Allowed, OperationError, Operations, can};

/// What gives no answer for this long isn't responding.
const PATIENCE: Duration = Duration::from_secs(2);
/// Jobs that no worker claims for this long have none. Milliseconds.
const TOO_LONG: i64 = 60_000;

/// The health of the instance, as the process sees it that responds.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Version of docwright.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// Address at which clients reach it.
    #[schema(format = "uri", example = "https://docs-admin.example.com")]
    pub address: String,
    /// The database.
    pub database: DatabaseHealth,
    /// The disk of the data folder.
    pub disk: DiskHealth,
    /// Git.
    pub git: GitHealth,
    /// The queues of all nodes.
    pub queues: Vec<QueueHealth>,
    /// Models of agent jobs that have a name of their own, as this process is configured.
    pub models: Vec<ModelHealth>,
    /// Why there are no previews; null if there are.
    #[schema(example = json!(null))]
    pub no_previews: Option<String>,
}

/// The health of the database.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseHealth {
    /// `sqlite` or `postgres`.
    #[schema(example = "postgres")]
    pub kind: String,
    /// How long it took to respond, in milliseconds; null if it didn't.
    #[schema(example = 1)]
    pub milliseconds: Option<u64>,
    /// Open connections of this process.
    #[schema(example = 4)]
    pub connections: u32,
    /// Connections that this process can have.
    #[schema(example = 16)]
    pub maximum_connections: u32,
}

/// The health of the disk.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskHealth {
    /// Free bytes; null if they aren't known.
    #[schema(example = 37_580_963_840_i64)]
    pub free_bytes: Option<u64>,
    /// Bytes in all.
    #[schema(example = 107_374_182_400_i64)]
    pub total_bytes: Option<u64>,
    /// Whether there is too little room to start a job.
    #[schema(example = false)]
    pub is_low: bool,
}

/// The health of git.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct GitHealth {
    /// Its version; null if it doesn't run.
    #[schema(example = "2.47.3")]
    pub version: Option<String>,
}

/// The health of a queue.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueHealth {
    /// What its jobs are: `release`, `agent_job`, `poll` for polls of a repository, or `report` to a git host.
    #[schema(example = "release")]
    pub kind: String,
    /// Jobs that a worker can claim.
    #[schema(example = 0)]
    pub waiting: i64,
    /// Jobs that failed transiently and wait for their next attempt.
    #[schema(example = 0)]
    pub delayed: i64,
    /// Jobs that a worker has a lease of.
    #[schema(example = 1)]
    pub running: i64,
    /// Seconds since when the oldest job waits that could be claimed.
    #[schema(example = 0)]
    pub oldest_wait_seconds: i64,
    /// Whether jobs wait, and no worker claimed any for a minute.
    #[schema(example = false)]
    pub is_stuck: bool,
}

/// Whether a model can be used.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelHealth {
    /// Its name.
    #[schema(example = "builtin:edits")]
    pub name: String,
    /// Why it can't be used; null if it can, as far as the settings tell.
    #[schema(example = json!(null))]
    pub problem: Option<String>,
    /// Whether it is behind a host that can be tested, unlike built-in edits and external agents.
    #[schema(example = false)]
    pub has_host: bool,
    /// When its host was tested last; null if it wasn't since this process started.
    #[schema(format = DateTime, example = json!(null))]
    pub asked_at: Option<String>,
    /// How long the host took then, in milliseconds.
    #[schema(example = json!(null))]
    pub milliseconds: Option<u64>,
    /// Why the test failed; null if it didn't.
    #[schema(example = json!(null))]
    pub failure: Option<String>,
}

/// The models of the instance, with the results of their tests.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct InstanceModels {
    /// The models that have a name of their own.
    pub models: Vec<ModelHealth>,
}

/// Returns the health of all that the instance depends on, and how full its queues are. What doesn't respond
/// within two seconds is `None`.
pub async fn get(
    operations: &Operations,
    _caller: &Allowed<can::GetInstance>,
) -> Result<Instance, OperationError> {
    let (database, disk, git, queues) = tokio::join!(
        database_health(operations),
        disk_health(operations),
        git_health(operations),
        queue_health(operations)
    );
    Ok(Instance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        address: operations.repositories.public_url.clone(),
        database,
        disk,
        git,
        queues,
        models: model_health(operations),
        no_previews: operations.repositories.previews.as_ref().err().map(ToString::to_string),
    })
}

/// Tests each model of the instance that has a host, which costs a few tokens. A second test soon after another
/// returns the results of the first.
pub async fn ask_models(
    operations: &Operations,
    _caller: &Allowed<can::AskModels>,
) -> Result<InstanceModels, OperationError> {
    operations.model_answers.ask(&operations.models, &operations.repositories.clock).await;
    Ok(InstanceModels { models: model_health(operations) })
}

async fn database_health(operations: &Operations) -> DatabaseHealth {
    let database = &operations.database;
    let began = Instant::now();
    let responds = matches!(timeout(PATIENCE, database.check()).await, Ok(Ok(())));
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    DatabaseHealth {
        kind: database.kind().to_owned(),
        milliseconds: responds.then_some(milliseconds),
        connections: database.connections().0,
        maximum_connections: database.maximum_connections(),
    }
}

async fn disk_health(operations: &Operations) -> DiskHealth {
    let room = operations.disk.room().await;
    DiskHealth {
        free_bytes: room.map(|room| room.free),
        total_bytes: room.map(|room| room.total),
        is_low: operations.disk.is_low().await,
    }
}

async fn git_health(operations: &Operations) -> GitHealth {
    let mut command = operations.repositories.checkouts.git.command();
    let output = timeout(PATIENCE, command.arg("--version").kill_on_drop(true).output()).await;
    let output = output.ok().and_then(Result::ok).filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    GitHealth {
        version: text.and_then(|text| Some(text.trim().strip_prefix("git version ")?.to_owned())),
    }
}

async fn queue_health(operations: &Operations) -> Vec<QueueHealth> {
    let mut all = Vec::new();
    for queue in Queue::ALL {
        let depth = timeout(PATIENCE, operations.database.queue_depth(queue)).await;
        let Ok(Ok(depth)) = depth else { continue };
        all.push(QueueHealth {
            kind: queue.kind().to_owned(),
            waiting: depth.waiting,
            delayed: depth.delayed,
            running: depth.running,
            oldest_wait_seconds: depth.oldest_wait / 1000,
            is_stuck: depth.waiting > 0 && depth.running == 0 && depth.oldest_wait > TOO_LONG,
        });
    }
    all
}

/// The models that have a name of their own.
fn model_health(operations: &Operations) -> Vec<ModelHealth> {
    let mut names = operations.models.names();
    names.dedup();
    let health = |name: String| {
        let answer = operations.model_answers.of(&name);
        ModelHealth {
            problem: operations.models.refuse(&name).err(),
            has_host: ModelSettings::has_host(&name),
            asked_at: answer.as_ref().map(|answer| iso(answer.at)),
            milliseconds: answer.as_ref().map(|answer| answer.milliseconds),
            failure: answer.and_then(|answer| answer.failure),
            name,
        }
    };
    names.into_iter().map(health).collect()
}

//! The health of the instance.

use std::time::{Duration, Instant};

use docwright_jobs::propose::ModelSettings;
use docwright_storage::database::Queue;
use docwright_types::timestamp::iso;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::{Allowed, OperationError, Operations, can};

/// Dependencies that don't respond within this time count as down.
const PATIENCE: Duration = Duration::from_secs(2);
/// Jobs that no worker claims within this time have no worker. Milliseconds.
const TOO_LONG: i64 = 60_000;

/// Health of the instance, as seen by the node that responds.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    /// Version of docwright.
    #[schema(example = "0.1.0")]
    pub version: String,
    /// URL of the instance.
    #[schema(format = "uri", example = "https://docs-admin.example.com")]
    pub address: String,
    /// Public key of the signatures of bundles. It changes with the root secret.
    #[schema(
        pattern = "^ed25519:[0-9a-f]{64}$",
        example = "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    )]
    pub bundle_public_key: Option<String>,
    /// Health of the database.
    pub database: DatabaseHealth,
    /// Health of the disk with the data folder.
    pub disk: DiskHealth,
    /// Health of git.
    pub git: GitHealth,
    /// Queues of all nodes.
    pub queues: Vec<QueueHealth>,
    /// Models for agent jobs that have their own name, from the settings of this node.
    pub models: Vec<ModelHealth>,
    /// Reason why previews are unavailable; null if they are available.
    #[schema(example = json!(null))]
    pub no_previews: Option<String>,
}

/// The health of the database.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseHealth {
    /// Type of the database: `sqlite` or `postgres`.
    #[schema(example = "postgres")]
    pub kind: String,
    /// Response time in milliseconds; null without a response.
    #[schema(example = 1)]
    pub milliseconds: Option<u64>,
    /// Open connections of this node.
    #[schema(example = 4)]
    pub connections: u32,
    /// Maximum number of connections of this node.
    #[schema(example = 16)]
    pub maximum_connections: u32,
}

/// The health of the disk.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiskHealth {
    /// Free space in bytes; null if unknown.
    #[schema(example = 37_580_963_840_i64)]
    pub free_bytes: Option<u64>,
    /// Total space in bytes; null if unknown.
    #[schema(example = 107_374_182_400_i64)]
    pub total_bytes: Option<u64>,
    /// Whether free space is too low to start jobs.
    #[schema(example = false)]
    pub is_low: bool,
}

/// The health of git.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct GitHealth {
    /// Version of git; null if git doesn't run.
    #[schema(example = "2.47.3")]
    pub version: Option<String>,
}

/// The health of a queue.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueHealth {
    /// Type of the jobs: `release`, `agent_job`, `poll` for polls of a repository, or `report` for
    /// reports to a git host.
    #[schema(example = "release")]
    pub kind: String,
    /// Number of jobs that a worker can claim.
    #[schema(example = 0)]
    pub waiting: i64,
    /// Number of jobs that wait for their next attempt after a transient error.
    #[schema(example = 0)]
    pub delayed: i64,
    /// Number of running jobs: those with a lease.
    #[schema(example = 1)]
    pub running: i64,
    /// Age in seconds of the oldest job that a worker can claim.
    #[schema(example = 0)]
    pub oldest_wait_seconds: i64,
    /// Whether jobs are waiting and no worker has claimed one for a minute.
    #[schema(example = false)]
    pub is_stuck: bool,
}

/// Availability of a model.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelHealth {
    /// Name of the model.
    #[schema(example = "builtin:edits")]
    pub name: String,
    /// Reason why the model is unavailable, judged by the settings; null if it is available.
    #[schema(example = json!(null))]
    pub problem: Option<String>,
    /// Whether the model has a host to test. Built-in edits and external agents have none.
    #[schema(example = false)]
    pub has_host: bool,
    /// Time of the last test; null if there was none since the node started.
    #[schema(format = DateTime, example = json!(null))]
    pub asked_at: Option<String>,
    /// Response time of the host in that test, in milliseconds.
    #[schema(example = json!(null))]
    pub milliseconds: Option<u64>,
    /// Reason why the test failed; null if it didn't.
    #[schema(example = json!(null))]
    pub failure: Option<String>,
}

/// Models of the instance, with their test results.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct InstanceModels {
    /// Models that have their own name.
    pub models: Vec<ModelHealth>,
}

/// Returns the health of the instance's dependencies, and the depth of its queues. Values that don't arrive within
/// two seconds are `None`.
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
        bundle_public_key: bundle_public_key(operations),
        database,
        disk,
        git,
        queues,
        models: model_health(operations),
        no_previews: operations.repositories.previews.as_ref().err().map(ToString::to_string),
    })
}

/// The public key of the signatures of new bundles. It isn't secret.
pub fn bundle_public_key(operations: &Operations) -> Option<String> {
    operations.repositories.keyring.bundle_key().map(|key| key.to_string())
}

/// Tests each model of the instance that has a host, which costs a few tokens. A second test soon after returns
/// the results of the first.
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

/// Returns the models that have their own name.
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

//! The database: one file for each aggregate.

mod accounts;
mod activation;
mod agent_jobs;
mod agent_runs;
mod analytics;
mod assistant_keys;
mod assistant_tokens;
mod audit;
mod builds;
mod certificates;
mod credentials;
mod default_domains;
mod deletion;
mod dependencies;
mod deployments;
mod dismissed_steps;
mod domain_checks;
mod domain_contents;
mod domain_renames;
mod domains;
mod due_work;
mod erasure;
mod export_jobs;
mod feedback;
mod fingerprints;
mod idempotency;
mod inbox;
mod keys;
mod leases;
mod lists;
mod lost_bundles;
mod notifications;
mod open;
mod opening;
mod organizations;
mod pending_domains;
mod personal_tokens;
mod plans;
mod polls;
mod previews;
mod project_searches;
mod projects;
mod pull_requests;
mod question_checks;
mod questions;
mod queue_depth;
mod recurring_jobs;
mod release_lists;
mod releases;
mod reports;
mod request_limits;
mod retention;
mod retention_rounds;
mod revisions;
mod secrets;
mod serving;
mod shared_reads;
mod site_origin;
mod sites;
mod storage_usage;
mod subscriptions;
mod tls;
mod webhooks;

use std::{path::Path, sync::Arc, time::Duration};

use sqlx::{Any, AnyConnection, AnyPool, Connection, Transaction, any::AnyPoolOptions};
use tokio::sync::{Mutex, watch};

use self::{agent_jobs::AgentJobReads, keys::KeyReads};
use crate::StorageError;

pub use accounts::{
    ATTEMPTS, Account, AddedPasskey, CODES_AN_HOUR, CodeUse, DELETED_ACCOUNT, DeletedAccount,
    INVITATIONS, Identity, IdentityLink, Invitation, Invited, Member, Membership, NewAccount,
    NewInvitation, NewPasskey, NewSession, PASSKEYS, Passkey, PasskeyChallenge, Session,
};
pub use agent_jobs::{AgentEntry, KeyAndAgentJob, NewAgentJob, Prompted};
pub use agent_runs::AgentResult;
pub use analytics::{
    ActiveRelease, AnalyticsBatch, AnalyticsFilter, AnalyticsRange, DayVisitors, DeadLink,
    KEPT_ANALYTICS, KEPT_DAYS_OF_PAGES, KEPT_HOURS, LiveKind, LiveViews, Measured, MeasuredPage,
    MinuteSum, PageRatings, PageViews, SearchSum, ValueSum, ValueViews, ViewSum, Views, VisitorKey,
    VisitorSketch, WeeklyProject,
};
pub use assistant_keys::{ASSISTANT_KEYS, AssistantKey, NewAssistantKey};
pub use audit::{Actor, ActorKind, AuditEntry, AuditFilter, AuditPage, Change};
pub use builds::{BuildDecision, BuildInput, BuildResult};
pub use certificates::{Certificate, CertificateOrder, CertificateState, CertificateVersion};
pub use credentials::{Credential, CredentialOwner};
pub use deletion::Deleted;
pub use dependencies::FailingDependency;
pub use deployments::{
    Deployment, DeploymentChange, DeploymentReport, MAXIMUM_DEPLOYMENTS, NewDeployment,
};
pub use domain_checks::DomainCheck;
pub use domain_contents::{CONTENTS_COUNTED, DomainContents};
pub use domain_renames::{DomainRename, FormerDomain, Renamed};
pub use domains::Domain;
pub use due_work::DueWork;
pub use export_jobs::{ExportTarget, NewExport, Started};
pub use feedback::{FEEDBACK_AN_HOUR, Feedback, FeedbackChange, NewFeedback, PageFeedback};
pub use fingerprints::InstancePart;
pub use inbox::{InboxRow, OwnChange};
pub use keys::{KEYS_AN_HOUR, KeyChange, NewKey};
pub use leases::{Claim, Lease, MAXIMUM_FAILURES, MAXIMUM_INTERRUPTIONS, Queue, Share, backoff};
pub use lists::{PageRequest, Position, Sort};
pub use lost_bundles::LostBundleCount;
pub use notifications::{ClaimedNotification, Notification};
pub use organizations::{Organization, OrganizationChange};
pub use pending_domains::{CLAIMS, Claimed, DomainClaim};
pub use personal_tokens::{PERSONAL_TOKENS, PERSONAL_TOKENS_AN_HOUR};
pub use plans::{PlanLimits, USAGE_COUNTED, Usage};
pub use polls::PollState;
pub use previews::{
    PreviewOfBranch, PreviewReport, PreviewSync, ServedPreview, StartedPreview, WantedPreview,
};
pub use projects::{NewProject, Project, ProjectChange, ProjectFilter};
pub use pull_requests::{MergedCommits, NewPullRequest};
pub use questions::{
    NewQuestion, Question, QuestionCount, QuestionFilter, QuestionSource, Rating,
    UnansweredQuestion,
};
pub use queue_depth::QueueDepth;
pub use recurring_jobs::RecurringJobState;
pub use release_lists::{SEARCHED_RELEASES, release_position};
pub use reports::Report;
pub use request_limits::{Allowance, Limited, RequestLimit};
pub use retention::KeptReleases;
pub use retention_rounds::RetentionRound;
pub use serving::{DomainOwners, Serving};
pub use sites::{HeadUpdate, Requested};
pub use storage_usage::{PREVIEW_BYTES, StorageUsage};
pub use subscriptions::{MAXIMUM_SUBSCRIPTIONS, NewSubscription, Subscription};
pub use webhooks::{DELIVERIES, Delivery, Received};

/// A connection to PostgreSQL that was idle for this long is tested before use.
const TESTED_AFTER: Duration = Duration::from_millis(500);

/// A pool of connections.
#[derive(Debug, Clone)]
pub struct Database {
    pool: AnyPool,
    postgres: bool,
    /// Counts the changes by this process to what domains serve.
    serving_changed: Arc<watch::Sender<u64>>,
    keys: KeyReads,
    agent_jobs: AgentJobReads,
    /// The change to record with the next one; see [`Database::recording`].
    change: Option<Arc<Change>>,
    /// See [`keep_open`]. It also empties the write-ahead log; see [`Database::erase_deleted`].
    kept_open: Arc<Mutex<Option<AnyConnection>>>,
}

impl Database {
    /// The file in a data folder.
    pub const FILE: &str = "docwright.db";

    /// Opens the database file in a data folder, and creates it if it is missing.
    pub async fn open_folder(folder: &Path) -> Result<Self, StorageError> {
        std::fs::create_dir_all(folder)?;
        let file = folder.join(Self::FILE).display().to_string();
        // Folder names can contain characters with a meaning in URLs.
        let file = file.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
        let url = format!("sqlite://{file}?mode=rwc");
        Self::open(&url).await
    }

    /// Opens a database by its URL (`sqlite://` or `postgres://`) and brings its tables up to date.
    pub async fn open(url: &str) -> Result<Self, StorageError> {
        sqlx::any::install_default_drivers();
        let postgres = open::is_postgres(url)?;
        let _turn = opening::Turn::wait(url, postgres).await?;
        let (mut first, connection) = open::connect(url, postgres).await?;
        let kept_open = if postgres {
            drop(first.close().await);
            None
        } else {
            keep_open(&mut first).await?;
            Some(first)
        };
        let mut options = AnyPoolOptions::new();
        if !postgres {
            options =
                options.after_release(|connection, _| Box::pin(has_no_transaction(connection)));
        }
        let pool = options
            .max_connections(if postgres { 16 } else { 8 })
            // An unresponsive server is reported soon; SQLite's writers can wait their turn.
            .acquire_timeout(Duration::from_secs(if postgres { 5 } else { 30 }))
            // A recently used connection works. Testing it first would double the round trips.
            .test_before_acquire(false)
            .before_acquire(move |connection, about| {
                Box::pin(async move {
                    // A file has no connection that could break.
                    if postgres && about.idle_for >= TESTED_AFTER {
                        return Ok(connection.ping().await.is_ok());
                    }
                    Ok(true)
                })
            })
            .after_connect(move |connection, _| {
                Box::pin(async move { if postgres { Ok(()) } else { prepare(connection).await } })
            })
            .connect_with(connection)
            .await?;
        open::migrate(&pool, postgres).await?;
        Ok(Self {
            keys: keys::shared_reads(&pool),
            agent_jobs: agent_jobs::shared_reads(&pool),
            pool,
            postgres,
            serving_changed: Arc::default(),
            change: None,
            kept_open: Arc::new(Mutex::new(kept_open)),
        })
    }

    /// Begins a transaction that writes. It becomes SQLite's only writer from the start: SQLite refuses writes,
    /// without waiting, after a read that another writer has made outdated.
    /// <https://www.sqlite.org/lang_transaction.html>
    ///
    /// It starts in its own task, which is never canceled. sqlx learns of a transaction when PostgreSQL has
    /// answered. A caller that left before then would leave it open on a connection that others use next, and
    /// nobody else would see their writes.
    async fn begin(&self) -> Result<Transaction<'static, Any>, StorageError> {
        let pool = self.pool.clone();
        let sql = if self.postgres { "BEGIN" } else { "BEGIN IMMEDIATE" };
        let started = tokio::spawn(async move { pool.begin_with(sql).await }).await;
        Ok(started.map_err(|error| sqlx::Error::Io(std::io::Error::other(error)))??)
    }

    /// The database's own time as an expression, in milliseconds. Leases use it, so a node with a wrong clock
    /// takes no other node's job.
    const fn clock(&self) -> &'static str {
        if self.postgres {
            "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
        } else {
            "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
        }
    }

    /// Whether it answers.
    pub async fn check(&self) -> Result<(), StorageError> {
        sqlx::query("SELECT 1").fetch_one(&self.pool).await?;
        Ok(())
    }

    /// The kind of the database.
    pub const fn kind(&self) -> &'static str {
        if self.postgres { "postgres" } else { "sqlite" }
    }

    /// Open connections, and the number of idle ones.
    pub fn connections(&self) -> (u32, usize) {
        (self.pool.size(), self.pool.num_idle())
    }

    /// How many connections can be open.
    pub fn maximum_connections(&self) -> u32 {
        self.pool.options().get_max_connections()
    }

    /// Closes every connection.
    pub async fn close(&self) {
        self.pool.close().await;
        let kept_open = self.kept_open.lock().await.take();
        if let Some(connection) = kept_open {
            drop(connection.close().await);
        }
    }
}

/// Whether a connection can return to the pool: it has no open transaction, otherwise it is closed. A full disk
/// makes SQLite end a transaction itself. sqlx doesn't learn of it and can't end it, so later writes on the
/// connection would be invisible to others, and lost.
async fn has_no_transaction(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    if connection.is_in_transaction() {
        // A rollback can still be under way; this runs after it.
        connection.ping().await?;
    }
    Ok(!connection.is_in_transaction())
}

/// Configures a new connection to SQLite.
async fn prepare(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *connection).await?;
    // Set before the first table, it lets the file shrink. Set later it is a write, which a full disk would
    // refuse.
    if pages == 0 {
        let sql = "PRAGMA auto_vacuum = INCREMENTAL";
        sqlx::query(sql).execute(&mut *connection).await?;
    }
    // Readers don't wait for the writer, and writers wait for each other.
    for pragma in [
        "PRAGMA journal_mode = WAL",
        "PRAGMA journal_size_limit = 16777216",
        "PRAGMA busy_timeout = 20000",
        "PRAGMA foreign_keys = ON",
        // Deleted data is overwritten, so it isn't readable in free pages.
        "PRAGMA secure_delete = ON",
    ] {
        sqlx::query(pragma).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Keeps one unused connection to SQLite open. Closing the last connection removes the write-ahead log, and the
/// next connection needs disk space to create it again. While this one is open, reads work on a full disk.
async fn keep_open(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    prepare(connection).await?;
    // The first read of a table opens the log.
    sqlx::query("SELECT COUNT(*) FROM sqlite_master").fetch_one(&mut *connection).await?;
    sqlx::query(erasure::PATIENCE).execute(connection).await?;
    Ok(())
}

/// A new id: sortable by time, unique without asking anyone.
fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", uuid::Uuid::now_v7().simple())
}

//! Models and the object storage: records which of them don't work, as jobs and answers notice, and tests those until they
//! work again.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use docwright_storage::{Database, Objects, StorageError, dependency_watch::DependencyReport};
use docwright_types::{
    problem::ProblemKind,
    timestamp::{HOUR, MINUTE, SECOND, Timestamp},
};
use tokio::{sync::mpsc::Receiver, time::interval};
use tokio_util::sync::CancellationToken;

use crate::propose::ModelSettings;

/// How often failing dependencies are read.
const ROUND: Duration = Duration::from_secs(15);
/// Pause between two tests of the object storage.
const STORAGE_WAIT: Timestamp = 30 * SECOND;
/// First pause between two tests of a model, which cost tokens. It doubles up to an hour.
const MODEL_WAIT: Timestamp = MINUTE;
/// Shortest time between two tests that people request.
const PAUSE: Duration = Duration::from_secs(5);
/// How long a model can take for a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// The dependencies of an instance.
#[derive(Debug)]
pub struct Dependencies {
    /// The database.
    pub database: Database,
    /// The object storage.
    pub objects: Objects,
    /// The models.
    pub models: Arc<ModelSettings>,
    reports: Mutex<Option<Receiver<DependencyReport>>>,
    /// When people last requested a test. The holder of the lock tests.
    requested: tokio::sync::Mutex<Option<tokio::time::Instant>>,
}

impl Dependencies {
    /// The dependencies, whose watches send reports to a receiver.
    pub fn new(
        database: Database,
        objects: Objects,
        models: Arc<ModelSettings>,
        reports: Option<Receiver<DependencyReport>>,
    ) -> Self {
        let reports = Mutex::new(reports);
        Self { database, objects, models, reports, requested: tokio::sync::Mutex::default() }
    }

    /// Records reports, and tests what doesn't work, until it is stopped.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let taken = self.reports.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut reports) = taken else { return };
        let mut round = interval(ROUND);
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return,
                Some(report) = reports.recv() => self.record(&report).await,
                _ = round.tick() => self.test_due().await,
            };
            if let Err(error) = done {
                tracing::warn!(%error, "state of dependencies not written; retrying");
            }
        }
    }

    async fn record(&self, report: &DependencyReport) -> Result<(), StorageError> {
        let DependencyReport { kind, subject, project_id, failure } = report;
        let dependency = (*kind, subject.as_str());
        match failure {
            Some(failure) => {
                tracing::warn!(kind = kind.name(), subject, failure, "dependency failed");
                let seen = (project_id.as_str(), failure.as_str());
                self.database.record_failing_dependency(dependency, seen, wait(*kind, 0)).await
            }
            None => self.works(dependency).await,
        }
    }

    async fn works(&self, (kind, subject): (ProblemKind, &str)) -> Result<(), StorageError> {
        if self.database.record_working_dependency((kind, subject)).await? {
            tracing::info!(kind = kind.name(), subject, "dependency works again");
        }
        Ok(())
    }

    /// Tests what doesn't work and is due. Other nodes can test the rest.
    async fn test_due(&self) -> Result<(), StorageError> {
        let mut tested = None;
        for failing in self.database.failing_dependencies().await? {
            let watch = &self.models.watch;
            watch.expect_failing(failing.kind, &failing.subject, &failing.project_id);
            let dependency = (failing.kind, failing.subject);
            // A model fails for each project that noticed.
            if tested.as_ref() == Some(&dependency) {
                continue;
            }
            let (kind, subject) = (dependency.0, dependency.1.as_str());
            let next = wait(kind, failing.failures);
            if self.database.take_dependency_test((kind, subject), next).await? {
                self.test((kind, subject, &failing.project_id)).await?;
            }
            tested = Some(dependency);
        }
        Ok(())
    }

    /// Tests what doesn't work for a project now. Requests soon after a test share its results.
    pub async fn test_for(&self, project_id: &str) -> Result<(), StorageError> {
        let mut requested = self.requested.lock().await;
        if requested.is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(());
        }
        for failing in self.database.failing_dependencies_of(project_id).await? {
            self.test((failing.kind, &failing.subject, &failing.project_id)).await?;
        }
        *requested = Some(tokio::time::Instant::now());
        Ok(())
    }

    async fn test(
        &self,
        (kind, subject, project_id): (ProblemKind, &str, &str),
    ) -> Result<(), StorageError> {
        let failure = match kind {
            ProblemKind::Model => self.models.failure(subject, PATIENCE).await,
            // Its own watch reports how it can't be used.
            _ => match self.objects.test().await {
                Ok(()) => None,
                Err(error) => Some(error.failure_of_store().unwrap_or_else(|| error.to_string())),
            },
        };
        match failure {
            None => self.works((kind, subject)).await,
            Some(failure) if kind == ProblemKind::Model => {
                let seen = (project_id, failure.as_str());
                self.database.record_failing_dependency((kind, subject), seen, MODEL_WAIT).await
            }
            Some(_) => Ok(()),
        }
    }
}

/// Pause before the next test, after a number of failures.
fn wait(kind: ProblemKind, failures: i64) -> Timestamp {
    match kind {
        ProblemKind::Model => (MODEL_WAIT << failures.clamp(0, 6)).min(HOUR),
        _ => STORAGE_WAIT,
    }
}

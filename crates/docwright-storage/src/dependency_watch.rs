//! Notices whether what an instance depends on works, where it is used. A use costs no request to the database: only
//! changes are reported, and repeated failures once in a while.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use docwright_types::problem::ProblemKind;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pause between two reports of the same failure.
const PAUSE: Duration = Duration::from_secs(5);
/// Reports that wait. More are dropped: a failure that lasts is reported again.
const WAITING: usize = 256;

/// A dependency: its kind, the name of a model, and the project that uses it.
type Dependency = (ProblemKind, String, String);

/// A change of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyReport {
    /// A model, or the object storage.
    pub kind: ProblemKind,
    /// The name of the model; for the object storage, `read` or `write`.
    pub subject: String,
    /// The project that noticed; empty if it concerns all.
    pub project_id: String,
    /// What is wrong; `None` if it works.
    pub failure: Option<String>,
}

/// Takes the outcomes of uses. Without a receiver, they are ignored.
#[derive(Debug, Clone, Default)]
pub struct DependencyWatch(Option<Arc<Watch>>);

#[derive(Debug)]
struct Watch {
    reports: Sender<DependencyReport>,
    /// Dependencies that don't work, and when that was last reported.
    failing: Mutex<BTreeMap<Dependency, Instant>>,
}

impl DependencyWatch {
    /// A watch, and the receiver of its reports.
    pub fn new() -> (Self, Receiver<DependencyReport>) {
        let (reports, receiver) = channel(WAITING);
        (Self(Some(Arc::new(Watch { reports, failing: Mutex::default() }))), receiver)
    }

    /// A use failed because the dependency doesn't work.
    pub fn failed(&self, kind: ProblemKind, (subject, project_id): (&str, &str), failure: String) {
        let Some(watch) = &self.0 else { return };
        let now = Instant::now();
        let mut failing = watch.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kind, subject.to_owned(), project_id.to_owned());
        if failing.get(&key).is_some_and(|last| now.duration_since(*last) < PAUSE) {
            return;
        }
        failing.insert(key, now);
        let (subject, project_id) = (subject.to_owned(), project_id.to_owned());
        watch.report(DependencyReport { kind, subject, project_id, failure: Some(failure) });
    }

    /// A use worked, for whichever project.
    pub fn worked(&self, kind: ProblemKind, subject: &str) {
        let Some(watch) = &self.0 else { return };
        let mut failing = watch.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = failing.len();
        failing.retain(|(each, name, _), _| *each != kind || name != subject);
        if failing.len() < before {
            let (subject, project_id) = (subject.to_owned(), String::new());
            watch.report(DependencyReport { kind, subject, project_id, failure: None });
        }
    }

    /// Learns what other nodes, and this one before it was started, found.
    pub fn expect_failing(&self, kind: ProblemKind, subject: &str, project_id: &str) {
        let Some(watch) = &self.0 else { return };
        let mut failing = watch.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (kind, subject.to_owned(), project_id.to_owned());
        failing.entry(key).or_insert_with(Instant::now);
    }
}

impl Watch {
    fn report(&self, report: DependencyReport) {
        if self.reports.try_send(report).is_err() {
            tracing::warn!("report of a dependency dropped");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: ProblemKind = ProblemKind::Model;

    #[test]
    fn only_changes_are_reported() {
        let (watch, mut reports) = DependencyWatch::new();
        let mut next = || reports.try_recv().ok().map(|report| (report.project_id, report.failure));
        watch.worked(MODEL, "a:b");
        assert_eq!(next(), None, "nothing was wrong");
        for _ in 0..3 {
            watch.failed(MODEL, ("a:b", "prj_1"), "down".to_owned());
        }
        assert_eq!(next(), Some(("prj_1".to_owned(), Some("down".to_owned()))));
        assert_eq!(next(), None, "the same failure is not repeated");
        watch.failed(MODEL, ("a:b", "prj_2"), "down".to_owned());
        assert_eq!(next(), Some(("prj_2".to_owned(), Some("down".to_owned()))));
        watch.worked(MODEL, "a:c");
        watch.worked(ProblemKind::Storage, "a:b");
        assert_eq!(next(), None, "something else works");
        for _ in 0..2 {
            watch.worked(MODEL, "a:b");
        }
        assert_eq!(next(), Some((String::new(), None)));
        assert_eq!(next(), None);
    }

    #[test]
    fn success_after_failure_of_another_node_is_reported() {
        let (watch, mut reports) = DependencyWatch::new();
        watch.expect_failing(MODEL, "a:b", "prj_1");
        assert!(reports.try_recv().is_err());
        watch.worked(MODEL, "a:b");
        assert_eq!(reports.try_recv().unwrap().failure, None);
    }
}

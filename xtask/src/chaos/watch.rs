//! Follows each job until it finishes and checks later that its state is final.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde_json::Value;

use super::{
    ask::{RequestedJob, Ticket},
    client::{Client, Request},
    pace::wait,
    tenants::Organization,
};

/// Time between two polls of all jobs.
const EVERY: Duration = Duration::from_millis(500);

/// A job as its caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObservedJob {
    /// `success`, `skipped`, `completed`, `failed`, and so on.
    pub(super) status: String,
    /// Time of the request.
    pub(super) created_at: String,
    /// Time of the end or of the last change.
    pub(super) changed_at: String,
    /// The reason of a failure.
    pub(super) sentence: Option<String>,
    /// Its pull request.
    pub(super) link: Option<String>,
}

/// A followed job.
#[derive(Debug, Clone)]
pub(super) struct Followed {
    /// The requested job.
    pub(super) asked: RequestedJob,
    /// The state when it was first seen finished.
    pub(super) ended: Option<ObservedJob>,
    /// A later state, if it differs.
    pub(super) changed: Option<ObservedJob>,
}

/// All requested jobs.
#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<Vec<Followed>>);

impl Watch {
    /// Follows another job.
    pub(super) fn follow(&self, asked: RequestedJob) {
        let followed = Followed { asked, ended: None, changed: None };
        self.jobs().push(followed);
    }

    /// All jobs.
    pub(super) fn all(&self) -> Vec<Followed> {
        self.jobs().clone()
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, Vec<Followed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Polls all running jobs and a tenth of the others. Returns the number of running jobs.
    fn look(
        &self,
        client: &Client,
        organizations: &[Organization],
        turn: usize,
    ) -> anyhow::Result<usize> {
        let mut open = 0;
        for (number, job) in self.all().into_iter().enumerate() {
            if job.ended.is_some() && number % 10 != turn % 10 {
                continue;
            }
            let key = &organizations[job.asked.job.organization].key;
            let project =
                &organizations[job.asked.job.organization].projects[job.asked.job.project];
            let Some(seen) = look_at(client, key, &project.id, &job.asked.ticket)? else {
                continue;
            };
            let mut jobs = self.jobs();
            match &job.ended {
                Some(ended) if *ended != seen => jobs[number].changed = Some(seen),
                Some(_) => {}
                None if is_final(&seen.status) => jobs[number].ended = Some(seen),
                None => open += 1,
            }
        }
        Ok(open)
    }

    /// Polls all jobs repeatedly while new ones are requested.
    pub(super) fn run(
        &self,
        client: &Client,
        organizations: &[Organization],
        more: impl Fn() -> bool,
    ) -> anyhow::Result<()> {
        let mut turn = 0;
        while more() {
            self.look(client, organizations, turn)?;
            turn += 1;
            wait(EVERY);
        }
        Ok(())
    }

    /// Waits until all jobs finish or `patience` expires, then polls every job once more.
    pub(super) fn finish(
        &self,
        client: &Client,
        organizations: &[Organization],
        patience: Duration,
    ) -> anyhow::Result<()> {
        let started = Instant::now();
        let mut turn = 0;
        while self.look(client, organizations, turn)? > 0 && started.elapsed() < patience {
            turn += 1;
            wait(EVERY);
        }
        (0..10).try_for_each(|turn| self.look(client, organizations, turn).map(drop))
    }
}

/// Whether the state can't change any more.
pub(super) fn is_final(status: &str) -> bool {
    matches!(status, "success" | "skipped" | "failure" | "completed" | "failed")
}

/// The current state of a job, or `None` if the job can't be followed.
fn look_at(
    client: &Client,
    key: &str,
    project: &str,
    ticket: &Ticket,
) -> anyhow::Result<Option<ObservedJob>> {
    let path = match ticket {
        Ticket::Update(id) => format!("/v1/project/update-status/{id}"),
        Ticket::Export(id) => format!("/v1/static-export/jobs/{id}"),
        Ticket::Agent(id) => format!("/v2/agent/{project}/job/{id}"),
        Ticket::Push(_) | Ticket::Refused(_) => return Ok(None),
    };
    let answer = client.ask(Request::get(&path, key))?;
    ensure!(answer.status == 200, "{path} is answered with: {}", answer.sentence());
    let job = answer.json();
    let text = |field: &str| job[field].as_str().map(str::to_owned);
    let (changed_at, sentence) = match ticket {
        Ticket::Update(_) => (text("endedAt"), text("summary")),
        _ => (text("updatedAt"), text("error")),
    };
    Ok(Some(ObservedJob {
        status: text("status").unwrap_or_default(),
        created_at: text("createdAt").unwrap_or_default(),
        changed_at: changed_at.unwrap_or_default(),
        sentence,
        link: job.get("prLink").and_then(Value::as_str).map(str::to_owned),
    }))
}

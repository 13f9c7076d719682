//! Stored state of a job: the saved run, the events, the result.

use docwright_agent::{
    driver::Journal,
    run::{Run, Turn},
};
use docwright_storage::database::AgentResult;
use docwright_types::agent_job::JobDiff;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Proposer;
use crate::queue::{HeldLease, JobError, Step};

/// A run with the number of prompts that it has processed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedRun {
    pub(super) run: Run,
    pub(super) prompts: usize,
}

/// Keeps a job's state in the database, under its lease.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    proposer: &'a Proposer,
    held: &'a HeldLease,
}

impl<'a> Progress<'a> {
    pub(super) const fn new(proposer: &'a Proposer, held: &'a HeldLease) -> Self {
        Self { proposer, held }
    }

    pub(super) const fn held(&self) -> &'a HeldLease {
        self.held
    }

    /// Records a step for watchers.
    pub(super) async fn step(&self, step: Step) -> Result<(), JobError> {
        self.event(&json!({ "step": step.name() })).await?;
        self.held.reached(step);
        Ok(())
    }

    /// Records that the work starts over.
    pub(super) async fn begins_anew(&self, reason: &str) -> Result<(), JobError> {
        tracing::warn!(reason, "saved run not read; run restarted");
        self.event(&json!({ "step": "restarted", "reason": "the work so far can't be read by this version" }))
            .await
    }

    async fn event(&self, data: &Value) -> Result<(), JobError> {
        let (database, now) = (&self.proposer.database, self.proposer.clock.now());
        Ok(database.add_agent_event(self.held.id(), "step", &data.to_string(), now).await?)
    }

    /// Records the base commit of the work, and returns the one recorded first.
    pub(super) async fn base_commit(&self, commit: &str) -> Result<String, JobError> {
        let database = &self.proposer.database;
        let recorded = database.record_base_commit(self.held.lease(), commit).await?;
        recorded.ok_or(JobError::Lost)
    }

    pub(super) async fn branch(&self, name: &str, diff: Option<&JobDiff>) -> Result<(), JobError> {
        let recorded = self.proposer.database.record_branch(self.held.lease(), name, diff).await?;
        if recorded { Ok(()) } else { Err(JobError::Lost) }
    }

    /// Ends the job.
    pub(super) async fn end(&self, result: AgentResult<'_>) -> Result<(), JobError> {
        let (database, now) = (&self.proposer.database, self.proposer.clock.now());
        let ended = database.end_agent_job(self.held.lease(), result, now).await?;
        if ended { Ok(()) } else { Err(JobError::Lost) }
    }

    async fn save_run(&self, run: &Run) -> Result<bool, JobError> {
        // Results of a stopped tool or check are not saved: the next worker would take them for answers.
        if self.held.is_interrupted() {
            return Ok(false);
        }
        let database = &self.proposer.database;
        let prompts = database.agent_prompts(self.held.id()).await?.len();
        let saved = json!({ "run": run, "prompts": prompts }).to_string();
        let now = self.proposer.clock.now();
        if !database.save_agent_run(self.held.lease(), (&saved, run.usage()), now).await? {
            return Ok(false);
        }
        if let Some(event) = describe(run) {
            self.event(&event).await?;
        }
        if run.turns().len() > 1 || !run.changes().is_empty() {
            self.held.reached(Step::Worked);
        }
        Ok(true)
    }
}

impl Journal for Progress<'_> {
    fn save<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(async move { self.save_run(run).await.map_err(|error| error.to_string()) })
    }
}

/// The newest turn, for watchers: the model's text and its tool calls. Results of tools can be long, and are left
/// out.
fn describe(run: &Run) -> Option<Value> {
    match run.turns().last()? {
        Turn::Model(answer) => {
            let tools: Vec<_> = answer.calls.iter().map(|call| call.name.as_str()).collect();
            Some(json!({ "step": "model", "text": answer.text, "tools": tools }))
        }
        Turn::Tools(results) => {
            let refused: Vec<_> = results
                .iter()
                .filter(|result| result.refused)
                .map(|result| json!({ "tool": result.name, "reason": result.text }))
                .collect();
            Some(
                json!({ "step": "tools", "refused": refused, "filesChanged": run.changes().paths().len() }),
            )
        }
        Turn::User(_) => None,
    }
}

//! What is known of a job outside its process: the saved run, the steps, the lease.

use std::{fmt, str::FromStr};

use docwright_agent::{
    driver::Journal,
    run::{Run, Turn},
};
use docwright_domain::agent_job::AgentJob;
use docwright_storage::database::AgentResult;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Install, ProposeError};

/// A run with the number of prompts that it has taken in.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedRun {
    pub(super) run: Run,
    pub(super) prompts: usize,
}

/// A step of a job that others can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The repository is at hand.
    Cloned,
    /// The agent did something.
    Worked,
    /// The change is committed.
    Committed,
    /// The branch is with its host.
    Pushed,
    /// The pull request is there.
    PullRequest,
}

impl Step {
    const ALL: [Self; 5] =
        [Self::Cloned, Self::Worked, Self::Committed, Self::Pushed, Self::PullRequest];

    /// Its name in events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cloned => "cloned",
            Self::Worked => "worked",
            Self::Committed => "committed",
            Self::Pushed => "pushed",
            Self::PullRequest => "pull_request",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|step| step.name() == text);
        found.ok_or_else(|| format!("`{text}` is no step of an agent job"))
    }
}

/// Keeps a job's state in the database, under its lease.
#[derive(Debug)]
pub struct Progress<'a> {
    job: &'a AgentJob,
    owner: &'a str,
    install: &'a Install,
}

impl<'a> Progress<'a> {
    pub(super) fn new(job: &'a AgentJob, owner: &'a str, install: &'a Install) -> Self {
        Self { job, owner, install }
    }

    /// Fails unless the job is still ours: asked before anything that others see.
    pub(super) async fn hold(&self) -> Result<(), ProposeError> {
        let until = self.install.clock.now() + self.install.lease;
        let held = self.install.database.renew_agent_job(&self.job.id, self.owner, until).await?;
        if held { Ok(()) } else { Err(ProposeError::Lost) }
    }

    /// Tells those who watch of a step.
    pub(super) async fn note(&self, step: Step) -> Result<(), ProposeError> {
        self.event("step", &json!({ "step": step.name() })).await?;
        self.break_off(step);
        Ok(())
    }

    fn break_off(&self, step: Step) {
        if self.install.abort_after == Some(step) {
            tracing::error!(%step, "ending the process, as --abort-after says");
            std::process::abort();
        }
    }

    async fn event(&self, kind: &str, data: &serde_json::Value) -> Result<(), ProposeError> {
        let now = self.install.clock.now();
        self.install.database.add_agent_event(&self.job.id, kind, &data.to_string(), now).await?;
        Ok(())
    }

    /// Notes the commit that the work begins from, and gives the one noted first.
    pub(super) async fn base_commit(&self, commit: &str) -> Result<String, ProposeError> {
        let noted =
            self.install.database.note_base_commit(&self.job.id, self.owner, commit).await?;
        noted.ok_or(ProposeError::Lost)
    }

    pub(super) async fn branch(&self, name: &str) -> Result<(), ProposeError> {
        let noted = self.install.database.note_branch(&self.job.id, self.owner, name).await?;
        if noted { Ok(()) } else { Err(ProposeError::Lost) }
    }

    /// Ends the job.
    pub(super) async fn end(
        &self,
        result: AgentResult<'_>,
        pr_link: Option<&str>,
    ) -> Result<(), ProposeError> {
        let status = if result.outcome.is_ok() { "completed" } else { "failed" };
        let now = self.install.clock.now();
        let (database, id) = (&self.install.database, &self.job.id);
        if !database.end_agent_job(id, self.owner, result, pr_link, now).await? {
            return Err(ProposeError::Lost);
        }
        self.event("status", &json!({ "status": status, "prLink": pr_link })).await
    }

    async fn save_run(&self, run: &Run) -> Result<bool, ProposeError> {
        let database = &self.install.database;
        let prompts = database.agent_prompts(&self.job.id).await?.len();
        let saved = serde_json::to_string(&json!({ "run": run, "prompts": prompts }))
            .map_err(|error| ProposeError::Fault(error.to_string()))?;
        let now = self.install.clock.now();
        let usage = run.usage();
        if !database.save_agent_run(&self.job.id, self.owner, (&saved, usage), now).await? {
            return Ok(false);
        }
        if let Some(event) = describe(run) {
            self.event("step", &event).await?;
        }
        if run.turns().len() > 1 || !run.changes().is_empty() {
            self.break_off(Step::Worked);
        }
        Ok(true)
    }
}

impl Journal for Progress<'_> {
    fn save<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(async move { self.save_run(run).await.map_err(|error| error.to_string()) })
    }
}

/// The newest turn, for those who watch: what the model said and which tools it called. Answers of
/// tools may be long, and are left out.
fn describe(run: &Run) -> Option<serde_json::Value> {
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

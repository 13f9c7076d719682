//! Performs the effects of a run, and saves it after each event.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use futures::future::BoxFuture;

use crate::{
    checker::{Checker, Problem},
    edits,
    external::ExternalAgent,
    models::Model,
    policy::secrets,
    run::{Call, CallResult, Effect, Event, Limits, Outcome, Run, Turn},
    tools,
    workspace::Workspace,
};

/// The backend of a run.
#[derive(Debug)]
pub enum Backend {
    /// A language model, with tools.
    Model(Box<dyn Model>),
    /// `builtin:edits`: mechanical instructions, without a language model.
    Edits,
    /// A third-party coding agent, and a folder for its copies of the files.
    External(ExternalAgent, PathBuf),
    /// No backend is usable; the reason is for the caller.
    Unusable(String),
}

/// Saves runs for other processes.
pub trait Journal: Send + Sync {
    /// Saves a run. `false` if the lease is lost or the job was canceled: the driver stops.
    fn save<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, Result<bool, String>>;
}

/// Why a run stopped early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The lease is lost, or the job was canceled.
    #[error("the run belongs to another worker now")]
    Lost,
    /// It can't be saved.
    #[error("the run can't be saved: {0}")]
    Journal(String),
}

/// Resources of a run.
pub struct Driver<'a> {
    /// The backend.
    pub backend: &'a Backend,
    /// The compiler.
    pub checker: &'a dyn Checker,
    /// Saves the run.
    pub journal: &'a dyn Journal,
    /// Its limits.
    pub limits: Limits,
}

impl std::fmt::Debug for Driver<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Driver").field("backend", self.backend).finish_non_exhaustive()
    }
}

impl Driver<'_> {
    /// Drives a run to its end. The workspace must hold the changes of the run.
    pub async fn drive(
        &self,
        run: &mut Run,
        workspace: &mut Workspace,
    ) -> Result<Outcome, Stopped> {
        loop {
            if !self.journal.save(run).await.map_err(Stopped::Journal)? {
                return Err(Stopped::Lost);
            }
            let started = Instant::now();
            let event = match run.effect() {
                Effect::End(outcome) => return Ok(outcome.clone()),
                Effect::AskModel(turns) => {
                    // A little more than the remaining time, so that the run itself reports the limit.
                    let left = Duration::from_secs_f64(run.seconds_left(&self.limits) + 0.1);
                    let asked = self.ask(turns, run.prompt(), workspace);
                    let late = Event::Failed("the model did not respond in time".to_owned());
                    tokio::time::timeout(left, asked).await.unwrap_or(late)
                }
                Effect::RunTools(calls) => blocking(|| self.run_tools(calls, workspace)),
                Effect::Check => blocking(|| self.check(workspace)),
            };
            run.apply(event, started.elapsed().as_secs_f64(), &self.limits);
        }
    }

    async fn ask(&self, turns: &[Turn], prompt: &str, workspace: &mut Workspace) -> Event {
        match self.backend {
            Backend::Model(model) => {
                let instructions = crate::instructions::instructions(workspace);
                match model.answer(&instructions, turns).await {
                    Ok(answer) => Event::Answered(answer),
                    Err(error) => Event::Failed(error.to_string()),
                }
            }
            Backend::Edits => match blocking(|| edits::work(prompt, workspace, self.checker)) {
                Ok(summary) => worked(workspace, summary, Vec::new(), false),
                Err(reason) => Event::Failed(reason),
            },
            Backend::External(agent, scratch) => {
                match agent.work(&conversation(turns), workspace, scratch).await {
                    Ok(said) => worked(workspace, said.summary, said.refused, true),
                    Err(reason) => Event::Failed(reason),
                }
            }
            Backend::Unusable(reason) => Event::Failed(reason.clone()),
        }
    }

    fn run_tools(&self, calls: &[Call], workspace: &mut Workspace) -> Event {
        let mut context = tools::Context { workspace, checker: self.checker, finished: None };
        let results = calls.iter().map(|call| {
            let answer = tools::run(&call.name, &call.arguments, &mut context);
            let refused = answer.is_err();
            tracing::debug!(tool = %call.name, refused, "tool");
            let text = answer.unwrap_or_else(|refusal| refusal.0);
            CallResult { id: call.id.clone(), name: call.name.clone(), text, refused }
        });
        let results = results.collect();
        let finished = context.finished.take();
        Event::ToolsRan { results, changes: workspace.changes().clone(), finished }
    }

    /// Checks that a change must pass before it becomes a pull request.
    fn check(&self, workspace: &Workspace) -> Event {
        let mut problems = secrets_in(workspace);
        match self.checker.check(workspace) {
            Ok(found) => problems.extend(found),
            Err(reason) => problems.push(Problem {
                path: "docs.json".to_owned(),
                line: 0,
                message: reason,
                help: None,
            }),
        }
        Event::Checked(problems)
    }
}

fn worked(
    workspace: &Workspace,
    summary: String,
    refused: Vec<(String, String)>,
    can_repair: bool,
) -> Event {
    Event::Worked { changes: workspace.changes().clone(), summary, refused, can_repair }
}

/// The whole request for an agent without a conversation: every prompt, and the diagnostics of checks.
fn conversation(turns: &[Turn]) -> String {
    let prompts = turns.iter().filter_map(|turn| match turn {
        Turn::User(text) => Some(text.as_str()),
        _ => None,
    });
    prompts.collect::<Vec<_>>().join("\n\n")
}

fn secrets_in(workspace: &Workspace) -> Vec<Problem> {
    let found = secrets::find(workspace.changes(), |path| workspace.read_original(path).ok());
    let problem = |found: secrets::SecretMatch| Problem {
        message: format!("this looks like a secret ({})", found.kind),
        path: found.path,
        line: u32::try_from(found.line).unwrap_or(u32::MAX),
        help: Some("use a made-up value".to_owned()),
    };
    found.into_iter().map(problem).collect()
}

/// Runs blocking work without delaying other tasks.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

#[cfg(test)]
mod tests;

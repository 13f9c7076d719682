//! The loop as a pure state machine: events in, effects out. No input or output happens here.

use docwright_types::agent_job::{RefusedCall, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{checker::Problem, tools::check::describe, workspace::Changes};

/// Limits of a run. Each ends it with a reason.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Responses of the model.
    pub steps: u32,
    /// Tokens, in and out.
    pub tokens: i64,
    /// Time spent on it, in seconds.
    pub seconds: f64,
    /// Cost in US dollars, if the model's host reports it.
    pub cost: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 80, tokens: 3_000_000, seconds: 30.0 * 60.0, cost: None }
    }
}

/// Checks that a run can fail before it ends.
const MAXIMUM_CHECKS: u32 = 4;
/// Consecutive refused calls that end a run.
const MAXIMUM_REFUSALS: u32 = 12;
/// Distinct refused calls that are stored, each with its count.
const KEPT_REFUSALS: usize = 20;
/// Longest stored reason, in characters.
const KEPT_REASON: usize = 300;
/// How often a model can repeat the same calls.
const MAXIMUM_REPEATS: u32 = 5;

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The model's id for it.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Its arguments; not an object if the model wrote something else.
    pub arguments: Value,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallResult {
    /// Id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The result, or the reason of the refusal.
    pub text: String,
    /// Whether it was refused.
    pub refused: bool,
}

/// A turn of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Turn {
    /// A prompt of the caller, or a message from docwright to the model.
    User(String),
    /// A response of the model.
    Model(ModelResponse),
    /// The results of its calls.
    Tools(Vec<CallResult>),
}

/// A response of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelResponse {
    /// Its text.
    pub text: String,
    /// The tools that it calls.
    pub calls: Vec<Call>,
    /// The response in the form that the model's host needs again; `models` reads it.
    pub native: Option<Value>,
    /// Its usage.
    pub usage: Usage,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// The work is done and passed the check.
    Completed(String),
    /// It failed, for a reason.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Phase {
    Ask,
    RunTools,
    Check,
    Ended(Outcome),
}

/// The next effect.
#[derive(Debug, PartialEq)]
pub enum Effect<'a> {
    /// Ask the model with the turns so far.
    AskModel(&'a [Turn]),
    /// Run tools, in order.
    RunTools(&'a [Call]),
    /// Check the changes.
    Check,
    /// Nothing: the run has ended.
    End(&'a Outcome),
}

/// The result of an effect.
#[derive(Debug)]
pub enum Event {
    /// The model answered.
    Answered(ModelResponse),
    /// The request failed, or a backend stopped; the reason is for the caller.
    Failed(String),
    /// The tools ran.
    ToolsRan {
        /// The result of each.
        results: Vec<CallResult>,
        /// All changes so far.
        changes: Changes,
        /// The summary, if the model called `finish`.
        finished: Option<String>,
    },
    /// A backend without turns finished its work.
    Worked {
        /// All changes.
        changes: Changes,
        /// Its summary; can be empty.
        summary: String,
        /// Refused tool calls: names of tools, and why.
        refused: Vec<(String, String)>,
        /// Whether it can repair diagnostics of the check.
        can_repair: bool,
    },
    /// The changes were checked.
    Checked(Vec<Problem>),
}

/// A run of an agent, from a prompt to its outcome. It can be saved after every event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    turns: Vec<Turn>,
    changes: Changes,
    usage: Usage,
    phase: Phase,
    steps: u32,
    checks: u32,
    refusals: u32,
    repeats: u32,
    seconds: f64,
    summary: String,
    refused: Vec<RefusedCall>,
    summaries: Vec<String>,
}

impl Run {
    /// A run that starts with a prompt.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            turns: vec![Turn::User(prompt.into())],
            changes: Changes::default(),
            usage: Usage::default(),
            phase: Phase::Ask,
            steps: 0,
            checks: 0,
            refusals: 0,
            repeats: 0,
            seconds: 0.0,
            summary: String::new(),
            refused: Vec::new(),
            summaries: Vec::new(),
        }
    }

    /// Continues after its end with another prompt. Earlier changes are part of the files now.
    pub fn follow_up(&mut self, prompt: impl Into<String>) {
        let turns = std::mem::take(&mut self.turns);
        let usage = std::mem::take(&mut self.usage);
        let refused = std::mem::take(&mut self.refused);
        let summaries = std::mem::take(&mut self.summaries);
        *self = Self { turns, usage, refused, summaries, ..Self::new("") };
        self.turns.push(Turn::User(prompt.into()));
    }

    /// The conversation so far.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// The changes so far.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The usage so far, by this and earlier prompts.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Refused calls, by this and earlier prompts.
    pub fn refused(&self) -> &[RefusedCall] {
        &self.refused
    }

    /// The summary of each prompt that changed files, first to last.
    pub fn summaries(&self) -> &[String] {
        &self.summaries
    }

    /// The remaining seconds.
    pub fn seconds_left(&self, limits: &Limits) -> f64 {
        (limits.seconds - self.seconds).max(0.0)
    }

    /// The newest prompt.
    pub fn prompt(&self) -> &str {
        self.turns
            .iter()
            .rev()
            .find_map(|turn| match turn {
                Turn::User(text) => Some(text.as_str()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The next effect.
    pub fn effect(&self) -> Effect<'_> {
        match &self.phase {
            Phase::Ask => Effect::AskModel(&self.turns),
            Phase::RunTools => Effect::RunTools(self.last_calls()),
            Phase::Check => Effect::Check,
            Phase::Ended(outcome) => Effect::End(outcome),
        }
    }

    fn last_calls(&self) -> &[Call] {
        self.turns
            .iter()
            .rev()
            .find_map(|turn| match turn {
                Turn::Model(answer) => Some(answer.calls.as_slice()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Applies the result of an effect, which took some seconds.
    pub fn apply(&mut self, event: Event, seconds: f64, limits: &Limits) {
        if matches!(self.phase, Phase::Ended(_)) {
            return;
        }
        self.seconds += seconds;
        match event {
            Event::Answered(answer) => self.answered(answer),
            Event::Failed(reason) => self.fail(reason),
            Event::ToolsRan { results, changes, finished } => {
                self.tools_ran(results, changes, finished);
            }
            Event::Worked { changes, summary, refused, can_repair } => {
                self.changes = changes;
                for (tool, reason) in refused {
                    self.refuse(&tool, &reason);
                }
                self.steps += u32::from(can_repair);
                self.finish(summary);
            }
            Event::Checked(problems) => self.checked(&problems),
        }
        if let Some(reason) = self.exceeded(limits) {
            self.fail(reason);
        }
    }

    fn answered(&mut self, answer: ModelResponse) {
        self.steps += 1;
        self.usage.add(&answer.usage);
        let same = !answer.calls.is_empty() && is_same(self.last_calls(), &answer.calls);
        self.repeats = if same { self.repeats + 1 } else { 0 };
        let (text, calls) = (answer.text.trim().to_owned(), answer.calls.len());
        self.turns.push(Turn::Model(answer));
        if self.repeats >= MAXIMUM_REPEATS {
            self.fail("the model made the same calls over and over".to_owned());
        } else if calls > 0 {
            self.phase = Phase::RunTools;
        } else if text.is_empty() {
            self.fail("the model returned an empty response".to_owned());
        } else {
            self.finish(text);
        }
    }

    fn tools_ran(&mut self, results: Vec<CallResult>, changes: Changes, finished: Option<String>) {
        self.changes = changes;
        let all_refused = results.iter().all(|result| result.refused);
        self.refusals = if all_refused { self.refusals + 1 } else { 0 };
        for result in results.iter().filter(|result| result.refused) {
            self.refuse(&result.name, &result.text);
        }
        let last = results.last().map(|result| result.text.clone()).unwrap_or_default();
        self.turns.push(Turn::Tools(results));
        match finished {
            Some(summary) => self.finish(summary),
            None if self.refusals >= MAXIMUM_REFUSALS => self.fail(format!(
                "the model's calls were refused {} times in a row, the last because {last}",
                self.refusals
            )),
            None => self.phase = Phase::Ask,
        }
    }

    fn refuse(&mut self, tool: &str, reason: &str) {
        let (tool, reason): (String, String) =
            (tool.chars().take(64).collect(), reason.chars().take(KEPT_REASON).collect());
        let same = |call: &RefusedCall| call.tool == tool && call.reason == reason;
        match self.refused.iter().position(same) {
            Some(at) => self.refused[at].times += 1,
            None if self.refused.len() < KEPT_REFUSALS => {
                self.refused.push(RefusedCall { tool, reason, times: 1 });
            }
            None => {}
        }
    }

    fn finish(&mut self, summary: String) {
        if self.changes.is_empty() {
            let outcome = Outcome::Completed(self.nothing_changed(&summary));
            self.phase = Phase::Ended(outcome);
        } else {
            let said = !summary.trim().is_empty();
            self.summary = if said { summary } else { "Edit documentation".to_owned() };
            self.phase = Phase::Check;
        }
    }

    /// The summary of a prompt that changed no file, with the reason.
    pub fn nothing_changed(&self, summary: &str) -> String {
        let mut text = match summary.trim() {
            "" => "No file was changed, and the agent gave no reason.".to_owned(),
            summary => format!("No file was changed: {summary}"),
        };
        if !self.refused.is_empty() {
            text.push_str("\n\nThese calls were refused:");
        }
        for RefusedCall { tool, reason, times } in &self.refused {
            let times = if *times > 1 { format!(" ({times} times)") } else { String::new() };
            text.push_str(&format!("\n- `{tool}`: {reason}{times}"));
        }
        text
    }

    fn checked(&mut self, problems: &[Problem]) {
        self.checks += 1;
        if problems.is_empty() {
            self.summaries.push(self.summary.clone());
            self.phase = Phase::Ended(Outcome::Completed(self.summary.clone()));
        } else if self.checks >= MAXIMUM_CHECKS || self.steps == 0 {
            self.fail(format!("the change does not pass the check:\n{}", describe(problems)));
        } else {
            self.turns.push(Turn::User(format!(
                "The check found new diagnostics:\n{}\nFix them, then finish again.",
                describe(problems)
            )));
            self.phase = Phase::Ask;
        }
    }

    fn exceeded(&self, limits: &Limits) -> Option<String> {
        if matches!(self.phase, Phase::Ended(_)) {
            return None;
        }
        let tokens = self.usage.input_tokens + self.usage.output_tokens;
        if self.steps >= limits.steps && self.phase == Phase::Ask {
            return Some(format!("the agent reached the limit of {} steps", limits.steps));
        }
        if tokens > limits.tokens {
            return Some(format!("the agent used up its {} tokens", limits.tokens));
        }
        if self.seconds > limits.seconds {
            return Some(format!("the agent used up its {:.0} seconds", limits.seconds));
        }
        let cost = self.usage.cost.zip(limits.cost).filter(|(cost, limit)| cost > limit);
        cost.map(|(_, limit)| format!("the agent used up its {limit} US dollars"))
    }

    fn fail(&mut self, reason: String) {
        self.phase = Phase::Ended(Outcome::Failed(reason));
    }
}

fn is_same(one: &[Call], other: &[Call]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.name == other.name && one.arguments == other.arguments)
}

#[cfg(test)]
mod tests;

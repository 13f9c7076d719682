//! An agent job: its prompt, progress, result, and actions. While the job is active, the page refreshes itself.

use axum::{
    extract::{Path, State},
    response::Response,
};
use docwright_operations::{
    agent_jobs::{self, AgentJob, AgentJobEntry, Prompt},
    callers::DeferredCaller,
    can,
    fields::field,
    idempotency::Idempotency,
};
use docwright_types::{
    agent_job::AgentStatus,
    timestamp::{Timestamp, parse_iso},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::{is_follow_up_failed, of_job, of_status};
use crate::{
    Dashboard,
    forms::Form,
    parts::{ago, diff, live},
    paths::encoded,
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// Steps that stay open after a job has ended.
const OPEN_STEPS: usize = 12;

#[derive(Deserialize)]
pub(crate) struct Message {
    prompt: String,
}

pub(crate) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (app, caller) = (&dashboard.operations, &place.of.caller);
    let of = (place.project.id.as_str(), id.as_str());
    let job = agent_jobs::get(app, DeferredCaller::Caller(caller.clone()), of).await?;
    let history = agent_jobs::history(app, &caller.allowed()?, of).await?;
    let page = page_of(&place, &job.id);
    let is_active = job.status == AgentStatus::Active;
    // While an agent works, the diff can change soon.
    let change =
        if is_active { None } else { Some(agent_jobs::diff(app, &caller.allowed()?, of).await?) };
    let change = change.filter(|change| !change.files.is_empty());
    let now = dashboard.operations.now();
    let body = live(
        "job",
        &page,
        is_active,
        &html! {
            h1 { (words::JOB) " " (of_job(&job)) }
            (outcome(&job))
            (facts(now, &job, change.is_none()))
            h2 { (words::JOB_STEPS) }
            (steps(now, &history.entries, is_active))
            @if let Some(change) = &change {
                h2 { (words::JOB_CHANGES) }
                @if !change.has_lines { p.soft { (words::JOB_CHANGES_LONG) } }
                (diff(&change.files, web_address(job.pr_link.as_deref())))
            }
            (refused(&job))
            @if caller.can::<can::SendAgentMessage>() { (actions(&page, &job)) }
        },
    );
    Ok(place.page("jobs", words::JOB, &body))
}

pub(crate) async fn message(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Form(message): Form<Message>,
) -> Result<Response, Refusal> {
    let (caller, no_key) = (place.of.caller.allowed()?, Idempotency::default());
    let (of, input) = (
        (place.project.id.as_str(), id.as_str()),
        Prompt { prompt: field("prompt", message.prompt)? },
    );
    agent_jobs::follow_up(&dashboard.operations, &caller, of, input, &no_key).await?;
    Ok(place.of.person.browser.done(Done::PromptSent, &page_of(&place, &id)))
}

pub(crate) async fn cancel(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    agent_jobs::cancel(&dashboard.operations, &caller, (&place.project.id, &id)).await?;
    Ok(place.of.person.browser.done(Done::JobCanceled, &page_of(&place, &id)))
}

pub(crate) async fn archive(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    agent_jobs::archive(&dashboard.operations, &caller, (&place.project.id, &id)).await?;
    Ok(place.of.person.browser.done(Done::JobArchived, &page_of(&place, &id)))
}

/// The page of a job.
fn page_of(place: &ProjectContext, id: &str) -> String {
    format!("{}/{}", place.path("jobs"), encoded(id))
}

fn outcome(job: &AgentJob) -> Markup {
    html! {
        @if let Some(error) = job.error.as_deref().filter(|_| job.status == AgentStatus::Failed) {
            @if is_follow_up_failed(job) {
                div.notice { strong { (words::FOLLOW_UP_FAILED) } ": " (error) ". " (words::FOLLOW_UP_FAILED_WHY) }
            } @else {
                div.problem { strong { (words::JOB_FAILED) } ": " (error) ". " (words::JOB_FAILED_WHY) }
            }
        } @else if let Some(summary) = &job.summary {
            p.summary { (summary) }
        }
        @if let Some(link) = web_address(job.pr_link.as_deref()) {
            p.actions { a.button.primary href=(link) { (words::OPEN_PULL_REQUEST) } }
        }
    }
}

/// A URL that is safe to link to. The URL of a pull request comes from a git host.
fn web_address(link: Option<&str>) -> Option<&str> {
    link.filter(|link| link.starts_with("https://") || link.starts_with("http://"))
}

fn facts(now: Timestamp, job: &AgentJob, names_files: bool) -> Markup {
    let usage = &job.usage;
    html! {
        dl.facts {
            dt { (words::ASKED) } dd { (ago(now, parse_iso(&job.created_at).unwrap_or_default())) }
            dt { (words::MODEL) } dd { code { (job.model) } }
            dt { (words::PULL_REQUEST) }
            dd {
                @match (web_address(job.pr_link.as_deref()), job.status) {
                    (Some(link), _) => a href=(link) { (link) },
                    (None, AgentStatus::Active) => (words::NOT_YET),
                    (None, _) => (words::NO_PULL_REQUEST),
                }
            }
            @if let Some(branch) = &job.source.git_ref { dt { (words::BRANCH) } dd { code { (branch) } } }
            @if names_files && !job.files_changed.is_empty() {
                dt { (words::CHANGED_FILES) }
                dd { ul.plain { @for file in &job.files_changed { li { code { (file) } } } } }
            }
            @if usage.input_tokens + usage.output_tokens > 0 {
                dt { (words::TOKENS) } dd { (words::tokens(usage.input_tokens, usage.output_tokens)) }
                dt { (words::COST) }
                dd { @match usage.cost { Some(cost) => (format!("${cost:.4}")), None => (words::COST_UNKNOWN) } }
            }
        }
    }
}

/// The steps so far. Screen readers announce new steps; most are folded after the job has ended.
fn steps(now: Timestamp, entries: &[AgentJobEntry], is_active: bool) -> Markup {
    let all = html! {
        ol.timeline aria-live=[is_active.then_some("polite")] { @for each in entries { (entry(now, each)) } }
    };
    html! {
        @if is_active || entries.len() <= OPEN_STEPS { (all) }
        @else { details.folded { summary { (words::steps(entries.len())) } (all) } }
    }
}

fn entry(now: Timestamp, entry: &AgentJobEntry) -> Markup {
    let data = &entry.data;
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    let at = ago(now, parse_iso(&entry.at).unwrap_or_default());
    html! {
        li data-kind=(entry.kind) {
            @match entry.kind.as_str() {
                "prompt" => {
                    p.step { strong { (words::YOU) } " " (at) }
                    p.said { (text("text")) }
                }
                "status" => { p.step { @if let Ok(status) = text("status").parse() { (of_status(status)) " " } (at) } }
                _ => {
                    p.step {
                        (words::job_step(text("step"))) " "
                        @for tool in data["tools"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                            code { (tool) } " "
                        }
                        @if let Some(count) = data["filesChanged"].as_u64() {
                            span.soft { (words::files_so_far(count)) " " }
                        }
                        (at)
                    }
                    @if !text("text").is_empty() { p.said { (text("text")) } }
                    @for refused in data["refused"].as_array().into_iter().flatten() {
                        p.soft { code { (refused["tool"].as_str().unwrap_or_default()) } ": " (refused["reason"].as_str().unwrap_or_default()) }
                    }
                }
            }
        }
    }
}

fn refused(job: &AgentJob) -> Markup {
    html! {
        @if !job.refused.is_empty() {
            h2 { (words::REFUSED_CALLS) }
            ul.rows {
                @for call in &job.refused {
                    li { code { (call.tool) } span.grow { (call.reason) } @if call.times > 1 { span.soft { "× " (call.times) } } }
                }
            }
        }
    }
}

fn actions(page: &str, job: &AgentJob) -> Markup {
    html! {
        @match job.status {
            AgentStatus::Active => {
                form.actions method="post" action=(format!("{page}/cancel")) {
                    button.danger type="submit" { (words::CANCEL_JOB) }
                }
            }
            AgentStatus::Archived => {}
            AgentStatus::Completed | AgentStatus::Failed => {
                h2 { (words::FOLLOW_UP) }
                form.wide method="post" action=(format!("{page}/message")) {
                    div.field {
                        label for="prompt" { (words::PROMPT) }
                        textarea id="prompt" name="prompt" required maxlength="100000" aria-describedby="prompt-hint" {}
                        p.hint id="prompt-hint" { (words::FOLLOW_UP_HINT) }
                    }
                    button.primary type="submit" { (words::SEND) }
                }
                form.actions.apart method="post" action=(format!("{page}/archive")) {
                    button type="submit" { (words::ARCHIVE_JOB) }
                }
            }
        }
    }
}

//! The agent jobs of a project: the list, new jobs, and their progress.

mod new;
mod show;
mod start;

use std::collections::HashMap;

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    agent_jobs::{self, AgentJob, ListAgentJobs},
    can,
};
use docwright_types::{agent_job::AgentStatus, timestamp::parse_iso};
use maud::{Markup, html};

use crate::{
    Dashboard,
    parts::{ListQuery, Tone, ago, empty, filter, live, nothing_found, state},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

pub(super) use new::{create, new};
pub(super) use show::{archive, cancel, message, show};
pub(super) use start::start;

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let query = ListAgentJobs { status: asked.in_status()? };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list =
        agent_jobs::list(&dashboard.operations, &caller, &place.project.id, &query, &page).await?;
    let (operations, project) = (&dashboard.operations, place.project.id.as_str());
    let titles = agent_jobs::titles(operations, &caller, project, &list.items).await?;
    let path = place.path("jobs");
    let new = html! {
        @if place.of.caller.can::<can::CreateAgentJob>() {
            p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_JOB) } }
        }
    };
    let now = dashboard.operations.now();
    let is_running = list.items.iter().any(|job| job.status == AgentStatus::Active);
    let body = html! {
        h1 { (words::JOBS) }
        @if !list.items.is_empty() || !asked.is_all() {
            (new)
            (filter(&path, "status", &words::JOB_STATUSES, &asked))
        }
        (live("jobs", &asked.here(&path), is_running, &html! {
            @if list.items.is_empty() && asked.is_all() {
                (empty(words::NO_JOBS, words::NO_JOBS_WHY, &new))
            } @else if list.items.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                ul.rows {
                    @for job in &list.items {
                        li {
                            (of_job(job))
                            span.grow {
                                a href=(format!("{path}/{}", job.id)) { (title(&titles, job)) }
                                @if let Some(error) = error(job) { br; span.error { (error) } }
                            }
                            code.soft { (job.model) }
                            (ago(now, parse_iso(&job.created_at).unwrap_or_default()))
                        }
                    }
                }
            }
            (asked.pager(&path, list.next_cursor.as_deref()))
        }))
    };
    Ok(place.page("jobs", words::JOBS, &body))
}

/// The title of a job in a list: the first line of its prompt.
pub(super) fn title<'a>(titles: &'a HashMap<String, String>, job: &'a AgentJob) -> &'a str {
    let prompt = titles.get(&job.id).and_then(|prompt| prompt.trim().lines().next());
    prompt.unwrap_or(&job.id)
}

/// The first line of the error of a job.
fn error(job: &AgentJob) -> Option<&str> {
    let line = job.error.as_deref().and_then(|error| error.lines().next());
    line.map(|line| line.trim_end_matches(':'))
}

/// The state of a job. With a pull request, only the last prompt failed.
fn of_job(job: &AgentJob) -> Markup {
    if is_follow_up_failed(job) {
        return state(Tone::Waiting, words::FOLLOW_UP_FAILED);
    }
    of_status(job.status)
}

/// Whether a job has a pull request, and its last follow-up failed.
fn is_follow_up_failed(job: &AgentJob) -> bool {
    job.status == AgentStatus::Failed && job.pr_link.is_some()
}

fn of_status(status: AgentStatus) -> Markup {
    let tone = match status {
        AgentStatus::Active => Tone::Running,
        AgentStatus::Completed => Tone::Good,
        AgentStatus::Failed => Tone::Bad,
        AgentStatus::Archived => Tone::Neutral,
    };
    state(tone, words::job_status(status.name()))
}

//! The agent jobs of a project: the list, new ones, and what happens in one.

mod new;
mod show;

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_domain::{account::Role, timestamp::parse_iso};
use maud::{Markup, html};
use serde::Deserialize;

use crate::dashboard::{
    Dashboard,
    parts::{Asked, Tone, ago, empty, filter, live, nothing_found, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

pub(super) use new::{create, new};
pub(super) use show::{archive, cancel, message, show};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct JobList {
    jobs: Vec<Job>,
    next_cursor: Option<String>,
}

/// An agent job, as the API shows it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    id: String,
    status: String,
    model: String,
    source: Source,
    pr_link: Option<String>,
    created_at: String,
    error: Option<String>,
    summary: Option<String>,
    usage: Usage,
    files_changed: Vec<String>,
    refused: Vec<RefusedCall>,
}

#[derive(Deserialize)]
struct Source {
    #[serde(rename = "ref")]
    git_ref: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    input_tokens: i64,
    output_tokens: i64,
    cost: Option<f64>,
}

#[derive(Deserialize)]
struct RefusedCall {
    tool: String,
    reason: String,
    times: u32,
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Query(asked): Query<Asked>,
) -> Result<Response, Refusal> {
    let path = format!("/v2/agent/{}/jobs", place.project.id);
    let list: JobList = place.of.operations.get(&asked.operation(&path, &[])).await?;
    let path = place.path("jobs");
    let new = html! {
        @if place.of.may(Role::Editor) {
            p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_JOB) } }
        }
    };
    let now = dashboard.app.now();
    let is_running = list.jobs.iter().any(|job| job.status == "active");
    let body = html! {
        h1 { (words::JOBS) }
        @if !list.jobs.is_empty() || !asked.is_all() {
            (new)
            (filter(&path, "status", &words::JOB_STATUSES, &asked))
        }
        (live("jobs", &asked.here(&path), is_running, &html! {
            @if list.jobs.is_empty() && asked.is_all() {
                (empty(words::NO_JOBS, words::NO_JOBS_WHY, &new))
            } @else if list.jobs.is_empty() {
                (nothing_found(&path, &asked))
            } @else {
                ul.rows {
                    @for job in &list.jobs {
                        li {
                            (of_status(&job.status))
                            a.grow href=(format!("{path}/{}", job.id)) { (title(job)) }
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

/// What a job is called in a list: what it came to, or its id.
fn title(job: &Job) -> &str {
    let said = job.summary.as_deref().or(job.error.as_deref()).and_then(|text| text.lines().next());
    said.unwrap_or(&job.id)
}

fn of_status(status: &str) -> Markup {
    let tone = match status {
        "active" => Tone::Running,
        "completed" => Tone::Good,
        "failed" => Tone::Bad,
        _ => Tone::Neutral,
    };
    state(tone, words::job_status(status))
}

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
    operations::with_query,
    parts::{Tone, ago, empty, live, pager, state},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

pub(super) use new::{create, new};
pub(super) use show::{archive, cancel, message, show};

#[derive(Deserialize)]
pub(super) struct Wanted {
    status: Option<String>,
    cursor: Option<String>,
}

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
    Query(wanted): Query<Wanted>,
) -> Result<Response, Refusal> {
    let (status, cursor) = (wanted.status.as_deref(), wanted.cursor.as_deref());
    let path = format!("/v2/agent/{}/jobs", place.project.id);
    let query = [("status", status), ("cursor", cursor)];
    let list: JobList = place.of.operations.get(&with_query(&path, &query)).await?;
    let path = place.path("jobs");
    let is_filtered = status.is_some_and(|status| !status.is_empty());
    let new = html! {
        @if place.of.may(Role::Editor) {
            p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_JOB) } }
        }
    };
    let now = dashboard.app.now();
    let here = with_query(&path, &query);
    let is_running = list.jobs.iter().any(|job| job.status == "active");
    let body = html! {
        h1 { (words::JOBS) }
        (live("jobs", &here, is_running, &html! {
            @if list.jobs.is_empty() && cursor.is_none() && !is_filtered {
                (empty(words::NO_JOBS, words::NO_JOBS_WHY, &new))
            } @else {
                (new)
                (statuses(&path, status))
                @if list.jobs.is_empty() { p.soft { (words::NO_JOBS_OF_STATUS) } }
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
                (pager(&path, &[("status", status)], (cursor, list.next_cursor.as_deref())))
            }
        }))
    };
    Ok(place.page("jobs", words::JOBS, &body))
}

/// What a job is called in a list: what it came to, or its id.
fn title(job: &Job) -> &str {
    let said = job.summary.as_deref().or(job.error.as_deref()).and_then(|text| text.lines().next());
    said.unwrap_or(&job.id)
}

/// Links that limit the list to jobs that stand somewhere.
fn statuses(path: &str, wanted: Option<&str>) -> Markup {
    let wanted = wanted.unwrap_or_default();
    let all = [("", words::EVERY_STATUS)].into_iter().chain(words::JOB_STATUSES);
    html! {
        p.filters {
            @for (name, label) in all {
                a href=(with_query(path, &[("status", Some(name))])) aria-current=[(name == wanted).then_some("true")] { (label) }
            }
        }
    }
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

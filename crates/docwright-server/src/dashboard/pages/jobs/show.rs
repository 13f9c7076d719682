//! An agent job: what was asked, what happens, what came of it, and what can be done with it. While it is
//! active the page asks for itself anew and shows what changed.

use axum::{
    extract::{Path, State},
    http::Method,
    response::{IntoResponse, Redirect, Response},
};
use docwright_domain::{
    account::Role,
    timestamp::{Timestamp, parse_iso},
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Job, of_status};
use crate::dashboard::{
    Dashboard,
    forms::Form,
    operations::encoded,
    parts::{FileDiff, ago, diff, live},
    place::ProjectPlace,
    refusal::Refusal,
    words,
};

/// Steps that are open once a job has ended.
const OPEN_STEPS: usize = 12;

#[derive(Deserialize)]
struct History {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    at: String,
    kind: String,
    data: Value,
}

/// What the job changes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    has_lines: bool,
    files: Vec<FileDiff>,
}

#[derive(Deserialize)]
pub(crate) struct Message {
    prompt: String,
}

pub(crate) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let operations = &place.of.operations;
    let of_job = job_path(&place, &id);
    let job: Job = operations.get(&of_job).await?;
    let history: History = operations.get(&format!("{of_job}/history")).await?;
    let page = format!("{}/{}", place.path("jobs"), encoded(&job.id));
    let is_active = job.status == "active";
    // While an agent works, it may be about to change.
    let change: Option<Change> =
        if is_active { None } else { Some(operations.get(&format!("{of_job}/diff")).await?) };
    let change = change.filter(|change| !change.files.is_empty());
    let now = dashboard.app.now();
    let body = live(
        "job",
        &page,
        is_active,
        &html! {
            h1 { (words::JOB) " " (of_status(&job.status)) }
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
            @if place.of.may(Role::Editor) { (actions(&page, &job)) }
        },
    );
    Ok(place.page("jobs", words::JOB, &body))
}

pub(crate) async fn message(
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
    Form(message): Form<Message>,
) -> Result<Response, Refusal> {
    let body = json!({ "prompt": message.prompt });
    act(&place, &id, "message", Some(body)).await
}

pub(crate) async fn cancel(
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    act(&place, &id, "cancel", None).await
}

pub(crate) async fn archive(
    place: ProjectPlace,
    Path((_, id)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    act(&place, &id, "archive", None).await
}

async fn act(
    place: &ProjectPlace,
    id: &str,
    what: &str,
    body: Option<Value>,
) -> Result<Response, Refusal> {
    place.of.require(Role::Editor)?;
    let path = format!("{}/{what}", job_path(place, id));
    place.of.operations.send(Method::POST, &path, body).await?;
    Ok(Redirect::to(&format!("{}/{}", place.path("jobs"), encoded(id))).into_response())
}

fn job_path(place: &ProjectPlace, id: &str) -> String {
    format!("/v2/agent/{}/job/{}", place.project.id, encoded(id))
}

fn outcome(job: &Job) -> Markup {
    html! {
        @if let Some(error) = job.error.as_deref().filter(|_| job.status == "failed") {
            div.problem { strong { (words::JOB_FAILED) } ": " (error) ". " (words::JOB_FAILED_WHY) }
        } @else if let Some(summary) = &job.summary {
            p.summary { (summary) }
        }
        @if let Some(link) = web_address(job.pr_link.as_deref()) {
            p.actions { a.button.primary href=(link) { (words::OPEN_PULL_REQUEST) } }
        }
    }
}

/// An address that a link may lead to. A forge says where a pull request is.
fn web_address(link: Option<&str>) -> Option<&str> {
    link.filter(|link| link.starts_with("https://") || link.starts_with("http://"))
}

fn facts(now: Timestamp, job: &Job, names_files: bool) -> Markup {
    let usage = &job.usage;
    html! {
        dl.facts {
            dt { (words::ASKED) } dd { (ago(now, parse_iso(&job.created_at).unwrap_or_default())) }
            dt { (words::MODEL) } dd { code { (job.model) } }
            dt { (words::PULL_REQUEST) }
            dd {
                @match (web_address(job.pr_link.as_deref()), job.status.as_str()) {
                    (Some(link), _) => a href=(link) { (link) },
                    (None, "active") => (words::NOT_YET),
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

/// What happened so far. Screen readers hear of steps as they come; many of them are folded once the job has
/// ended.
fn steps(now: Timestamp, entries: &[Entry], is_active: bool) -> Markup {
    let all = html! {
        ol.timeline aria-live=[is_active.then_some("polite")] { @for each in entries { (entry(now, each)) } }
    };
    html! {
        @if is_active || entries.len() <= OPEN_STEPS { (all) }
        @else { details.folded { summary { (words::steps(entries.len())) } (all) } }
    }
}

fn entry(now: Timestamp, entry: &Entry) -> Markup {
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
                "status" => { p.step { (of_status(text("status"))) " " (at) } }
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

fn refused(job: &Job) -> Markup {
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

fn actions(page: &str, job: &Job) -> Markup {
    html! {
        @match job.status.as_str() {
            "active" => {
                form.actions method="post" action=(format!("{page}/cancel")) {
                    button.danger type="submit" { (words::CANCEL_JOB) }
                }
            }
            "archived" => {}
            _ => {
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

//! The pull requests of a project on the built-in git host: the list, and one with its texts, its change, and its
//! buttons.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use docwright_operations::{
    can,
    pull_requests::{self, MergePullRequest, PullRequest, PullRequestDetails, PullRequestDiff},
    web,
};
use docwright_types::{
    pull_request::{MergeMethod, PullRequestState},
    timestamp::Timestamp,
};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::Form,
    parts::{Action, ListQuery, Tone, at, copied_lines, diff, empty, live, select, state},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    let (app, caller) = (&dashboard.operations, place.of.caller.allowed()?);
    let list = pull_requests::list(app, &caller, &place.project.id, &asked.page(None)?).await?;
    let (path, next) = (place.path("pull-requests"), list.next_cursor.as_deref());
    let new = html! {
        @if place.of.caller.can::<can::CreatePullRequest>() {
            p.actions { a.button.primary href=(format!("{path}/new")) { (words::NEW_PULL_REQUEST) } }
        }
    };
    let body = html! {
        h1 { (words::PULL_REQUESTS) }
        (live("pull-requests", &asked.here(&path), false, &html! {
            @if list.items.is_empty() {
                (empty(words::NO_PULL_REQUESTS, words::NO_PULL_REQUESTS_WHY, &new))
            } @else {
                (new)
                ul.rows {
                    @for each in &list.items {
                        li {
                            (of_state(each.state))
                            a.grow href=(format!("{path}/{}", each.number)) { (each.title) }
                            span.soft { "#" (each.number) }
                            (at(app.now(), Some(&each.created_at)))
                        }
                    }
                }
            }
            (asked.pager(&path, next))
        }))
    };
    Ok(place.page("pull-requests", words::PULL_REQUESTS, &body))
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, number)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (app, caller) = (&dashboard.operations, place.of.caller.allowed()?);
    let number = parsed(&number)?;
    let found = pull_requests::get(app, &caller, (&place.project.id, number)).await?;
    let PullRequestDetails { pull_request, mergeable, head_commit, comments, diff } = found;
    let texts = texts(&pull_request, comments);
    let texts = dashboard.markdown.render(&place.project.organization_id, texts).await;
    let is_gone = diff.is_none();
    // A long change takes a while.
    let is_merged = pull_request.state == PullRequestState::Merged;
    let change = tokio::task::spawn_blocking(move || change(diff, is_merged)).await;
    let change = change.map_err(|error| Refusal::Failed(error.to_string()))?;
    let body = html! {
        p.above { a href=(place.path("pull-requests")) { (words::PULL_REQUESTS) } }
        h1 { (pull_request.title) " " span.soft { "#" (number) } " " (of_state(pull_request.state)) }
        (facts(app.now(), &pull_request))
        @if pull_request.state == PullRequestState::Open {
            (actions(&place, &pull_request, (mergeable, head_commit.as_deref(), is_gone)))
        }
        @for text in &texts { section.text { (text) } }
        (change)
        @if let Some(url) = web::clone_url(app, &place.project).filter(|_| !is_gone) {
            h2 #git { (words::USE_GIT) }
            // The branch of a merged pull request can be gone.
            @let branch = if is_merged { &pull_request.base } else { &pull_request.head };
            (copied_lines(&format!("git clone {url}\ngit checkout {branch}")))
        }
    };
    Ok(place.page("pull-requests", &pull_request.title, &body))
}

pub(super) async fn merge(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, number)): Path<(String, String)>,
    Form(form): Form<MergeForm>,
) -> Result<Response, Refusal> {
    let (caller, number) = (place.of.caller.allowed()?, parsed(&number)?);
    let of = (place.project.id.as_str(), number);
    pull_requests::merge(&dashboard.operations, &caller, of, form.into()).await?;
    Ok(place.of.person.browser.done(Done::PullRequestMerged, &page_of(&place, number)))
}

pub(super) async fn close(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, number)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (caller, number) = (place.of.caller.allowed()?, parsed(&number)?);
    let of = (place.project.id.as_str(), number);
    pull_requests::close(&dashboard.operations, &caller, of).await?;
    Ok(place.of.person.browser.done(Done::PullRequestClosed, &page_of(&place, number)))
}

/// The form that merges a pull request.
#[derive(Deserialize)]
pub(super) struct MergeForm {
    #[serde(default)]
    method: MergeMethod,
    head_commit: Option<String>,
    delete_branch: Option<String>,
}

impl From<MergeForm> for MergePullRequest {
    fn from(form: MergeForm) -> Self {
        let delete_branch = form.delete_branch.is_some();
        Self { method: form.method, head_commit: form.head_commit, delete_branch }
    }
}

/// The number in a page's path. Other texts become a number that no pull request has.
fn parsed(number: &str) -> Result<i64, Refusal> {
    number.parse().map_err(|_| Refusal::Missing)
}

/// The page of a pull request.
fn page_of(place: &ProjectContext, number: i64) -> String {
    place.path(&format!("pull-requests/{number}"))
}

/// The description of a pull request, followed by its comments.
fn texts(pull_request: &PullRequest, comments: Vec<String>) -> Vec<String> {
    let body = pull_request.body.trim();
    // The body starts with its summary, whose first line is the title.
    let body = match body.split_once('\n').unwrap_or((body, "")) {
        (first, rest) if first.trim() == pull_request.title => rest.trim(),
        _ => body,
    };
    let body = Some(body).filter(|body| !body.is_empty()).map(str::to_owned);
    body.into_iter().chain(comments).collect()
}

fn of_state(of: PullRequestState) -> Markup {
    let tone = match of {
        PullRequestState::Open => Tone::Waiting,
        PullRequestState::Merged => Tone::Good,
        PullRequestState::Closed => Tone::Neutral,
    };
    state(tone, words::pull_request_state(of))
}

fn facts(now: Timestamp, pull_request: &PullRequest) -> Markup {
    html! {
        dl.facts {
            dt { (words::BRANCH) } dd { code { (pull_request.head) } }
            dt { (words::TARGET_BRANCH) } dd { code { (pull_request.base) } }
            dt { (words::OPENED) } dd { (at(now, Some(&pull_request.created_at))) }
        }
    }
}

/// Actions on an open pull request, and the reason if it can't be merged.
fn actions(
    place: &ProjectContext,
    PullRequest { number, head, base, .. }: &PullRequest,
    (mergeable, head_commit, is_gone): (bool, Option<&str>, bool),
) -> Markup {
    let caller = &place.of.caller;
    let page = page_of(place, *number);
    let (merge, close) = (format!("{page}/merge"), format!("{page}/close"));
    html! {
        @if head_commit.is_none() { p.notice { (words::no_branch(head)) } }
        @else if is_gone { p.notice { (words::no_target_branch(base)) } }
        @else if !mergeable { p.notice { (words::conflicts(base)) } }
        @if mergeable && caller.can::<can::MergePullRequest>() {
            form.merge method="post" action=(merge) {
                // What is merged is what was reviewed.
                input type="hidden" name="head_commit" value=[head_commit];
                (select(("method", words::MERGE_METHOD), &words::MERGE_METHODS, "merge", None))
                label.choice { input type="checkbox" name="delete_branch" value="on"; (words::DELETE_BRANCH) }
                button.primary type="submit" { (words::MERGE) }
            }
        }
        div.actions {
            @if caller.can::<can::ClosePullRequest>() {
                (Action::new(&close, words::CLOSE_PULL_REQUEST).dangerous(&words::close_question(*number)).show())
            }
            @if mergeable { span.soft { (words::no_conflicts(base)) } }
        }
    }
}

/// The change, if there is one. A merged branch has none, unless something was pushed to it later.
fn change(change: Option<PullRequestDiff>, is_merged: bool) -> Markup {
    let Some(PullRequestDiff { has_lines, files }) = change else { return Markup::default() };
    html! {
        h2 { (words::PULL_REQUEST_CHANGES) }
        @if is_merged && files.is_empty() { p.soft { (words::MERGED_CHANGES) } }
        @else {
            @if !has_lines { p.soft { (words::JOB_CHANGES_LONG) } }
            (diff(&files, Some("#git")))
        }
    }
}

//! The pages of the git host.

use axum::{http::StatusCode, response::Response};
use docwright_http::page::page;
use docwright_jobs::built_in::PullRequestView;
use docwright_operations::diff::{self, Fate, FileDiff};
use docwright_repository::patch::Patch;
use docwright_storage::database::Project;
use docwright_types::{
    counted::{counted, grouped},
    pull_request::{PullRequest, PullRequestState},
    timestamp::iso,
};
use maud::{Markup, html};

use super::tree::{counts, tree};

/// Pull requests of a project.
pub(super) fn list(project: &Project, all: &[PullRequest]) -> Response {
    page(
        StatusCode::OK,
        &format!("Pull requests · {}", project.name),
        &html! {
            p.place { a href={ "/projects/" (project.id) } { (project.name) } }
            h1 { "Pull requests" }
            @if all.is_empty() { p { "No pull requests yet. Agent jobs open them." } }
            ul.list {
                @for each in all {
                    li {
                        (state(each.state))
                        a href={ "/git/" (project.id) "/pull/" (each.number) } { (each.title) }
                        span.meta { "#" (each.number) " · " (day(each)) }
                    }
                }
            }
        },
    )
}

/// What a pull request says besides its title, then what is said of it.
pub(super) fn texts(pull_request: &PullRequest, comments: Vec<String>) -> Vec<String> {
    let body = without_title(&pull_request.body, &pull_request.title);
    let body = (!body.is_empty()).then(|| body.to_owned());
    body.into_iter().chain(comments).collect()
}

/// A pull request: its texts, its change, and what can be done with it.
pub(super) fn show(
    project: &Project,
    clone_url: &str,
    view: &PullRequestView,
    texts: &[Markup],
) -> Response {
    let each = &view.pull_request;
    let files = match &view.patch {
        Some(Patch::Whole(patch)) => diff::read(patch),
        Some(Patch::Counts(counts)) => diff::read_counts(counts),
        None => Vec::new(),
    };
    page(
        StatusCode::OK,
        &format!("{} · #{} · {}", each.title, each.number, project.name),
        &html! {
            p.place { a href={ "/git/" (project.id) "/pulls" } { (project.name) " / pull requests" } }
            h1 { (each.title) " " span.number { "#" (each.number) } }
            p { (state(each.state)) span.meta { code { (each.head) } " into " code { (each.base) } " · " (day(each)) } }
            @if each.state == PullRequestState::Open { (actions(project, view)) }
            @for text in texts { section.text { (text) } }
            section aria-labelledby="files" { (change(&files)) }
            section { h2 { "On the command line" } pre.code tabindex="0" { "git clone " (clone_url) "\ngit checkout " (each.head) } }
        },
    )
}

/// A body begins with its summary, whose first line became the title.
fn without_title<'a>(body: &'a str, title: &str) -> &'a str {
    let body = body.trim();
    match body.split_once('\n').unwrap_or((body, "")) {
        (first, rest) if first.trim() == title => rest.trim(),
        _ => body,
    }
}

fn actions(project: &Project, view: &PullRequestView) -> Markup {
    let address = format!("/git/{}/pull/{}", project.id, view.pull_request.number);
    html! {
        div.actions {
            form method="post" action={ (address) "/merge" } {
                button.primary type="submit" disabled[!view.mergeable] { "Merge and publish" }
            }
            form method="post" action={ (address) "/close" } { button type="submit" { "Close pull request" } }
            @if view.mergeable {
                p { "The check passed, and there are no conflicts." }
            } @else if view.patch.is_none() {
                p.warning { "The branch " code { (view.pull_request.head) } " no longer exists. Start another job, or push the branch again." }
            } @else {
                p.warning { "Conflicts with " code { (view.pull_request.base) } ". Start another job, or merge manually." }
            }
        }
    }
}

/// Lines that are open at first: of one file, and of all.
const OPEN_LINES_OF_A_FILE: usize = 150;
const OPEN_LINES: usize = 1_000;
/// Files whose lines are shown.
const SHOWN_FILES: usize = 300;

fn change(files: &[FileDiff]) -> Markup {
    let sum = |count: fn(&FileDiff) -> usize| files.iter().map(count).sum::<usize>();
    let open = open_files(files);
    html! {
        h2 #files {
            (counted(files.len(), "file")) " changed"
            span.counts {
                span.plus { "+" (sum(|file| file.added)) }
                span.minus { "−" (sum(|file| file.removed)) }
            }
        }
        @if files.len() > 1 { (tree(files)) }
        @for (number, file) in files.iter().enumerate().take(SHOWN_FILES) {
            (self::file(number, file, open[number]))
        }
        @if files.len() > SHOWN_FILES {
            p.meta #{ "file-" (SHOWN_FILES) } {
                "And " (grouped(files.len() - SHOWN_FILES)) " more. Use the command line to see all files."
            }
        }
    }
}

/// Which files are open at first: small ones that someone wrote, as long as all together are few lines.
fn open_files(files: &[FileDiff]) -> Vec<bool> {
    let mut lines = 0;
    let is_open = files.iter().map(|file| {
        let is_open = file.lines.len() <= OPEN_LINES_OF_A_FILE
            && lines + file.lines.len() <= OPEN_LINES
            && !file.is_generated()
            && file.fate != Some(Fate::Deleted);
        lines += if is_open { file.lines.len() } else { 0 };
        is_open
    });
    is_open.collect()
}

fn file(number: usize, file: &FileDiff, is_open: bool) -> Markup {
    html! {
        details.file open[is_open] {
            summary {
                code { @if let Some(from) = &file.from { (from) " → " } (file.path) }
                (counts(file))
            }
            div.lines id={ "file-" (number) } {
                @if !file.lines.is_empty() {
                    pre { @for (kind, line) in &file.lines { span class=(kind.class()) { (line) "\n" } } }
                }
                @if file.left_out > 0 {
                    p.note { "And " (counted(file.left_out, "more line")) ". Use the command line to see all lines." }
                } @else if file.lines.is_empty() {
                    p.note { "No lines changed." }
                }
            }
        }
    }
}

fn state(state: PullRequestState) -> Markup {
    html! { span.state data-state=(state.name()) { (state.name()) } }
}

fn day(each: &PullRequest) -> String {
    iso(each.created_at).chars().take(10).collect()
}

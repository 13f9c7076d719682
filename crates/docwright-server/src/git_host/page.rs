//! The pages of the git host.

use axum::{http::StatusCode, response::Response};
use docwright_domain::{
    pull_request::{PullRequest, PullRequestState},
    timestamp::iso,
};
use docwright_flows::built_in::PullRequestView;
use docwright_storage::database::Project;
use maud::{Markup, html};

use super::diff;
use crate::page::page;

/// Pull requests of a project.
pub(super) fn list(project: &Project, all: &[PullRequest]) -> Response {
    page(
        StatusCode::OK,
        &format!("Pull requests · {}", project.name),
        &html! {
            p.place { (project.name) }
            h1 { "Pull requests" }
            @if all.is_empty() { p { "There is none yet. Agent jobs open them." } }
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

/// A pull request: what it says, its change, and what can be done with it.
pub(super) fn show(project: &Project, clone_url: &str, view: &PullRequestView) -> Response {
    let each = &view.pull_request;
    let files = view.patch.as_deref().map(diff::read).unwrap_or_default();
    page(
        StatusCode::OK,
        &format!("{} · #{} · {}", each.title, each.number, project.name),
        &html! {
            p.place { a href={ "/git/" (project.id) "/pulls" } { (project.name) " / pull requests" } }
            h1 { (each.title) " " span.number { "#" (each.number) } }
            p { (state(each.state)) span.meta { code { (each.head) } " into " code { (each.base) } " · " (day(each)) } }
            @if each.state == PullRequestState::Open { (actions(project, view)) }
            section.text { pre { (each.body) } }
            section aria-labelledby="files" {
                h2 #files { (files.len()) @if files.len() == 1 { " file" } @else { " files" } " changed" }
                @for file in &files { (self::file(file)) }
            }
            section { h2 { "On the command line" } pre.code { "git clone " (clone_url) "\ngit checkout " (each.head) } }
        },
    )
}

fn actions(project: &Project, view: &PullRequestView) -> Markup {
    let address = format!("/git/{}/pull/{}", project.id, view.pull_request.number);
    html! {
        div.actions {
            form method="post" action={ (address) "/merge" } {
                button.primary type="submit" disabled[!view.mergeable] { "Merge and publish" }
            }
            form method="post" action={ (address) "/close" } { button type="submit" { "Close" } }
            @if view.mergeable {
                p { "The agent's check passed; there are no conflicts." }
            } @else if view.patch.is_none() {
                p.warning { "The branch " code { (view.pull_request.head) } " is gone. Start another job, or push it again." }
            } @else {
                p.warning { "This conflicts with " code { (view.pull_request.base) } ". Start another job, or merge by hand." }
            }
        }
    }
}

fn file(file: &diff::FileDiff) -> Markup {
    let count = |kind: diff::Kind| file.lines.iter().filter(|line| line.0 == kind).count();
    html! {
        details.file open {
            summary {
                code { @if let Some(from) = &file.from { (from) " → " } (file.path) }
                span.plus { "+" (count(diff::Kind::Added)) } span.minus { "−" (count(diff::Kind::Removed)) }
            }
            div.scroll tabindex="0" role="region" aria-label={ "Changes of " (file.path) } {
                pre { @for (kind, line) in &file.lines { span class=(kind.class()) { (line) "\n" } } }
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

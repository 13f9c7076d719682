//! A release: its progress, the diagnostics of its build, and its actions.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use docwright_operations::{
    can,
    releases::{Release, ReleaseDetails, SiteConfiguration},
};
use docwright_types::{release::ReleaseStatus, timestamp::Timestamp};
use maud::{Markup, html};

use super::{ReleaseView, find, is_live, of_release, of_status, took};
use crate::{
    Dashboard,
    pages::{
        diagnostics::{self, DiagnosticFilter},
        page_edit,
    },
    parts::{Action, at, copied, live, problem, span},
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

/// Number of diagnostics on a project's overview.
const FIRST_DIAGNOSTICS: usize = 5;

pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Query(filter): Query<DiagnosticFilter>,
) -> Result<Response, Refusal> {
    let details = find(&dashboard, &place, &id).await?;
    let body = body(&dashboard, &place, (&details, &filter), None);
    Ok(place.page("releases", &title(&details), &body))
}

/// The title of the page.
pub(super) fn title(details: &ReleaseDetails) -> String {
    let release = &details.release;
    format!("{} {}", words::number_of_release(release.number), release.name())
}

/// The page, with the reason why an action on it was refused.
pub(super) fn body(
    dashboard: &Dashboard,
    place: &ProjectContext,
    (details, filter): (&ReleaseDetails, &DiagnosticFilter),
    sentence: Option<&str>,
) -> Markup {
    let release = &details.release;
    let here = place.path(&format!("releases/{}", release.id));
    let now = dashboard.operations.now();
    let edit = edit(place, details.release.active);
    html! {
        p.above { a href=(place.path("releases")) { (words::RELEASES) } }
        h1 { (release.name()) }
        (problem(sentence))
        (live("release", &filter.here(&here), release.is_running(), &html! {
            p.standing { (of_release(release)) @if release.active { (is_live()) } }
            (outcome(place, details))
            (actions(place, details, &here))
            (facts(dashboard, place, details))
            h2 { (words::RELEASE_STEPS) }
            (steps(now, details))
            p.below { a href=(format!("{here}/log")) download { (words::DOWNLOAD_LOG) } }
            @if release.status == ReleaseStatus::Ready {
                h2 { (words::DIAGNOSTICS) }
                (filter.show(&here, &details.diagnostics, ((details.diagnostic_count, details.new_diagnostic_count), edit.as_deref())))
            }
        }))
    }
}

/// Its result in words, if there were problems.
fn outcome(place: &ProjectContext, details: &ReleaseDetails) -> Markup {
    let ReleaseDetails { release, replaced_by, report_error, .. } = details;
    html! {
        @if let Some(errors) = release.held_errors {
            div.notice {
                p { strong { (words::release_held(release.number, &release.domain, errors)) } }
                p { (words::HELD_WHY) }
            }
        }
        @if release.is_canceled() {
            p.notice { (words::CANCELED_WHY) }
        } @else if release.status == ReleaseStatus::Failed {
            div.problem role="alert" {
                p { strong { (words::FAILED_BECAUSE) } " " (release.error.as_deref().unwrap_or(words::NO_REASON)) }
                p { (words::FAILED_NEXT) }
            }
        }
        @if let Some(other) = replaced_by {
            p.notice {
                (words::replaced(release.status.name())) " "
                a href=(place.path(&format!("releases/{other}"))) { (words::THAT_RELEASE) }
            }
        }
        @if let Some(error) = report_error {
            p.problem { (words::NOT_REPORTED) " " (error) }
        }
    }
}

fn actions(place: &ProjectContext, details: &ReleaseDetails, here: &str) -> Markup {
    let release = &details.release;
    let is_ready = release.status == ReleaseStatus::Ready;
    let (build, activate) = (place.path("releases/build"), format!("{here}/activate"));
    html! {
        div.actions {
            @if release.active {
                @if let Some(address) = &details.address {
                    a.button href=(address) { (words::OPEN_SITE) }
                }
            }
            @if is_ready && release.is_whole && !release.active && place.of.caller.can::<can::ActivateRelease>() {
                a.button.primary href=(activate) { (activate_label(release)) }
            }
            @if is_ready {
                a.button href=(format!("{here}/changes")) { (words::COMPARE) }
                @if release.is_whole { a.button href=(format!("{here}/effect")) { (words::VIEW_EFFECT) } }
            }
            @if !release.is_running() && release.is_of_site() && place.of.caller.can::<can::StartUpdate>() {
                (Action::new(&build, words::BUILD_AGAIN).show())
                (Action::new(&format!("{here}/rebuild"), words::REBUILD).asks(words::REBUILD_QUESTION).show())
            }
            @if release.is_running() && place.of.caller.can::<can::CancelRelease>() {
                (Action::new(&format!("{here}/cancel"), words::CANCEL_BUILD).dangerous(words::CANCEL_BUILD_QUESTION).show())
            }
        }
    }
}

/// The label of the action that activates a release.
pub(in crate::pages) fn activate_label(release: &Release) -> &'static str {
    if release.held_errors.is_some() { words::ACTIVATE_ANYWAY } else { words::ACTIVATE }
}

fn facts(dashboard: &Dashboard, place: &ProjectContext, details: &ReleaseDetails) -> Markup {
    let now = dashboard.operations.now();
    let release = &details.release;
    html! {
        dl.facts {
            dt { (words::RELEASE) } dd { (words::number_of_release(release.number)) }
            dt { (words::SITE) } dd {
                @if let Some(address) = &details.address { a href=(address) { (release.domain) } } @else { (release.domain) }
            }
            dt { (words::COMMIT) } dd { (release.commit()) }
            @if let Some(branch) = &release.branch { dt { (words::BRANCH) } dd { code { (branch) } } }
            @if let Some(author) = &release.author { dt { (words::AUTHOR) } dd { (author) } }
            @if let Some(count) = release.files_changed { dt { (words::FILES_CHANGED) } dd { (words::grouped(count)) } }
            @if let Some(version) = &release.version { dt { (words::VERSION) } dd { (version) } }
            dt { (words::TRIGGER) } dd { (words::trigger(release.trigger.name())) }
            (configuration(details))
            dt { (words::PAGES) } dd { (words::grouped(release.pages)) }
            @if let Some(before) = &details.active_before {
                dt { (words::ACTIVE_BEFORE) } dd { a href=(place.path(&format!("releases/{before}"))) { (words::THAT_RELEASE) } }
            }
            dt { (words::CREATED) } dd { (at(now, Some(&release.created_at))) }
            dt { (words::TOOK) } dd { (took(release)) }
            dt { (words::RELEASE_ID) } dd { (copied(&release.id)) }
        }
    }
}

fn configuration(details: &ReleaseDetails) -> Markup {
    html! {
        @if let Some(SiteConfiguration { path, name, theme }) = &details.configuration {
            dt { (words::CONFIGURATION) } dd { code { (path) } }
            dt { (words::SITE_NAME) } dd { (name) }
            dt { (words::THEME) } dd { (theme) }
        }
    }
}

/// The data that the build read from the repository, and the first diagnostics.
pub(in crate::pages) fn found(place: &ProjectContext, details: &ReleaseDetails) -> Markup {
    let release = &details.release;
    let here = place.path(&format!("releases/{}", release.id));
    let edit = edit(place, release.active);
    let first = details.diagnostics.get(..FIRST_DIAGNOSTICS).unwrap_or(&details.diagnostics);
    html! {
        section aria-labelledby="found" {
            h2 #found { (words::FOUND) }
            dl.facts {
                (configuration(details))
                dt { (words::PAGES) } dd { (words::grouped(release.pages)) }
                dt { (words::DIAGNOSTICS) }
                dd {
                    @if details.diagnostic_count == 0 { (words::NO_DIAGNOSTICS) }
                    @else { a href=(here) { (diagnostics::counted(&details.diagnostics, details.diagnostic_count)) } }
                }
            }
            @if !first.is_empty() { (diagnostics::rows(first, edit.as_deref())) }
            @if details.diagnostics.len() > first.len() { p.below { a href=(here) { (words::ALL_DIAGNOSTICS) } } }
        }
    }
}

/// The path that leads from a file to the form of its page, which is one of the active release.
fn edit(place: &ProjectContext, is_active: bool) -> Option<String> {
    let can_edit = place.of.caller.can::<can::EditPage>();
    (is_active && can_edit).then(|| place.path(page_edit::FILE_PATH))
}

/// The steps, each with the time since the previous one.
fn steps(now: Timestamp, details: &ReleaseDetails) -> Markup {
    let ReleaseDetails { release, steps, .. } = details;
    html! {
        ol.steps {
            @for (number, step) in steps.iter().enumerate() {
                @let before = number.checked_sub(1).and_then(|before| steps.get(before));
                li {
                    span.grow { (step.text) }
                    @if let Some(later) = before.and_then(|before| span(&before.at, &step.at)) {
                        span.number.soft { (words::AFTER) " " (later) }
                    }
                    (at(now, Some(&step.at)))
                }
            }
            @if release.is_running() {
                li {
                    span.grow {
                        (of_status(release.status))
                        @if release.status == ReleaseStatus::Building {
                            span.soft { " " (release.progress) " % · " (words::pages(release.pages)) }
                            progress max="100" value=(release.progress) aria-label=(words::PROGRESS) {}
                        } @else { span.soft { " " (words::WAITS_FOR_WORKER) } }
                    }
                }
            }
        }
    }
}

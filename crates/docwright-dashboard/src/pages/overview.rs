//! The overview of a project.

use axum::{extract::State, response::Response};
use docwright_operations::{
    can,
    overview::{self, Overview},
    projects,
    releases::Release,
};
use docwright_types::timestamp::Timestamp;
use maud::{Markup, html};

use super::{
    domains::DomainView,
    jobs, next_step, previews, problems,
    releases::{self, ReleaseView},
};
use crate::{
    Dashboard,
    parts::{Action, Tone, at, copied, live, state},
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let caller = place.of.caller.allowed()?;
    let shown = overview::get(&dashboard.operations, &caller, &place.project.id).await?;
    let here = format!("/projects/{}", place.project.id);
    let body = html! {
        h1 { (place.project.name) }
        (live("overview", &here, shown.is_running(), &html! {
            (standing(&place, dashboard.operations.now(), &shown))
            (next_step::show(&place, &shown))
            (releases_part(&dashboard, &place, &shown))
            (previews_part(&dashboard, &place, &shown))
            (work(&place, dashboard.operations.now(), &shown))
            @if let Some(build) = &shown.build { (releases::show::found(&place, build)) }
        }))
        h2 { (words::PROJECT) }
        dl.facts {
            dt { (words::REPOSITORY) } dd { code { (place.project.repository) } }
            @if let Some(url) = &shown.project.clone_url { dt { (words::CLONE_URL) } dd { (copied(url)) } }
            dt { (words::POLLED_AT) } dd {
                (at(dashboard.operations.now(), shown.project.polled_at.as_deref())) " " (poll_button(&place, &shown))
            }
            dt { (words::PROJECT_ID) } dd { (copied(&place.project.id)) }
        }
        (next_step::edit_with_git(&place, &shown))
    };
    Ok(place.page("", words::OVERVIEW, &body))
}

/// Polls the repository now.
pub(super) async fn poll(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    projects::poll(&dashboard.operations, &place.of.caller.allowed()?, &place.project.id).await?;
    Ok(place.of.person.browser.done(Done::Polled, &place.path("")))
}

/// Polls the repository if it is on another git host. The built-in git host needs no polls.
fn poll_button(place: &ProjectContext, shown: &Overview) -> Markup {
    let is_elsewhere = shown.project.clone_url.is_none();
    let path = place.path("poll");
    html! {
        @if is_elsewhere && place.of.caller.can::<can::PollProject>() { (Action::new(&path, words::POLL).show()) }
    }
}

/// The URLs of its sites, and problems that readers notice.
fn standing(place: &ProjectContext, now: Timestamp, shown: &Overview) -> Markup {
    let diagnostics = shown.releases.iter().find(|release| release.active);
    let has_release = shown.domains.iter().any(|domain| domain.release_id.is_some());
    html! {
        (problems::list(place, now, &shown.problems, has_release))
        @for waiting in &shown.waiting { (waits(place, waiting)) }
        @if !shown.domains.is_empty() {
            ul.rows.sites {
                @for domain in &shown.domains {
                    li {
                        @let is_open = domain.release_id.is_some() && domain.leads_here();
                        (domain.standing())
                        span.grow {
                            @if let Some(address) = domain.address.as_ref().filter(|_| is_open) {
                                a.address href=(address) { (domain.domain) }
                            } @else { a.address href=(domain.path(place)) { (domain.domain) } }
                        }
                        @if let Some(release) = &domain.release_id {
                            a.soft href=(place.path(&format!("releases/{release}"))) { (words::THAT_RELEASE) }
                        }
                    }
                }
            }
        }
        @let is_found = |release: &Release| shown.build.as_ref().is_some_and(|build| build.release.id == release.id);
        @if let Some(release) = diagnostics.filter(|release| release.warnings > 0 && !is_found(release)) {
            p.notice {
                (words::active_diagnostics(release.warnings)) " "
                a href=(place.path(&format!("releases/{}", release.id))) { (words::SEE_THEM) }
            }
        }
    }
}

/// A release that someone has to activate, and why.
fn waits(place: &ProjectContext, release: &Release) -> Markup {
    let here = place.path(&format!("releases/{}", release.id));
    let Release { number, domain, .. } = release;
    html! {
        div.notice {
            @match release.held_errors {
                Some(errors) => p { strong { (words::release_held(*number, domain, errors)) } },
                None => p { strong { (words::release_waits(*number, domain)) } },
            }
            p { (release.name()) }
            p {
                a href=(here) { (words::THAT_RELEASE) }
                " · " a href=(format!("{here}/changes")) { (words::COMPARE) }
                @if place.of.caller.can::<can::ActivateRelease>() {
                    " · " a href=(format!("{here}/activate")) { (releases::show::activate_label(release)) }
                }
            }
        }
    }
}

fn releases_part(dashboard: &Dashboard, place: &ProjectContext, shown: &Overview) -> Markup {
    let all: Vec<_> = shown.releases.iter().collect();
    html! {
        @if !all.is_empty() {
            h2 { (words::RELEASES) }
            (releases::table(dashboard.operations.now(), place, &all))
            p.below { a href=(place.path("releases")) { (words::ALL_RELEASES) } }
        }
    }
}

fn previews_part(dashboard: &Dashboard, place: &ProjectContext, shown: &Overview) -> Markup {
    html! {
        @if !shown.previews.is_empty() {
            h2 { (words::OPEN_PREVIEWS) }
            (previews::table(dashboard, place, &shown.previews))
            p.below { a href=(place.path("previews")) { (words::ALL_PREVIEWS) } }
        }
    }
}

/// Work in progress, and what readers see next.
fn work(place: &ProjectContext, now: Timestamp, shown: &Overview) -> Markup {
    html! {
        @if !shown.jobs.is_empty() {
            h2 { (words::OPEN_JOBS) }
            ul.rows {
                @for job in &shown.jobs {
                    li {
                        (state(Tone::Running, words::ACTIVE))
                        span.grow { a href=(place.path(&format!("jobs/{}", job.id))) { (jobs::title(&shown.job_titles, job)) } }
                        (at(now, Some(&job.created_at)))
                    }
                }
            }
        }
        @if !shown.feedback.is_empty() {
            h2 { (words::FEEDBACK) }
            ul.rows {
                @for each in &shown.feedback {
                    li {
                        span.grow { "/" (each.page) @if let Some(comment) = &each.comment { " " span.soft { (comment) } } }
                        (at(now, Some(&each.created_at)))
                    }
                }
            }
            p.below { a href=(place.path("feedback")) { (words::ALL_FEEDBACK) } }
        }
    }
}

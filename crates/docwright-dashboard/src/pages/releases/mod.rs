//! The releases of a project, and the form to build one.

pub(super) mod activate;
pub(super) mod cancel;
pub(super) mod changes;
pub(super) mod effect;
pub(super) mod log;
pub(super) mod show;

use axum::{
    extract::{Query, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    can,
    idempotency::Idempotency,
    releases::{self, ListReleases, Release, ReleaseDetails},
    updates,
};
use docwright_types::{release::ReleaseStatus, timestamp::Timestamp};
use maud::{Markup, html};

use crate::{
    Dashboard,
    parts::{
        Action, ListQuery, Tone, at, empty, filter, live, nothing_found, problem, search, span,
        state,
    },
    project_context::ProjectContext,
    refusal::Refusal,
    words::{self, Done},
};

/// A release, prepared for display.
pub(super) trait ReleaseView {
    /// Its display name.
    fn name(&self) -> String;
    /// The first characters of its commit.
    fn short(&self) -> Option<String>;
    /// The commit, with a link to its host if known.
    fn commit(&self) -> Markup;
}

impl ReleaseView for Release {
    fn name(&self) -> String {
        let message = self.message.clone().filter(|message| !message.trim().is_empty());
        message
            .or_else(|| Some(format!("{} {}", words::COMMIT, self.short()?)))
            .unwrap_or_else(|| words::trigger(self.trigger.name()).to_owned())
    }

    fn short(&self) -> Option<String> {
        Some(self.commit.as_ref()?.chars().take(7).collect())
    }

    fn commit(&self) -> Markup {
        html! {
            @if let Some(short) = self.short() {
                @if let Some(url) = &self.commit_url { a href=(url) { code { (short) } } }
                @else { code { (short) } }
            } @else { span.soft { "–" } }
        }
    }
}

pub(super) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<ListQuery>,
) -> Result<Response, Refusal> {
    page(&dashboard, &place, &asked, None).await
}

/// Builds the latest commit for each domain.
pub(super) async fn build(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
) -> Result<Response, Refusal> {
    let (caller, no_key) = (place.of.caller.allowed()?, Idempotency::default());
    let started = updates::start(&dashboard.operations, &caller, &place.project.id, &no_key).await;
    match started.map_err(Refusal::from) {
        Ok(_) => Ok(place.of.person.browser.done(Done::BuildStarted, &place.path("releases"))),
        Err(refusal) => {
            let sentence = refusal.into_problem()?;
            page(&dashboard, &place, &ListQuery::default(), Some(&sentence)).await
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    place: &ProjectContext,
    asked: &ListQuery,
    sentence: Option<&str>,
) -> Result<Response, Refusal> {
    let query = ListReleases { status: asked.in_status()?, search: asked.searched()? };
    let (caller, page) = (place.of.caller.allowed()?, asked.page(None)?);
    let list =
        releases::list(&dashboard.operations, &caller, &place.project.id, &query, &page).await?;
    let next = list.next_cursor.as_deref();
    let all: Vec<_> = list.items.iter().collect();
    let is_running = all.iter().any(|release| release.is_running());
    let path = place.path("releases");
    let body = html! {
        h1 { (words::RELEASES) }
        (problem(sentence))
        @if !all.is_empty() || !asked.is_all() {
            div.actions { (build_button(place)) }
        }
        @if asked.is_long(all.len(), next) {
            (search(&path, words::FIND_RELEASE, asked))
            (filter(&path, "status", &words::RELEASE_STATUSES, asked))
        }
        (live("releases", &asked.here(&path), is_running, &html! {
            @if !all.is_empty() {
                (table(dashboard.operations.now(), place, &all))
            } @else if asked.is_all() {
                (empty(words::NO_RELEASES, words::NO_RELEASES_WHY, &build_button(place)))
            } @else {
                (nothing_found(&path, asked))
            }
            (asked.pager(&path, next))
        }))
    };
    let status = if sentence.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(place.page_with(status, "releases", words::RELEASES, &body))
}

/// A button to build the latest commit, if the user's role allows it.
fn build_button(place: &ProjectContext) -> Markup {
    let path = place.path("releases/build");
    html! { @if place.of.caller.can::<can::StartUpdate>() { (Action::new(&path, words::BUILD_NEWEST).show()) } }
}

/// Releases as a table.
pub(super) fn table(now: Timestamp, place: &ProjectContext, releases: &[&Release]) -> Markup {
    html! {
        div.scroll tabindex="0" { table.releases {
            thead { tr {
                th { (words::STATE) } th { (words::RELEASE) } th.minor { (words::COMMIT) }
                th.minor { (words::TRIGGER) } th.number.minor { (words::PAGES) } th.number { (words::DIAGNOSTICS) }
                th.number.minor { (words::TOOK) } th { (words::CREATED) }
            } }
            tbody {
                @for release in releases {
                    tr {
                        td { (of_release(release)) @if release.active { (is_live()) } }
                        td.grow {
                            a href=(place.path(&format!("releases/{}", release.id))) { (release.name()) }
                            div.soft {
                                (words::number_of_release(release.number)) " · " (site(release))
                                @if let Some(author) = &release.author { " · " (author) }
                            }
                            @if release.status == ReleaseStatus::Building {
                                progress max="100" value=(release.progress) aria-label=(words::PROGRESS) {}
                            }
                        }
                        td.minor { (release.commit()) }
                        td.soft.minor { (words::trigger(release.trigger.name())) }
                        td.number.minor { (words::grouped(release.pages)) }
                        td.number { (words::grouped(release.warnings)) }
                        td.number.minor { (took(release)) }
                        td { (at(now, Some(&release.created_at))) }
                    }
                }
            }
        } }
    }
}

/// The site of a release: its domain, or the branch of its preview, whose hostname means nothing to people.
fn site(release: &Release) -> &str {
    let branch = release.branch.as_deref().filter(|_| !release.is_of_site());
    branch.unwrap_or(&release.domain)
}

/// Its duration, from the request to its end.
fn took(release: &Release) -> String {
    let end = release.ended_at.as_deref();
    end.and_then(|end| span(&release.created_at, end)).unwrap_or_else(|| "–".to_owned())
}

/// The label of the active release.
fn is_live() -> Markup {
    html! { " " strong.badge { (words::LIVE) } }
}

/// The state of a release, and why it waits.
pub(super) fn of_release(release: &Release) -> Markup {
    match release.held_errors {
        Some(errors) => state(Tone::Waiting, &words::held(errors)),
        None if release.is_canceled() => state(Tone::Neutral, words::CANCELED),
        None => of_status(release.status),
    }
}

/// The state of a release by its status.
pub(super) fn of_status(status: ReleaseStatus) -> Markup {
    let tone = match status {
        ReleaseStatus::Ready => Tone::Good,
        ReleaseStatus::Failed => Tone::Bad,
        ReleaseStatus::Building => Tone::Running,
        ReleaseStatus::Queued => Tone::Waiting,
        ReleaseStatus::Superseded | ReleaseStatus::Skipped => Tone::Neutral,
    };
    state(tone, words::release_status(status.name()))
}

/// The release of an ID, if it belongs to the project.
async fn find(
    dashboard: &Dashboard,
    place: &ProjectContext,
    id: &str,
) -> Result<ReleaseDetails, Refusal> {
    let details = releases::get(&dashboard.operations, &place.of.caller.allowed()?, id).await?;
    let is_own = details.release.project_id == place.project.id;
    if is_own { Ok(details) } else { Err(Refusal::Missing) }
}

//! The effect of a release: how readers fared before it became active, and after.

use axum::{
    extract::{Path, Query, State},
    response::Response,
};
use docwright_operations::{
    OperationError,
    analytics::{self, EffectQuery, PageEffect, ReaderNumbers, ReleaseEffect},
};
use docwright_types::timestamp::Timestamp;
use maud::{Markup, html};

use super::{ReleaseView, changes::fate, find};
use crate::{
    Dashboard,
    parts::{at, empty},
    paths::with_query,
    project_context::ProjectContext,
    refusal::Refusal,
    words,
};

/// Numbers of days that a user can choose.
const DAYS: [i64; 4] = [7, 14, 30, 90];

/// The page.
pub(in crate::pages) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<EffectQuery>,
) -> Result<Response, Refusal> {
    let release = find(&dashboard, &place, &id).await?.release;
    let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
    let body = match analytics::effect(operations, &caller, &id, query).await {
        Ok(effect) => content(&place, &effect, (&release.id, query.days), operations.now()),
        // It was never active.
        Err(OperationError::Conflict(_)) => {
            empty(words::NEVER_ACTIVE, words::NEVER_ACTIVE_WHY, &Markup::default())
        }
        Err(error) => return Err(error.into()),
    };
    let body = html! {
        p.above { a href=(place.path(&format!("releases/{}", release.id))) { (release.name()) } }
        h1 { (words::EFFECT) }
        (body)
    };
    Ok(place.page("releases", words::EFFECT, &body))
}

fn content(
    place: &ProjectContext,
    effect: &ReleaseEffect,
    (id, asked): (&str, Option<i64>),
    now: Timestamp,
) -> Markup {
    let here = place.path(&format!("releases/{id}/effect"));
    let asked = asked.unwrap_or(DAYS[0]);
    html! {
        nav.tabs aria-label=(words::DAYS_BEFORE_AND_AFTER) { ul {
            @for days in DAYS {
                li { a href=(with_query(&here, &[("days", Some(&days.to_string()))])) aria-current=[(days == asked).then_some("true")] { (words::days(days)) } }
            }
        } }
        @if effect.days == 0 {
            p { (words::ACTIVE_SINCE) " " (at(now, Some(&effect.active_from))) }
            (empty(words::NO_EFFECT, words::NO_EFFECT_WHY, &Markup::default()))
        } @else {
            p { (words::compared_days(effect.days, effect.active_from.get(..10).unwrap_or_default())) }
            (numbers(place, &effect.before, &effect.after))
            h2 { (words::PAGES_OF_EFFECT) }
            p.hint { @if effect.are_changes_known { (words::PAGES_OF_EFFECT_WHY) } @else { (words::CHANGES_UNKNOWN) } }
            @if effect.pages.is_empty() { p.soft { (words::NO_PAGES_OF_EFFECT) } } @else { (pages(place, &effect.pages)) }
        }
    }
}

fn numbers(place: &ProjectContext, before: &ReaderNumbers, after: &ReaderNumbers) -> Markup {
    let table = |name: &str| {
        with_query(&place.path("analytics"), &[("range", Some("month")), ("table", Some(name))])
    };
    let all = with_query(&place.path("analytics"), &[("range", Some("month"))]);
    let rows = [
        (words::VIEWS_OF_PEOPLE, before.views.human, after.views.human, all.clone()),
        (words::VIEWS_OF_AGENTS, before.views.ai, after.views.ai, table("agents")),
        (words::VISITORS, before.visitors.human, after.visitors.human, all),
        (
            words::EMPTY_SEARCHES,
            before.searches_without_result,
            after.searches_without_result,
            table("empty-searches"),
        ),
        (
            words::UNANSWERED_QUESTIONS,
            before.unanswered_questions,
            after.unanswered_questions,
            place.path("gaps"),
        ),
        (words::DEAD_LINKS, before.dead_links, after.dead_links, table("dead-links")),
        (words::BAD_RATINGS_COUNT, before.bad_ratings, after.bad_ratings, table("ratings")),
    ];
    html! {
        div.scroll.compared tabindex="0" role="region" aria-label=(words::EFFECT) { table {
            thead { tr {
                th { (words::NUMBER) }
                @for label in [words::BEFORE_RELEASE, words::AFTER_RELEASE, words::CHANGE] { th.number { (label) } }
            } }
            tbody {
                @for (label, before, after, link) in rows {
                    tr {
                        th scope="row" { a href=(link) { (label) } }
                        td.number { (words::number(before)) }
                        td.number { (words::number(after)) }
                        td.number { (words::difference(before, after)) }
                    }
                }
            }
        } }
    }
}

fn pages(place: &ProjectContext, pages: &[PageEffect]) -> Markup {
    let link = |path: &str| with_query(&place.path("analytics"), &[("path", Some(path))]);
    html! {
        div.scroll.compared tabindex="0" role="region" aria-label=(words::PAGES_OF_EFFECT) { table {
            thead { tr {
                th { (words::PAGE) }
                th { (words::CHANGE) }
                @for label in [words::VIEWS_BEFORE, words::VIEWS_AFTER, words::BAD_BEFORE, words::BAD_AFTER] { th.number { (label) } }
            } }
            tbody {
                @for page in pages {
                    tr {
                        th scope="row" { a href=(link(&page.path)) { (page.path) } }
                        td { @match &page.fate { Some(name) => (fate(name)), None => span.soft { (words::SAME_PAGE) } } }
                        @for count in [page.views_before, page.views_after, page.bad_ratings_before, page.bad_ratings_after] {
                            td.number { (words::number(count)) }
                        }
                    }
                }
            }
        } }
    }
}

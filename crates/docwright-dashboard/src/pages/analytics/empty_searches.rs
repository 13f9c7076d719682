//! Searches without a result, each with the nearest pages and a button that starts the agent job for its pull request.

use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    analytics::{self, EmptySearch},
    can,
    lists::Page,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::filter::{AnalyticsPage, Filter};
use crate::{
    Dashboard, pages::jobs, paths::with_query, project_context::ProjectContext, refusal::Refusal,
    words,
};

/// Queries of a page.
const ROWS: i64 = 100;

/// The search that a user wants answered, by one of its queries.
#[derive(Debug, Deserialize)]
pub(in crate::pages) struct Chosen {
    query: String,
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let (operations, filter) = (&dashboard.operations, asked.filter()?);
    let [query, _] = filter.queries(operations.now())?;
    let cursor = asked.cursor.as_deref().filter(|cursor| !cursor.is_empty());
    let page = Page::new(Some(ROWS), cursor)?;
    let (caller, id) = (place.of.caller.allowed()?, &place.project.id);
    let list = analytics::empty_searches(operations, &caller, id, &query, &page).await?;
    let (here, all) = (place.path("analytics/empty-searches"), place.path("analytics"));
    let body = html! {
        h1 { (words::EMPTY_SEARCHES) }
        p.below { a href=(filter.link(&all, &[("table", Some("empty-searches"))])) { (words::VIEW_EMPTY_SEARCHES) } }
        p.soft { (words::ANSWER_SEARCHES_WHY) }
        @if list.searches.is_empty() { p.soft { (words::NONE_IN_RANGE) } } @else {
            (table(&list.searches, &place, &filter))
        }
        @if let Some(next) = list.next_cursor {
            p.pager { a rel="next" href=(filter.link(&here, &[("cursor", Some(&next))])) { (words::NEXT_PAGE) } }
        }
    };
    Ok(place.page("analytics", words::EMPTY_SEARCHES, &body))
}

/// Starts an agent job that answers a search, and opens its pull request.
pub(in crate::pages) async fn answer(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AnalyticsPage>,
    Form(chosen): Form<Chosen>,
) -> Result<Response, Refusal> {
    let (operations, id) = (&dashboard.operations, place.project.id.as_str());
    let job_caller = place.of.caller.allowed::<can::CreateAgentJob>()?;
    let [query, _] = asked.filter()?.queries(operations.now())?;
    let caller = place.of.caller.allowed()?;
    let of = (&query, chosen.query.as_str());
    let search = analytics::empty_search(operations, &caller, id, of).await?;
    jobs::start(&dashboard, &place, &job_caller, search.prompt).await
}

fn table(searches: &[EmptySearch], place: &ProjectContext, filter: &Filter) -> Markup {
    let can_start = place.of.caller.can::<can::CreateAgentJob>();
    let action = filter.link(&place.path("analytics/empty-searches"), &[]);
    let page = |path: &str| with_query(&place.path("pages"), &[("search", Some(path))]);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words::EMPTY_SEARCHES) { table {
            thead { tr {
                th { (words::QUERY) }
                th.number { (words::SEARCHES) }
                th { (words::NEAREST_PAGES) }
                @if can_start { th { (words::ACTION) } }
            } }
            tbody { @for each in searches {
                tr {
                    th scope="row" {
                        (each.query)
                        @if each.queries.len() > 1 { br; span.soft { (each.queries[1..].join(", ")) } }
                    }
                    td.number { (words::number(each.count)) }
                    td {
                        @for (number, near) in each.pages.iter().enumerate() {
                            @if number > 0 { ", " }
                            a href=(page(&near.path)) { (near.title) }
                        }
                        @if each.pages.is_empty() { span.soft { (words::NO_VALUE) } }
                    }
                    @if can_start { td {
                        form.inline method="post" action=(action) {
                            input type="hidden" name="query" value=(each.query);
                            button type="submit" aria-label=(words::start_job_for(&each.query)) { (words::START_JOB) }
                        }
                    } }
                }
            } }
        } }
    }
}

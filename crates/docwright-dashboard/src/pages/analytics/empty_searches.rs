//! Searches without a result, each with the nearest pages and a button that starts the agent job for its pull request.

use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    analytics::{self, EmptySearch},
    can,
};
use maud::{Markup, html};
use serde::Deserialize;

use super::{
    filter::{AnalyticsPage, Filter},
    repairs::{Asked, RepairPage},
};
use crate::{
    Dashboard, pages::jobs, paths::with_query, project_context::ProjectContext, refusal::Refusal,
    words,
};

const PAGE: RepairPage = RepairPage {
    name: "empty-searches",
    title: words::EMPTY_SEARCHES,
    why: words::ANSWER_SEARCHES_WHY,
    all: ("empty-searches", words::VIEW_EMPTY_SEARCHES),
    nothing: words::NONE_IN_RANGE,
};

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
    let (operations, Asked { filter, query, page }) =
        (&dashboard.operations, Asked::read(&dashboard, &asked)?);
    let (caller, id) = (place.of.caller.allowed()?, &place.project.id);
    let list = analytics::empty_searches(operations, &caller, id, &query, &page).await?;
    let rows = (!list.searches.is_empty()).then(|| table(&list.searches, &place, &filter));
    Ok(PAGE.show(&place, &filter, (rows, list.next_cursor)))
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
    let action = filter.link(&PAGE.path(place), &[]);
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

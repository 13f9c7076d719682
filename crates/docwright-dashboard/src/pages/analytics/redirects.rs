//! Redirects that would repair dead links, each with a button that starts the agent job for its pull request.

use axum::{
    Form,
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{
    analytics::{self, SuggestedRedirect},
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
    name: "redirects",
    title: words::SUGGESTED_REDIRECTS,
    why: words::SUGGESTED_REDIRECTS_WHY,
    all: ("dead-links", words::VIEW_DEAD_LINKS),
    nothing: words::NO_REDIRECTS,
};

/// The dead link whose redirect a user asks for.
#[derive(Debug, Deserialize)]
pub(in crate::pages) struct Chosen {
    path: String,
}

pub(in crate::pages) async fn list(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let (operations, Asked { filter, query, page }) =
        (&dashboard.operations, Asked::read(&dashboard, &asked)?);
    let (caller, id) = (place.of.caller.allowed()?, &place.project.id);
    let list = analytics::suggested_redirects(operations, &caller, id, &query, &page).await?;
    let rows = (!list.redirects.is_empty()).then(|| table(&list.redirects, &place, &filter));
    Ok(PAGE.show(&place, &filter, (rows, list.next_cursor)))
}

/// Starts an agent job that adds a redirect, and opens its pull request.
pub(in crate::pages) async fn add(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AnalyticsPage>,
    Form(chosen): Form<Chosen>,
) -> Result<Response, Refusal> {
    let (operations, id) = (&dashboard.operations, place.project.id.as_str());
    let job_caller = place.of.caller.allowed::<can::CreateAgentJob>()?;
    let [query, _] = asked.filter()?.queries(operations.now())?;
    let caller = place.of.caller.allowed()?;
    let of = (&query, chosen.path.as_str());
    let redirect = analytics::suggested_redirect(operations, &caller, id, of).await?;
    jobs::start(&dashboard, &place, &job_caller, redirect.prompt).await
}

fn table(redirects: &[SuggestedRedirect], place: &ProjectContext, filter: &Filter) -> Markup {
    let can_start = place.of.caller.can::<can::CreateAgentJob>();
    let action = filter.link(&PAGE.path(place), &[]);
    let page = |path: &str| with_query(&place.path("analytics"), &[("path", Some(path))]);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words::SUGGESTED_REDIRECTS) { table {
            thead { tr {
                th { (words::DEAD_LINK) }
                th.number { (words::REQUESTS) }
                th { (words::SUGGESTED_PAGE) }
                @if can_start { th { (words::ACTION) } }
            } }
            tbody { @for each in redirects {
                tr {
                    th scope="row" { code { (each.link.path) } }
                    td.number { (words::number(each.link.total)) }
                    td { a href=(page(&each.page)) { (each.title) } " " span.soft { "/" (each.page) } }
                    @if can_start { td {
                        form.inline method="post" action=(action) {
                            input type="hidden" name="path" value=(each.link.path);
                            button type="submit" aria-label=(words::add_redirect_from(&each.link.path)) { (words::ADD_REDIRECT) }
                        }
                    } }
                }
            } }
        } }
    }
}

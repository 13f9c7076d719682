//! Web analytics of a project: what readers look for.

mod chart;
mod data;
mod download;
mod span;

use axum::{
    extract::{Query, State},
    response::Response,
};
use docwright_operations::{OperationError, analytics::ReaderCounts};
use maud::{Markup, html};
use serde::Deserialize;

use crate::{Dashboard, parts::empty, project_context::ProjectContext, refusal::Refusal, words};
use chart::chart;
use data::{Data, Row, Table};
pub(super) use download::download;
use span::Span;

/// Parameters of the page.
#[derive(Debug, Default, Deserialize)]
pub(super) struct AnalyticsPage {
    range: Option<String>,
}

impl AnalyticsPage {
    fn span(&self) -> Result<Span, OperationError> {
        let name = self.range.as_deref().filter(|name| !name.is_empty());
        let wrong =
            || OperationError::Invalid("`range` must be day, week, month, or year.".to_owned());
        name.map_or(Ok(Span::Month), |name| Span::of(name).ok_or_else(wrong))
    }
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: ProjectContext,
    Query(asked): Query<AnalyticsPage>,
) -> Result<Response, Refusal> {
    let span = asked.span()?;
    let data = Data::read(&dashboard, &place, span).await?;
    let here = place.path("analytics");
    let body = html! {
        h1 { (words::ANALYTICS) }
        nav.tabs aria-label=(words::ANALYTICS_RANGE) { ul {
            @for each in Span::ALL {
                li { a href={ (here) "?range=" (each.name()) } aria-current=[(each == span).then_some("true")] { (each.title()) } }
            }
        } }
        @if data.is_empty() {
            @let action = html! { p.actions { a.button href=(place.path("deployments")) { (words::VIEW_DEPLOYMENTS) } } };
            (empty(words::NO_VIEWS, words::NO_VIEWS_WHY, &action))
        } @else {
            (numbers(&data))
            (over_time(&data, &here, span))
            div.tables {
                @for table in &data.tables { (list(table, &here, span)) }
            }
        }
    };
    Ok(place.page("analytics", words::ANALYTICS, &body))
}

/// The totals, each beside that of the range before.
fn numbers(data: &Data) -> Markup {
    let of = |label: &str, [now, before]: [ReaderCounts; 2], kind: fn(ReaderCounts) -> i64| {
        html! {
            div {
                dt { (label) }
                dd {
                    strong { (words::number(kind(now))) }
                    span.soft { (words::compared(kind(now), kind(before))) }
                }
            }
        }
    };
    html! {
        dl.totals {
            (of(words::VIEWS_OF_PEOPLE, data.views, |counts| counts.human))
            (of(words::VIEWS_OF_AGENTS, data.views, |counts| counts.ai))
            (of(words::VISITORS, data.visitors, |counts| counts.human))
        }
        p.hint { (words::VISITORS_WHY) }
    }
}

fn over_time(data: &Data, here: &str, span: Span) -> Markup {
    html! {
        h2 { (words::VIEWS_OVER_TIME) }
        (chart(&data.steps))
        details.folded {
            summary { (words::AS_TABLE) }
            div.scroll tabindex="0" role="region" aria-label=(words::VIEWS_OVER_TIME) { table {
                thead { tr {
                    th { (words::START_UTC) }
                    @for label in [words::PEOPLE, words::AI_AGENTS, words::TOTAL] { th.number { (label) } }
                } }
                tbody {
                    @for step in &data.steps {
                        tr {
                            th scope="row" { (step.label) }
                            @for count in [step.human, step.ai, step.human + step.ai] { td.number { (words::number(count)) } }
                        }
                    }
                }
            } }
        }
        (csv(here, span, ("timeline", words::VIEWS_OVER_TIME)))
    }
}

/// A table of the most frequent values.
fn list(table: &Table, here: &str, span: Span) -> Markup {
    html! {
        section {
            h2 { (table.title) }
            @if let Some(why) = table.why { p.hint { (why) } }
            @if table.rows.is_empty() { p.soft { (words::NONE_IN_RANGE) } } @else {
                div.scroll tabindex="0" role="region" aria-label=(table.title) { table {
                    thead { tr {
                        th { (table.head) }
                        @for label in &table.columns { th.number { (label) } }
                    } }
                    tbody { @for row in &table.rows { (line(row)) } }
                } }
                (csv(here, span, (table.name, table.title)))
            }
        }
    }
}

fn line(row: &Row) -> Markup {
    let label = if row.value.is_empty() { words::OTHER_VALUES } else { &row.value };
    html! {
        tr {
            th scope="row" { (label) }
            @for count in &row.counts { td.number { (words::number(*count)) } }
        }
    }
}

fn csv(here: &str, span: Span, (name, title): (&str, &str)) -> Markup {
    let path = format!("{here}/csv?range={}&table={name}", span.name());
    html! { p.below { a href=(path) download aria-label=(words::download_of(title)) { (words::DOWNLOAD_CSV) } } }
}

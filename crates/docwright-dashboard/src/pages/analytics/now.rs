//! The last thirty minutes: what readers read now. The page refreshes itself.

use axum::response::Response;
use docwright_operations::analytics::{self, LiveAnalytics};
use maud::{Markup, html};

use super::{
    chart::chart,
    data::Step,
    filter::AnalyticsPage,
    line_table,
    place::AnalyticsPlace,
    rows,
    tables::{Cell, Row, Table, counts, top_pages},
    tabs,
};
use crate::{parts::live, refusal::Refusal, words};

/// The page.
pub(in crate::pages) async fn show(place: AnalyticsPlace) -> Result<Response, Refusal> {
    let (operations, caller) = (&place.operations, place.allowed()?);
    let found = analytics::live(operations, &caller, &place.project_id).await?;
    let filter = AnalyticsPage::default().filter()?;
    let body = html! {
        h1 { (words::ANALYTICS) }
        (tabs(&place, (&filter, None), None))
        (live("now", &format!("{}/live", place.path()), false, &content(&place, &found)))
        p.hint { (words::LIVE_WHY) }
    };
    Ok(place.refreshed_page(&body))
}

fn content(place: &AnalyticsPlace, found: &LiveAnalytics) -> Markup {
    let last = found.minutes.len().saturating_sub(1);
    let steps: Vec<_> = (found.minutes.iter().enumerate())
        // A time such as 2026-11-26T09:05:00Z.
        .map(|(place, minute)| Step {
            label: minute.start.get(11..16).unwrap_or_default().to_owned(),
            human: minute.counts.human,
            ai: minute.counts.ai,
            is_over: place < last,
        })
        .collect();
    let tables = [pages(place, found), referrers(found), agents(found)];
    let filled = tables.iter().filter(|table| !table.rows.is_empty());
    html! {
        dl.totals {
            @for (label, count) in [(words::VIEWS_OF_PEOPLE, found.totals.human), (words::VIEWS_OF_AGENTS, found.totals.ai)] {
                div { dt { (label) } dd { strong { (words::number(count)) } } }
            }
        }
        h2 { (words::VIEWS_BY_MINUTE) }
        @if found.totals.total == 0 { p.soft { (words::NO_LIVE_VIEWS) } } @else {
            (chart(&steps, &[]))
            (line_table(words::VIEWS_BY_MINUTE, words::MINUTE_UTC, &steps))
            div.tables {
                @for table in filled {
                    section { h2 { (table.title) } (rows(table)) }
                }
            }
        }
    }
}

fn pages(place: &AnalyticsPlace, found: &LiveAnalytics) -> Table {
    let (here, filter) = (place.path(), AnalyticsPage::default().filter().ok());
    let rows = found.pages.iter().map(|each| Row {
        link: filter
            .as_ref()
            .filter(|_| !each.path.is_empty())
            .map(|filter| filter.at(&each.path).link(&here, &[])),
        value: each.path.clone(),
        cells: counts(each.counts),
    });
    top_pages(rows.collect(), None)
}

fn referrers(found: &LiveAnalytics) -> Table {
    let rows = found.referrers.iter().map(|each| (&each.value, each.views));
    counted(("referrers", words::REFERRERS), words::of_values(analytics::ValueKind::Referrer), rows)
}

fn agents(found: &LiveAnalytics) -> Table {
    let rows = found.agents.iter().map(|each| (&each.agent, each.views));
    counted(("agents", words::AI_AGENTS), words::of_values(analytics::ValueKind::Agent), rows)
}

fn counted<'a>(
    (name, title): (&'static str, &'static str),
    (head, count): (&'static str, &'static str),
    rows: impl Iterator<Item = (&'a String, i64)>,
) -> Table {
    let row = |(value, views): (&String, i64)| Row {
        value: value.clone(),
        link: None,
        cells: vec![Cell::Count(views)],
    };
    let rows = rows.map(row).collect();
    Table { name, title, why: None, head, columns: vec![count], rows, next: None }
}

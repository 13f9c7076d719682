//! What the page shows, from the operations of analytics.

use docwright_operations::{
    OperationError, Operations,
    analytics::{self, AnalyticsQuery, ListBreakdown, ReaderCounts, TimelineStep, ValueKind},
    lists::Page,
};
use docwright_types::timestamp::{Timestamp, parse_iso};

use super::span::Span;
use crate::{Dashboard, project_context::ProjectContext, refusal::Refusal, words};

/// Rows of a table on the page.
const ROWS: i64 = 10;

/// The tables of values, by the names that downloads use.
pub(super) const TABLES: [&str; 6] =
    ["pages", "referrers", "agents", "dead-links", "languages", "devices"];

/// Everything on the page.
pub(super) struct Data {
    /// Views in the range, and in the one before.
    pub(super) views: [ReaderCounts; 2],
    /// The same for visitors.
    pub(super) visitors: [ReaderCounts; 2],
    pub(super) steps: Vec<Step>,
    pub(super) tables: Vec<Table>,
}

/// Views in a step of the range.
pub(super) struct Step {
    pub(super) label: String,
    pub(super) human: i64,
    pub(super) ai: i64,
}

/// A table of values with their counts.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) why: Option<&'static str>,
    /// Title of the column of values.
    pub(super) head: &'static str,
    /// Titles of the columns of counts.
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    /// Cursor of its next page.
    pub(super) next: Option<String>,
}

pub(super) struct Row {
    pub(super) value: String,
    pub(super) counts: Vec<i64>,
}

impl Data {
    pub(super) async fn read(
        dashboard: &Dashboard,
        place: &ProjectContext,
        span: Span,
    ) -> Result<Self, Refusal> {
        let (operations, now) = (&dashboard.operations, dashboard.operations.now());
        let [range, before] = span.queries(now);
        let (id, caller) = (place.project.id.as_str(), &place.of.caller);
        let one = || Page::new(Some(1), None);
        let views = async |query| {
            let list =
                analytics::views(operations, &caller.allowed()?, id, &query, &one()?).await?;
            Ok::<_, OperationError>(list.totals)
        };
        let visitors = async |query| {
            let list =
                analytics::visitors(operations, &caller.allowed()?, id, &query, &one()?).await?;
            Ok::<_, OperationError>(list.totals)
        };
        let (now_views, before_views) = (views(range).await?, views(before).await?);
        let visitors = [visitors(range).await?, visitors(before).await?];
        let steps = steps(operations, place, (span, now)).await?;
        let mut tables = Vec::new();
        for name in TABLES {
            tables.push(Table::read(dashboard, place, (name, range), (ROWS, None)).await?);
        }
        Ok(Self { views: [now_views, before_views], visitors, steps, tables })
    }

    /// Whether there is nothing in the range and before it.
    pub(super) fn is_empty(&self) -> bool {
        let is_read = self.views.iter().any(|views| views.total > 0);
        !is_read && self.tables.iter().all(|table| table.rows.is_empty())
    }
}

/// The views in each step of a range, also where there are none.
pub(super) async fn steps(
    operations: &Operations,
    place: &ProjectContext,
    (span, now): (Span, Timestamp),
) -> Result<Vec<Step>, Refusal> {
    let [range, _] = span.queries(now);
    let caller = place.of.caller.allowed()?;
    let timeline = analytics::timeline(operations, &caller, &place.project.id, &range).await?;
    let starts = span.starts(now);
    let mut steps: Vec<_> =
        starts.iter().map(|start| Step { label: span.label(*start), human: 0, ai: 0 }).collect();
    for TimelineStep { start, human, ai, .. } in &timeline.steps {
        let start = parse_iso(start).unwrap_or_default();
        let place = starts.partition_point(|each| *each <= start).saturating_sub(1);
        if let Some(step) = steps.get_mut(place) {
            step.human += human;
            step.ai += ai;
        }
    }
    Ok(steps)
}

impl Table {
    /// Reads rows of a table from a cursor on.
    pub(super) async fn read(
        dashboard: &Dashboard,
        place: &ProjectContext,
        (name, query): (&'static str, AnalyticsQuery),
        (rows, cursor): (i64, Option<&str>),
    ) -> Result<Self, Refusal> {
        let page = Page::new(Some(rows), cursor)?;
        match name {
            "pages" => Self::of_pages(dashboard, place, &query, &page).await,
            "dead-links" => Self::of_dead_links(dashboard, place, &query, &page).await,
            "referrers" => {
                let shown = (name, words::REFERRERS, ValueKind::Referrer);
                Self::of_values(dashboard, place, (shown, &query), &page).await
            }
            "agents" => {
                let shown = (name, words::AI_AGENTS, ValueKind::Agent);
                Self::of_values(dashboard, place, (shown, &query), &page).await
            }
            "languages" => {
                let shown = (name, words::LANGUAGES, ValueKind::Language);
                Self::of_values(dashboard, place, (shown, &query), &page).await
            }
            _ => {
                let shown = (name, words::DEVICES, ValueKind::Device);
                Self::of_values(dashboard, place, (shown, &query), &page).await
            }
        }
    }

    async fn of_pages(
        dashboard: &Dashboard,
        place: &ProjectContext,
        query: &AnalyticsQuery,
        page: &Page,
    ) -> Result<Self, Refusal> {
        let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
        let list = analytics::views(operations, &caller, &place.project.id, query, page).await?;
        let rows = list
            .pages
            .into_iter()
            .map(|each| Row { value: each.path, counts: vec![each.human, each.ai, each.total] });
        Ok(Self {
            name: "pages",
            title: words::TOP_PAGES,
            why: None,
            head: words::PAGE,
            columns: vec![words::PEOPLE, words::AI_AGENTS, words::TOTAL],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    async fn of_dead_links(
        dashboard: &Dashboard,
        place: &ProjectContext,
        query: &AnalyticsQuery,
        page: &Page,
    ) -> Result<Self, Refusal> {
        let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
        let list =
            analytics::dead_links(operations, &caller, &place.project.id, query, page).await?;
        let rows = list.dead_links.into_iter().map(|each| Row {
            value: each.path,
            counts: vec![each.from_own_site, each.from_elsewhere, each.total],
        });
        Ok(Self {
            name: "dead-links",
            title: words::DEAD_LINKS,
            why: Some(words::DEAD_LINKS_WHY),
            head: words::PAGE,
            columns: vec![words::FROM_OWN_SITE, words::FROM_ELSEWHERE, words::TOTAL],
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }

    async fn of_values(
        dashboard: &Dashboard,
        place: &ProjectContext,
        ((name, title, by), query): ((&'static str, &'static str, ValueKind), &AnalyticsQuery),
        page: &Page,
    ) -> Result<Self, Refusal> {
        let (operations, caller) = (&dashboard.operations, place.of.caller.allowed()?);
        let asked = (ListBreakdown { by }, query);
        let list =
            analytics::breakdown(operations, &caller, &place.project.id, asked, page).await?;
        let rows =
            list.values.into_iter().map(|each| Row { value: each.value, counts: vec![each.views] });
        let (head, columns) = (title, vec![words::VIEWS]);
        Ok(Self {
            name,
            title,
            why: None,
            head,
            columns,
            rows: rows.collect(),
            next: list.next_cursor,
        })
    }
}

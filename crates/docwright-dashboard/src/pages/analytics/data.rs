//! The totals and the line of the page, from the operations of analytics.

use docwright_operations::{
    OperationError,
    analytics::{self, ActiveRelease, AnalyticsQuery, ReaderCounts, WebVitals},
    lists::Page,
};
use docwright_types::timestamp::{Timestamp, parse_iso};

use super::{
    filter::Filter,
    place::AnalyticsPlace,
    span::Span,
    tables::{TABLES, Table, UNREAD, has_table},
};
use crate::{refusal::Refusal, words};

/// Rows of a table on the page.
const ROWS: i64 = 10;

/// Everything on the page.
pub(super) struct Data {
    /// Views in the range, and in the one before.
    pub(super) views: [ReaderCounts; 2],
    /// The same for visitors. Those of a part of a site are unknown.
    pub(super) visitors: Option<[ReaderCounts; 2]>,
    pub(super) steps: Vec<Step>,
    pub(super) marks: Vec<Mark>,
    pub(super) vitals: WebVitals,
    pub(super) tables: Vec<Table>,
}

/// A release that became active in the range.
pub(super) struct Mark {
    /// Its place among the steps.
    pub(super) step: usize,
    /// The day, and the title of the commit.
    pub(super) label: String,
    /// The page of its effect.
    pub(super) link: String,
}

/// Views in a step of the range.
pub(super) struct Step {
    pub(super) label: String,
    pub(super) human: i64,
    pub(super) ai: i64,
}

impl Data {
    pub(super) async fn read(place: &AnalyticsPlace, filter: &Filter) -> Result<Self, Refusal> {
        // The first table, the list of pages, reads about as many rows as everything else.
        let (pages, rest) = tokio::try_join!(tables(place, filter, &TABLES[..1]), async {
            let numbers = Self::read_numbers(place, filter).await?;
            Ok((numbers, tables(place, filter, &TABLES[1..]).await?))
        })?;
        let (numbers, others) = rest;
        Ok(Self { tables: pages.into_iter().chain(others).collect(), ..numbers })
    }

    /// Everything but the tables.
    async fn read_numbers(place: &AnalyticsPlace, filter: &Filter) -> Result<Self, Refusal> {
        let (operations, now) = (&place.operations, place.operations.now());
        let [range, before] = filter.queries(now)?;
        let id = &*place.project_id;
        let one = Page::new(Some(1), None)?;
        let visitors = async |query| {
            let list = analytics::visitors(operations, &place.allowed()?, id, query, &one).await?;
            Ok::<_, OperationError>(list.totals)
        };
        let of_site = filter.path.is_empty();
        let visitors =
            if of_site { Some([visitors(&range).await?, visitors(&before).await?]) } else { None };
        let (steps, total) = steps(place, (filter.span, now), &range).await?;
        let timeline = analytics::timeline(operations, &place.allowed()?, id, &before).await?;
        let views = [total, timeline.steps.iter().map(|step| step.counts).sum()];
        let vitals = analytics::web_vitals(operations, &place.allowed()?, id, &range, &one).await?;
        let marks = marks(place, (filter.span, now), &range).await?;
        Ok(Self { views, visitors, steps, marks, vitals, tables: Vec::new() })
    }

    /// Whether there is nothing in the range and before it.
    pub(super) fn is_empty(&self) -> bool {
        let is_read = self.views.iter().any(|views| views.total > 0);
        !is_read && self.tables.iter().all(|table| table.rows.is_empty())
    }
}

/// The tables with these names that the filter has.
async fn tables(
    place: &AnalyticsPlace,
    filter: &Filter,
    names: &[&'static str],
) -> Result<Vec<Table>, Refusal> {
    let mut tables = Vec::new();
    for name in names.iter().copied().filter(|name| *name != UNREAD && has_table(name, place)) {
        if let Some(table) = Table::read(place, (name, filter), (ROWS, None)).await? {
            tables.push(table);
        }
    }
    Ok(tables)
}

/// The views in each step of a range, also where there are none, and their sum.
pub(super) async fn steps(
    place: &AnalyticsPlace,
    (span, now): (Span, Timestamp),
    range: &AnalyticsQuery,
) -> Result<(Vec<Step>, ReaderCounts), Refusal> {
    let (operations, caller) = (&place.operations, place.allowed()?);
    let timeline = analytics::timeline(operations, &caller, &place.project_id, range).await?;
    let starts = span.starts(now);
    let mut steps: Vec<_> =
        starts.iter().map(|start| Step { label: span.label(*start), human: 0, ai: 0 }).collect();
    for each in &timeline.steps {
        let start = parse_iso(&each.start).unwrap_or_default();
        let place = starts.partition_point(|each| *each <= start).saturating_sub(1);
        if let Some(step) = steps.get_mut(place) {
            step.human += each.counts.human;
            step.ai += each.counts.ai;
        }
    }
    Ok((steps, timeline.steps.iter().map(|step| step.counts).sum()))
}

/// The releases that became active in a range, the earliest first.
async fn marks(
    place: &AnalyticsPlace,
    (span, now): (Span, Timestamp),
    range: &AnalyticsQuery,
) -> Result<Vec<Mark>, Refusal> {
    let (operations, caller) = (&place.operations, place.allowed()?);
    let list = analytics::active_releases(operations, &caller, &place.project_id, range).await?;
    let starts = span.starts(now);
    let mark = |release: ActiveRelease| {
        let at = parse_iso(&release.active_from).unwrap_or_default();
        let name = release.message.or(release.commit).unwrap_or_default();
        Some(Mark {
            step: starts.partition_point(|start| *start <= at).saturating_sub(1),
            label: words::activation(&Span::Month.label(at), &name),
            link: place.elsewhere(&format!("releases/{}/effect", release.id))?,
        })
    };
    Ok(list.releases.into_iter().rev().filter_map(mark).collect())
}

//! The totals and the line of the page, from the operations of analytics.

use std::slice;

use docwright_operations::{
    OperationError,
    analytics::{self, ActiveRelease, AnalyticsQuery, ReaderCounts, VitalMeasures},
    lists::Page,
};
use docwright_types::timestamp::{Timestamp, parse_iso};
use futures::future;

use super::{
    filter::Filter,
    place::AnalyticsPlace,
    span::Span,
    tables::{PAGES, RATINGS, TABLES, Table, UNREAD, VITALS, has_table, vitals},
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
    /// The Web Vitals of all pages; `None` if the readers have none.
    pub(super) vitals: Option<VitalMeasures>,
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
    /// Whether its time is over. Until then, it has fewer views than others.
    pub(super) is_over: bool,
}

impl Step {
    /// The label as users read it.
    pub(super) fn title(&self) -> String {
        if self.is_over { self.label.clone() } else { words::so_far(&self.label) }
    }
}

impl Data {
    pub(super) async fn read(place: &AnalyticsPlace, filter: &Filter) -> Result<Self, Refusal> {
        let (long, others): (Vec<_>, Vec<_>) =
            TABLES.into_iter().partition(|name| [PAGES, RATINGS].contains(name));
        // Each of these reads about as many rows as everything else.
        let (long, vitals, (numbers, others)) = tokio::try_join!(
            future::try_join_all(long.iter().map(|name| tables(
                place,
                filter,
                slice::from_ref(name)
            ))),
            vitals(place, filter, Page::new(Some(ROWS), None)?),
            async {
                let numbers = Self::read_numbers(place, filter).await?;
                Ok((numbers, tables(place, filter, &others).await?))
            }
        )?;
        let (by_page, vitals) = vitals.unzip();
        let mut tables: Vec<_> = long.into_iter().flatten().chain(others).chain(by_page).collect();
        tables.sort_by_key(|table| TABLES.iter().position(|name| *name == table.name));
        Ok(Self { vitals, tables, ..numbers })
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
        let marks = marks(place, (filter.span, now), &range).await?;
        Ok(Self { views, visitors, steps, marks, vitals: None, tables: Vec::new() })
    }

    /// Whether there is nothing in the range and before it.
    pub(super) fn is_empty(&self) -> bool {
        let is_read = self.views.iter().any(|views| views.total > 0);
        !is_read && self.tables.iter().all(|table| table.rows.is_empty())
    }
}

/// The tables with these names that the filter has, without those that are read apart.
async fn tables(
    place: &AnalyticsPlace,
    filter: &Filter,
    names: &[&'static str],
) -> Result<Vec<Table>, Refusal> {
    let mut tables = Vec::new();
    let is_read = |name: &&str| ![UNREAD, VITALS].contains(name) && has_table(name, place);
    for name in names.iter().copied().filter(is_read) {
        let page = Page::new(Some(ROWS), None)?;
        if let Some(table) = Table::read(place, (name, filter), page).await? {
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
    // The last step has the current time.
    let last = starts.last().copied();
    let step = |start: &Timestamp| Step {
        label: span.label(*start),
        human: 0,
        ai: 0,
        is_over: Some(*start) != last,
    };
    let mut steps: Vec<_> = starts.iter().map(step).collect();
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

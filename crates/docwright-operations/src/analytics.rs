//! Web analytics of a project: views and visitors of all its sites together.

mod effect;
mod empty_searches;
mod lists;
mod live;
mod numbers;
mod range;
mod ratings;
mod redirects;
mod searches;
mod site_pages;
mod unread;
mod vitals;
pub mod weekly;

use std::iter::Sum;

use docwright_storage::database::{self, AnalyticsFilter, AnalyticsRange, Position, Views};
use docwright_types::{
    analytics::Reader,
    timestamp::{DAY, Timestamp, iso},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Allowed, OperationError, Operations, can, lists::Page};

pub use effect::{
    ActiveRelease, ActiveReleases, EffectQuery, PageEffect, ReleaseEffect, active_releases, effect,
};
pub use empty_searches::{EmptySearch, EmptySearchList, NearPage, empty_search, empty_searches};
pub use lists::{
    AgentList, AgentViews, AnalyticsValue, Breakdown, DeadLink, DeadLinks, ListBreakdown,
    ValueKind, agents, breakdown, dead_links,
};
pub use live::{LiveAnalytics, LiveMinute, live};
pub use numbers::ReaderNumbers;
pub use range::{AnalyticsQuery, PagePath, RangeEnd, ReaderKind};
pub use ratings::{
    FeedbackByPage, FeedbackEntries, FeedbackEntry, FeedbackSource, FeedbackStatus,
    PageFeedbackCount, RatingOrder, RatingSort, feedback, feedback_by_page,
};
pub use redirects::{
    SuggestedRedirect, SuggestedRedirects, suggested_redirect, suggested_redirects,
};
pub use searches::{SearchList, SearchQuery, searches};
pub use unread::{UnreadPage, UnreadPages, unread_pages};
pub use vitals::{PageVitals, VitalMeasures, VitalValues, WebVitals, web_vitals};

/// A number of people and of AI agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReaderCounts {
    /// People.
    #[schema(minimum = 0, example = 1200)]
    pub human: i64,
    /// AI agents.
    #[schema(minimum = 0, example = 300)]
    pub ai: i64,
    /// Both. Bots never count.
    #[schema(minimum = 0, example = 1500)]
    pub total: i64,
}

/// Views of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageViews {
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Its views.
    #[serde(flatten)]
    pub counts: ReaderCounts,
}

/// Views of a project, and a page of its pages with views, the most read first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewList {
    /// Start of the range that was counted, at an hour or a day.
    #[schema(format = DateTime)]
    pub from: String,
    /// End of the range that was counted, which isn't part of it.
    #[schema(format = DateTime)]
    pub to: String,
    /// Views of all pages.
    pub totals: ReaderCounts,
    /// The pages.
    pub views: Vec<PageViews>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// Whether there is another page.
    pub has_more: bool,
}

/// Views in an hour or a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimelineStep {
    /// Start of the hour or day.
    #[schema(format = DateTime)]
    pub start: String,
    /// Its views.
    #[serde(flatten)]
    pub counts: ReaderCounts,
}

/// Length of the steps of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TimelineUnit {
    /// Ranges that start in the last 30 days.
    Hour,
    /// Other ranges.
    Day,
}

/// Views of a project over time.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Timeline {
    /// Start of the range that was counted.
    #[schema(format = DateTime)]
    pub from: String,
    /// End of the range that was counted, which isn't part of it.
    #[schema(format = DateTime)]
    pub to: String,
    /// Length of the steps.
    pub unit: TimelineUnit,
    /// Steps with views, the earliest first.
    pub steps: Vec<TimelineStep>,
}

/// Unique visitors in a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DayVisitors {
    /// Start of the day (UTC).
    #[schema(format = DateTime)]
    pub start: String,
    /// The visitors.
    #[serde(flatten)]
    pub counts: ReaderCounts,
}

/// Visitors of a project, and a page of its days with visitors, the earliest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisitorList {
    /// Start of the first day that was counted.
    #[schema(format = DateTime)]
    pub from: String,
    /// End of the last day that was counted.
    #[schema(format = DateTime)]
    pub to: String,
    /// The sums of all days: a visitor counts once for each site and day. The error is below 2%.
    pub totals: ReaderCounts,
    /// The days.
    pub days: Vec<DayVisitors>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

impl ReaderCounts {
    const fn new(human: i64, ai: i64) -> Self {
        Self { human, ai, total: human + ai }
    }

    /// The numbers without readers of another kind than the one that a query asks for.
    fn only(self, reader: Option<ReaderKind>) -> Self {
        match reader {
            None => self,
            Some(ReaderKind::Human) => Self::new(self.human, 0),
            Some(ReaderKind::Ai) => Self::new(0, self.ai),
        }
    }
}

impl Sum for ReaderCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts
            .fold(Self::default(), |sum, each| Self::new(sum.human + each.human, sum.ai + each.ai))
    }
}

/// Counts the views of a project, and lists the pages with views.
pub async fn views(
    operations: &Operations,
    caller: &Allowed<can::ListViews>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<ViewList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?.of_pages();
    let page = page.of(("views", &project.id, query))?;
    let totals = series(operations, filter, query.reader).await?;
    let totals = totals.into_iter().map(|(_, counts)| counts).sum();
    let (database, reader) = (&operations.database, query.reader.map(Reader::from));
    let pages = database.analytics_pages(filter, reader, page.of_all()).await?;
    let position = |each: &database::PageViews| Position {
        text: each.ranked.to_string(),
        id: each.page.clone(),
    };
    let listed = page.cut(pages, position, |each| {
        let counts = ReaderCounts::new(each.human, each.ai).only(query.reader);
        PageViews { path: each.page, counts }
    });
    let ((from, to), has_more) = (ends(filter.range), listed.next_cursor.is_some());
    let (views, next_cursor) = (listed.items, listed.next_cursor);
    Ok(ViewList { from, to, totals, views, next_cursor, has_more })
}

/// Counts the views of a project in each step of a range.
pub async fn timeline(
    operations: &Operations,
    caller: &Allowed<can::GetTimeline>,
    project_id: &str,
    query: &AnalyticsQuery,
) -> Result<Timeline, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let steps = series(operations, filter, query.reader).await?.into_iter();
    let steps = steps.filter(|(_, counts)| counts.total > 0);
    let steps = steps.map(|(start, counts)| TimelineStep { start: iso(start), counts });
    let unit = if filter.range.step == DAY { TimelineUnit::Day } else { TimelineUnit::Hour };
    let (from, to) = ends(filter.range);
    Ok(Timeline { from, to, unit, steps: steps.collect() })
}

/// Views in each step of a range.
async fn series(
    operations: &Operations,
    filter: AnalyticsFilter<'_>,
    reader: Option<ReaderKind>,
) -> Result<Vec<(Timestamp, ReaderCounts)>, OperationError> {
    let series = operations.database.analytics_series(filter).await?.into_iter();
    let step =
        |(start, [human, ai, _]): (_, Views)| (start, ReaderCounts::new(human, ai).only(reader));
    Ok(series.map(step).collect())
}

/// Counts the unique visitors of a project in each day of a range. They are of whole sites, whatever the path.
pub async fn visitors(
    operations: &Operations,
    caller: &Allowed<can::ListVisitors>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<VisitorList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let range = query.filter(&project.id, operations.now())?.range.days();
    let page = page.of(("visitors", &project.id, query))?;
    let days = operations.database.analytics_visitors(&project.id, range).await?;
    let counts =
        |day: &database::DayVisitors| ReaderCounts::new(day.human, day.ai).only(query.reader);
    let totals = days.iter().map(counts).sum();
    let after = page.after().and_then(|after| after.parse().ok()).unwrap_or(i64::MIN);
    let rest = days.into_iter().filter(|day| day.day > after).collect();
    let position = |day: &database::DayVisitors| Position::of_id(&day.day.to_string());
    let listed =
        page.cut(rest, position, |day| DayVisitors { start: iso(day.day), counts: counts(&day) });
    let (from, to) = ends(range);
    Ok(VisitorList { from, to, totals, days: listed.items, next_cursor: listed.next_cursor })
}

/// The ends of a range.
fn ends(range: AnalyticsRange) -> (String, String) {
    (iso(range.from), iso(range.to))
}

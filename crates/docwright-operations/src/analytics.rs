//! Web analytics of a project: views and visitors of all its sites together.

mod lists;
mod range;

use docwright_storage::database::{AnalyticsRange, Position, Views};
use docwright_types::timestamp::{DAY, iso};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Allowed, OperationError, Operations, can, lists::Page};

pub use lists::{
    AnalyticsValue, Breakdown, DeadLink, DeadLinks, ListBreakdown, ValueKind, breakdown, dead_links,
};
pub use range::AnalyticsQuery;

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
    /// Views by people.
    #[schema(minimum = 0, example = 40)]
    pub human: i64,
    /// Views by AI agents.
    #[schema(minimum = 0, example = 10)]
    pub ai: i64,
    /// Both.
    #[schema(minimum = 0, example = 50)]
    pub total: i64,
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
    pub pages: Vec<PageViews>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Views in an hour or a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimelineStep {
    /// Start of the hour or day.
    #[schema(format = DateTime)]
    pub start: String,
    /// Views by people.
    #[schema(minimum = 0, example = 40)]
    pub human: i64,
    /// Views by AI agents.
    #[schema(minimum = 0, example = 10)]
    pub ai: i64,
    /// Both.
    #[schema(minimum = 0, example = 50)]
    pub total: i64,
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
    /// People.
    #[schema(minimum = 0, example = 25)]
    pub human: i64,
    /// AI agents.
    #[schema(minimum = 0, example = 5)]
    pub ai: i64,
    /// Both.
    #[schema(minimum = 0, example = 30)]
    pub total: i64,
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

    fn add(self, [human, ai, _]: Views) -> Self {
        Self::new(self.human + human, self.ai + ai)
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
    let range = query.range(operations.now())?;
    let page = page.of(("views", &project.id, query))?;
    let series = operations.database.analytics_series(&project.id, range).await?;
    let totals =
        series.iter().fold(ReaderCounts::default(), |totals, (_, views)| totals.add(*views));
    let pages = operations.database.analytics_pages(&project.id, range, page.of_all()).await?;
    let position = |each: &docwright_storage::database::PageViews| Position {
        text: (each.human + each.ai).to_string(),
        id: each.page.clone(),
    };
    let listed = page.cut(pages, position, |each| PageViews {
        path: each.page,
        human: each.human,
        ai: each.ai,
        total: each.human + each.ai,
    });
    let (from, to) = ends(range);
    Ok(ViewList { from, to, totals, pages: listed.items, next_cursor: listed.next_cursor })
}

/// Counts the views of a project in each step of a range.
pub async fn timeline(
    operations: &Operations,
    caller: &Allowed<can::GetTimeline>,
    project_id: &str,
    query: &AnalyticsQuery,
) -> Result<Timeline, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let range = query.range(operations.now())?;
    let series = operations.database.analytics_series(&project.id, range).await?;
    let steps = series.into_iter().map(|(start, [human, ai, _])| TimelineStep {
        start: iso(start),
        human,
        ai,
        total: human + ai,
    });
    let unit = if range.step == DAY { TimelineUnit::Day } else { TimelineUnit::Hour };
    let (from, to) = ends(range);
    Ok(Timeline { from, to, unit, steps: steps.filter(|step| step.total > 0).collect() })
}

/// Counts the unique visitors of a project in each day of a range.
pub async fn visitors(
    operations: &Operations,
    caller: &Allowed<can::ListVisitors>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<VisitorList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let range = query.range(operations.now())?.days();
    let page = page.of(("visitors", &project.id, query))?;
    let days = operations.database.analytics_visitors(&project.id, range).await?;
    let totals =
        days.iter().fold(ReaderCounts::default(), |totals, day| totals.add([day.human, day.ai, 0]));
    let after = page.after().and_then(|after| after.parse().ok()).unwrap_or(i64::MIN);
    let rest = days.into_iter().filter(|day| day.day > after).collect();
    let listed = page.cut(
        rest,
        |day| Position::of_id(&day.day.to_string()),
        |day| DayVisitors {
            start: iso(day.day),
            human: day.human,
            ai: day.ai,
            total: day.human + day.ai,
        },
    );
    let (from, to) = ends(range);
    Ok(VisitorList { from, to, totals, days: listed.items, next_cursor: listed.next_cursor })
}

/// The ends of a range.
fn ends(range: AnalyticsRange) -> (String, String) {
    (iso(range.from), iso(range.to))
}

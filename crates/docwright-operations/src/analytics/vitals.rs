//! Web Vitals: how fast pages are for their readers.

use docwright_storage::database::{Measured, MeasuredPage, Position};
use docwright_types::analytics::{Dimension, Vital};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AnalyticsQuery;
use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// Values of a measure. A value is good, fair, or poor by the thresholds of Web Vitals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VitalValues {
    /// Three of four values are at most this large, estimated; null without values. In milliseconds, or in
    /// thousandths for shifts of the layout.
    #[schema(minimum = 0, example = 1850)]
    pub p75: Option<i64>,
    /// Number of good values.
    #[schema(minimum = 0, example = 80)]
    pub good: i64,
    /// Number of values that are neither good nor poor.
    #[schema(minimum = 0, example = 15)]
    pub fair: i64,
    /// Number of poor values.
    #[schema(minimum = 0, example = 5)]
    pub poor: i64,
}

/// The three measures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VitalMeasures {
    /// Largest Contentful Paint: good up to 2.5 seconds, poor above 4 seconds.
    pub lcp: VitalValues,
    /// Interaction to Next Paint: good up to 200 milliseconds, poor above 500 milliseconds.
    pub inp: VitalValues,
    /// Cumulative Layout Shift: good up to 100 thousandths, poor above 250.
    pub cls: VitalValues,
}

/// The measures of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageVitals {
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Its measures.
    #[serde(flatten)]
    pub measures: VitalMeasures,
}

/// Web Vitals of a project, and a page of its pages, the most measured first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebVitals {
    /// Of all pages.
    pub totals: VitalMeasures,
    /// The pages.
    pub pages: Vec<PageVitals>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Reads the Web Vitals of a project in whole days.
pub async fn web_vitals(
    operations: &Operations,
    caller: &Allowed<can::GetWebVitals>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<WebVitals, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("web vitals", &project.id, query))?;
    let (database, dimensions) = (&operations.database, Vital::ALL.map(Vital::dimension));
    let (totals, pages) = tokio::try_join!(
        database.analytics_measures(filter, &dimensions),
        database.analytics_measured_pages(filter, Dimension::LargestPaint, page.of_all()),
    )?;
    let totals = measures(&totals);
    let names: Vec<_> = pages.iter().map(|each| each.page.as_str()).collect();
    let by_page = database.analytics_measures_of_pages(filter, &dimensions, &names).await?;
    let position =
        |each: &MeasuredPage| Position { text: each.views.to_string(), id: each.page.clone() };
    let listed = page.cut(pages, position, |each| {
        let measures = measures(by_page.get(&each.page).map_or(&[], Vec::as_slice));
        PageVitals { path: each.page, measures }
    });
    Ok(WebVitals { totals, pages: listed.items, next_cursor: listed.next_cursor })
}

/// The measures in the rows of a page, or of all pages.
fn measures(rows: &[Measured]) -> VitalMeasures {
    let of = |vital: Vital| {
        let rows = rows.iter().filter(|row| row.dimension == vital.dimension());
        let rows: Vec<_> = rows.map(|row| (&*row.value, row.views)).collect();
        VitalValues::of(vital, &rows)
    };
    VitalMeasures {
        lcp: of(Vital::LargestPaint),
        inp: of(Vital::InteractionDelay),
        cls: of(Vital::LayoutShift),
    }
}

impl VitalValues {
    /// The values in sums of a measure: their bounds, and how many.
    fn of(vital: Vital, sums: &[(&str, i64)]) -> Self {
        let (good, fair) = vital.limits();
        let bound = |name: &str| name.parse().unwrap_or(i64::MAX);
        let mut sums: Vec<_> = sums.iter().map(|(name, views)| (bound(name), *views)).collect();
        sums.sort_unstable();
        let count = |from: i64, to: i64| {
            let sums = sums.iter().filter(|(bound, _)| *bound > from && *bound <= to);
            sums.map(|(_, views)| views).sum::<i64>()
        };
        Self {
            p75: p75(vital, &sums),
            good: count(i64::MIN, good),
            fair: count(good, fair),
            poor: count(fair, i64::MAX),
        }
    }
}

/// The value that three of four are at most, as if the values of a sum were spread evenly. Beyond the last bound, it
/// is that bound.
fn p75(vital: Vital, sums: &[(i64, i64)]) -> Option<i64> {
    let total: i64 = sums.iter().map(|(_, views)| views).sum();
    let (place, bounds) = (total * 3, vital.bounds());
    let mut below = 0;
    for (bound, views) in sums.iter().filter(|(_, views)| *views > 0) {
        // Places are counted in quarters of a view.
        if (below + views) * 4 >= place {
            let start = bounds.iter().rev().find(|each| *each < bound).copied().unwrap_or(0);
            let end = if bounds.contains(bound) { *bound } else { start };
            return Some(start + (end - start) * (place - below * 4) / (views * 4));
        }
        below += views;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_classes_and_an_estimate() {
        let of = |sums: &[(&str, i64)]| VitalValues::of(Vital::LargestPaint, sums);
        assert_eq!(of(&[]), VitalValues::default());
        let all_fast = of(&[("500", 4)]);
        assert_eq!(all_fast, VitalValues { p75: Some(375), good: 4, fair: 0, poor: 0 });
        let mixed = of(&[("more", 1), ("4000", 2), ("2500", 3), ("1000", 10)]);
        assert_eq!(mixed, VitalValues { p75: Some(2_333), good: 13, fair: 2, poor: 1 });
        assert_eq!(of(&[("more", 1)]).p75, Some(10_000));
        assert_eq!(VitalValues::of(Vital::LayoutShift, &[("10", 100)]).p75, Some(7));
    }
}

//! Views in the last thirty minutes.

use docwright_storage::database::{LiveKind, LiveViews};
use docwright_types::timestamp::{MINUTE, Timestamp, iso};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentViews, AnalyticsValue, PageViews, ReaderCounts};
use crate::{Allowed, OperationError, Operations, can};

/// Minutes that are shown, with the current one.
const MINUTES: i64 = 30;
/// Rows of each list.
const ROWS: i64 = 10;

/// Views in a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LiveMinute {
    /// Start of the minute.
    #[schema(format = DateTime)]
    pub start: String,
    /// Its views.
    #[serde(flatten)]
    pub counts: ReaderCounts,
}

/// Views in the last 30 minutes, and what readers read most.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LiveAnalytics {
    /// Views of all pages.
    pub totals: ReaderCounts,
    /// Each of the last 30 minutes, the earliest first. The last one isn't over.
    #[schema(min_items = 30, max_items = 30)]
    pub minutes: Vec<LiveMinute>,
    /// The 10 pages with the most views. An empty path is all pages beyond the limits of a minute.
    #[schema(max_items = 10)]
    pub pages: Vec<PageViews>,
    /// The 10 most frequent hosts with links that people followed.
    #[schema(max_items = 10)]
    pub referrers: Vec<AnalyticsValue>,
    /// The 10 AI agents with the most views.
    #[schema(max_items = 10)]
    pub agents: Vec<AgentViews>,
}

/// Counts the views of a project in the last 30 minutes.
pub async fn live(
    operations: &Operations,
    caller: &Allowed<can::GetLiveAnalytics>,
    project_id: &str,
) -> Result<LiveAnalytics, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let from = first_minute(operations.now());
    let (database, id) = (&operations.database, project.id.as_str());
    let counted = database.analytics_minutes(id, from).await?;
    let minutes = (0..MINUTES).map(|place| {
        let start = from + place * MINUTE;
        let found = counted.iter().find(|(minute, _)| *minute == start);
        let [human, ai] = found.map_or([0; 2], |(_, views)| *views);
        LiveMinute { start: iso(start), counts: ReaderCounts::new(human, ai) }
    });
    let minutes: Vec<_> = minutes.collect();
    let top = async |kind| database.analytics_live(id, (from, kind), ROWS).await;
    let page = |LiveViews { value, human, ai }| PageViews {
        path: value,
        counts: ReaderCounts::new(human, ai),
    };
    let pages = top(LiveKind::Page).await?.into_iter().map(page).collect();
    let referrer = |LiveViews { value, human, ai }| AnalyticsValue { value, views: human + ai };
    let referrers = top(LiveKind::Referrer).await?.into_iter().map(referrer).collect();
    let agent = |LiveViews { value, human, ai }| AgentViews { agent: value, views: human + ai };
    let agents = top(LiveKind::Agent).await?.into_iter().map(agent).collect();
    let totals = minutes.iter().map(|minute| minute.counts).sum();
    Ok(LiveAnalytics { totals, minutes, pages, referrers, agents })
}

/// Start of the first minute that is shown.
const fn first_minute(now: Timestamp) -> Timestamp {
    now - now.rem_euclid(MINUTE) - (MINUTES - 1) * MINUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_minute_is_the_last_of_thirty() {
        assert_eq!(first_minute(29 * MINUTE), 0);
        assert_eq!(first_minute(30 * MINUTE - 1), 0);
        assert_eq!(first_minute(30 * MINUTE), MINUTE);
    }
}

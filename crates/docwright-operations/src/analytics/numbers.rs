//! The numbers that say how readers fare, in whole days: for comparisons of one range with another.

use docwright_storage::database::{AnalyticsFilter, AnalyticsRange};
use docwright_types::{analytics::Dimension, timestamp::Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ReaderCounts;
use crate::{OperationError, Operations};

/// Numbers of a range of whole days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReaderNumbers {
    /// Views of all pages.
    pub views: ReaderCounts,
    /// Unique visitors of each day, added. The error is below 2%.
    pub visitors: ReaderCounts,
    /// Number of searches without a result.
    #[schema(minimum = 0, example = 12)]
    pub searches_without_result: i64,
    /// Number of questions that the assistant refused to answer.
    #[schema(minimum = 0, example = 3)]
    pub unanswered_questions: i64,
    /// Number of requests of paths without a page.
    #[schema(minimum = 0, example = 8)]
    pub dead_links: i64,
    /// Number of ratings that say that a page didn't help.
    #[schema(minimum = 0, example = 2)]
    pub bad_ratings: i64,
}

impl ReaderNumbers {
    /// Reads the numbers of a project between two times.
    pub(super) async fn read(
        operations: &Operations,
        project_id: &str,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Self, OperationError> {
        let database = &operations.database;
        let range = AnalyticsRange::new((from, to), operations.now()).days();
        let filter = AnalyticsFilter::new(project_id, range);
        let views = database.analytics_series(filter).await?;
        let views = views.iter().map(|(_, [human, ai, _])| ReaderCounts::new(*human, *ai)).sum();
        let visitors = database.analytics_visitors(project_id, range).await?;
        let visitors = visitors.iter().map(|day| ReaderCounts::new(day.human, day.ai)).sum();
        let dead = [Dimension::OwnDeadLink, Dimension::OtherDeadLink];
        let times = (range.from, range.to);
        Ok(Self {
            views,
            visitors,
            searches_without_result: database
                .analytics_count(filter, &[Dimension::EmptySearch])
                .await?,
            unanswered_questions: database.refused_question_count(project_id, times).await?,
            dead_links: database.analytics_count(filter, &dead).await?,
            bad_ratings: database.analytics_bad_ratings(filter).await?,
        })
    }
}

//! What readers search, and what they open.

use docwright_storage::database::{self, Position};
use docwright_types::timestamp::iso;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::AnalyticsQuery;
use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// Searches with one query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchQuery {
    /// The query in lowercase; empty for all queries beyond the limits of a day.
    #[schema(example = "install")]
    pub search_query: String,
    /// Number of searches.
    #[schema(minimum = 0, example = 40)]
    pub hits: i64,
    /// Share of the searches whose results were opened, from 0 to 1.
    #[schema(minimum = 0, maximum = 1, example = 0.75)]
    pub ctr: f64,
    /// Path of the result that was opened most; null if none was.
    #[schema(example = "guides/start")]
    pub top_clicked_page: Option<String>,
    /// Hour of the last search.
    #[schema(format = DateTime)]
    pub last_searched_at: String,
}

/// A page of the queries that readers searched, the most frequent first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchList {
    /// The queries.
    pub searches: Vec<SearchQuery>,
    /// Number of searches with all queries.
    #[schema(minimum = 0, example = 1200)]
    pub total_searches: i64,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Lists the queries that readers of a project searched in whole days.
pub async fn searches(
    operations: &Operations,
    caller: &Allowed<can::ListSearches>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<SearchList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("searches", &project.id, query))?;
    let total_searches = operations.database.analytics_search_count(filter).await?;
    let searches = operations.database.analytics_searches(filter, page.of_all()).await?;
    let position = |each: &database::SearchSum| Position {
        text: each.hits.to_string(),
        id: each.query.clone(),
    };
    let listed = page.cut(searches, position, |each| SearchQuery {
        ctr: share(each.opened, each.hits),
        search_query: each.query,
        hits: each.hits,
        top_clicked_page: each.top_page,
        last_searched_at: iso(each.last_at),
    });
    Ok(SearchList { searches: listed.items, total_searches, next_cursor: listed.next_cursor })
}

/// A share with four decimals. A reader can open several results of a search, so it ends at 1.
#[expect(clippy::cast_precision_loss, reason = "there are fewer than 2^52 searches")]
fn share(part: i64, whole: i64) -> f64 {
    let share = part.min(whole) as f64 / whole.max(1) as f64;
    (share * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn share_is_from_0_to_1() {
        let shares = [share(0, 0), share(1, 3), share(3, 3), share(9, 3)];
        assert_eq!(shares.map(|share| share.to_string()), ["0", "0.3333", "1", "1"]);
    }
}

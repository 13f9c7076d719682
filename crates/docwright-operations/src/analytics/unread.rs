//! Pages that nobody read.

use std::collections::HashSet;

use docwright_storage::database::{PageRequest, Position};
use docwright_types::analytics::Reader;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalyticsQuery, site_pages::site_pages};
use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// Most pages with views that are compared with those of the sites.
const VIEWED: i64 = 100_000;
/// A page without views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnreadPage {
    /// Path of the page.
    #[schema(example = "guides/old")]
    pub path: String,
    /// Its title.
    #[schema(example = "The old guide")]
    pub title: String,
}

/// A page of the pages without views, by path.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnreadPages {
    /// The pages.
    pub pages: Vec<UnreadPage>,
    /// The number of all pages without views.
    #[schema(minimum = 0, example = 12)]
    pub total: usize,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
}

/// Lists the pages of a project's active releases without a view in a range.
pub async fn unread_pages(
    operations: &Operations,
    caller: &Allowed<can::ListUnreadPages>,
    project_id: &str,
    query: &AnalyticsQuery,
    page: &Page,
) -> Result<UnreadPages, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("unread pages", &project.id, query))?;
    let mut pages = site_pages(operations, &project).await?;
    let (reader, all) = (query.reader.map(Reader::from), PageRequest::first(VIEWED));
    let viewed = operations.database.analytics_pages(filter, reader, all).await?;
    let viewed: HashSet<_> = viewed.into_iter().map(|each| each.page).collect();
    let folder = format!("{}/", filter.path);
    let is_asked =
        |path: &str| filter.path.is_empty() || path == filter.path || path.starts_with(&folder);
    pages.retain(|path, _| !viewed.contains(path) && is_asked(path));
    let total = pages.len();
    let after = page.after().unwrap_or_default();
    let rest = pages.into_iter().filter(|(path, _)| path.as_str() > after);
    let rest = rest.map(|(path, title)| UnreadPage { path, title }).collect();
    let listed = page.cut(rest, |each: &UnreadPage| Position::of_id(&each.path), |each| each);
    Ok(UnreadPages { pages: listed.items, total, next_cursor: listed.next_cursor })
}

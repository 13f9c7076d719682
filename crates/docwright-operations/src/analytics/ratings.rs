//! Readers' feedback in a range of time, in the shapes of analytics.

use docwright_storage::database::{self, Position};
use docwright_types::{
    feedback::{FeedbackState, GivenFrom},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::AnalyticsQuery;
use crate::{Allowed, OperationError, Operations, can, lists::Page};

/// How readers gave feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackSource {
    /// A rating with a comment.
    Contextual,
    /// A rating alone.
    ThumbsOnly,
    /// A rating of an agent, with the MCP server of the site.
    Mcp,
}

/// A feedback entry.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackEntry {
    /// ID of the feedback entry.
    #[schema(example = "feedback_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Comment of the reader.
    #[schema(example = "Say which version this is for.")]
    pub comment: Option<String>,
    /// Time of the feedback.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// How the reader gave it.
    pub source: FeedbackSource,
    /// State of the entry.
    pub status: FeedbackState,
    /// Whether the page helped the reader.
    pub helpful: bool,
    /// Always null: docwright doesn't ask readers who they are.
    pub contact: Option<String>,
}

/// A page of feedback entries, newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackEntries {
    /// The entries.
    pub feedback: Vec<FeedbackEntry>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// Whether there is another page.
    pub has_more: bool,
}

/// Ratings of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFeedbackCount {
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub path: String,
    /// Number of helpful ratings.
    #[schema(minimum = 0, example = 12)]
    pub thumbs_up: i64,
    /// Number of not helpful ratings.
    #[schema(minimum = 0, example = 3)]
    pub thumbs_down: i64,
    /// Always 0: readers rate pages, not blocks of code.
    #[schema(minimum = 0, example = 0)]
    pub code: i64,
    /// Number of ratings.
    #[schema(minimum = 0, example = 15)]
    pub total: i64,
}

/// A page of the pages with ratings.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackByPage {
    /// The pages.
    pub feedback: Vec<PageFeedbackCount>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// Whether there is another page.
    pub has_more: bool,
}

/// Which entries to list.
#[derive(Debug, Default, Clone, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeedbackStatus {
    /// Comma-separated states. Lists only entries in one of them.
    #[param(value_type = String, required = false, example = "pending,in_progress")]
    pub status: Option<States>,
}

/// States of feedback.
#[derive(Debug, Default, Clone, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct States(Vec<FeedbackState>);

impl TryFrom<String> for States {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let states = text.split(',').map(str::trim).filter(|state| !state.is_empty());
        states.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

/// By which ratings pages are listed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RatingOrder {
    /// The pages with the most ratings first.
    #[default]
    Total,
    /// The pages with the most not helpful ratings first, without pages that have none.
    Unhelpful,
}

/// The order of the list.
#[derive(Debug, Default, Clone, Copy, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RatingSort {
    /// Order of the list; `total` if omitted.
    #[serde(default)]
    #[param(inline, required = false)]
    pub sort: RatingOrder,
}

/// Lists the feedback of a project in a range.
pub async fn feedback(
    operations: &Operations,
    caller: &Allowed<can::ListFeedbackInRange>,
    project_id: &str,
    (status, query): (&FeedbackStatus, &AnalyticsQuery),
    page: &Page,
) -> Result<FeedbackEntries, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("feedback in range", &project.id, status, query))?;
    let states = status.status.as_ref().map_or(&[][..], |States(states)| states);
    let read = operations.database.analytics_feedback(filter, states, page.of_all()).await?;
    let position = |each: &database::Feedback| Position::of_id(&each.id);
    let listed = page.cut(read, position, FeedbackEntry::from);
    let has_more = listed.next_cursor.is_some();
    Ok(FeedbackEntries { feedback: listed.items, next_cursor: listed.next_cursor, has_more })
}

/// Counts the ratings of a project's pages in a range.
pub async fn feedback_by_page(
    operations: &Operations,
    caller: &Allowed<can::ListFeedbackByPage>,
    project_id: &str,
    (RatingSort { sort }, query): (RatingSort, &AnalyticsQuery),
    page: &Page,
) -> Result<FeedbackByPage, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = query.filter(&project.id, operations.now())?;
    let page = page.of(("feedback by page", &project.id, sort, query))?;
    let (database, only_unhelpful) = (&operations.database, sort == RatingOrder::Unhelpful);
    let read = database.analytics_ratings(filter, only_unhelpful, page.of_all()).await?;
    let position = |each: &database::PageRatings| Position {
        text: each.ranked.to_string(),
        id: each.page.clone(),
    };
    let listed = page.cut(read, position, |each| PageFeedbackCount {
        path: each.page,
        thumbs_up: each.helpful,
        thumbs_down: each.unhelpful,
        code: 0,
        total: each.helpful + each.unhelpful,
    });
    let has_more = listed.next_cursor.is_some();
    Ok(FeedbackByPage { feedback: listed.items, next_cursor: listed.next_cursor, has_more })
}

impl From<database::Feedback> for FeedbackEntry {
    fn from(entry: database::Feedback) -> Self {
        let source = match (entry.given_from, &entry.comment) {
            (GivenFrom::Mcp, _) => FeedbackSource::Mcp,
            (GivenFrom::Site, Some(_)) => FeedbackSource::Contextual,
            (GivenFrom::Site, None) => FeedbackSource::ThumbsOnly,
        };
        Self {
            id: entry.id,
            path: entry.page,
            comment: entry.comment,
            created_at: iso(entry.created_at),
            source,
            status: entry.state,
            helpful: entry.helpful,
            contact: None,
        }
    }
}

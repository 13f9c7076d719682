//! Questions of readers with the answers of the assistant: listed, exported, and deleted.

mod export;
mod range;

use docwright_storage::database::{self, Position, QuestionFilter};
use docwright_types::{
    assistant::{AnswerKind, AskedFrom, RatingReason},
    timestamp::iso,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::{Allowed, OperationError, Operations, audit::Change, can, lists::Page};

pub use export::{QuestionExport, export};
pub use range::QuestionRange;

/// Most questions of a thread that are returned.
const OF_THREAD: i64 = 1_000;

/// A question of a reader with the answer of the assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    /// ID of the answer.
    #[schema(example = "5f0c1a2b3d4e5f60")]
    pub id: String,
    /// ID of the conversation, which the reader's browser made. Outside of a conversation, the ID of the answer.
    #[schema(example = "q0Xw1mGZ7dYb2nJ5s8LrTA")]
    pub thread_id: String,
    /// Time of the question.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// The question.
    #[schema(example = "How do I add a domain?")]
    pub query: String,
    /// The answer in Markdown; empty for a refusal.
    #[schema(example = "Open **Domains** and enter the hostname.")]
    pub response: String,
    /// Pages that the answer quotes; the nearest sections for a refusal.
    pub sources: Vec<ConversationSource>,
    /// Always null. docwright assigns no categories.
    pub query_category: Option<String>,
    /// Whether the pages answered the question.
    pub resolution_status: Resolution,
    /// Kind of the answer.
    pub kind: AnswerKind,
    /// Where it was asked: a page of the site, the widget on another site, the API, or the MCP server of the site.
    pub asked_from: AskedFrom,
    /// Domain of the site.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Path of the page that the reader was on.
    #[schema(example = "guides/start")]
    pub page: Option<String>,
    /// Language that was searched.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Version or product that was searched.
    #[schema(example = "v2")]
    pub version: Option<String>,
    /// Rating of the answer; null if the reader didn't rate it.
    pub rating: Option<AnswerRating>,
    /// When docwright deletes it.
    #[schema(format = DateTime)]
    pub expires_at: String,
}

/// A section that an answer quotes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConversationSource {
    /// Title of the page.
    #[schema(example = "Domains")]
    pub title: String,
    /// Path of the section, below the root of the site.
    #[schema(example = "/run/domains#add-a-domain")]
    pub url: String,
}

/// Whether the pages answered a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Resolution {
    /// There is an answer, or a question back.
    Answered,
    /// The pages don't say.
    Unanswered,
}

/// A reader's rating of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AnswerRating {
    /// Whether it helped.
    pub helpful: bool,
    /// Why it didn't help.
    pub reason: Option<RatingReason>,
    /// Comment of the reader.
    #[schema(example = "The button has another name.")]
    pub comment: Option<String>,
}

/// Which questions to list.
#[derive(Debug, Default, Clone, Copy, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListConversations {
    /// Return only questions with this kind of answer. `refused` lists what the pages don't say.
    #[param(inline, value_type = AnswerKind, required = false)]
    pub kind: Option<AnswerKind>,
}

/// A page of questions, newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationList {
    /// The questions with their answers.
    pub conversations: Vec<Conversation>,
    /// Cursor of the next page; null on the last page.
    pub next_cursor: Option<String>,
    /// Whether there is another page.
    pub has_more: bool,
}

/// A conversation.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Thread {
    /// ID of the conversation.
    #[schema(example = "q0Xw1mGZ7dYb2nJ5s8LrTA")]
    pub thread_id: String,
    /// Its questions with their answers, oldest first: the newest 1,000.
    pub conversations: Vec<Conversation>,
}

/// The number of questions by where they were asked.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallerStats {
    /// On pages of the site.
    #[schema(minimum = 0, example = 120)]
    pub web: i64,
    /// By programs, with the API or the MCP server of the site.
    #[schema(minimum = 0, example = 30)]
    pub api: i64,
    /// In the widget on other sites.
    #[schema(minimum = 0, example = 10)]
    pub other: i64,
    /// All of them.
    #[schema(minimum = 0, example = 160)]
    pub total: i64,
}

/// The number of deleted questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeletedQuestions {
    /// How many questions were deleted.
    #[schema(minimum = 0, example = 12)]
    pub deleted: u64,
}

/// Lists the questions of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListConversations>,
    project_id: &str,
    (range, filter): (&QuestionRange, ListConversations),
    page: &Page,
) -> Result<ConversationList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let (from, to) = range.times()?;
    let page = page.of(("questions", &project.id, range, filter))?;
    let filter = QuestionFilter { from, to, kind: filter.kind, thread: None };
    let read = operations.database.questions(&project.id, filter, page.of_all()).await?;
    let listed = page.cut(read, position, Conversation::from);
    let has_more = listed.next_cursor.is_some();
    Ok(ConversationList { conversations: listed.items, next_cursor: listed.next_cursor, has_more })
}

/// The questions of a conversation.
pub async fn thread(
    operations: &Operations,
    caller: &Allowed<can::GetThread>,
    (project_id, thread): (&str, &str),
) -> Result<Thread, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let filter = QuestionFilter { thread: Some(thread), ..QuestionFilter::ALL };
    let page = database::PageRequest::first(OF_THREAD);
    let read = operations.database.questions(&project.id, filter, page).await?;
    if read.is_empty() {
        return Err(no_thread());
    }
    let conversations = read.into_iter().rev().map(Conversation::from).collect();
    Ok(Thread { thread_id: thread.to_owned(), conversations })
}

/// Counts the questions of a project by where they were asked.
pub async fn caller_stats(
    operations: &Operations,
    caller: &Allowed<can::GetCallerStats>,
    project_id: &str,
    range: &QuestionRange,
) -> Result<CallerStats, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let mut stats = CallerStats::default();
    for count in operations.database.count_questions(&project.id, range.times()?).await? {
        let place = match count.asked_from {
            AskedFrom::Site => &mut stats.web,
            AskedFrom::Widget => &mut stats.other,
            AskedFrom::Api | AskedFrom::Mcp => &mut stats.api,
        };
        *place += count.questions;
        stats.total += count.questions;
    }
    Ok(stats)
}

/// Deletes the questions of a conversation.
pub async fn delete_thread(
    operations: &Operations,
    caller: &Allowed<can::DeleteThread>,
    (project_id, thread): (&str, &str),
) -> Result<DeletedQuestions, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let change = Change::of("thread.delete", Some(&project.organization_id))
        .before(json!({ "projectId": project.id }));
    let database = caller.recording(operations, change);
    match database.delete_questions(&project.id, Some(thread)).await? {
        0 => Err(no_thread()),
        deleted => Ok(DeletedQuestions { deleted }),
    }
}

/// Deletes all questions of a project.
pub async fn delete_all(
    operations: &Operations,
    caller: &Allowed<can::DeleteConversations>,
    project_id: &str,
) -> Result<DeletedQuestions, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let change = Change::of("conversations.delete", Some(&project.organization_id))
        .before(json!({ "projectId": project.id }));
    let database = caller.recording(operations, change);
    let deleted = database.delete_questions(&project.id, None).await?;
    Ok(DeletedQuestions { deleted })
}

/// The place of a question in lists.
fn position(question: &database::Question) -> Position {
    Position { text: question.asked.asked_at.to_string(), id: question.asked.id.clone() }
}

fn no_thread() -> OperationError {
    OperationError::NotFound("Thread not found in this project. Check the ID.".to_owned())
}

impl From<database::Question> for Conversation {
    fn from(database::Question { asked, rating }: database::Question) -> Self {
        let resolution_status = match asked.kind {
            AnswerKind::Refused => Resolution::Unanswered,
            _ => Resolution::Answered,
        };
        Self {
            id: asked.id,
            thread_id: asked.thread,
            timestamp: iso(asked.asked_at),
            query: asked.question,
            response: asked.answer,
            sources: asked.sources.into_iter().map(ConversationSource::from).collect(),
            query_category: None,
            resolution_status,
            kind: asked.kind,
            asked_from: asked.asked_from,
            domain: asked.domain,
            page: asked.page,
            language: asked.language,
            version: asked.version,
            rating: rating.map(AnswerRating::from),
            expires_at: iso(asked.expires_at),
        }
    }
}

impl From<database::QuestionSource> for ConversationSource {
    fn from(source: database::QuestionSource) -> Self {
        let database::QuestionSource { page, anchor, title, .. } = source;
        let url = if anchor.is_empty() { format!("/{page}") } else { format!("/{page}#{anchor}") };
        Self { title, url }
    }
}

impl From<database::Rating> for AnswerRating {
    fn from(database::Rating { helpful, reason, comment }: database::Rating) -> Self {
        Self { helpful, reason, comment }
    }
}

//! Feedback of readers on pages, and its processing by authors.

use docwright_storage::database::{self, PageFeedback};
use docwright_types::{feedback::FeedbackState, timestamp::iso};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::{
    Allowed, Listed, OperationError, Operations,
    audit::Change,
    can,
    fields::{Revision, SiteDomain, require_current},
    listed::Item,
    lists::{Page, Search},
};

/// Longest note, in characters.
const LONGEST: usize = 2_000;

/// A feedback entry: a reader's rating and comment on a page, with its state.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedbackAnswer {
    /// ID of the feedback entry.
    #[schema(example = "feedback_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    pub id: String,
    /// The domain of the site.
    #[schema(example = "docs.example.com")]
    pub domain: String,
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub page: String,
    /// Whether the page helped the reader.
    pub helpful: bool,
    /// Comment of the reader.
    #[schema(example = "Say which version this is for.")]
    pub comment: Option<String>,
    /// State of the entry.
    pub state: FeedbackState,
    /// Note of the authors.
    #[schema(example = "The page names the version now.")]
    pub note: Option<String>,
    /// Time of the feedback.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Time of the last change to the state or note; null if there was none.
    #[schema(format = DateTime)]
    pub changed_at: Option<String>,
    /// Revision of the object, which each update increments. An update can name it.
    #[schema(minimum = 1, example = 1)]
    pub revision: i64,
}

/// Feedback on the pages of a domain.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Feedback {
    /// Pages with feedback. Pages that helped least come first.
    pub pages: Vec<PageRating>,
}

/// Feedback on one page.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PageRating {
    /// Path of the page.
    #[schema(example = "guides/start")]
    pub page: String,
    /// Number of helpful ratings.
    #[schema(example = 12)]
    pub helpful: i64,
    /// Number of not helpful ratings.
    #[schema(example = 3)]
    pub unhelpful: i64,
    /// Comments of readers, newest first.
    #[schema(example = json!(["Say which version this is for."]))]
    pub comments: Vec<String>,
}

/// Whose feedback to list.
#[derive(Debug, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeedbackFilter {
    /// Domain as a bare hostname.
    #[param(inline)]
    pub domain: SiteDomain,
}

/// Which answers to list.
#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListFeedbackAnswers {
    /// Return only entries in this state.
    #[param(inline, value_type = FeedbackState, required = false)]
    pub state: Option<FeedbackState>,
    /// Return only entries whose page starts with this text, grouped by page. The case of ASCII
    /// letters is ignored.
    #[param(value_type = String, required = false, max_length = 200, pattern = r"^[^\x00]*$", example = "guides/")]
    pub search: Option<Search>,
}

/// Settings to change. Omitted fields keep their values.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackChange {
    /// New state.
    #[schema(value_type = Option<FeedbackState>)]
    pub state: Option<FeedbackState>,
    /// Note of the authors, hidden from readers. Send an empty note to remove it.
    #[schema(value_type = Option<String>, max_length = 2000, pattern = r"^[^\x00]*$", example = "The page names the version now.")]
    pub note: Option<Note>,
    /// Revision that the update is based on. If the object has another one by then, the update returns a conflict.
    #[schema(value_type = Option<i64>, minimum = 1)]
    pub revision: Option<Revision>,
}

/// A note, which can be empty.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Note(String);

impl TryFrom<String> for Note {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("contains a NUL character; remove it".to_owned());
        }
        if text.chars().count() > LONGEST {
            return Err(format!("is longer than {LONGEST} characters; make it shorter"));
        }
        Ok(Self(text))
    }
}

/// A page of feedback entries, newest first.
pub type FeedbackAnswerList = Listed<FeedbackAnswer>;

impl Item for FeedbackAnswer {
    const LIST: &'static str = "FeedbackAnswerList";
    const FIELD: &'static str = "feedback";
    const PAGE: &'static str = "A page of feedback entries, newest first.";
}

/// Sums up the feedback of a domain.
pub async fn of_domain(
    operations: &Operations,
    caller: &Allowed<can::ListFeedback>,
    FeedbackFilter { domain: SiteDomain(domain) }: &FeedbackFilter,
) -> Result<Feedback, OperationError> {
    caller.project_of_domain(operations, domain).await?;
    let pages = operations.database.feedback(domain.as_str()).await?;
    Ok(Feedback { pages: pages.into_iter().map(PageRating::from).collect() })
}

/// Lists the feedback of a project.
pub async fn list(
    operations: &Operations,
    caller: &Allowed<can::ListProjectFeedback>,
    project_id: &str,
    filter: &ListFeedbackAnswers,
    page: &Page,
) -> Result<FeedbackAnswerList, OperationError> {
    let project = caller.project(operations, project_id).await?;
    let page = page.of(("feedback", &project.id, filter))?;
    // Page names have no leading slash, unlike addresses.
    let search = filter.search.clone().map(|search| search.without("/"));
    let wanted = page.searched(search.as_ref());
    let read = operations.database.feedback_of_project(&project.id, filter.state, wanted).await?;
    let position = |answer: &database::Feedback| wanted.position(Some(&answer.page), &answer.id);
    Ok(page.cut(read, position, FeedbackAnswer::from))
}

/// Changes the state or the note of an answer.
pub async fn update(
    operations: &Operations,
    caller: &Allowed<can::UpdateFeedback>,
    (project_id, id): (&str, &str),
    input: FeedbackChange,
) -> Result<FeedbackAnswer, OperationError> {
    let missing =
        || OperationError::NotFound("Feedback not found in this project. Check the ID.".to_owned());
    let project = caller.project(operations, project_id).await?;
    let before = operations.database.feedback_of_id(&project.id, id).await?.ok_or_else(missing)?;
    let FeedbackChange { state, note, revision } = input;
    let revision = require_current("feedback entry", before.revision, revision)?;
    let note = note.as_ref().map(|Note(text)| text.trim());
    let after = note.or(before.note.as_deref()).filter(|text| !text.is_empty());
    let after_state = state.unwrap_or(before.state).name();
    let change = Change::of("feedback.update", Some(&project.organization_id))
        .before(json!({ "state": before.state.name(), "note": before.note }))
        .after(json!({ "projectId": project.id, "state": after_state, "note": after }));
    let database = caller.recording(operations, change);
    let change = database::FeedbackChange { state, note, revision };
    if !database.update_feedback((&project.id, id), change, operations.now()).await? {
        return Err(missing());
    }
    let after = operations.database.feedback_of_id(&project.id, id).await?.ok_or_else(missing)?;
    Ok(after.into())
}

impl From<database::Feedback> for FeedbackAnswer {
    fn from(row: database::Feedback) -> Self {
        Self {
            id: row.id,
            domain: row.domain,
            page: row.page,
            helpful: row.helpful,
            comment: row.comment,
            state: row.state,
            note: row.note,
            created_at: iso(row.created_at),
            changed_at: row.changed_at.map(iso),
            revision: row.revision,
        }
    }
}

impl From<PageFeedback> for PageRating {
    fn from(PageFeedback { page, helpful, unhelpful, comments }: PageFeedback) -> Self {
        Self { page, helpful, unhelpful, comments }
    }
}

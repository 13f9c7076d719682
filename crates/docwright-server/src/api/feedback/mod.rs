//! Feedback: what readers say of pages, and what authors make of it.

pub(super) mod list;
pub(super) mod of_project;
pub(super) mod update;

use docwright_domain::{feedback::FeedbackState, timestamp::iso};
use docwright_storage::database;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What one reader said of a page, and what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FeedbackAnswer {
    /// Identifier of the answer.
    #[schema(example = "feedback_0199a1b2c3d4e5f60718293a4b5c6d7e")]
    id: String,
    /// The domain of the site.
    #[schema(example = "docs.example.com")]
    domain: String,
    /// Slug of the page.
    #[schema(example = "guides/start")]
    page: String,
    /// Whether the page helped.
    helpful: bool,
    /// What the reader had to add.
    #[schema(example = "Say which version this is for.")]
    comment: Option<String>,
    /// What became of it.
    state: State,
    /// What the authors wrote about it.
    #[schema(example = "The page names the version now.")]
    note: Option<String>,
    /// When the reader said it.
    #[schema(format = DateTime)]
    created_at: String,
    /// When its state or its note changed last; null if they never did.
    #[schema(format = DateTime)]
    changed_at: Option<String>,
}

/// What became of a reader's answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = FeedbackState)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// Nobody has looked at it.
    Pending,
    /// Somebody works on it.
    InProgress,
    /// The page was changed for it.
    Resolved,
    /// There is nothing to do about it.
    Dismissed,
}

impl From<State> for FeedbackState {
    fn from(state: State) -> Self {
        match state {
            State::Pending => Self::Pending,
            State::InProgress => Self::InProgress,
            State::Resolved => Self::Resolved,
            State::Dismissed => Self::Dismissed,
        }
    }
}

impl From<FeedbackState> for State {
    fn from(state: FeedbackState) -> Self {
        match state {
            FeedbackState::Pending => Self::Pending,
            FeedbackState::InProgress => Self::InProgress,
            FeedbackState::Resolved => Self::Resolved,
            FeedbackState::Dismissed => Self::Dismissed,
        }
    }
}

impl From<database::Feedback> for FeedbackAnswer {
    fn from(row: database::Feedback) -> Self {
        Self {
            id: row.id,
            domain: row.domain,
            page: row.page,
            helpful: row.helpful,
            comment: row.comment,
            state: row.state.into(),
            note: row.note,
            created_at: iso(row.created_at),
            changed_at: row.changed_at.map(iso),
        }
    }
}

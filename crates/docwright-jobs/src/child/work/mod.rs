//! Kinds of work of a child: one file each, with the request, the answer, and the work.

mod build;
mod check;
mod draft;
mod links_to_repair;
mod markdown;
mod moved_links;
mod preview;
mod questions;
mod sections;
mod unknown_paths;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub(super) use build::MAXIMUM_DESCRIPTIONS;
pub use build::{Build, BuildDiagnostic, BuildOptions, Built};
pub use check::Check;
pub use draft::{CompiledDraft, Draft};
pub use links_to_repair::LinksToRepair;
pub use markdown::{Element, Markdown, Piece, pieces};
pub use moved_links::MovedLinks;
pub use preview::Preview;
pub use questions::QuestionsToAsk;
pub use unknown_paths::UnknownPaths;

use super::process::Parent;

/// A kind of work, and its result.
pub trait Work: Send {
    /// Its name for users, at the start of a sentence.
    const NAME: &'static str;
    /// Its result.
    type Output: Send;

    /// The request, as it is sent.
    fn into_request(self) -> Request;

    /// The answer, if it matches this kind of request and is plausible.
    fn read_answer(answer: WorkResponse) -> Option<Self::Output>;
}

/// Any request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Request {
    /// See [`Build`].
    Build(Box<Build>),
    /// See [`Check`].
    Check(Check),
    /// See [`Draft`].
    Draft(Box<Draft>),
    /// See [`LinksToRepair`].
    LinksToRepair(LinksToRepair),
    /// See [`Markdown`].
    Markdown(Markdown),
    /// See [`MovedLinks`].
    MovedLinks(MovedLinks),
    /// See [`Preview`].
    Preview(Preview),
    /// See [`UnknownPaths`].
    UnknownPaths(UnknownPaths),
}

/// Any answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum WorkResponse {
    /// To a [`Build`].
    Built(Built),
    /// To a [`Check`].
    Problems(Vec<docwright_agent::checker::Problem>),
    /// To a [`Draft`].
    Draft(Option<CompiledDraft>),
    /// To [`LinksToRepair`].
    BrokenLinks(Vec<docwright_agent::checker::BrokenLink>),
    /// To [`Markdown`].
    Pieces(Vec<Option<Vec<Piece>>>),
    /// To [`MovedLinks`].
    MovedLinks(Vec<docwright_agent::checker::MovedLink>),
    /// To a [`Preview`].
    Text(Option<String>),
    /// To [`UnknownPaths`].
    Paths(Vec<String>),
}

/// Why the work failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// A sentence for users.
    pub(super) message: String,
    /// Whether the same work can succeed later without any change.
    pub(super) is_transient: bool,
}

impl Failure {
    /// A permanent error.
    fn lasting(error: impl ToString) -> Self {
        Self { message: error.to_string(), is_transient: false }
    }

    /// An error of the machine, such as a full disk.
    fn passing(error: impl ToString) -> Self {
        Self { message: error.to_string(), is_transient: true }
    }

    /// Replaces the docs root in a text: users must not learn paths of the machine.
    fn without_paths(mut self, root: &Path) -> Self {
        // The compiler resolves links in the path of the root, and can name either form.
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        for path in [root, &canonical] {
            self.message = self.message.replace(&path.display().to_string(), "the docs root");
        }
        self
    }
}

impl From<docwright_site::source::SourceError> for Failure {
    fn from(error: docwright_site::source::SourceError) -> Self {
        Self::lasting(error)
    }
}

impl From<docwright_site::build::BuildError> for Failure {
    fn from(error: docwright_site::build::BuildError) -> Self {
        use docwright_site::build::BuildError;
        match error {
            // Its cause can name a folder of the machine.
            BuildError::Output(error) => {
                Self::passing(format!("the server can't write the site: {}", error.kind()))
            }
            BuildError::Threads(_) => Self::passing(error),
            BuildError::Content(_) | BuildError::UnknownPath { .. } | BuildError::TooLarge(_) => {
                Self::lasting(error)
            }
        }
    }
}

/// Does the requested work.
pub(super) fn perform(request: Request, parent: &Parent) -> Result<WorkResponse, Failure> {
    match request {
        Request::Build(build) => build.perform(parent).map(WorkResponse::Built),
        Request::Check(check) => check.perform().map(WorkResponse::Problems),
        Request::Draft(draft) => draft.perform().map(WorkResponse::Draft),
        Request::LinksToRepair(links) => links.perform().map(WorkResponse::BrokenLinks),
        Request::Markdown(markdown) => markdown.perform().map(WorkResponse::Pieces),
        Request::MovedLinks(links) => links.perform().map(WorkResponse::MovedLinks),
        Request::Preview(preview) => preview.perform().map(WorkResponse::Text),
        Request::UnknownPaths(paths) => paths.perform().map(WorkResponse::Paths),
    }
}

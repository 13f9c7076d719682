//! What parent and child say to each other. [`super::protocol`] says in which order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    confinement::Applied,
    work::{BuildDiagnostic, Request, WorkResponse},
};

/// From the parent, after the confinement.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToChild {
    /// What to do; once.
    Request(Box<Request>),
    /// One of the descriptions that the child asked for: a frame each, since they can be long.
    Description {
        /// The address that the child named.
        address: String,
        /// What is there.
        text: String,
    },
    /// The rest of what the child asked for, after all descriptions.
    BrokerResponse {
        /// See [`BrokerResponse::dates`].
        dates: BTreeMap<String, String>,
        /// See [`BrokerResponse::diagnostics`].
        diagnostics: Vec<BuildDiagnostic>,
    },
}

/// From the child.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromChild {
    /// The child is confined; first of all.
    Hello(Hello),
    /// How far a build is.
    Progress(Progress),
    /// What a build needs that only the parent can get; at most once.
    BrokerRequest(BrokerRequest),
    /// The end of the work.
    Done(WorkResponse),
    /// The work can't be done.
    Failed {
        /// Why, as a sentence for users.
        message: String,
        /// Whether the same work can succeed later without anyone changing anything.
        is_transient: bool,
    },
}

/// A child that is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The version of the program.
    pub(super) version: String,
    /// What holds the child.
    pub(super) applied: Applied,
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Pages rendered so far.
    pub rendered: usize,
    /// Pages in all.
    pub total: usize,
}

/// What a build needs from git and the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokerRequest {
    /// Files, below the docs root, whose last change is shown. Empty if no page shows one.
    pub dates: Vec<String>,
    /// Addresses of API specs on other hosts. Authors chose them.
    pub remote_specs: Vec<String>,
}

impl BrokerRequest {
    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        self.dates.is_empty() && self.remote_specs.is_empty()
    }
}

/// What the parent found of [`BrokerRequest`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerResponse {
    /// Last change of a file (path below the docs root → ISO 8601), where known.
    pub dates: BTreeMap<String, String>,
    /// Address and text of each description that was found, each 16 MiB at most.
    pub remote_specs: Vec<(String, String)>,
    /// What was wrong with the others.
    pub diagnostics: Vec<BuildDiagnostic>,
}

//! Messages between parent and child. [`super::protocol`] defines their order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    confinement::Applied,
    work::{BuildDiagnostic, Request, WorkResponse},
};

/// From the parent, after the confinement.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToChild {
    /// The request; once.
    Request(Box<Request>),
    /// A part of one of the specs that the child requested. The parts of a long one follow each other.
    Description {
        /// The requested address.
        address: String,
        /// The next part of its contents.
        text: String,
    },
    /// One of the fonts that the child requested.
    Font {
        /// The requested address.
        address: String,
        /// Its contents, as hexadecimal digits.
        contents: String,
    },
    /// The vectors of the texts that the child sent, as hexadecimal digits of little-endian numbers, or why there are
    /// none.
    Embedded(Result<Vec<String>, String>),
    /// The rest of the requested data, after all specs and fonts.
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
    /// The child is confined; the first message.
    Hello(Hello),
    /// Progress of a build.
    Progress(Progress),
    /// Data that a build needs from the parent; at most once.
    BrokerRequest(BrokerRequest),
    /// Texts that the parent embeds.
    Embed(Vec<String>),
    /// The result of the work.
    Done(WorkResponse),
    /// The work failed.
    Failed {
        /// Why, as a sentence for users.
        message: String,
        /// Whether the same work can succeed later without any change.
        is_transient: bool,
    },
}

/// A child that is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The version of the program.
    pub(super) version: String,
    /// The applied confinement.
    pub(super) applied: Applied,
}

/// Progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Pages rendered so far.
    pub rendered: usize,
    /// Pages in all.
    pub total: usize,
}

/// Data that a build needs from git and the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokerRequest {
    /// Files, below the docs root, whose last change is shown. Empty if no page shows one.
    pub dates: Vec<String>,
    /// Addresses of API specs on other hosts, chosen by authors.
    pub remote_specs: Vec<String>,
    /// Addresses of fonts on other hosts, chosen by authors.
    pub remote_fonts: Vec<String>,
}

impl BrokerRequest {
    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        self.dates.is_empty() && self.remote_specs.is_empty() && self.remote_fonts.is_empty()
    }
}

/// The parent's answer to [`BrokerRequest`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerResponse {
    /// Last change of a file (path below the docs root → ISO 8601), where known.
    pub dates: BTreeMap<String, String>,
    /// Address and text of each spec that was fetched, each 64 MiB at most.
    pub remote_specs: Vec<(String, String)>,
    /// Address and contents of each font that was fetched, each 5 MiB at most.
    pub remote_fonts: Vec<(String, Vec<u8>)>,
    /// Errors of the others.
    pub diagnostics: Vec<BuildDiagnostic>,
}

//! What the parts of the service share.

use std::{ops::Deref, sync::Arc};

use docwright_operations::Operations;
use tokio_util::sync::CancellationToken;

use crate::{markdown::MarkdownReader, metrics::Webhooks, openid::Provider, refusals::Refusals};

/// What handlers work with. A request clones it for each thing that is taken out of it, so a clone is a number
/// that goes up.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

/// What handlers share. Each field says who needs it; what one part alone needs is not here.
#[derive(Debug)]
pub(crate) struct Shared {
    /// What operations work with.
    pub(crate) operations: Operations,
    /// Reads Markdown of strangers, in child processes: pages of pull requests.
    pub(crate) markdown: MarkdownReader,
    /// Bytes of a push at most.
    pub(crate) maximum_push: u64,
    /// The service stops: streams of events end.
    pub(crate) stopping: CancellationToken,
    /// Counts webhooks.
    pub(crate) webhooks: Webhooks,
    /// Those whose webhooks were refused.
    pub(crate) refusals: Refusals,
    /// Who else signs people in: the dashboard.
    pub(crate) provider: Option<Provider>,
}

impl Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Deref for Shared {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

impl AppState {
    /// Shares something with all handlers.
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }
}

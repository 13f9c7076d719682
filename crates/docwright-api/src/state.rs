//! Resources of handlers.

use std::{ops::Deref, sync::Arc};

use docwright_operations::{Operations, discovery::SiteReader};
use tokio_util::sync::CancellationToken;

/// Resources of handlers. Cloning increments three counters.
#[derive(Debug, Clone)]
pub struct ApiState {
    /// The operations.
    pub operations: Operations,
    /// Reads the sites of the instance.
    pub sites: Arc<dyn SiteReader>,
    /// The service stops: event streams end.
    pub stopping: CancellationToken,
}

impl Deref for ApiState {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

//! Resources of handlers.

use std::ops::Deref;

use docwright_operations::Operations;
use tokio_util::sync::CancellationToken;

/// Resources of handlers. Cloning increments two counters.
#[derive(Debug, Clone)]
pub struct ApiState {
    /// The operations.
    pub operations: Operations,
    /// The service stops: event streams end.
    pub stopping: CancellationToken,
}

impl Deref for ApiState {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

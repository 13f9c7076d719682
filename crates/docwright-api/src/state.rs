//! What handlers work with.

use std::ops::Deref;

use docwright_operations::Operations;
use tokio_util::sync::CancellationToken;

/// What handlers work with. A clone is two numbers that go up.
#[derive(Debug, Clone)]
pub struct ApiState {
    /// What they call.
    pub operations: Operations,
    /// The service stops: streams of events end.
    pub stopping: CancellationToken,
}

impl Deref for ApiState {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

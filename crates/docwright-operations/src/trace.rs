//! What the log says of a request.

use tracing::Span;

/// Adds what a request concerns, such as `job`, to each of its lines from now on.
pub fn concerns(field: &str, id: &str) {
    Span::current().record(field, id);
}

//! Log fields of a request.

use tracing::Span;

/// Adds a field about a request's subject, such as `job`, to all of its later lines.
pub fn concerns(field: &str, id: &str) {
    Span::current().record(field, id);
}

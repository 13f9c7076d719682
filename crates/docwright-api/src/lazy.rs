//! Values that are made on first use, because most services start without a reader of them.

use std::sync::{Arc, LazyLock};

/// A shared value, made on first use.
pub(super) type Lazy<T> = Arc<LazyLock<T, Box<dyn FnOnce() -> T + Send>>>;

pub(super) fn lazy<T>(make: impl FnOnce() -> T + Send + 'static) -> Lazy<T> {
    Arc::new(LazyLock::new(Box::new(make)))
}

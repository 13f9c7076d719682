//! Duties that nobody asks for: one file each.

mod clean;
mod reconcile;

pub use clean::{Cleaner, Retention};
pub use reconcile::{Reconciler, reconcile};

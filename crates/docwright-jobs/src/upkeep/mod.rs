//! Duties that nobody asks for: one file each.

mod clean;

pub use clean::{Cleaner, Retention};

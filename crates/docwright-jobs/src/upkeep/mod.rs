//! Regular duties: one file each.

mod clean;

pub use clean::{Cleaner, Retention};

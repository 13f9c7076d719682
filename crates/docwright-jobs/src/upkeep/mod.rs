//! Regular maintenance, with one file for each task.

mod clean;

pub use clean::{Cleaner, Retention};

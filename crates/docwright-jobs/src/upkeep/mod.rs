//! Regular maintenance, with one file for each task.

mod clean;
mod old_events;
mod pack;

pub use clean::{Cleaner, Retention};

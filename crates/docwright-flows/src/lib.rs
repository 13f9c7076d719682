//! What docwright does in the background: publishing, and the queue of its jobs.
//!
//! This crate alone combines the compiler with storage. It knows nothing of HTTP.

pub mod clock;
pub mod publish;
pub mod worker;

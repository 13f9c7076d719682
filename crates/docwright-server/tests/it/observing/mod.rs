//! What operators see of the real program: its lines in the log, and its metrics.

mod log;
mod logs;
mod metrics;
mod probes;
mod scrape;
mod sign_ins;

pub(crate) use log::Logged;
pub(crate) use scrape::Scrape;

//! What operators see of the real program: its lines in the log, and its metrics.

mod documented;
mod log;
mod logs;
mod metrics;
mod probes;
mod scrape;
mod secrets;
mod sign_ins;

pub(crate) use documented::is_documented;
pub(crate) use log::Logged;
pub(crate) use scrape::Scrape;

//! Logs and metrics of the real program.

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

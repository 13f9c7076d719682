//! Logs: JSON lines for programs, plain lines on a terminal.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts logging to standard error. `RUST_LOG` chooses what is logged.
pub(crate) fn start() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, in tests, changes nothing.
    let started =
        if std::io::stderr().is_terminal() { logs.try_init() } else { logs.json().try_init() };
    drop(started);
}

//! `docwright child`: runs work of the service that can hang or use too much memory. Hidden, since only the
//! service uses it.

use std::process::ExitCode;

/// Runs the command. No other thread can run before.
pub(crate) fn run() -> ExitCode {
    docwright_jobs::child::run_child()
}

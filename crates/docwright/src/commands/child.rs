//! `docwright child`: what the service starts for work that can hang or eat memory. Hidden, since it
//! speaks with the service only.

use std::process::ExitCode;

/// Runs the command. Nothing might have started a thread before.
pub(crate) fn run() -> ExitCode {
    docwright_jobs::child::run_child()
}

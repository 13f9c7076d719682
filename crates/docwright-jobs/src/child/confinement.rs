//! The first frame to a child: its confinement from then on.
//!
//! It is applied before the child reads its work, while it has one thread: kernels confine threads, and existing
//! ones would stay unconfined.

use std::io;

use serde::{Deserialize, Serialize};

use super::{
    limits::ProcessLimits,
    sandbox::{self, Folders, Protection},
};

/// Longest frame. Bytes.
pub(super) const MAXIMUM: usize = 64 * 1024;

/// The confinement that a child applies to itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Confinement {
    pub(super) limits: ProcessLimits,
    pub(super) folders: Folders,
}

/// How far a process is confined. Limits always apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Applied {
    /// Whether it can read only its folders.
    pub(super) files: Protection,
    /// Whether it has no network, other processes, or rare system calls.
    pub(super) system_calls: Protection,
}

impl Confinement {
    /// Applies everything to this process, permanently.
    pub(super) fn apply(&self) -> io::Result<Applied> {
        if threads().is_some_and(|count| count > 1) {
            return Err(io::Error::other(
                "other threads are already running and would stay unconfined",
            ));
        }
        self.limits.apply()?;
        sandbox::confine(&self.folders)
    }
}

/// Number of threads of this process, if the system reports it.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

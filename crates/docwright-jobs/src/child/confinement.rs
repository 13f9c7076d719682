//! The first frame to a child: its confinement from then on.
//!
//! It is applied before the child reads its work, while it has one thread: kernels confine threads,
//! and those that exist already would stay free.

use std::io;

use serde::{Deserialize, Serialize};

use super::{
    limits::ProcessLimits,
    sandbox::{self, Folders, Protection},
};

/// Longest frame. Bytes.
pub(super) const MAXIMUM: usize = 64 * 1024;

/// What a child applies to itself.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Confinement {
    pub(super) limits: ProcessLimits,
    pub(super) folders: Folders,
}

/// How far a process is confined. Limits always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Applied {
    /// Whether it sees nothing but its folders.
    pub(super) files: Protection,
    /// Whether it is without network, other processes and rare system calls.
    pub(super) system_calls: Protection,
}

impl Confinement {
    /// Applies everything to this process, permanently.
    pub(super) fn apply(&self) -> io::Result<Applied> {
        if threads().is_some_and(|count| count > 1) {
            return Err(io::Error::other("other threads run already; they would stay unconfined"));
        }
        self.limits.apply()?;
        sandbox::confine(&self.folders)
    }
}

/// How many threads this process has, where the system says so.
fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

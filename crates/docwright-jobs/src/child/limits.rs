//! Resource limits of a child.
//!
//! The parent watches time and resident memory; the kernel enforces the rest through limits that the child sets on
//! itself first.

use std::{io, time::Duration};

use serde::{Deserialize, Serialize};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
/// Stack size of rendering threads, in bytes.
const STACK: u64 = 64 * MIB;
/// Address space that is reserved without being used: the program, allocator arenas, guard pages.
const RESERVED: u64 = 16 * GIB;

/// Resource limits of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long the work can take.
    pub wall_time: Duration,
    /// Processor time of all threads together; counted in whole seconds.
    pub processor_time: Duration,
    /// Resident memory. Bytes.
    pub memory: u64,
    /// Size of one written file, in bytes.
    pub file_size: u64,
    /// Size of all written files, in bytes.
    pub output_size: u64,
    /// Files open at the same time.
    pub open_files: u64,
    /// How long the child can take until it is confined.
    pub start_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_time: Duration::from_mins(10),
            processor_time: Duration::from_mins(15),
            memory: 4 * GIB,
            // Enough for a bundle of the largest site.
            file_size: 5 * GIB,
            output_size: 4 * GIB,
            open_files: 1024,
            start_time: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// Limits that the child sets on itself. `threads` is the number of rendering threads.
    pub(super) fn of_process(&self, threads: usize) -> ProcessLimits {
        // Resident memory counts, and the parent watches it. This limit stops growth between two checks of the
        // parent, and must not stop mere reservations.
        let stacks = (threads as u64).saturating_mul(4 * STACK);
        ProcessLimits {
            processor_seconds: self.processor_time.as_secs().max(1),
            address_space: self.memory.saturating_mul(4).saturating_add(RESERVED + stacks),
            file_size: self.file_size,
            output_size: self.output_size,
            open_files: self.open_files,
        }
    }
}

/// Limits of a whole process, set by the kernel or by the process.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct ProcessLimits {
    processor_seconds: u64,
    address_space: u64,
    file_size: u64,
    pub(super) output_size: u64,
    open_files: u64,
}

impl ProcessLimits {
    /// Sets them on this process, permanently.
    #[cfg(unix)]
    pub(super) fn apply(&self) -> io::Result<()> {
        use rustix::process::Resource;
        // Between the soft and the hard limit the kernel only sends a signal, which ends a process without a
        // handler.
        limit(Resource::Cpu, self.processor_seconds, self.processor_seconds + 5)?;
        limit(Resource::Fsize, self.file_size, self.file_size)?;
        limit(Resource::Nofile, self.open_files, self.open_files)?;
        limit(Resource::As, self.address_space, self.address_space)?;
        limit(Resource::Core, 0, 0)
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "it fails where there are such limits")]
    pub(super) fn apply(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Lowers a limit. A lower one stays.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, soft: u64, hard: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let before = getrlimit(resource);
    let lower = |new: u64, old: Option<u64>| Some(old.map_or(new, |old| old.min(new)));
    let maximum = lower(hard, before.maximum);
    let current = lower(soft, before.current);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

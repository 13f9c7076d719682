//! How much a child can use.
//!
//! The parent watches time and resident memory; the kernel holds the rest, by limits that the child
//! sets on itself before it does anything else.

use std::{io, time::Duration};

use serde::{Deserialize, Serialize};

const MIB: u64 = 1024 * 1024;
const GIB: u64 = 1024 * MIB;
/// Stacks of rendering threads. Bytes each.
const STACK: u64 = 64 * MIB;
/// Address space that is reserved without being used: the program, allocator arenas, guard pages.
const RESERVED: u64 = 16 * GIB;

/// How much a child can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long the work can take.
    pub wall_time: Duration,
    /// Processor time of all threads together; counted in whole seconds.
    pub processor_time: Duration,
    /// Resident memory. Bytes.
    pub memory: u64,
    /// One written file. Bytes.
    pub file_size: u64,
    /// All written files together. Bytes.
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
            // A bundle that holds all that a site can hold.
            file_size: 5 * GIB,
            output_size: 4 * GIB,
            open_files: 1024,
            start_time: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// What the child sets on itself. `threads` is how many render at the same time.
    pub(super) fn of_process(&self, threads: usize) -> ProcessLimits {
        // Resident memory is what counts, and the parent watches it. This stops what grows faster
        // than the parent looks, and must not stop what only reserves.
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

/// Limits that hold for a whole process, by the kernel or on its own.
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
        // Between the two limits the kernel only warns, which ends a process that does not listen.
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

/// Lowers a limit. One that is lower already stays.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, soft: u64, hard: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let before = getrlimit(resource);
    let lower = |new: u64, old: Option<u64>| Some(old.map_or(new, |old| old.min(new)));
    let maximum = lower(hard, before.maximum);
    let current = lower(soft, before.current);
    Ok(setrlimit(resource, Rlimit { current, maximum })?)
}

//! Restricts a process through the kernel: files ([`files`], Landlock) and system calls (`system_calls`, seccomp).
//!
//! Both apply to the calling thread and to threads and processes that it starts later, and can't be removed. If a
//! kernel lacks one of them, the other still applies, and the caller learns of it.

#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
mod system_calls;

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

/// The only files of a confined process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// Files, and folders with their contents, that it can read.
    pub read: Vec<PathBuf>,
    /// Those that it can also write.
    pub write: Vec<PathBuf>,
}

/// How far one kind of protection applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// Completely.
    Full,
    /// As far as this older kernel supports it.
    Partial,
    /// This kernel doesn't support it.
    Missing,
}

/// Confines the calling thread to some folders, and to the system calls for computing and for reading and writing
/// files.
#[cfg(target_os = "linux")]
pub(super) fn confine(folders: &Folders) -> io::Result<super::confinement::Applied> {
    let files = files::Rules { folders: folders.clone(), ..files::Rules::default() }.apply()?;
    // Last, since it refuses the calls that set up the rest.
    let system_calls = system_calls::restrict()?;
    Ok(super::confinement::Applied { files, system_calls })
}

/// Confines nothing: docwright supports no confinement on this system.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it fails where there is something to confine")]
pub(super) fn confine(_folders: &Folders) -> io::Result<super::confinement::Applied> {
    let (files, system_calls) = (Protection::Missing, Protection::Missing);
    Ok(super::confinement::Applied { files, system_calls })
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

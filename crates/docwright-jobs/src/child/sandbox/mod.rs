//! What the kernel keeps from a process: files ([`files`], Landlock) and system calls
//! (`system_calls`, seccomp).
//!
//! Both hold for the calling thread and the threads and processes that it starts later, and can't be
//! taken back. Where a kernel lacks one of them, the other still holds, and the caller learns so.

#[cfg(target_os = "linux")]
pub mod files;
#[cfg(target_os = "linux")]
mod system_calls;

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

/// The only files of a confined process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// Files, and folders with all they hold, that it can read.
    pub read: Vec<PathBuf>,
    /// Those that it can also write.
    pub write: Vec<PathBuf>,
}

/// How far one kind of protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protection {
    /// As asked for.
    Full,
    /// As far as this kernel can; it is older than docwright would like.
    Partial,
    /// This kernel has nothing of the kind.
    Missing,
}

/// Confines the calling thread to some folders, and to system calls that computing and reading and
/// writing files need.
#[cfg(target_os = "linux")]
pub(super) fn confine(folders: &Folders) -> io::Result<super::confinement::Applied> {
    let files = files::Rules { folders: folders.clone(), ..files::Rules::default() }.apply()?;
    // Last, since it refuses the calls that set up the rest.
    let system_calls = system_calls::restrict()?;
    Ok(super::confinement::Applied { files, system_calls })
}

/// Confines nothing: this system has no means that docwright knows.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it fails where there is something to confine")]
pub(super) fn confine(_folders: &Folders) -> io::Result<super::confinement::Applied> {
    let (files, system_calls) = (Protection::Missing, Protection::Missing);
    Ok(super::confinement::Applied { files, system_calls })
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

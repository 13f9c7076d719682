//! Landlock: which files a process can access, and that it can't signal other processes.
//!
//! Rules follow folders, not names: a symbolic link out of them is refused because of its target. The kernel's
//! documentation: <https://docs.kernel.org/userspace-api/landlock.html>.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::{Folders, Protection};

/// The newest kernel interface in use. Older kernels apply the restrictions that they support.
const KERNEL: ABI = ABI::V6;

/// Allowed operations on files and other processes.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Paths that it can read and write.
    pub folders: Folders,
    /// Files, and folders with their contents, that it can read and execute.
    pub run: Vec<PathBuf>,
    /// Whether it can use TCP.
    pub network: bool,
}

impl Rules {
    /// Applies these rules to the calling thread, and to everything that it starts. Also prevents privileges from
    /// programs (`no_new_privs`).
    pub fn apply(&self) -> io::Result<Protection> {
        let mut ruleset =
            Ruleset::default().handle_access(AccessFs::from_all(KERNEL)).map_err(failed)?;
        if !self.network {
            ruleset = ruleset.handle_access(AccessNet::from_all(KERNEL)).map_err(failed)?;
        }
        ruleset = ruleset.scope(Scope::from_all(KERNEL)).map_err(failed)?;
        let mut created = ruleset.create().map_err(failed)?;
        for path in &self.folders.read {
            created = allow(created, path, AccessFs::ReadFile | AccessFs::ReadDir)?;
        }
        for path in &self.folders.write {
            created = allow(created, path, writing())?;
        }
        for path in &self.run {
            created = allow(created, path, AccessFs::from_read(KERNEL))?;
        }
        let status = created.restrict_self().map_err(failed)?;
        Ok(match status.ruleset {
            RulesetStatus::FullyEnforced => Protection::Full,
            RulesetStatus::PartiallyEnforced => Protection::Partial,
            RulesetStatus::NotEnforced => Protection::Missing,
        })
    }
}

/// Regular files and folders: no devices, sockets, pipes, or links.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    let unknown = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot open {}: {error}", path.display()))
    };
    let is_folder = std::fs::metadata(path).map_err(unknown)?.is_dir();
    let access = if is_folder { access } else { access & AccessFs::from_file(KERNEL) };
    let file = PathFd::new(path).map_err(failed)?;
    ruleset.add_rule(PathBeneath::new(file, access)).map_err(failed)
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}

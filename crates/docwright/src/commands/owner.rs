//! The user and permissions of a command that works on a data folder.
//!
//! Files of root are unusable for the service, so a command started by root continues as the owner of the data
//! folder. Other users can't read what a command creates there, whatever the umask.

use std::path::Path;

/// Prepares the process for a data folder, before it has threads and creates files.
#[cfg(unix)]
pub(super) fn prepare(data: &Path) -> anyhow::Result<()> {
    use rustix::{fs::Mode, process};
    let _before = process::umask(Mode::RWXG | Mode::RWXO);
    match Owner::of(data) {
        Some(owner) if process::geteuid().is_root() => Err(owner.run_again(data)),
        _ => Ok(()),
    }
}

/// Elsewhere, the file system decides.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(super) fn prepare(_: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// The owner of a data folder, unless it is root.
#[cfg(unix)]
struct Owner {
    user: u32,
    group: u32,
}

#[cfg(unix)]
impl Owner {
    /// The owner of the folder; if that is root, such as for a mounted volume, the owner of the database.
    fn of(data: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let database = data.join(docwright_storage::Database::FILE);
        [data, &database].into_iter().find_map(|path| {
            let found = path.metadata().ok()?;
            let group = || main_group(found.uid()).unwrap_or(found.gid());
            (found.uid() != 0).then(|| Self { user: found.uid(), group: group() })
        })
    }

    /// Replaces this process by the same command, run as the owner. Returns only if that fails. The standard
    /// library also drops the groups of root.
    fn run_again(&self, data: &Path) -> anyhow::Error {
        use std::{env, os::unix::process::CommandExt, process::Command};
        let (user, data) = (self.user, data.display());
        eprintln!("note: running as user {user}, the owner of {data}");
        let program = match crate::flows::program() {
            Ok(program) => program,
            Err(error) => return error,
        };
        let mut arguments = env::args_os();
        let mut command = Command::new(program);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let error = command.args(arguments).uid(user).gid(self.group).exec();
        anyhow::anyhow!(
            "cannot run as user {user}, the owner of {data}: {error}; start docwright as that user, and let it execute the program"
        )
    }
}

/// The group of a user from the user list of this machine, which might not have the user.
#[cfg(unix)]
fn main_group(user: u32) -> Option<u32> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let id: u32 = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        (id == user).then_some(group)
    })
}

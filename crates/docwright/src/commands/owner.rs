//! The user and the permissions with which a command works on a data folder.
//!
//! Root makes files that the service can't use, so a command that root starts continues as the owner of
//! the data folder. Nothing that a command makes there can be read by other users, whatever the umask.

use std::path::Path;

/// Prepares the process for a data folder, before it has threads and before it makes a file.
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

/// The user that a data folder belongs to, who isn't root.
#[cfg(unix)]
struct Owner {
    user: u32,
    group: u32,
}

#[cfg(unix)]
impl Owner {
    /// The owner of the folder; that of the database in a folder of root's, such as a mounted volume.
    fn of(data: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let database = data.join(docwright_storage::Database::FILE);
        [data, &database].into_iter().find_map(|path| {
            let found = path.metadata().ok()?;
            let group = || main_group(found.uid()).unwrap_or(found.gid());
            (found.uid() != 0).then(|| Self { user: found.uid(), group: group() })
        })
    }

    /// Replaces this process by the same command, run as the owner. Returns only if that fails. The
    /// standard library also gives up the groups of root.
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

/// The group that a user has by the list of this machine's users, which can't know the user.
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

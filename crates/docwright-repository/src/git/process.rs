//! A running program with all its helpers: git starts helpers for HTTP and SSH.

use std::ops::ControlFlow;

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{Child, Command},
};

use super::GitError;

/// The longest error output of a command that is stored, in bytes.
const MAXIMUM_ERRORS: usize = 64 * 1024;

/// Ends every process of a group when it is dropped.
#[derive(Debug)]
pub struct ProcessGroup {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl ProcessGroup {
    /// The group of a child that leads one.
    pub fn of(child: &Child) -> Self {
        #[cfg(unix)]
        {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self { leader: id.and_then(rustix::process::Pid::from_raw) }
        }
        #[cfg(not(unix))]
        {
            let _no_groups = child;
            Self {}
        }
    }

    /// Leaves the group alone: its leader has ended, and the system can reuse its number.
    pub fn disarm(&mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader {
            // It fails if all have ended, which is the goal.
            let _ended = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

/// Runs a command to its end, or until `take` has enough of its output.
pub(super) async fn run(
    mut command: Command,
    name: &str,
    mut take: impl FnMut(&[u8]) -> Result<ControlFlow<()>, GitError>,
) -> Result<(), GitError> {
    let mut child = command.spawn().map_err(GitError::Missing)?;
    let mut group = ProcessGroup::of(&child);
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let printed = async {
        let Some(mut stdout) = stdout else { return Ok(ControlFlow::Continue(())) };
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = stdout.read(&mut buffer).await?;
            if count == 0 {
                return Ok(ControlFlow::Continue(()));
            }
            if take(&buffer[..count])?.is_break() {
                return Ok::<_, GitError>(ControlFlow::Break(()));
            }
        }
    };
    // A command that is canceled, or refused, is dropped with its group.
    let errors = read_some(stderr);
    tokio::pin!(printed, errors);
    let errors = tokio::select! {
        printed = &mut printed => {
            if printed?.is_break() {
                return Ok(());
            }
            errors.await
        }
        errors = &mut errors => {
            if printed.await?.is_break() {
                return Ok(());
            }
            errors
        }
    };
    let status = child.wait().await?;
    group.disarm();
    if status.success() {
        return Ok(());
    }
    Err(GitError::failed(name, &String::from_utf8_lossy(&errors)))
}

/// The first part of a stream, which is read to its end so that writers never block.
async fn read_some(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let Some(mut stream) = stream else { return Vec::new() };
    let mut kept = Vec::new();
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let free = MAXIMUM_ERRORS.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(free)]);
    }
    kept
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use docwright_testing::wait::eventually;

    use super::super::{Environment, Git};

    /// Whether a process runs: one that ended but was not awaited does not.
    fn runs(id: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{id}/stat"))
            .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
    }

    #[tokio::test]
    async fn helpers_of_git_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("helper");
        let command = format!("!sleep 1000 & echo $! > '{}'; wait", file.display());
        let git = Git::new(&Environment::for_testing(folder.path()));
        let git = git.with_config("alias.helper", &command).with_timeout(Duration::from_mins(1));
        let ended = tokio::select! {
            outcome = git.run(folder.path(), &["helper"]) => panic!("{outcome:?}"),
            id = eventually("the helper says its id", async || {
                Some(std::fs::read_to_string(&file).ok()?.strip_suffix('\n')?.to_owned())
            }) => id,
        };
        eventually(&format!("the helper {ended} is gone"), async || !runs(&ended)).await;
    }
}

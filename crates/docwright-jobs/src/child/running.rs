//! A running child process: it inherits nothing from the parent, and ends when it is dropped.

use std::{io, path::Path, process::ExitStatus, process::Stdio, time::Duration};

use tokio::{
    io::AsyncReadExt,
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

/// Bytes of a child's standard error that are logged.
const MAXIMUM_LOG: usize = 64 * 1024;
/// How long the allocator keeps freed memory before it returns it to the system, in milliseconds. The default of a second
/// costs builds with large API specs a sixth more memory, and makes none faster.
const PURGE_DELAY: &str = "100";
/// How long a killed process can take to end.
const GOING: Duration = Duration::from_secs(10);
/// How long a child can take to end after it closed its output.
const ENDING: Duration = Duration::from_secs(5);

/// A running child and its standard error. It leads its own process group.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    errors: Option<JoinHandle<String>>,
}

/// Both ends of the dialog.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
}

impl Running {
    /// Starts `program child` with an empty environment and `threads` rendering threads.
    pub(super) fn start(program: &Path, threads: usize) -> io::Result<(Self, Pipes)> {
        let mut command = Command::new(program);
        command
            .arg("child")
            .env_clear()
            // A confined process can't find out its number of processors.
            .env("RAYON_NUM_THREADS", threads.to_string())
            .env("MIMALLOC_PURGE_DELAY", PURGE_DELAY)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("its pipes are missing"));
        };
        let errors = Some(tokio::spawn(read_errors(errors)));
        Ok((Self { child, errors }, Pipes { input, output }))
    }

    /// Its process id, while it has one.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits briefly for a child that should have ended; `None` if it still runs.
    pub(super) async fn ended(&mut self) -> Option<ExitStatus> {
        timeout(ENDING, self.child.wait()).await.ok()?.ok()
    }

    /// Kills it, waits until it has ended, and returns its standard error.
    pub(super) async fn end(mut self) -> String {
        self.kill();
        if timeout(GOING, self.child.wait()).await.is_err() {
            tracing::error!(process = self.child.id(), "child process not killed");
        }
        match self.errors.take() {
            Some(errors) => {
                timeout(GOING, errors).await.ok().and_then(Result::ok).unwrap_or_default()
            }
            None => String::new(),
        }
    }

    fn kill(&mut self) {
        // The system can reuse an id after its process was awaited.
        #[cfg(unix)]
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _gone = self.child.start_kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads to the end, so that the child never blocks, but keeps only the first part.
async fn read_errors(mut pipe: ChildStderr) -> String {
    let mut kept = Vec::new();
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        let room = MAXIMUM_LOG.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..read.min(room)]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

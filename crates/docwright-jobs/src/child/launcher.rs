//! The parent's side: starts a child, talks with it, watches it, and ends it.

use std::{future::Future, num::NonZero, path::PathBuf, process::ExitStatus, sync::Once};

use super::{
    BrokerRequest, BrokerResponse, ChildError, ChildFailure, Folders, Limits, Progress,
    confinement::{Applied, Confinement},
    dialog::{Break, Dialog},
    memory,
    running::Running,
    sandbox::Protection,
    work::{Request, Work, WorkResponse},
};

/// Services of the caller for a working child. `()` provides none.
pub trait Caller: Sync {
    /// Fetches the data that a build requests, with separate limits: this time is not the child's. The addresses
    /// come from authors.
    fn supply(&self, _needs: BrokerRequest) -> impl Future<Output = BrokerResponse> + Send {
        std::future::ready(BrokerResponse::default())
    }

    /// Embeds texts of a build, with separate limits. Fails with a reason if nothing does.
    fn embed(
        &self,
        _texts: Vec<String>,
    ) -> impl Future<Output = Result<Vec<Vec<f32>>, String>> + Send {
        std::future::ready(Err("there is no model".to_owned()))
    }

    /// Receives the progress of a build, at most ten times a second.
    fn progress(&self, _progress: Progress) {}
}

impl Caller for () {}

/// Starts children.
#[derive(Debug, Clone)]
pub struct Launcher {
    program: PathBuf,
    limits: Limits,
}

impl Launcher {
    /// Children run `program child`. On Linux `/proc/self/exe` is the running program, even after an upgrade
    /// replaced its file.
    pub fn new(program: impl Into<PathBuf>, limits: Limits) -> Self {
        Self { program: program.into(), limits }
    }

    /// Makes a child do some work. It sees nothing but `folders`, which must exist. It has ended when this returns
    /// or is dropped; `stop` ends it early.
    pub async fn run<W: Work>(
        &self,
        work: W,
        folders: &Folders,
        caller: &impl Caller,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<W::Output, ChildError> {
        let outcome = self.answer(work.into_request(), folders, caller, stop).await;
        let read = |answer| {
            let other =
                || ChildFailure::Protocol("its answer doesn't match the request".to_owned());
            W::read_answer(answer).ok_or_else(other)
        };
        outcome.and_then(read).map_err(|failure| {
            if !matches!(failure, ChildFailure::Stopped | ChildFailure::Failed { .. }) {
                tracing::warn!(work = W::NAME, ?failure, "child process failed");
            }
            ChildError { work: W::NAME, failure }
        })
    }

    async fn answer(
        &self,
        request: Request,
        folders: &Folders,
        caller: &impl Caller,
        stop: impl Future<Output = ()> + Send,
    ) -> Result<WorkResponse, ChildFailure> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let limits = self.limits.of_process(threads);
        let confinement = Confinement { limits, folders: folders.clone() };
        let (mut running, pipes) =
            Running::start(&self.program, threads).map_err(ChildFailure::Start)?;
        let process = running.id().unwrap_or_default();
        let mut dialog = Dialog::new(pipes, &self.limits, caller);
        let worked = async {
            report_missing(dialog.begin(&confinement).await?);
            dialog.work(request).await
        };
        let outcome = tokio::select! {
            biased;
            () = stop => Err(ChildFailure::Stopped.into()),
            () = memory::exceeds(process, self.limits.memory) => {
                Err(ChildFailure::Memory(self.limits.memory).into())
            }
            outcome = worked => outcome,
        };
        let status =
            if matches!(outcome, Err(Break::Ended(_))) { running.ended().await } else { None };
        let errors = running.end().await;
        if !errors.is_empty() {
            tracing::warn!(process, errors, "child process wrote to standard error");
        }
        outcome.map_err(|reason| match (reason, status) {
            (Break::ChildFailure(failure), _) => failure,
            (Break::Ended(_), Some(status)) => self.failure_of(status, &errors),
            (Break::Ended(error), None) => {
                ChildFailure::Protocol(format!("it closed its output but kept running ({error})"))
            }
        })
    }

    /// Why a child ended without an answer.
    fn failure_of(&self, status: ExitStatus, errors: &str) -> ChildFailure {
        #[cfg(unix)]
        if let Some(number) = std::os::unix::process::ExitStatusExt::signal(&status) {
            use rustix::process::Signal;
            return match Signal::from_named_raw(number) {
                Some(Signal::XCPU) => ChildFailure::ProcessorTime(self.limits.processor_time),
                Some(Signal::XFSZ) => ChildFailure::FileSize(self.limits.file_size),
                // Rust's own message when the limit of address space was reached first.
                Some(Signal::ABORT) if errors.contains("memory allocation of") => {
                    ChildFailure::Memory(self.limits.memory)
                }
                _ => ChildFailure::Crashed(format!("signal {number}")),
            };
        }
        match status.code() {
            Some(0) => ChildFailure::Protocol("it ended without an answer".to_owned()),
            // Rust's exit code after a panic.
            Some(101) => ChildFailure::Crashed("a panic".to_owned()),
            code => ChildFailure::Crashed(format!("exit code {}", code.unwrap_or_default())),
        }
    }
}

/// Logs once what this system can't confine.
fn report_missing(applied: Applied) {
    static REPORTED: Once = Once::new();
    let Applied { files, system_calls } = applied;
    if (files, system_calls) != (Protection::Full, Protection::Full) {
        REPORTED.call_once(|| {
            tracing::warn!(
                ?files,
                ?system_calls,
                "this system can't confine builds fully: files need Landlock (Linux 6.12), system calls need seccomp; limits of time, memory, and size apply"
            );
        });
    }
}

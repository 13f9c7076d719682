//! Signals to stop, received on a separate thread, so that a process ends even if its other threads hang.
//!
//! The first signal starts a graceful stop within a limited time. The second ends the process immediately.

use std::{io, time::Duration};

use tokio::sync::watch;

/// Exit code of a process that did not stop in time.
const TOO_LATE: i32 = 1;

/// The signals of this process.
#[derive(Debug, Clone)]
pub struct Signals(watch::Receiver<Option<Signal>>);

/// A signal to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl+C.
    Interrupt,
    /// Sent by service managers.
    Terminate,
}

impl Signal {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
        }
    }

    /// The exit code of a process that a signal ended, as in shells.
    const fn exit_code(self) -> i32 {
        match self {
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

impl Signals {
    /// Starts to listen. After the first signal, the process has `time` to end.
    pub fn listen(time: Duration) -> io::Result<Self> {
        let (heard, signals) = watch::channel(None);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut source = {
            let _context = runtime.enter();
            Source::new()?
        };
        let listen = async move {
            let first = source.next().await;
            heard.send_replace(Some(first));
            tokio::select! {
                second = source.next() => {
                    eprintln!("stopped at once by a second signal");
                    std::process::exit(second.exit_code());
                }
                () = tokio::time::sleep(time) => {
                    tracing::error!(seconds = time.as_secs(), "graceful stop timed out; process stopped");
                    std::process::exit(TOO_LATE);
                }
            }
        };
        let thread = std::thread::Builder::new().name("signals".to_owned());
        thread.spawn(move || runtime.block_on(listen))?;
        Ok(Self(signals))
    }

    /// Waits for a signal to stop.
    pub async fn stop(mut self) -> Signal {
        loop {
            if let Some(signal) = *self.0.borrow_and_update() {
                return signal;
            }
            if self.0.changed().await.is_err() {
                // The thread ends only with the process.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The source of signals.
struct Source {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Source {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) =
            (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate })
    }

    #[cfg(unix)]
    async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }

    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "it can fail elsewhere")]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) -> Signal {
        drop(tokio::signal::ctrl_c().await);
        Signal::Interrupt
    }
}

//! Ends or stops the process at a step of a job, for tests.

use std::str::FromStr;

use docwright_jobs::queue::Step;

/// A step, and the signal that the process sends itself there: `built=kill`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalAt {
    step: Step,
    signal: Signal,
}

#[derive(Debug, Clone, Copy)]
enum Signal {
    /// Like a power failure.
    Kill,
    /// Like an operator stopping the service.
    Term,
    /// Like a frozen machine, until something continues the process.
    Stop,
}

impl FromStr for SignalAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (step, signal) = text.split_once('=').ok_or("it must have the form built=kill")?;
        let signal = match signal {
            "kill" => Signal::Kill,
            "term" => Signal::Term,
            "stop" => Signal::Stop,
            other => return Err(format!("`{other}` isn't kill, term, or stop")),
        };
        Ok(Self { step: step.parse()?, signal })
    }
}

impl SignalAt {
    /// Sends the signal when it is called with the step for the first time.
    pub(crate) fn sender(self) -> impl Fn(Step) + Send + Sync + 'static {
        let sent = std::sync::atomic::AtomicBool::new(false);
        move |step| {
            if step == self.step && !sent.swap(true, std::sync::atomic::Ordering::SeqCst) {
                tracing::error!(%step, signal = ?self.signal, "signal sent to this process, as set by --signal-at");
                self.send();
            }
        }
    }

    #[cfg(unix)]
    fn send(self) {
        use rustix::process::{Signal as Number, getpid, kill_process};
        let number = match self.signal {
            Signal::Kill => Number::KILL,
            Signal::Term => Number::TERM,
            Signal::Stop => Number::STOP,
        };
        if let Err(error) = kill_process(getpid(), number) {
            tracing::error!(%error, "signal not sent");
        }
    }

    #[cfg(not(unix))]
    fn send(self) {
        tracing::error!("signal not sent: this system has none");
    }
}

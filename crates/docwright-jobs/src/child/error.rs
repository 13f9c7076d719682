//! Why a child did not do its work, as sentences for users.

use std::{fmt, io, time::Duration};

/// Work that was not done.
#[derive(Debug)]
pub struct ChildError {
    /// What users call the work.
    pub work: &'static str,
    /// Why it was not done.
    pub fault: Fault,
}

/// Why work was not done.
#[derive(Debug)]
pub enum Fault {
    /// The child can't be started.
    Start(io::Error),
    /// The caller gave the work up.
    Stopped,
    /// It took too long.
    WallTime(Duration),
    /// It computed for too long.
    ProcessorTime(Duration),
    /// It needed too much memory. Bytes.
    Memory(u64),
    /// It wrote a file that is too large. Bytes.
    FileSize(u64),
    /// The child ended by a panic or a signal; the text says which.
    Crashed(String),
    /// The child said what it may not say. For the log.
    Protocol(String),
    /// The child reported that the work can't be done.
    Failed {
        /// Why.
        message: String,
        /// Whether it may be possible later.
        is_transient: bool,
    },
}

impl ChildError {
    /// Whether the same work may succeed later without anyone changing anything. Work that hit a limit
    /// or crashed once does so again.
    pub fn is_transient(&self) -> bool {
        match &self.fault {
            Fault::Start(_) | Fault::Stopped => true,
            Fault::Failed { is_transient, .. } => *is_transient,
            Fault::WallTime(_)
            | Fault::ProcessorTime(_)
            | Fault::Memory(_)
            | Fault::FileSize(_)
            | Fault::Crashed(_)
            | Fault::Protocol(_) => false,
        }
    }
}

impl std::error::Error for ChildError {}

impl fmt::Display for ChildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = self.work;
        match &self.fault {
            Fault::Start(error) => {
                write!(formatter, "{work} can't be started: {:?}; try again later", error.kind())
            }
            Fault::Stopped => write!(formatter, "{work} was stopped before it was done"),
            Fault::WallTime(limit) => write!(
                formatter,
                "{work} exceeded the time limit of {}; look for a page or component that never finishes",
                Time(*limit)
            ),
            Fault::ProcessorTime(limit) => write!(
                formatter,
                "{work} used more than {} of processor time, the limit; look for a page or a component that computes for very long",
                Time(*limit)
            ),
            Fault::Memory(limit) => write!(
                formatter,
                "{work} needed more than {} of memory, the limit; look for very large files, and for text that is included in many pages",
                Size(*limit)
            ),
            Fault::FileSize(limit) => write!(
                formatter,
                "{work} made a file of more than {}, the limit; make the site smaller",
                Size(*limit)
            ),
            Fault::Crashed(how) => write!(
                formatter,
                "{work} crashed ({how}), which is a fault of docwright; the log of the service says more"
            ),
            Fault::Protocol(_) => write!(
                formatter,
                "{work} gave an answer that can't be trusted; the log of the service says more"
            ),
            Fault::Failed { message, .. } => formatter.write_str(message),
        }
    }
}

/// A time in words.
struct Time(Duration);

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        let (number, unit) = match seconds {
            0 => return write!(formatter, "{} milliseconds", self.0.as_millis()),
            _ if seconds.is_multiple_of(60) => (seconds / 60, "minute"),
            _ => (seconds, "second"),
        };
        write!(formatter, "{number} {unit}{}", if number == 1 { "" } else { "s" })
    }
}

/// A number of bytes in words.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.0 / 1024 / 1024;
        if mebibytes >= 1024 && mebibytes.is_multiple_of(1024) {
            write!(formatter, "{} GiB", mebibytes / 1024)
        } else {
            write!(formatter, "{mebibytes} MiB")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_named_in_words() {
        let text = |fault| ChildError { work: "the build", fault }.to_string();
        let time = text(Fault::WallTime(Duration::from_mins(10)));
        assert!(time.starts_with("the build exceeded the time limit of 10 minutes; "), "{time}");
        let time = text(Fault::ProcessorTime(Duration::from_secs(1)));
        assert!(time.contains("more than 1 second of processor time"), "{time}");
        assert!(text(Fault::Memory(4 << 30)).contains("more than 4 GiB of memory"));
        assert!(text(Fault::FileSize(1536 << 20)).contains("more than 1536 MiB"));
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        let is_transient = |fault| ChildError { work: "the build", fault }.is_transient();
        assert!(
            is_transient(Fault::Start(io::ErrorKind::NotFound.into()))
                && is_transient(Fault::Stopped)
        );
        assert!(is_transient(Fault::Failed { message: String::new(), is_transient: true }));
        for fault in [
            Fault::WallTime(Duration::ZERO),
            Fault::ProcessorTime(Duration::ZERO),
            Fault::Memory(0),
            Fault::FileSize(0),
            Fault::Crashed(String::new()),
            Fault::Protocol(String::new()),
            Fault::Failed { message: String::new(), is_transient: false },
        ] {
            assert!(!is_transient(fault));
        }
    }
}

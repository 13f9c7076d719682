//! Why a child failed, as sentences for users.

use std::{fmt, io, time::Duration};

/// Failed work.
#[derive(Debug)]
pub struct ChildError {
    /// The name of the work for users.
    pub work: &'static str,
    /// The reason.
    pub failure: ChildFailure,
}

/// Reason of a failure.
#[derive(Debug)]
pub enum ChildFailure {
    /// The child can't be started.
    Start(io::Error),
    /// The caller canceled the work.
    Stopped,
    /// It took too long.
    WallTime(Duration),
    /// It used too much processor time.
    ProcessorTime(Duration),
    /// It needed too much memory. Bytes.
    Memory(u64),
    /// It wrote a file that is too large. Bytes.
    FileSize(u64),
    /// The child ended by a panic or a signal, which the text names.
    Crashed(String),
    /// The child broke the protocol. The text is for the log.
    Protocol(String),
    /// The child reported that the work can't be done.
    Failed {
        /// The reason.
        message: String,
        /// Whether it can succeed later.
        is_transient: bool,
    },
}

impl ChildError {
    /// Whether the same work can succeed later without any change. Work that reached a limit or crashed will do so
    /// again.
    pub fn is_transient(&self) -> bool {
        match &self.failure {
            ChildFailure::Start(_) | ChildFailure::Stopped => true,
            ChildFailure::Failed { is_transient, .. } => *is_transient,
            ChildFailure::WallTime(_)
            | ChildFailure::ProcessorTime(_)
            | ChildFailure::Memory(_)
            | ChildFailure::FileSize(_)
            | ChildFailure::Crashed(_)
            | ChildFailure::Protocol(_) => false,
        }
    }
}

impl std::error::Error for ChildError {}

impl fmt::Display for ChildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = self.work;
        match &self.failure {
            ChildFailure::Start(error) => {
                write!(formatter, "{work} can't be started: {:?}; try again later", error.kind())
            }
            ChildFailure::Stopped => write!(formatter, "{work} was stopped before it was done"),
            ChildFailure::WallTime(limit) => write!(
                formatter,
                "{work} exceeded the time limit of {}; look for a page or component that never finishes",
                Time(*limit)
            ),
            ChildFailure::ProcessorTime(limit) => write!(
                formatter,
                "{work} used more than {} of processor time, the limit; look for a page or a component that computes for very long",
                Time(*limit)
            ),
            ChildFailure::Memory(limit) => write!(
                formatter,
                "{work} needed more than {} of memory, the limit; look for very large files, and for text that is included in many pages",
                Size(*limit)
            ),
            ChildFailure::FileSize(limit) => write!(
                formatter,
                "{work} wrote a file of more than {}, the limit; make the site smaller",
                Size(*limit)
            ),
            ChildFailure::Crashed(how) => write!(
                formatter,
                "{work} crashed ({how}), which is a bug in docwright; see the server log"
            ),
            ChildFailure::Protocol(_) => {
                write!(formatter, "{work} returned an invalid answer; see the server log")
            }
            ChildFailure::Failed { message, .. } => formatter.write_str(message),
        }
    }
}

/// A duration in words.
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
        let text = |failure| ChildError { work: "the build", failure }.to_string();
        let time = text(ChildFailure::WallTime(Duration::from_mins(10)));
        assert!(time.starts_with("the build exceeded the time limit of 10 minutes; "), "{time}");
        let time = text(ChildFailure::ProcessorTime(Duration::from_secs(1)));
        assert!(time.contains("more than 1 second of processor time"), "{time}");
        assert!(text(ChildFailure::Memory(4 << 30)).contains("more than 4 GiB of memory"));
        assert!(text(ChildFailure::FileSize(1536 << 20)).contains("more than 1536 MiB"));
    }

    #[test]
    fn only_transient_errors_are_retried() {
        let is_transient = |failure| ChildError { work: "the build", failure }.is_transient();
        assert!(
            is_transient(ChildFailure::Start(io::ErrorKind::NotFound.into()))
                && is_transient(ChildFailure::Stopped)
        );
        assert!(is_transient(ChildFailure::Failed { message: String::new(), is_transient: true }));
        for failure in [
            ChildFailure::WallTime(Duration::ZERO),
            ChildFailure::ProcessorTime(Duration::ZERO),
            ChildFailure::Memory(0),
            ChildFailure::FileSize(0),
            ChildFailure::Crashed(String::new()),
            ChildFailure::Protocol(String::new()),
            ChildFailure::Failed { message: String::new(), is_transient: false },
        ] {
            assert!(!is_transient(failure));
        }
    }
}

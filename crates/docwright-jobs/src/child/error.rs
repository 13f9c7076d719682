//! Why a child did not do its work, as sentences for users.

use std::{fmt, io, time::Duration};

/// Work that was not done.
#[derive(Debug)]
pub struct ChildError {
    /// What users call the work.
    pub work: &'static str,
    /// Why it was not done.
    pub failure: ChildFailure,
}

/// Why work was not done.
#[derive(Debug)]
pub enum ChildFailure {
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
    /// The child said what it can't say. For the log.
    Protocol(String),
    /// The child reported that the work can't be done.
    Failed {
        /// Why.
        message: String,
        /// Whether it can be possible later.
        is_transient: bool,
    },
}

impl ChildError {
    /// Whether the same work can succeed later without anyone changing anything. Work that hit a limit
    /// or crashed once does so again.
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
                "{work} made a file of more than {}, the limit; make the site smaller",
                Size(*limit)
            ),
            ChildFailure::Crashed(how) => write!(
                formatter,
                "{work} crashed ({how}), which is a bug in docwright; the log of the service says more"
            ),
            ChildFailure::Protocol(_) => write!(
                formatter,
                "{work} gave an answer that can't be trusted; the log of the service says more"
            ),
            ChildFailure::Failed { message, .. } => formatter.write_str(message),
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

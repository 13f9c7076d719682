//! The steps of jobs for observers, such as tests that end the process there.

use std::{fmt, str::FromStr};

/// A step that a job has just finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A worker has the job.
    Claimed,
    /// The files are checked out.
    CheckedOut,
    /// A release knows its commit.
    BuildDecision,
    /// A release is built.
    Built,
    /// A bundle is in storage.
    Stored,
    /// The agent acted.
    Worked,
    /// The change is committed.
    Committed,
    /// The branch is pushed.
    Pushed,
    /// The pull request is open.
    PullRequest,
    /// The result of the job is recorded.
    Ended,
}

impl Step {
    /// Every step.
    pub const ALL: [Self; 10] = [
        Self::Claimed,
        Self::CheckedOut,
        Self::BuildDecision,
        Self::Built,
        Self::Stored,
        Self::Worked,
        Self::Committed,
        Self::Pushed,
        Self::PullRequest,
        Self::Ended,
    ];

    /// Its name in events and settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::CheckedOut => "checked_out",
            Self::BuildDecision => "started",
            Self::Built => "built",
            Self::Stored => "stored",
            Self::Worked => "worked",
            Self::Committed => "committed",
            Self::Pushed => "pushed",
            Self::PullRequest => "pull_request",
            Self::Ended => "ended",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|step| step.name() == text);
        found.ok_or_else(|| format!("`{text}` is not a step of a job"))
    }
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn names_are_read_back() {
        for step in Step::ALL {
            assert_eq!(step.to_string().parse(), Ok(step));
        }
        assert!("sideways".parse::<Step>().is_err());
    }
}

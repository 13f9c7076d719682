//! Errors of an update, and whether trying again can help.

/// Why a bundle isn't active yet.
#[derive(Debug)]
pub enum UpdateError {
    /// Trying again can help.
    Transient(anyhow::Error),
    /// It can't, because the host refuses the link; another link can help.
    Refused(anyhow::Error),
    /// It can't.
    Permanent(anyhow::Error),
}

impl UpdateError {
    /// A disk error: full, read-only, gone. It is retried, since the operator can repair it without a change of
    /// values.
    pub(super) fn of_disk(error: impl Into<anyhow::Error>, doing: impl Into<String>) -> Self {
        Self::Transient(error.into().context(doing.into()))
    }

    /// The error with its causes.
    pub fn describe(&self) -> String {
        let (Self::Transient(error) | Self::Refused(error) | Self::Permanent(error)) = self;
        format!("{error:#}")
    }
}

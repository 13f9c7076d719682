//! Errors of an update, and whether trying again can help.

/// A transient error, or one that needs a person.
#[derive(Debug)]
pub(super) enum UpdateError {
    /// Trying again can help.
    Transient(anyhow::Error),
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
    pub(super) fn describe(&self) -> String {
        let (Self::Transient(error) | Self::Permanent(error)) = self;
        format!("{error:#}")
    }
}

//! What goes wrong on the way to a version, and whether trying again can help.

/// A transient error, or one that stays until someone does something.
#[derive(Debug)]
pub(super) enum UpdateError {
    /// Trying again can help.
    Transient(anyhow::Error),
    /// It won't.
    Permanent(anyhow::Error),
}

impl UpdateError {
    /// A failure of the disk: full, read-only, gone. It is retried, since whoever runs the machine can
    /// put that right without a change of values.
    pub(super) fn of_disk(error: impl Into<anyhow::Error>, doing: impl Into<String>) -> Self {
        Self::Transient(error.into().context(doing.into()))
    }

    /// What is wrong, with its causes.
    pub(super) fn describe(&self) -> String {
        let (Self::Transient(error) | Self::Permanent(error)) = self;
        format!("{error:#}")
    }
}

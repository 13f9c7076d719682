//! What goes wrong on the way to a version, and whether trying again may help.

/// A fault that may pass, or one that stays until somebody does something.
#[derive(Debug)]
pub(super) enum Fault {
    /// Trying again may help.
    Transient(anyhow::Error),
    /// It won't.
    Permanent(anyhow::Error),
}

impl Fault {
    /// A fault of the disk: full, read-only, gone. It is tried again, since whoever runs the machine may
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

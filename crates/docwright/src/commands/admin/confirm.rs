//! Confirmation of permanent deletions.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{bail, ensure};

/// Confirmation of a deletion.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Confirm {
    /// Delete without confirmation
    #[arg(long)]
    yes: bool,
}

impl Confirm {
    /// Fails unless the operator confirms: by the flag, or by an answer at a terminal.
    pub(super) fn ask(self, what: &str) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        let input = std::io::stdin();
        if !input.is_terminal() {
            bail!("this permanently deletes {what}; pass --yes to confirm");
        }
        // Output for programs goes to the standard output.
        eprint!("This deletes {what}, permanently. Type `yes` to continue: ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        input.lock().read_line(&mut answer)?;
        ensure!(answer.trim() == "yes", "nothing was deleted");
        Ok(())
    }
}

//! External coding agents, over the Agent Client Protocol. <https://agentclientprotocol.com>
//!
//! Such an agent is a program that the operator chose. It works on a copy of the docs root. The workspace applies
//! its changes, refuses forbidden ones, and runs the same check as for any model. The agent can use its own tools
//! for files. If it asks for permission, docwright refuses commands and network requests. The server's command
//! `docwright confine` limits everything that it does without asking.

mod command;
mod connection;
mod copy;
mod files;
mod session;

use std::path::{Path, PathBuf};

use command::AgentCommand;
use connection::Connection;
use session::Session;

use crate::workspace::Workspace;

/// The prefix of external agents in the names of models.
pub const PREFIX: &str = "acp:";

/// A program that speaks the protocol over its standard input and output.
#[derive(Debug, Clone)]
pub struct ExternalAgent {
    /// The program and its arguments, as in a shell.
    pub command: String,
    /// The visible part of the machine.
    pub confinement: Confinement,
}

/// Results of an external agent other than changed files.
#[derive(Debug, Default)]
pub struct ExternalReport {
    /// Its final message; empty if it has none.
    pub summary: String,
    /// Its refused requests: names of tools and reasons.
    pub refused: Vec<(String, String)>,
}

/// The parts of the machine that external agents can see, in addition to the system's files.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// The program `docwright`: its command `confine` starts agents.
    pub program: PathBuf,
    /// Names of environment variables that agents can see, in addition to the usual ones.
    pub environment: Vec<String>,
    /// Folders that agents can read and run programs from.
    pub folders: Vec<PathBuf>,
}

impl ExternalAgent {
    /// Lets the agent work on a prompt, in a copy of the workspace's files below `scratch` with a separate empty
    /// home folder beside it. Returns its final message, or a sentence with the reason of a failure.
    pub async fn work(
        &self,
        prompt: &str,
        workspace: &mut Workspace,
        scratch: &Path,
    ) -> Result<ExternalReport, String> {
        let disk = |error: std::io::Error| format!("the disk failed: {error}");
        let folder = copy::make(workspace, scratch).map_err(disk)?;
        let home = tempfile::tempdir_in(scratch).map_err(disk)?;
        let command = AgentCommand::parse(&self.command)?;
        let command = command.confined(&self.confinement, folder.path(), home.path());
        let failed = |reason: String| format!("the external agent failed: {reason}");
        let mut connection = Connection::start(command).map_err(failed)?;
        let mut session = Session::new(folder.path(), workspace.writable());
        let stopped = session.work(&mut connection, prompt).await.map_err(failed)?;
        // The agent must not change files while they are read.
        drop(connection);
        match stopped.as_str() {
            "end_turn" => {}
            "refusal" => return Err("the external agent refused the prompt".to_owned()),
            other => return Err(format!("the external agent stopped early: {other}")),
        }
        let mut report = session.report;
        report.refused.extend(copy::take_over(workspace, folder.path())?);
        Ok(report)
    }
}

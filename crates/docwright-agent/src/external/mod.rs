//! External coding agents, over the Agent Client Protocol. <https://agentclientprotocol.com>
//!
//! Such an agent is a program of the operator's choice. It works on a copy of the docs root; what it
//! changed there is taken over through the workspace, which refuses what no agent can do, and then
//! passes the same check as the work of any model. It can use its own tools for files; it is not
//! allowed to run commands or fetch anything, as far as it asks. What it can reach if it does not ask
//! is limited by the command `docwright confine`, which belongs to the server.

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

/// What stands before the name of an external agent where models are named.
pub const PREFIX: &str = "acp:";

/// A program that speaks the protocol over its standard input and output.
#[derive(Debug, Clone)]
pub struct ExternalAgent {
    /// The program and its arguments, as in a shell.
    pub command: String,
    /// What it can see of the machine.
    pub confinement: Confinement,
}

/// What an external agent did besides changing files.
#[derive(Debug, Default)]
pub struct ExternalReport {
    /// What it said in the end; empty if nothing.
    pub summary: String,
    /// What it asked for and did not get: names of tools, and why.
    pub refused: Vec<(String, String)>,
}

/// What external agents can see of the machine, besides the system's own files.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// The program `docwright`: its command `confine` starts agents.
    pub program: PathBuf,
    /// Names of variables of the environment that agents can see, besides the usual ones.
    pub environment: Vec<String>,
    /// Folders that agents can read and run programs from.
    pub folders: Vec<PathBuf>,
}

impl ExternalAgent {
    /// Lets the agent work on a prompt, in a copy of the workspace's files below `scratch`, with an
    /// empty home of its own beside it. Gives what it said in the end, or why it can't be used, in a
    /// sentence.
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
        // It must not change a file while they are taken over.
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

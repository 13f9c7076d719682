//! External coding agents, over the Agent Client Protocol. <https://agentclientprotocol.com>
//!
//! Such an agent is a program of the operator's choice. It works on a copy of the docs root; what it
//! changed there is taken over through the workspace, which refuses what no agent can do, and then
//! passes the same check as the work of any model. It can use its own tools for files; it is not
//! allowed to run commands or fetch anything, as far as it asks. What it can reach if it does not ask
//! is limited by the command `docwright confine`, which belongs to the server.

mod copy;
mod files;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, Mutex},
};

use agent_client_protocol::{
    AcpAgent, AcpAgentConfig, Agent, Client,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{
            ClientCapabilities, ContentBlock, FileSystemCapabilities, InitializeRequest,
            NewSessionRequest, PermissionOptionKind, PromptRequest, ReadTextFileRequest,
            ReadTextFileResponse, RequestPermissionOutcome, RequestPermissionRequest,
            RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification,
            SessionUpdate, StopReason, TextContent, ToolKind, WriteTextFileRequest,
            WriteTextFileResponse,
        },
    },
};

use crate::workspace::{Refusal, Workspace};

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
        let writable = workspace.writable();
        let mut said = self.converse(prompt, (folder.path(), home.path()), writable).await?;
        said.refused.extend(copy::take_over(workspace, folder.path())?);
        Ok(said)
    }

    /// The command, wrapped in `docwright confine`.
    fn confined(&self, folder: &Path, home: &Path) -> Result<AcpAgent, String> {
        let agent = AcpAgent::from_str(&self.command)
            .map_err(|error| format!("the external agent's command can't be read: {error}"))?;
        let agent = agent.config();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut wrapped = AcpAgentConfig::new(&self.confinement.program).args([
            "confine",
            "--home",
            &text(home),
            "--write",
            &text(folder),
        ]);
        for folder in &self.confinement.folders {
            wrapped = wrapped.args(["--read", &text(folder)]);
        }
        // Variables before the command's name are part of it.
        let named = agent.environment().keys();
        for name in self.confinement.environment.iter().chain(named) {
            wrapped = wrapped.args(["--environment", name]);
        }
        let wrapped = wrapped
            .envs(agent.environment().clone())
            .args(["--", &text(agent.command())])
            .args(agent.arguments().iter().cloned());
        Ok(AcpAgent::new(wrapped))
    }

    async fn converse(
        &self,
        prompt: &str,
        (folder, home): (&Path, &Path),
        writable: impl Fn(&str) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Result<ExternalReport, String> {
        let said: Arc<Mutex<ExternalReport>> = Arc::default();
        let [recorded, refusals, refused] = [(); 3].map(|()| Arc::clone(&said));
        let (read, written) = (folder.to_owned(), folder.to_owned());
        let (cwd, prompt) = (folder.to_owned(), prompt.to_owned());
        let talk = Client
            .v1()
            .name("docwright")
            .on_receive_notification(
                async move |notification: SessionNotification, _| {
                    record(&recorded, notification.update);
                    Ok(())
                },
                agent_client_protocol::on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _| {
                    record_refusal(&refusals, &request);
                    responder.respond(RequestPermissionResponse::new(decide(&request)))
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: ReadTextFileRequest, responder, _| match files::read(
                    &read, &request,
                ) {
                    Ok(text) => responder.respond(ReadTextFileResponse::new(text)),
                    Err(reason) => responder.respond_with_internal_error(reason),
                },
                agent_client_protocol::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: WriteTextFileRequest, responder, _| match files::write(
                    &written, &request, &writable,
                ) {
                    Ok(()) => responder.respond(WriteTextFileResponse::new()),
                    Err(reason) => {
                        keep_refusal(&refused, "write", reason.clone());
                        responder.respond_with_internal_error(reason)
                    }
                },
                agent_client_protocol::on_receive_request!(),
            )
            .connect_with(self.confined(folder, home)?, move |connection| {
                ask(connection, cwd, prompt)
            });
        let stopped = talk.await.map_err(|error| format!("the external agent failed: {error}"))?;
        match stopped {
            StopReason::EndTurn => {}
            StopReason::Refusal => return Err("the external agent refused the prompt".to_owned()),
            other => return Err(format!("the external agent stopped early: {other:?}")),
        }
        let said = said.lock().map(|mut said| std::mem::take(&mut *said)).unwrap_or_default();
        Ok(said)
    }
}

/// One session, one prompt.
async fn ask(
    connection: ConnectionTo<Agent>,
    folder: PathBuf,
    prompt: String,
) -> Result<StopReason, agent_client_protocol::Error> {
    let files = FileSystemCapabilities::new().read_text_file(true).write_text_file(true);
    let capabilities = ClientCapabilities::new().fs(files).terminal(false);
    let hello = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(capabilities);
    connection.send_request(hello).block_task().await?;
    let session = connection.send_request(NewSessionRequest::new(folder)).block_task().await?;
    let text = vec![ContentBlock::Text(TextContent::new(prompt))];
    let asked = connection.send_request(PromptRequest::new(session.session_id, text));
    Ok(asked.block_task().await?.stop_reason)
}

/// Keeps what the agent said since its last tool call: its summary.
fn record(said: &Mutex<ExternalReport>, update: SessionUpdate) {
    let Ok(mut said) = said.lock() else { return };
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => {
            if let ContentBlock::Text(text) = chunk.content {
                said.summary.push_str(&text.text);
            }
        }
        SessionUpdate::ToolCall(_) => said.summary.clear(),
        _ => {}
    }
}

/// Keeps what the agent can't do.
fn record_refusal(said: &Mutex<ExternalReport>, request: &RequestPermissionRequest) {
    let fields = &request.tool_call.fields;
    let kind = fields.kind.unwrap_or_default();
    if is_allowed(kind) {
        return;
    }
    let named = serde_json::to_value(kind).ok();
    let tool = named.as_ref().and_then(|kind| kind.as_str()).unwrap_or("other").to_owned();
    let what = fields.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
    let reason = format!("agents can read and change files, and nothing else{what}");
    keep_refusal(said, &tool, reason);
}

fn keep_refusal(said: &Mutex<ExternalReport>, tool: &str, reason: String) {
    if let Ok(mut said) = said.lock() {
        said.refused.push((tool.to_owned(), reason));
    }
}

/// Files can be read and changed. Commands, requests to the network, and what is unknown can't run.
const fn is_allowed(kind: ToolKind) -> bool {
    matches!(
        kind,
        ToolKind::Read
            | ToolKind::Edit
            | ToolKind::Delete
            | ToolKind::Move
            | ToolKind::Search
            | ToolKind::Think
    )
}

fn decide(request: &RequestPermissionRequest) -> RequestPermissionOutcome {
    let wanted = if is_allowed(request.tool_call.fields.kind.unwrap_or_default()) {
        [PermissionOptionKind::AllowOnce, PermissionOptionKind::AllowAlways]
    } else {
        [PermissionOptionKind::RejectOnce, PermissionOptionKind::RejectAlways]
    };
    let option = wanted.iter().find_map(|kind| {
        let found = request.options.iter().find(|option| option.kind == *kind);
        found.map(|option| option.option_id.clone())
    });
    option.map_or(RequestPermissionOutcome::Cancelled, |option| {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option))
    })
}

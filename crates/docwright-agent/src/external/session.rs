//! One prompt in one session of the Agent Client Protocol, version 1: requests to the agent, and requests it can
//! send. <https://agentclientprotocol.com/protocol/overview>

use std::path::Path;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{ExternalReport, connection::Connection, files};
use crate::workspace::Refusal;

/// The version that docwright speaks.
const VERSION: u64 = 1;
/// Kinds of tools that an agent can use. Commands, requests to the network, and unknown ones can't run.
const ALLOWED: &[&str] = &["read", "edit", "delete", "move", "search", "think"];
/// Longest summary, in bytes; more of it is left out.
const MAXIMUM_SUMMARY: usize = 64 * 1024;
/// Refusals that are kept.
const MAXIMUM_REFUSALS: usize = 1000;

/// A session in a folder.
#[derive(Debug)]
pub(super) struct Session<'a, W> {
    folder: &'a Path,
    /// Whether agents can change a path.
    writable: W,
    /// The agent's messages and refused requests so far.
    pub(super) report: ExternalReport,
}

impl<'a, W: Fn(&str) -> Result<(), Refusal> + Send> Session<'a, W> {
    pub(super) fn new(folder: &'a Path, writable: W) -> Self {
        Self { folder, writable, report: ExternalReport::default() }
    }

    /// Lets the agent work on a prompt. Returns why it stopped, as it names it.
    pub(super) async fn work(
        &mut self,
        connection: &mut Connection,
        prompt: &str,
    ) -> Result<String, String> {
        let folder = self.folder.to_string_lossy().into_owned();
        let serve = &mut |method: &str, params: &Value| self.serve(method, params);
        let client = json!({ "name": "docwright", "version": env!("CARGO_PKG_VERSION") });
        let files = json!({ "readTextFile": true, "writeTextFile": true });
        let hello = json!({
            "protocolVersion": VERSION,
            "clientInfo": client,
            "clientCapabilities": { "fs": files, "terminal": false },
        });
        let answered = connection.request("initialize", hello, serve).await?;
        if answered["protocolVersion"] != VERSION {
            let version = &answered["protocolVersion"];
            return Err(format!(
                "it speaks version {version} of the protocol, docwright version {VERSION}"
            ));
        }
        let new = json!({ "cwd": folder, "mcpServers": [] });
        let session = connection.request("session/new", new, serve).await?;
        let text = json!({ "type": "text", "text": prompt });
        let asked = json!({ "sessionId": session["sessionId"], "prompt": [text] });
        let ended = connection.request("session/prompt", asked, serve).await?;
        Ok(ended["stopReason"].as_str().unwrap_or("for no reason").to_owned())
    }

    /// Handles the agent's requests and messages.
    fn serve(&mut self, method: &str, params: &Value) -> Option<Result<Value, String>> {
        Some(match method {
            "session/update" => {
                self.record(&params["update"]);
                Ok(Value::Null)
            }
            "session/request_permission" => Ok(self.decide(params)),
            "fs/read_text_file" => read(params).and_then(|request| {
                files::read(self.folder, &request).map(|text| json!({ "content": text }))
            }),
            "fs/write_text_file" => self.write(params).map(|()| json!({})),
            _ => return None,
        })
    }

    /// Keeps the agent's text since its last tool call, which becomes the summary.
    fn record(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                let text = update["content"]["text"].as_str().unwrap_or_default();
                if self.report.summary.len() + text.len() <= MAXIMUM_SUMMARY {
                    self.report.summary.push_str(text);
                }
            }
            Some("tool_call") => self.report.summary.clear(),
            _ => {}
        }
    }

    fn write(&mut self, params: &Value) -> Result<(), String> {
        let written =
            read(params).and_then(|request| files::write(self.folder, &request, &self.writable));
        if let Err(reason) = &written {
            self.refuse("write", reason.clone());
        }
        written
    }

    /// Picks the option that allows a tool, or the one that rejects it.
    fn decide(&mut self, params: &Value) -> Value {
        let call = &params["toolCall"];
        let kind = call["kind"].as_str().unwrap_or("other");
        let is_allowed = ALLOWED.contains(&kind);
        if !is_allowed {
            let title =
                call["title"].as_str().map(|title| format!(" ({title})")).unwrap_or_default();
            self.refuse(kind, format!("agents can read and change files, and nothing else{title}"));
        }
        let wanted = if is_allowed {
            ["allow_once", "allow_always"]
        } else {
            ["reject_once", "reject_always"]
        };
        let options = params["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        let option =
            wanted.iter().find_map(|kind| options.iter().find(|option| option["kind"] == *kind));
        let outcome = match option {
            Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
            None => json!({ "outcome": "cancelled" }),
        };
        json!({ "outcome": outcome })
    }

    fn refuse(&mut self, tool: &str, reason: String) {
        if self.report.refused.len() < MAXIMUM_REFUSALS {
            self.report.refused.push((tool.to_owned(), reason));
        }
    }
}

fn read<T: DeserializeOwned>(params: &Value) -> Result<T, String> {
    serde_json::from_value(params.clone()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(folder: &Path) -> Session<'_, impl Fn(&str) -> Result<(), Refusal> + Send> {
        Session::new(folder, |path: &str| {
            if path == "locked.mdx" { Err(Refusal("it is locked".to_owned())) } else { Ok(()) }
        })
    }

    #[test]
    fn tools_that_change_files_are_allowed_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = session(folder.path());
        let option =
            |kind: &str| json!({ "optionId": format!("the {kind}"), "name": "x", "kind": kind });
        let mut ask = |call: Value, options: &[&str]| {
            let options: Vec<_> = options.iter().map(|kind| option(kind)).collect();
            let params = json!({ "sessionId": "1", "toolCall": call, "options": options });
            session.serve("session/request_permission", &params).unwrap().unwrap()["outcome"]
                .clone()
        };
        let all = ["reject_once", "allow_always", "allow_once"];
        assert_eq!(ask(json!({ "kind": "edit" }), &all)["optionId"], "the allow_once");
        assert_eq!(
            ask(json!({ "kind": "read" }), &["allow_always"])["optionId"],
            "the allow_always"
        );
        let refused = ask(json!({ "kind": "execute", "title": "rm -r ." }), &all);
        assert_eq!(refused["optionId"], "the reject_once");
        // Missing and unknown kinds are refused.
        assert_eq!(ask(json!({}), &["allow_once"])["outcome"], "cancelled");
        assert_eq!(ask(json!({ "kind": "launch" }), &all)["optionId"], "the reject_once");
        let refused: Vec<_> =
            session.report.refused.iter().map(|(tool, _)| tool.as_str()).collect();
        assert_eq!(refused, ["execute", "other", "launch"]);
        assert!(session.report.refused[0].1.ends_with("nothing else (rm -r .)"));
    }

    #[test]
    fn files_of_the_folder_are_read_and_written() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.mdx"), "one\ntwo\nthree\n").unwrap();
        let mut session = session(folder.path());
        let path = |name: &str| folder.path().join(name).display().to_string();
        let mut serve = |method: &str, params: Value| session.serve(method, &params).unwrap();
        let text =
            serve("fs/read_text_file", json!({ "path": path("a.mdx"), "line": 2, "limit": 1 }));
        assert_eq!(text.unwrap(), json!({ "content": "two\n" }));
        for outside in ["/etc/passwd".to_owned(), path("../x")] {
            assert!(serve("fs/read_text_file", json!({ "path": outside })).is_err(), "{outside}");
            let write = json!({ "path": outside, "content": "x" });
            assert!(serve("fs/write_text_file", write).is_err(), "{outside}");
        }
        let write = |name: &str| json!({ "path": path(name), "content": "new" });
        assert_eq!(serve("fs/write_text_file", write("b/c.mdx")).unwrap(), json!({}));
        assert_eq!(std::fs::read_to_string(path("b/c.mdx")).unwrap(), "new");
        assert_eq!(serve("fs/write_text_file", write("locked.mdx")).unwrap_err(), "it is locked");
        assert!(serve("fs/write_text_file", json!({ "path": 1 })).is_err());
        assert!(session.serve("terminal/create", &json!({})).is_none());
    }

    #[test]
    fn summary_is_what_was_said_since_the_last_tool_call() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = session(folder.path());
        let mut update = |update: Value| {
            session.serve("session/update", &json!({ "update": update })).unwrap().unwrap();
        };
        let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        update(chunk("I will look."));
        update(json!({ "sessionUpdate": "tool_call" }));
        update(chunk("Fixed "));
        update(json!({ "sessionUpdate": "plan" }));
        update(chunk("it."));
        update(chunk(&"x".repeat(MAXIMUM_SUMMARY)));
        assert_eq!(session.report.summary, "Fixed it.");
    }
}

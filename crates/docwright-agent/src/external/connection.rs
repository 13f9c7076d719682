//! The process of an external agent, which speaks JSON-RPC over its standard input and output, a message a
//! line. <https://agentclientprotocol.com/protocol/transports>

use std::{
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    sync::mpsc,
    task::JoinHandle,
    time::timeout,
};

/// Longest message, in bytes. A file that an agent writes is one message.
const MAXIMUM_MESSAGE: usize = 64 * 1024 * 1024;
/// Messages that can wait for an agent that doesn't read, in bytes.
const MAXIMUM_WAITING: usize = 64 * 1024 * 1024;
/// How much is kept of the end of its standard error, in bytes.
const ERRORS: usize = 1000;
/// How long a process that closed its output takes to end.
const ENDING: Duration = Duration::from_secs(5);

/// The code of an error of JSON-RPC: the receiver doesn't know the method.
const UNKNOWN_METHOD: i64 = -32601;
/// The code of any other error here.
const INTERNAL: i64 = -32603;

/// Handles a request or message of the agent: a method and its parameters. Returns `None` for an unknown method,
/// and an error with the reason.
pub(super) type Serve<'a> = dyn FnMut(&str, &Value) -> Option<Result<Value, String>> + Send + 'a;

/// A running agent. It ends, with all processes that it started, when this is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    child: Child,
    input: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes that the agent has not read.
    waiting: Arc<AtomicUsize>,
    output: BufReader<ChildStdout>,
    errors: JoinHandle<String>,
    last_id: u64,
}

impl Connection {
    /// Starts the agent.
    pub(super) fn start(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| format!("it can't be started: {error}"))?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("it has no pipes".to_owned());
        };
        let (sender, messages) = mpsc::unbounded_channel();
        let waiting = Arc::default();
        tokio::spawn(write(input, messages, Arc::clone(&waiting)));
        let errors = tokio::spawn(read_errors(errors));
        let output = BufReader::new(output);
        Ok(Self { child, input: sender, waiting, output, errors, last_id: 0 })
    }

    /// Sends a request, and serves the agent until it responds. An error says what went wrong, in a clause that
    /// follows "the external agent failed".
    pub(super) async fn request(
        &mut self,
        method: &str,
        params: Value,
        serve: &mut Serve<'_>,
    ) -> Result<Value, String> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        if !self.send(&request)? {
            return Err(self.ended().await);
        }
        loop {
            let mut message = self.read().await?;
            match (message["method"].as_str(), message.get("id")) {
                (Some(method), Some(id)) => {
                    let response = response(id, method, serve(method, &message["params"]));
                    // An agent that closed its input can have sent its result before it did.
                    self.send(&response)?;
                }
                (Some(method), None) => drop(serve(method, &message["params"])),
                (None, Some(answered)) if *answered == id => {
                    return match message.get("error") {
                        Some(error) => Err(format!("{method}: {}", reason(error))),
                        None => Ok(message["result"].take()),
                    };
                }
                // A response to no request.
                (None, _) => {}
            }
        }
    }

    /// Sends a message. Returns whether the agent's input is still open.
    fn send(&mut self, message: &Value) -> Result<bool, String> {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let waiting = self.waiting.fetch_add(line.len(), Ordering::Relaxed);
        if waiting > MAXIMUM_WAITING {
            return Err("it doesn't read what docwright sends".to_owned());
        }
        Ok(self.input.send(line).is_ok())
    }

    /// The next message. It skips lines that are not messages: some programs print other output there.
    async fn read(&mut self) -> Result<Value, String> {
        let limit = u64::try_from(MAXIMUM_MESSAGE).unwrap_or(u64::MAX);
        loop {
            let mut line = Vec::new();
            let mut rest = (&mut self.output).take(limit);
            match rest.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return Err(self.ended().await),
                Ok(_) if line.len() == MAXIMUM_MESSAGE => {
                    return Err("it sent a message that is longer than 64 MiB".to_owned());
                }
                Ok(_) => {}
            }
            if let Ok(message @ Value::Object(_)) = serde_json::from_slice(&line) {
                return Ok(message);
            }
        }
    }

    /// Why there are no more messages.
    async fn ended(&mut self) -> String {
        let how = match timeout(ENDING, self.child.wait()).await {
            Ok(Ok(status)) => format!("its process ended with {status}"),
            _ => "it closed its output".to_owned(),
        };
        self.kill();
        let errors = timeout(ENDING, &mut self.errors).await.ok().and_then(Result::ok);
        match errors.as_deref().map(str::trim) {
            None | Some("") => how,
            Some(errors) => format!("{how}: {errors}"),
        }
    }

    fn kill(&mut self) {
        // An id is given again once its process was waited for.
        #[cfg(unix)]
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _gone = self.child.start_kill();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.kill();
    }
}

fn response(id: &Value, method: &str, served: Option<Result<Value, String>>) -> Value {
    let (code, message) = match served {
        Some(Ok(result)) => return json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Some(Err(reason)) => (INTERNAL, reason),
        None => (UNKNOWN_METHOD, format!("docwright doesn't know the method `{method}`")),
    };
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The message of a JSON-RPC error.
fn reason(error: &Value) -> String {
    let details = error["data"].as_str().or(error["data"]["details"].as_str());
    let message = error["message"].as_str().unwrap_or("no reason given");
    details.map_or_else(|| message.to_owned(), |details| format!("{message}: {details}"))
}

/// Writes messages as fast as the agent reads them, so an agent that only writes can't block both sides.
async fn write(
    mut input: ChildStdin,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
) {
    while let Some(message) = messages.recv().await {
        if input.write_all(&message).await.is_err() || input.flush().await.is_err() {
            return;
        }
        waiting.fetch_sub(message.len(), Ordering::Relaxed);
    }
}

/// Reads to the end, so that the agent never blocks, but keeps only the last part.
async fn read_errors(mut pipe: ChildStderr) -> String {
    let (mut kept, mut buffer) = (Vec::new(), vec![0; 8 * 1024]);
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        kept.extend_from_slice(&buffer[..read]);
        let surplus = kept.len().saturating_sub(ERRORS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// An agent that is a shell script.
    fn agent(script: &str) -> Connection {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Connection::start(command).unwrap()
    }

    fn nothing(_: &str, _: &Value) -> Option<Result<Value, String>> {
        None
    }

    #[tokio::test]
    async fn agent_is_served_until_it_responds() {
        let mut agent = agent(
            r#"read -r asked
            echo 'a line of a library'
            echo '{"jsonrpc":"2.0","method":"note","params":{"n":1}}'
            echo '{"jsonrpc":"2.0","id":"a","method":"known","params":{"n":2}}'
            read -r known
            echo '{"jsonrpc":"2.0","id":7,"method":"unknown"}'
            read -r unknown
            echo '{"jsonrpc":"2.0","id":99,"result":"unexpected"}'
            printf '{"jsonrpc":"2.0","id":1,"result":[%s,%s,%s]}\n' "$asked" "$known" "$unknown""#,
        );
        let mut seen = Vec::new();
        let serve = &mut |method: &str, params: &Value| {
            seen.push((method.to_owned(), params["n"].clone()));
            (method == "known").then(|| Ok(json!({ "text": "ä" })))
        };
        let result = agent.request("hello", json!({ "a": 1 }), serve).await.unwrap();
        assert_eq!(result[0]["method"], "hello");
        assert_eq!((&result[1]["id"], &result[1]["result"]["text"]), (&json!("a"), &json!("ä")));
        assert_eq!(
            (&result[2]["id"], &result[2]["error"]["code"]),
            (&json!(7), &json!(UNKNOWN_METHOD))
        );
        let methods: Vec<_> = seen.iter().map(|(method, _)| method.as_str()).collect();
        assert_eq!(methods, ["note", "known", "unknown"]);
    }

    #[tokio::test]
    async fn errors_explain_the_cause() {
        for (script, expected) in [
            ("echo oh no >&2; exit 3", "its process ended with exit status: 3: oh no"),
            (
                r#"read -r asked; echo '{"id":1,"error":{"code":-32000,"message":"sign in first","data":{"details":"no key"}}}'"#,
                "hello: sign in first: no key",
            ),
            ("kill -9 $$", "its process ended with signal: 9 (SIGKILL)"),
        ] {
            let error = agent(script).request("hello", json!({}), &mut nothing).await.unwrap_err();
            assert_eq!(error, expected);
        }
        let error = Connection::start(Command::new("/no/such/program")).unwrap_err();
        assert!(error.starts_with("it can't be started: "), "{error}");
    }

    #[tokio::test]
    async fn agent_that_writes_without_reading_does_not_block() {
        // More than a pipe holds, in both directions.
        let mut agent = agent(
            r#"read -r asked
            i=0; while [ $i -lt 3000 ]; do echo '{"jsonrpc":"2.0","id":5,"method":"read"}'; i=$((i+1)); done
            echo '{"jsonrpc":"2.0","id":1,"result":"done"}'"#,
        );
        let serve = &mut |_: &str, _: &Value| Some(Ok(json!("x".repeat(10))));
        assert_eq!(agent.request("hello", json!({}), serve).await.unwrap(), "done");
    }

    #[tokio::test]
    async fn result_is_read_after_agent_closed_its_input() {
        let mut agent = agent(
            r#"read -r asked; exec 0<&-
            i=0; while [ $i -lt 3000 ]; do echo '{"jsonrpc":"2.0","id":5,"method":"read"}'; i=$((i+1)); done
            echo '{"jsonrpc":"2.0","id":1,"result":"done"}'"#,
        );
        let serve = &mut |_: &str, _: &Value| Some(Ok(json!("text")));
        assert_eq!(agent.request("hello", json!({}), serve).await.unwrap(), "done");
    }

    #[tokio::test]
    async fn all_processes_exit_with_connection() {
        let mut connection =
            agent(r#"read -r asked; sleep 1000 & printf '{"id":1,"result":%s}\n' $!; wait"#);
        let child = connection.request("hello", json!({}), &mut nothing).await.unwrap();
        let child = i32::try_from(child.as_i64().unwrap()).unwrap();
        let child = rustix::process::Pid::from_raw(child).unwrap();
        assert!(rustix::process::test_kill_process(child).is_ok());
        drop(connection);
        docwright_testing::wait::eventually("the child is gone", async || {
            let state = std::fs::read_to_string(format!("/proc/{child}/stat"));
            // Until its parent waits for it, it is a zombie.
            state.is_err() || state.is_ok_and(|state| state.contains(") Z "))
        })
        .await;
    }
}

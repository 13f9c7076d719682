//! The lines of a process's log.

use std::{
    io::{BufRead, BufReader},
    process::Command,
    sync::{Arc, Mutex},
};

use docwright_testing::wait::eventually;
use serde_json::Value;

use crate::server::Process;

/// A running process with its standard error.
pub(crate) struct Logged {
    pub(crate) process: Process,
    pub(crate) lines: Arc<Mutex<Vec<String>>>,
}

impl Logged {
    /// Starts a command that prints `listening on …`.
    pub(crate) fn start(mut command: Command, level: &str) -> Self {
        command.env("RUST_LOG", level);
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&lines);
        let process = Process::start_logged(command, move |errors| {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                seen.lock().unwrap().push(line);
            }
        });
        Self { process, lines }
    }

    /// The text written so far.
    pub(crate) fn text(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    /// The lines so far, each a flat JSON object.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let lines = self.lines.lock().unwrap();
        let parsed = lines.iter().map(|line| {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            let fields = value.as_object().unwrap();
            assert!(fields.values().all(|field| !field.is_object() && !field.is_array()), "{line}");
            for name in ["timestamp", "level", "target", "message"] {
                assert!(fields[name].is_string(), "{line}");
            }
            value
        });
        parsed.collect()
    }

    /// Waits for a line that matches a condition.
    pub(crate) async fn line(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        eventually(&format!("there is a line: {what}"), async || {
            self.lines().into_iter().find(&is_it).ok_or_else(|| self.text())
        })
        .await
    }

    /// Waits for a line with a message.
    pub(crate) async fn says(&self, message: &str) -> Value {
        self.line(message, |line| line["message"] == message).await
    }

    /// Waits until the log names a path this often: a request is logged after its response. Returns the text so far.
    pub(crate) async fn text_with_requests(&self, path: &str, count: usize) -> String {
        eventually(&format!("{count} requests to {path} are logged"), async || {
            let text = self.text();
            if text.matches(path).count() >= count { Ok(text) } else { Err(text) }
        })
        .await
    }

    /// The address of the probes.
    pub(crate) async fn probes(&self) -> String {
        let started = self.says("started").await;
        format!("http://{}", started["probes"].as_str().expect("the process has probes"))
    }
}

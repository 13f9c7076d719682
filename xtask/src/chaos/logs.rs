//! The logs of the nodes.

use std::{fs, path::Path};

use anyhow::Context;
use serde_json::Value;

use super::pace::{Moment, parse};

/// A job's start by a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Begin {
    /// Time of the log line.
    pub(super) at: Moment,
    /// A release or an agent job.
    pub(super) job: String,
    /// The number of the claim.
    pub(super) claim: i64,
}

/// A job's end at a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct End {
    /// Time of the log line.
    pub(super) at: Moment,
    /// The job.
    pub(super) job: String,
    /// The number of the claim.
    pub(super) claim: i64,
}

/// The relevant entries of the logs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Logs {
    /// Jobs started, by time.
    pub(super) begins: Vec<Begin>,
    /// Jobs that a worker ended. A worker that is killed or requeues a job logs nothing.
    pub(super) ends: Vec<End>,
    /// Releases that became ready.
    pub(super) ready: Vec<String>,
    /// Workers that lost a lease.
    pub(super) lost: usize,
    /// Retries after failures.
    pub(super) retries: usize,
    /// Panics.
    pub(super) panics: Vec<String>,
}

/// Messages about the end of a job at a worker.
const ENDS: [&str; 4] =
    ["job finished", "job failed", "job failed; retrying", "lease lost; result discarded"];

impl Logs {
    /// Reads the logs of all nodes.
    pub(super) fn read(files: &[impl AsRef<Path>]) -> anyhow::Result<Self> {
        let mut logs = Self::default();
        for file in files {
            let file = file.as_ref();
            let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            String::from_utf8_lossy(&text).lines().for_each(|line| logs.take(line));
        }
        logs.begins.sort_by_key(|begin| begin.at);
        Ok(logs)
    }

    fn take(&mut self, line: &str) {
        // A killed process can leave an incomplete line; panics aren't JSON.
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            if line.contains("panicked at") {
                self.panics.push(line.to_owned());
            }
            return;
        };
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let at = entry["timestamp"].as_str().and_then(parse).unwrap_or_default();
        let claim = entry["claim"].as_i64().unwrap_or_default();
        let message = entry["message"].as_str().unwrap_or_default();
        if ENDS.contains(&message) {
            self.ends.push(End { at, job: text("job"), claim });
        }
        match message {
            "job started" => self.begins.push(Begin { at, job: text("job"), claim }),
            "release ready" => self.ready.push(text("job")),
            "lease lost; result discarded" => self.lost += 1,
            "job failed; retrying" => self.retries += 1,
            "job panicked" => self.panics.push(text("error")),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_nodes_are_put_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let line = |second: u8, fields: &str| {
            format!(
                "{{\"timestamp\":\"1970-01-01T00:00:0{second}.000001Z\",\"level\":\"INFO\",{fields}}}\n"
            )
        };
        let begins = |job: &str, claim: u8| {
            format!("\"message\":\"job started\",\"job\":\"{job}\",\"claim\":{claim}")
        };
        let first = line(2, &begins("rel_b", 1))
            + &line(3, "\"message\":\"release ready\",\"job\":\"rel_b\"")
            + &line(4, "\"message\":\"job finished\",\"job\":\"rel_b\",\"claim\":1")
            + "thread 'main' panicked at src/main.rs:1:1:\n{\"timestamp\":\"19";
        let second = line(1, &begins("agt_a", 2));
        let files = [folder.path().join("first"), folder.path().join("second")];
        fs::write(&files[0], first).unwrap();
        fs::write(&files[1], second).unwrap();
        let logs = Logs::read(&files).unwrap();
        let expected = [
            Begin { at: 1000, job: "agt_a".to_owned(), claim: 2 },
            Begin { at: 2000, job: "rel_b".to_owned(), claim: 1 },
        ];
        assert_eq!(logs.begins, expected);
        assert_eq!(logs.ends, [End { at: 4000, job: "rel_b".to_owned(), claim: 1 }]);
        assert_eq!((logs.ready, logs.panics.len()), (vec!["rel_b".to_owned()], 1));
    }
}

//! The processes of a service: started and disrupted according to a plan.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use super::{client::is_alive, pace::wait};
use crate::{ports::Port, postgres::Postgres};

/// The longest time until a node responds, or exits after SIGTERM.
const PATIENCE: Duration = Duration::from_mins(1);
/// The nodes' shared secret.
const ROOT_SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
/// Settings that make disruptions visible within seconds and attacks cheap.
const SETTINGS: [(&str, &str); 6] = [
    ("DOCWRIGHT_LEASE_SECONDS", "2"),
    ("DOCWRIGHT_BUILD_SECONDS", "5"),
    ("DOCWRIGHT_BUILD_MEMORY", "320"),
    ("DOCWRIGHT_BUILDS", "2"),
    ("DOCWRIGHT_DRAIN_SECONDS", "1"),
    ("RUST_LOG", "info"),
];

/// Nodes with a shared data folder and database.
#[derive(Debug)]
pub(super) struct Cluster {
    program: PathBuf,
    folder: PathBuf,
    nodes: Vec<Node>,
    postgres: Option<Postgres>,
}

#[derive(Debug)]
struct Node {
    port: Port,
    log: PathBuf,
    process: Mutex<Option<Child>>,
}

impl Cluster {
    /// Creates a cluster in a folder without starting it. Copies the program to a unique path, by which
    /// leftover processes can be found.
    pub(super) fn new(
        folder: &Path,
        built: &Path,
        count: usize,
        postgres: Option<Postgres>,
    ) -> anyhow::Result<Self> {
        let program = folder.join("docwright");
        fs::hard_link(built, &program)
            .with_context(|| format!("cannot link {}", program.display()))?;
        let nodes = (0..count).map(|number| {
            let log = folder.join(format!("node-{number}.log"));
            Node { port: Port::take(), log, process: Mutex::new(None) }
        });
        let nodes = nodes.collect();
        Ok(Self { program, folder: folder.to_owned(), nodes, postgres })
    }

    /// Addresses of the nodes, without a trailing slash.
    pub(super) fn addresses(&self) -> Vec<String> {
        self.nodes.iter().map(|node| format!("http://127.0.0.1:{}", node.port.number())).collect()
    }

    /// The log files of the nodes.
    pub(super) fn logs(&self) -> Vec<PathBuf> {
        self.nodes.iter().map(|node| node.log.clone()).collect()
    }

    /// The program with the settings that all its processes share.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("DOCWRIGHT_DATA", self.folder.join("data")).stdin(Stdio::null());
        if let Some(postgres) = &self.postgres {
            command.env("DOCWRIGHT_DATABASE_URL", postgres.url());
            command.env("DOCWRIGHT_ROOT_SECRET", ROOT_SECRET);
        }
        command
    }

    /// Starts a node and waits until it responds.
    pub(super) fn start(&self, number: usize) -> anyhow::Result<()> {
        let node = &self.nodes[number];
        let log = OpenOptions::new().create(true).append(true).open(&node.log)?;
        let mut command = self.command();
        command
            .arg("serve")
            .args(["--listen", &format!("127.0.0.1:{}", node.port.number())])
            .env("DOCWRIGHT_PUBLIC_URL", &self.addresses()[0])
            .envs(SETTINGS)
            .stdout(Stdio::null())
            .stderr(log);
        let mut child = command.spawn().context("cannot start docwright")?;
        let address = &self.addresses()[number];
        let started = Instant::now();
        while !is_alive(address) {
            if let Some(status) = child.try_wait()? {
                bail!("node {number} ended with {status} at its start: see {}", node.log.display());
            }
            if started.elapsed() > PATIENCE {
                let _gone = child.kill();
                bail!("node {number} does not answer: see {}", node.log.display());
            }
            wait(Duration::from_millis(50));
        }
        *self.process(number) = Some(child);
        Ok(())
    }

    /// Sends SIGKILL.
    pub(super) fn kill(&self, number: usize) -> anyhow::Result<()> {
        let mut process = self.process(number);
        let child = process.as_mut().context("the node does not run")?;
        child.kill()?;
        child.wait()?;
        *process = None;
        Ok(())
    }

    /// Sends SIGTERM and waits until the process exits.
    pub(super) fn terminate(&self, number: usize) -> anyhow::Result<()> {
        self.signal(number, "TERM")?;
        let mut process = self.process(number);
        let child = process.as_mut().context("the node does not run")?;
        let status = ended(child)?;
        *process = None;
        ensure!(status.success(), "node {number} ended with {status} after SIGTERM");
        Ok(())
    }

    /// Sends a signal.
    pub(super) fn signal(&self, number: usize, signal: &str) -> anyhow::Result<()> {
        let id = self.process(number).as_ref().context("the node does not run")?.id();
        let status =
            Command::new("kill").args([&format!("-{signal}"), &id.to_string()]).status()?;
        ensure!(status.success(), "SIG{signal} can't be sent to node {number}");
        Ok(())
    }

    /// Kills the database server and restarts it.
    pub(super) fn restart_database(&self) -> anyhow::Result<()> {
        self.postgres.as_ref().context("there is no database server")?.crash_and_restart()
    }

    /// The number of running processes of the program that aren't nodes.
    pub(super) fn children(&self) -> anyhow::Result<usize> {
        let nodes: Vec<_> = (0..self.nodes.len())
            .filter_map(|number| Some(self.process(number).as_ref()?.id().to_string()))
            .collect();
        let mut count = 0;
        for entry in fs::read_dir("/proc")? {
            let entry = entry?;
            let is_node =
                entry.file_name().to_str().is_some_and(|id| nodes.iter().any(|node| node == id));
            // Processes can exit during the scan, and other users' processes can't be read.
            let program = fs::read_link(entry.path().join("exe"));
            count += usize::from(!is_node && program.is_ok_and(|path| path == self.program));
        }
        Ok(count)
    }

    fn process(&self, number: usize) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.nodes[number].process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for number in 0..self.nodes.len() {
            if let Some(child) = self.process(number).as_mut() {
                let _gone = child.kill();
                let _reaped = child.wait();
            }
        }
    }
}

fn ended(child: &mut Child) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        ensure!(started.elapsed() < PATIENCE, "a node goes on after SIGTERM");
        wait(Duration::from_millis(50));
    }
}

//! A PostgreSQL server for tests, in a temporary folder and at a reserved port.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use tempfile::TempDir;

use crate::{ports::Port, process, tools};

/// A running server; stopped and removed when dropped.
#[derive(Debug)]
pub(crate) struct Postgres {
    programs: PathBuf,
    folder: TempDir,
    port: Port,
}

impl Postgres {
    /// Creates and starts a server.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let programs = tools::postgres()?;
        let folder = tempfile::tempdir()?;
        let server = Self { programs, folder, port: Port::take() };
        server.give_to_server_user()?;
        let data = server.data();
        server.run(
            "initdb",
            &["-D", &data, "-U", "docwright", "-A", "trust", "-E", "UTF8", "--no-sync"],
        )?;
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=200",
            server.port.number()
        );
        let log = format!("{data}/server.log");
        server.run("pg_ctl", &["-D", &data, "-w", "-s", "-l", &log, "-o", &options, "start"])?;
        Ok(server)
    }

    /// The address of its default database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://docwright@127.0.0.1:{}/postgres", self.port.number())
    }

    /// Kills the server, like a crash, and restarts it.
    #[cfg(target_os = "linux")]
    pub(crate) fn crash_and_restart(&self) -> anyhow::Result<()> {
        let data = self.data();
        // Without this file, the server would write to this process's output while it runs.
        let log = format!("{data}/server.log");
        let restart = ["-D", &data, "-m", "immediate", "-w", "-s", "-l", &log, "restart"];
        self.run("pg_ctl", &restart)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    /// PostgreSQL refuses to run as root, so root runs it as `nobody`.
    fn give_to_server_user(&self) -> anyhow::Result<()> {
        if is_root() {
            process::run(Command::new("chown").arg("nobody").arg(self.folder.path()))?;
        }
        Ok(())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> anyhow::Result<()> {
        let path = self.programs.join(program);
        process::run(as_server_user(&path).args(arguments).current_dir(self.folder.path()))
            .with_context(|| format!("PostgreSQL's {program} failed"))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(error) =
            self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-s", "stop"])
        {
            eprintln!("warning: the test database can still be running: {error:#}");
        }
    }
}

fn as_server_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    command
}

fn is_root() -> bool {
    process::output("id", &["-u"]).as_deref() == Some("0")
}

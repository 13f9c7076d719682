//! Third-party mock servers in Node.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// The path of a script in `tests/mocks`.
pub(crate) fn script(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mocks");
    let installed = folder.join("node_modules").is_dir();
    assert!(
        installed,
        "`cargo xtask test` installs what the mocks need; or run `npm ci` in tests/mocks"
    );
    folder.join(name).display().to_string()
}

/// A running server.
pub(crate) struct Mock {
    child: Child,
    pub(crate) address: String,
}

impl Mock {
    /// Starts a script of `tests/mocks`.
    pub(crate) fn start(script: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new("node")
            .arg(self::script(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node.js runs");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let line =
            output.lines().map_while(Result::ok).find(|line| line.starts_with("listening on "));
        let address =
            line.expect("the mock prints its address")["listening on ".len()..].to_owned();
        Self { child, address }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // A mock exits with its child processes when its stdin closes.
        drop(self.child.stdin.take());
        let _reaped = self.child.wait();
    }
}

//! moto's S3 server, a third-party mock of AWS.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// A running server with one bucket.
pub(super) struct Moto {
    child: Child,
    pub(super) address: String,
}

impl Moto {
    pub(super) async fn start(bucket: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mocks/.venv/bin");
        let program = folder.join("moto_server");
        assert!(
            program.is_file(),
            "`cargo xtask test` installs what the mocks need; or run `python3 -m venv .venv && .venv/bin/pip install --requirement requirements.txt` in tests/mocks"
        );
        let mut child = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", "0"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("moto starts");
        let mut output = BufReader::new(child.stderr.take().expect("stderr is piped")).lines();
        let said = " * Running on ";
        let line = output.by_ref().map_while(Result::ok).find(|line| line.starts_with(said));
        let address = line.expect("the server prints its address")[said.len()..].to_owned();
        // The server would exit if its output were closed.
        std::thread::spawn(move || output.for_each(drop));
        let made = reqwest::Client::new().put(format!("{address}/{bucket}")).send().await.unwrap();
        assert!(made.status().is_success());
        Self { child, address }
    }

    /// Unfinished multipart uploads.
    pub(super) async fn uploads(&self, bucket: &str) -> usize {
        let listed = reqwest::get(format!("{}/{bucket}?uploads", self.address)).await.unwrap();
        listed.text().await.unwrap().matches("<Upload>").count()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

//! Runs the manual's recipes unchanged.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use docwright_testing::{ports::Port, wait::eventually};
use tempfile::TempDir;

/// The only code block of a manual page in a language that contains a text.
pub(super) fn recipe(page: &str, language: &str, words: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let text = fs::read_to_string(path).unwrap();
    let begins = format!("```{language} ");
    let blocks = text.split(&begins).skip(1).map(|rest| {
        let code = rest.split_once('\n').expect("a block has lines").1;
        code.split("```").next().unwrap_or_default()
    });
    let mut found = blocks.filter(|code| code.contains(words));
    let code = found.next().unwrap_or_else(|| panic!("{page} has a block with {words}"));
    assert!(found.next().is_none(), "{page} has one block with {words}");
    code.to_owned()
}

/// Replaces a text that must exist.
pub(super) fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the recipe says {from}: {text}");
    text.replace(from, to)
}

/// A third-party web server with a configuration, killed after the test.
pub(super) struct WebServer {
    child: Child,
    _folder: TempDir,
    _port: Port,
    /// Its address and port.
    pub(super) host: String,
}

impl WebServer {
    /// Starts nginx with a configuration block at a port.
    pub(super) async fn nginx(port: Port, block: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {at}/{kind};\n"))
            .concat();
        let text = format!(
            "daemon off; master_process off; pid {at}/pid; error_log stderr;\nevents {{}}\nhttp {{\n\
             include /etc/nginx/mime.types; access_log off;\n{temporary}{block}\n}}\n"
        );
        fs::write(folder.path().join("nginx.conf"), text).unwrap();
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).args(["-e", "stderr", "-c", "nginx.conf"]);
        Self::start(command, folder, port).await
    }

    /// Starts Caddy with a site block at a port.
    pub(super) async fn caddy(port: Port, block: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("{{\n\tadmin off\n\tauto_https off\n}}\n{block}");
        let path = folder.path().join("Caddyfile");
        fs::write(&path, text).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(path);
        // Caddy stores state in its user's folder.
        command.env("HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path());
        Self::start(command, folder, port).await
    }

    async fn start(mut command: Command, folder: TempDir, port: Port) -> Self {
        let errors = folder.path().join("errors");
        command.stdout(Stdio::null()).stderr(fs::File::create(&errors).unwrap());
        let child = command.spawn().expect("`cargo xtask test` installs nginx and Caddy");
        let host = format!("127.0.0.1:{}", port.number());
        let mut server = Self { child, _folder: folder, _port: port, host };
        eventually("the web server listens", async || {
            let ended = server.child.try_wait().unwrap().is_some();
            assert!(!ended, "it ended: {}", read(&errors));
            let connected = tokio::net::TcpStream::connect(&server.host).await;
            connected.map(drop).map_err(|_| read(&errors))
        })
        .await;
        server
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

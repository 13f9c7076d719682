//! A git server in the tests' process: `git http-backend` behind HTTP. Repositories below `private/` need a password,
//! and what is below `silent/` gets no answer.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

/// The username for private repositories.
pub const USERNAME: &str = "ada";
/// The password of that user.
pub const PASSWORD: &str = "a-token-to-keep-secret";

/// The server.
pub struct GitServer {
    /// Its address, with `http://`.
    pub address: String,
    folder: TempDir,
}

impl GitServer {
    /// Starts a server without repositories.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let router = Router::new().fallback(answer).with_state(folder.path().to_owned());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, folder }
    }

    /// The server's host, with its port.
    pub fn host(&self) -> &str {
        self.address.trim_start_matches("http://")
    }

    /// The address of a repository.
    pub fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    /// The folder of a repository.
    pub fn repository(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Creates a repository, whose default branch is `main`. Without files, it has no commit.
    pub fn create(&self, path: &str, files: &[(&str, &str)]) {
        let bare = self.repository(path);
        fs::create_dir_all(&bare).unwrap();
        git(&bare, &["init", "--quiet", "--bare", "--initial-branch", "main"]);
        git(&bare, &["config", "uploadpack.allowFilter", "true"]);
        if !files.is_empty() {
            self.commit(path, "main", files);
        }
    }

    /// Adds files in a commit to a branch, which is created as needed.
    pub fn commit(&self, path: &str, branch: &str, files: &[(&str, &str)]) {
        let work = tempfile::tempdir().unwrap();
        let bare = self.repository(path).display().to_string();
        git(work.path(), &["init", "--quiet", "--initial-branch", "work"]);
        // A new branch of a repository starts without the files of others.
        let _is_new = Command::new("git")
            .arg("-C")
            .arg(work.path())
            .args(["pull", "--quiet", &bare, branch])
            .stderr(Stdio::null())
            .status();
        for (path, text) in files {
            let file = work.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        git(work.path(), &["add", "--all"]);
        git(work.path(), &["commit", "--quiet", "--message", "Change"]);
        git(work.path(), &["push", "--quiet", &bare, &format!("HEAD:refs/heads/{branch}")]);
    }
}

/// Runs git like a user.
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=T", "-c", "user.email=t@example.com"]);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

async fn answer(
    State(folder): State<PathBuf>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path();
    if path.starts_with("/silent/") {
        std::future::pending::<()>().await;
    }
    let login = STANDARD.encode(format!("{USERNAME}:{PASSWORD}"));
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if path.starts_with("/private/") && sent != Some(&format!("Basic {login}")) {
        let asks = [(header::WWW_AUTHENTICATE, "Basic realm=\"git\"")];
        return (StatusCode::UNAUTHORIZED, asks).into_response();
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let mut child = tokio::process::Command::new("git")
        .args(["-c", "safe.directory=*", "http-backend"])
        .env("GIT_PROJECT_ROOT", &folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", path)
        .env("QUERY_STRING", uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", method.as_str())
        .env("CONTENT_TYPE", text("content-type"))
        .env("HTTP_CONTENT_ENCODING", text("content-encoding"))
        .env("GIT_PROTOCOL", text("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let (_written, output) =
        tokio::join!(async move { input.write_all(&body).await }, child.wait_with_output());
    response(&output.unwrap().stdout)
}

/// The response of a CGI program.
fn response(output: &[u8]) -> Response {
    let end = output.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&output[..end]);
    let mut response = Response::builder();
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        response = match name {
            "Status" => response.status(value[..3].parse::<u16>().unwrap()),
            _ => response.header(name, value),
        };
    }
    response.body(Body::from(output[end + 4..].to_vec())).unwrap()
}

//! Runs `git http-backend` for one request, with limits.
//!
//! Owns the process, its input and output, and that its failure is an error for the client. It knows nothing of
//! projects and keys.

use std::{process::Stdio, time::Duration};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use docwright_http::error::ApiError;
use docwright_jobs::built_in::BuiltIn;
use docwright_operations::{OperationError, fair_limiter::Turn};
use docwright_repository::git::ProcessGroup;
use docwright_types::key::Scope;
use futures::StreamExt;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout},
    task::JoinHandle,
    time::{Instant, timeout_at},
};

/// Time limit of one request.
const TIMEOUT: Duration = Duration::from_mins(10);
/// Bytes that precede the pack of a push.
const MAXIMUM_COMMANDS: u64 = 1024 * 1024;
/// Longest header of git's answer, in bytes.
const MAXIMUM_HEADER: u64 = 64 * 1024;
/// Bytes of git's messages that are logged.
const MAXIMUM_ERRORS: u64 = 4 * 1024;

/// A request to git.
pub(super) struct Call<'a> {
    /// The repository.
    pub(super) repository: &'a BuiltIn,
    /// The path within the repository's address.
    pub(super) path: Path,
    /// Size limit of the request, in bytes.
    pub(super) maximum_input: u64,
}

/// A path within a repository's address.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path {
    /// The branches, as advertised by a service.
    Refs(Service),
    /// The service itself.
    Service(Service),
}

/// Git services for a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// It sends commits.
    UploadPack,
    /// It takes commits.
    ReceivePack,
}

impl Service {
    /// The service in the query of `info/refs`, parsed as git parses it.
    pub(super) fn asked_for(query: &str) -> Result<Self, OperationError> {
        let mut named = url::form_urlencoded::parse(query.as_bytes())
            .filter(|(name, _)| name == "service")
            .map(|(_, service)| service);
        match (named.next().as_deref(), named.next()) {
            (Some("git-upload-pack"), None) => Ok(Self::UploadPack),
            (Some("git-receive-pack"), None) => Ok(Self::ReceivePack),
            _ => Err(OperationError::Invalid(
                "Ask for `service=git-upload-pack` or `git-receive-pack`, as git does since 1.6.6."
                    .to_owned(),
            )),
        }
    }

    /// The scope that a key needs for it.
    pub(super) const fn scope(self) -> Scope {
        match self {
            Self::UploadPack => Scope::Read,
            Self::ReceivePack => Scope::Write,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

/// The git process of one request. It and its helpers end when this is dropped.
struct Running {
    child: Child,
    group: ProcessGroup,
    output: BufReader<ChildStdout>,
    feeding: JoinHandle<()>,
    errors: JoinHandle<String>,
    deadline: Instant,
    _turn: Turn<String>,
}

/// Runs git's own server for one request. The turn is over when git has ended.
pub(super) async fn answer(
    call: Call<'_>,
    turn: Turn<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let mut running = start(&call, turn, request).map_err(|error| failed(&error.to_string()))?;
    match timeout_at(running.deadline, read_head(&mut running.output)).await {
        Ok(Ok(mut response)) => {
            *response.body_mut() = Body::from_stream(chunks(running));
            Ok(response)
        }
        Ok(Err(error)) => {
            let errors = running.end().await;
            Err(failed(&format!("{error}; it said: {errors}")))
        }
        Err(_) => Err(failed("it took too long")),
    }
}

fn failed(reason: &str) -> ApiError {
    OperationError::Internal(format!("git http-backend: {reason}")).into()
}

fn start(call: &Call<'_>, turn: Turn<String>, request: Request) -> std::io::Result<Running> {
    let header = |name: HeaderName| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let Call { repository, path, maximum_input } = call;
    let (path, query, service) = match path {
        Path::Refs(service) => ("info/refs", format!("service={}", service.name()), service),
        Path::Service(service) => (service.name(), String::new(), service),
    };
    let mut command = repository.git.command();
    command
        // Git reports the size limit to the client.
        .args(["-c", &format!("receive.maxInputSize={maximum_input}"), "http-backend"])
        .env("GIT_PROJECT_ROOT", &repository.folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{}.git/{path}", repository.project_id))
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", request.method().as_str())
        .env("CONTENT_TYPE", header(header::CONTENT_TYPE))
        .env("HTTP_CONTENT_ENCODING", header(header::CONTENT_ENCODING))
        .env("GIT_PROTOCOL", header(HeaderName::from_static("git-protocol")));
    if *service == Service::ReceivePack {
        // Without a user git refuses pushes.
        command.env("REMOTE_USER", "key");
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let group = ProcessGroup::of(&child);
    let no_pipes = || std::io::Error::other("it has no pipes");
    let input = child.stdin.take().ok_or_else(no_pipes)?;
    let output = BufReader::new(child.stdout.take().ok_or_else(no_pipes)?);
    let errors = child.stderr.take().ok_or_else(no_pipes)?;
    Ok(Running {
        child,
        group,
        output,
        feeding: tokio::spawn(feed(input, request.into_body(), *maximum_input)),
        errors: tokio::spawn(read_errors(errors)),
        deadline: Instant::now() + TIMEOUT,
        _turn: turn,
    })
}

impl Running {
    /// Waits until git has ended; returns its messages if it failed.
    async fn end(&mut self) -> String {
        let ended = timeout_at(self.deadline, self.child.wait()).await;
        let Ok(Ok(status)) = ended else { return "nothing; it does not end".to_owned() };
        self.group.disarm();
        let errors = (&mut self.errors).await.unwrap_or_default();
        if status.success() { String::new() } else { format!("{status}: {errors}") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.feeding.abort();
    }
}

/// Sends the client's data to git. Git can stop reading at any time; the client reads the answer only after it has
/// sent everything, so the rest is read too, up to a limit.
async fn feed(input: ChildStdin, body: Body, maximum: u64) {
    let mut chunks = body.into_data_stream();
    let (mut input, mut taken) = (Some(input), 0);
    while let Some(Ok(chunk)) = chunks.next().await {
        taken += chunk.len() as u64;
        // Space for everything besides the pack, and twice the size so that git can refuse it.
        if taken > maximum.saturating_mul(2).saturating_add(MAXIMUM_COMMANDS) {
            return;
        }
        if let Some(git) = &mut input
            && git.write_all(&chunk).await.is_err()
        {
            input = None;
        }
    }
}

/// The first part of git's error output; the rest is discarded, so git does not block.
async fn read_errors(mut stream: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    let _end_or_broken = (&mut stream).take(MAXIMUM_ERRORS).read_to_end(&mut bytes).await;
    let _rest = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// The header of a CGI answer: lines up to an empty one.
async fn read_head(output: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Response> {
    let mut response = Response::new(Body::empty());
    let mut limited = output.take(MAXIMUM_HEADER);
    loop {
        let mut line = String::new();
        if limited.read_line(&mut line).await? == 0 {
            // Without this check a crashed git would look like an empty answer.
            return Err(std::io::Error::other("its answer broke off"));
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(response);
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            *response.status_mut() = code.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        } else if let (Ok(name), Ok(value)) =
            (HeaderName::try_from(name), HeaderValue::from_str(value))
        {
            response.headers_mut().insert(name, value);
        }
    }
}

/// The rest of git's answer. If git fails, it is cut off, so the client notices.
fn chunks(running: Running) -> impl futures::Stream<Item = std::io::Result<Vec<u8>>> {
    futures::stream::unfold(Some(running), |running| async move {
        let mut running = running?;
        let mut buffer = vec![0; 32 * 1024];
        let read = timeout_at(running.deadline, running.output.read(&mut buffer)).await;
        let problem = match read {
            Ok(Ok(0)) => {
                let errors = running.end().await;
                if errors.is_empty() {
                    return None;
                }
                errors
            }
            Ok(Ok(count)) => {
                buffer.truncate(count);
                return Some((Ok(buffer), Some(running)));
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it took too long".to_owned(),
        };
        tracing::error!(problem, "git http-backend failed");
        Some((Err(std::io::Error::other("git failed")), None))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_is_recognized_in_any_encoding() {
        for (query, service) in [
            ("service=git-upload-pack", Some(Service::UploadPack)),
            ("service=git-receive-pack", Some(Service::ReceivePack)),
            ("service=git%2Dreceive%2dpack", Some(Service::ReceivePack)),
            ("%73ervice=git-receive-pack", Some(Service::ReceivePack)),
            ("a=b&service=git-receive-pack", Some(Service::ReceivePack)),
            ("service=git-upload-pack&service=git-receive-pack", None),
            ("service=git-receive-pack ", None),
            ("service=git-upload-archive", None),
            ("", None),
        ] {
            assert_eq!(Service::asked_for(query).ok(), service, "{query}");
        }
    }

    #[tokio::test]
    async fn answer_without_complete_headers_is_refused() {
        let good = b"Status: 404 Not Found\r\nX-A: b\r\n\r\nbody".as_slice();
        let read = read_head(&mut BufReader::new(good)).await.unwrap();
        assert_eq!(
            (read.status(), read.headers()["x-a"].to_str().unwrap()),
            (StatusCode::NOT_FOUND, "b")
        );
        for broken in ["", "Status: 200 OK\r\n", "X-A: b"] {
            assert!(read_head(&mut BufReader::new(broken.as_bytes())).await.is_err(), "{broken:?}");
        }
    }
}

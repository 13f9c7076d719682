//! Clone, fetch and push: `git http-backend` does the work, as it does behind any web server.
//! <https://git-scm.com/docs/git-http-backend>

use std::process::Stdio;

use axum::{
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use docwright_domain::key::Scope;
use docwright_flows::{forge::BuiltIn, git::Git};
use futures::StreamExt;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, Command},
};

use super::{Refused, Visitor, publish};
use crate::api::{ApiError, App};

/// Longest header of git's answer, in bytes.
const MAXIMUM_HEADER: u64 = 64 * 1024;

/// `GET …/info/refs?service=…`.
pub(super) async fn info_refs(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let pushes = request.uri().query().is_some_and(|query| query.contains("git-receive-pack"));
    let scope = if pushes { Scope::Write } else { Scope::Read };
    let (_, repository) = visitor.repository(&app, id(&name)?, scope).await?;
    Ok(backend(&repository, "info/refs", scope, request).await?)
}

/// `POST …/git-upload-pack`: somebody fetches.
pub(super) async fn upload_pack(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (_, repository) = visitor.repository(&app, id(&name)?, Scope::Read).await?;
    Ok(backend(&repository, "git-upload-pack", Scope::Read, request).await?)
}

/// `POST …/git-receive-pack`: somebody pushes. A push to the main branch publishes.
pub(super) async fn receive_pack(
    State(app): State<App>,
    visitor: Visitor,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Refused> {
    let (project, repository) = visitor.repository(&app, id(&name)?, Scope::Write).await?;
    let before = main_commit(&repository).await;
    let response = backend(&repository, "git-receive-pack", Scope::Write, request).await?;
    // The answer is read to its end: only then has git moved the branches.
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, 64 * 1024 * 1024).await;
    let bytes = bytes.map_err(|error| ApiError::Internal(error.to_string()))?;
    if main_commit(&repository).await != before {
        publish(&app, &project).await?;
    }
    Ok(Response::from_parts(parts, Body::from(bytes)))
}

fn id(name: &str) -> Result<&str, ApiError> {
    let missing = || ApiError::NotFound("There is no such repository.".to_owned());
    name.strip_suffix(".git").ok_or_else(missing)
}

async fn main_commit(repository: &BuiltIn) -> Option<String> {
    Git::new()
        .run(&repository.repository(), &["rev-parse", "--quiet", "--verify", "HEAD"])
        .await
        .ok()
}

/// Runs git's own server for one request.
async fn backend(
    repository: &BuiltIn,
    service: &str,
    scope: Scope,
    request: Request,
) -> Result<Response, ApiError> {
    let failed = |error: std::io::Error| ApiError::Internal(format!("git http-backend: {error}"));
    let mut child = start(repository, service, scope, &request).map_err(failed)?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ApiError::Internal("git http-backend has no pipes".to_owned()));
    };
    let feeding = tokio::spawn(feed(input, request.into_body()));
    let mut output = BufReader::new(output);
    let mut response = read_head(&mut output).await.map_err(failed)?;
    *response.body_mut() = Body::from_stream(chunks(output, child, feeding));
    Ok(response)
}

fn start(
    repository: &BuiltIn,
    service: &str,
    scope: Scope,
    request: &Request,
) -> std::io::Result<Child> {
    let header = |name: HeaderName| {
        request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_PROJECT_ROOT", &repository.folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", format!("/{}.git/{service}", repository.project_id))
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .env("REQUEST_METHOD", request.method().as_str())
        .env("CONTENT_TYPE", header(header::CONTENT_TYPE))
        .env("HTTP_CONTENT_ENCODING", header(header::CONTENT_ENCODING))
        .env("GIT_PROTOCOL", header(HeaderName::from_static("git-protocol")));
    if scope == Scope::Write {
        // Without a user git refuses pushes.
        command.env("REMOTE_USER", "key");
    }
    for (index, (key, value)) in
        [("safe.directory", "*"), ("core.hooksPath", "/dev/null"), ("gc.auto", "0")]
            .iter()
            .enumerate()
    {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key);
        command.env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    command.env("GIT_CONFIG_COUNT", "3");
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    pipes.kill_on_drop(true).spawn()
}

async fn feed(mut input: ChildStdin, body: Body) {
    let mut chunks = body.into_data_stream();
    while let Some(Ok(chunk)) = chunks.next().await {
        // Git may have heard enough.
        if input.write_all(&chunk).await.is_err() {
            return;
        }
    }
}

/// The header of a CGI answer: lines up to an empty one.
async fn read_head(output: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<Response> {
    let mut response = Response::new(Body::empty());
    let mut limited = output.take(MAXIMUM_HEADER);
    loop {
        let mut line = String::new();
        limited.read_line(&mut line).await?;
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

/// The rest of git's answer. The process lives as long as it is read.
fn chunks(
    output: impl AsyncRead + Unpin,
    child: Child,
    feeding: tokio::task::JoinHandle<()>,
) -> impl futures::Stream<Item = std::io::Result<Vec<u8>>> {
    futures::stream::unfold((output, child, feeding), |(mut output, child, feeding)| async move {
        let mut buffer = vec![0; 32 * 1024];
        match output.read(&mut buffer).await {
            Ok(0) => None,
            Ok(count) => {
                buffer.truncate(count);
                Some((Ok(buffer), (output, child, feeding)))
            }
            Err(error) => Some((Err(error), (output, child, feeding))),
        }
    })
}

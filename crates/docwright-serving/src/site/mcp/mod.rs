//! The site for agents: a stateless server of the Model Context Protocol over HTTP
//! (<https://modelcontextprotocol.io/specification/2025-06-18/basic/transports>).
//!
//! It reads only what every reader can read.

mod ask;
mod card;
mod tools;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    Json,
    body::to_bytes,
    extract::Request,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_operations::fair_limiter::FairLimiter;
use serde_json::{Value, json};

pub(super) use card::discovery;

use super::{open_site::OpenSite, shown::Shown};

/// Path of the server.
pub(crate) const PATH: &str = "/mcp";
/// Supported versions of the protocol, the newest first.
const VERSIONS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];
/// Longest message, in bytes.
const MAXIMUM_MESSAGE: usize = 64 * 1024;

/// Simultaneous requests, in all and of one site: a search can use megabytes of memory.
static TURNS: LazyLock<FairLimiter<u64>> = LazyLock::new(|| FairLimiter::new(4, 3));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// Codes of JSON-RPC 2.0.
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;
const INTERNAL_ERROR: i32 = -32_603;
const PARSE_ERROR: i32 = -32_700;

/// Why a request failed.
#[derive(Debug)]
struct Failure {
    code: i32,
    message: String,
}

impl Failure {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Answers a message to a site.
pub(super) async fn answer(site: &Arc<OpenSite>, request: Request) -> Response {
    if request.method() != Method::POST {
        // The server never sends unrequested messages, so there is no stream.
        return (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response();
    }
    let Ok(bytes) = to_bytes(request.into_body(), MAXIMUM_MESSAGE).await else {
        let message = format!("the message exceeds {MAXIMUM_MESSAGE} bytes");
        let failure = Failure::new(INVALID_REQUEST, message);
        return (StatusCode::PAYLOAD_TOO_LARGE, Json(error(&Value::Null, &failure)))
            .into_response();
    };
    let Ok(message) = serde_json::from_slice::<Value>(&bytes) else {
        let failure = Failure::new(PARSE_ERROR, "the message isn't valid JSON");
        return (StatusCode::BAD_REQUEST, Json(error(&Value::Null, &failure))).into_response();
    };
    let Some(id) = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned() else {
        // Notifications, and responses to requests that were never sent.
        return StatusCode::ACCEPTED.into_response();
    };
    let site = Arc::clone(site);
    let read = tools::page_to_read(&message).filter(|_| site.about().analytics);
    let Some(turn) = TURNS.take(&site.number, PATIENCE).await else {
        let failure = Failure::new(INTERNAL_ERROR, "too many requests; try again soon");
        let later = [(header::RETRY_AFTER, "5")];
        let answer = Json(error(&id, &failure));
        return (StatusCode::SERVICE_UNAVAILABLE, later, answer).into_response();
    };
    let handled = tokio::task::spawn_blocking(move || {
        // Work continues if the client leaves, so the slot is released when the work ends.
        let _turn = turn;
        handle(&site, &message)
    });
    let handled = handled.await;
    let result = handled.unwrap_or_else(|_| {
        Err(Failure::new(INTERNAL_ERROR, "the request was interrupted; try again"))
    });
    let is_read = result.as_ref().is_ok_and(|result| result["isError"] == false);
    let mut response = Json(match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(failure) => error(&id, &failure),
    })
    .into_response();
    if let Some(page) = read.filter(|_| is_read) {
        response.extensions_mut().insert(Shown::page(&page, true));
    }
    response
}

fn error(id: &Value, failure: &Failure) -> Value {
    let Failure { code, message } = failure;
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn handle(site: &Arc<OpenSite>, message: &Value) -> Result<Value, Failure> {
    let method = message.get("method").and_then(Value::as_str);
    let method = method.ok_or_else(|| Failure::new(INVALID_REQUEST, "`method` is missing"))?;
    let params = &message["params"];
    match method {
        "initialize" => Ok(initialize(site, params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::list(site) })),
        "tools/call" => tools::call(site, params),
        "resources/list" => Ok(json!({ "resources": tools::resources(site) })),
        "resources/read" => tools::read_resource(site, params),
        _ => Err(Failure::new(METHOD_NOT_FOUND, format!("unknown method `{method}`"))),
    }
}

fn initialize(site: &OpenSite, params: &Value) -> Value {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    let version = VERSIONS.iter().find(|version| **version == wanted).unwrap_or(&VERSIONS[0]);
    let name = card::name(site);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {}, "resources": {} },
        "serverInfo": card::server(&name),
        "instructions": format!(
            "The documentation of {name}. Search first, then read the pages found. Cite their addresses in answers."
        ),
    })
}

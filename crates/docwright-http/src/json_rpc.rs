//! Messages of the Model Context Protocol: JSON-RPC 2.0 over HTTP, one request and one response
//! (<https://modelcontextprotocol.io/specification/2025-06-18/basic/transports>).
//!
//! Servers here are stateless: they have no sessions, and send nothing that wasn't requested. What a method does is
//! decided by each of them.

use axum::{
    Json,
    body::to_bytes,
    extract::Request,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// Supported versions of the protocol, the newest first.
pub const VERSIONS: &[&str] = &["2025-06-18", "2025-03-26", "2024-11-05"];
/// The version of a request after the first one.
const VERSION_HEADER: &str = "mcp-protocol-version";

/// Codes of JSON-RPC 2.0.
pub const INVALID_REQUEST: i32 = -32_600;
/// The server has no such method.
pub const METHOD_NOT_FOUND: i32 = -32_601;
/// The parameters don't fit the method.
pub const INVALID_PARAMS: i32 = -32_602;
/// The server failed.
pub const INTERNAL_ERROR: i32 = -32_603;
const PARSE_ERROR: i32 = -32_700;

/// Why a request failed.
#[derive(Debug)]
pub struct Failure {
    code: i32,
    message: String,
}

impl Failure {
    /// A failure with a code of JSON-RPC and a sentence.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// A request for a method.
#[derive(Debug)]
pub struct Message {
    /// Its ID, a text or a number.
    pub id: Value,
    /// The whole message.
    pub body: Value,
}

impl Message {
    /// Reads a request of at most `maximum` bytes. Anything else already has its response.
    pub async fn read(request: Request, maximum: usize) -> Result<Self, Box<Response>> {
        if request.method() != Method::POST {
            // The server never sends unrequested messages, so there is no stream.
            let only = [(header::ALLOW, "POST")];
            return Err(Box::new((StatusCode::METHOD_NOT_ALLOWED, only).into_response()));
        }
        let refuse = |status: StatusCode, code, message: String| {
            let failure = error(&Value::Null, &Failure::new(code, message));
            Err(Box::new((status, Json(failure)).into_response()))
        };
        if let Some(version) = unsupported_version(request.headers()) {
            let message =
                format!("unsupported version `{version}`; use one of: {}", VERSIONS.join(", "));
            return refuse(StatusCode::BAD_REQUEST, INVALID_REQUEST, message);
        }
        let Ok(bytes) = to_bytes(request.into_body(), maximum).await else {
            let message = format!("the message exceeds {maximum} bytes");
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, INVALID_REQUEST, message);
        };
        let Ok(body) = serde_json::from_slice::<Value>(&bytes) else {
            let message = "the message isn't valid JSON".to_owned();
            return refuse(StatusCode::BAD_REQUEST, PARSE_ERROR, message);
        };
        if !body.is_object() {
            let message = "the message isn't one JSON object".to_owned();
            return refuse(StatusCode::BAD_REQUEST, INVALID_REQUEST, message);
        }
        match body.get("id").filter(|id| id.is_string() || id.is_number()).cloned() {
            Some(id) => Ok(Self { id, body }),
            // Notifications, and responses to requests that were never sent.
            None => Err(Box::new(StatusCode::ACCEPTED.into_response())),
        }
    }

    /// The name of the method.
    pub fn method(&self) -> Result<&str, Failure> {
        let method = self.body.get("method").and_then(Value::as_str);
        method.ok_or_else(|| Failure::new(INVALID_REQUEST, "`method` is missing"))
    }

    /// The parameters; null without any.
    pub fn params(&self) -> &Value {
        &self.body["params"]
    }
}

/// The body of the response to a request.
pub fn response(id: &Value, result: Result<Value, Failure>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(failure) => error(id, &failure),
    }
}

fn error(id: &Value, failure: &Failure) -> Value {
    let Failure { code, message } = failure;
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The version that a client and this server speak, by the parameters of `initialize`.
pub fn version_for(params: &Value) -> &'static str {
    let wanted = params["protocolVersion"].as_str().unwrap_or_default();
    VERSIONS.iter().find(|version| **version == wanted).unwrap_or(&VERSIONS[0])
}

/// The failure of an unknown method.
pub fn unknown_method(method: &str) -> Failure {
    Failure::new(METHOD_NOT_FOUND, format!("unknown method `{method}`"))
}

fn unsupported_version(headers: &HeaderMap) -> Option<String> {
    let version = headers.get(VERSION_HEADER)?.to_str().unwrap_or_default();
    (!VERSIONS.contains(&version)).then(|| version.chars().take(40).collect())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    async fn read(request: Request) -> Result<Message, (u16, Value)> {
        match Message::read(request, 100).await {
            Ok(message) => Ok(message),
            Err(response) => {
                let status = response.status().as_u16();
                let bytes = to_bytes(response.into_body(), 10_000).await.unwrap();
                Err((status, serde_json::from_slice(&bytes).unwrap_or_default()))
            }
        }
    }

    fn post(body: &str) -> Request {
        Request::post("/mcp").body(Body::from(body.to_owned())).unwrap()
    }

    #[tokio::test]
    async fn requests_are_read_and_others_have_their_response() {
        let message = read(post(r#"{"id":1,"method":"ping","params":{"a":2}}"#)).await.unwrap();
        assert_eq!((message.id.clone(), message.method().unwrap()), (json!(1), "ping"));
        assert_eq!(message.params()["a"], 2);
        let long = format!("\"{}\"", "x".repeat(100));
        for (body, status, code) in [
            ("{", 400, PARSE_ERROR),
            ("[]", 400, INVALID_REQUEST),
            ("1", 400, INVALID_REQUEST),
            (&*long, 413, INVALID_REQUEST),
        ] {
            let (found, answer) = read(post(body)).await.unwrap_err();
            assert_eq!((found, &answer["error"]["code"]), (status, &json!(code)), "{body}");
        }
        for notification in
            [r#"{"method":"notifications/initialized"}"#, r#"{"id":null,"method":"x"}"#]
        {
            assert_eq!(read(post(notification)).await.unwrap_err().0, 202);
        }
        let get = Request::get("/mcp").body(Body::empty()).unwrap();
        assert_eq!(read(get).await.unwrap_err().0, 405);
    }

    #[tokio::test]
    async fn unsupported_version_is_refused() {
        let versioned = |version: &str| {
            let request = Request::post("/mcp").header("MCP-Protocol-Version", version);
            request.body(Body::from(r#"{"id":"a","method":"ping"}"#)).unwrap()
        };
        assert!(read(versioned("2025-06-18")).await.is_ok());
        let (status, answer) = read(versioned("1999-01-01")).await.unwrap_err();
        assert_eq!(status, 400);
        assert!(answer["error"]["message"].as_str().unwrap().contains("2025-06-18"), "{answer}");
        assert_eq!(version_for(&json!({ "protocolVersion": "2024-11-05" })), "2024-11-05");
        assert_eq!(version_for(&json!({ "protocolVersion": "1" })), VERSIONS[0]);
    }
}

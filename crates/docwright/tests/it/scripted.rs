//! A model that makes the calls of a script.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// A host of a model that makes these calls of tools, one in each response. Keeps the requests.
pub(crate) async fn scripted(
    calls: Vec<(&'static str, Value)>,
) -> (String, Arc<Mutex<Vec<Value>>>) {
    let requests: Arc<Mutex<Vec<Value>>> = Arc::default();
    let kept = Arc::clone(&requests);
    let router = Router::new().fallback(move |Json(body): Json<Value>| {
        let (kept, calls) = (Arc::clone(&kept), calls.clone());
        async move {
            let mut kept = kept.lock().unwrap();
            let (name, arguments) = &calls[kept.len().min(calls.len() - 1)];
            let id = format!("call-{}", kept.len());
            kept.push(body);
            respond(&id, name, arguments)
        }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, router).into_future());
    (address, requests)
}

fn respond(id: &str, name: &str, arguments: &Value) -> Response {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
    let delta = json!({ "role": "assistant", "tool_calls": [call] });
    let chunk =
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": "tool_calls" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } });
    let body = format!("data: {chunk}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
    ([("content-type", "text/event-stream")], body).into_response()
}

//! A scripted host of a model with Chat Completions.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Json, Router,
    body::Body,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// The key that requests carry. It must be in no answer.
pub(crate) const KEY: &str = "sk-assistant-s3cret";

/// What the host does with a request. In texts, `?` as the number of a section is that of the section with the words.
#[derive(Debug, Clone)]
pub(crate) enum Does {
    /// Writes this in small pieces.
    Writes(String),
    /// Writes the first text, waits until it is released, and writes the other.
    Waits(String, String),
    /// Writes this and stops in the middle.
    Breaks(String),
    /// Sends no response.
    Hangs,
    /// Responds with a status and a body.
    Responds(u16, &'static str, &'static str),
}

/// A running host.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedModel {
    pub(crate) address: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    does: Mutex<Does>,
    requests: Mutex<Vec<(HeaderMap, Value)>>,
    /// Releases texts that wait.
    gate: Semaphore,
    /// Responses whose client left.
    left: AtomicUsize,
}

/// Counts a response whose client left before its end.
struct Leaving(Arc<Shared>, bool);

impl Drop for Leaving {
    fn drop(&mut self) {
        if !self.1 {
            self.0.left.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl ScriptedModel {
    pub(crate) async fn start() -> Self {
        let shared = Arc::new(Shared {
            does: Mutex::new(Does::Hangs),
            requests: Mutex::default(),
            gate: Semaphore::new(0),
            left: AtomicUsize::new(0),
        });
        let state = Arc::clone(&shared);
        let router = Router::new().fallback(move |headers: HeaderMap, Json(body): Json<Value>| {
            let shared = Arc::clone(&state);
            async move { respond(shared, headers, body).await }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { address, shared }
    }

    /// What it does from now on.
    pub(crate) fn does(&self, does: Does) {
        *self.shared.does.lock().unwrap() = does;
    }

    pub(crate) fn writes(&self, text: &str) {
        self.does(Does::Writes(text.to_owned()));
    }

    /// Lets one waiting text continue.
    pub(crate) fn release(&self) {
        self.shared.gate.add_permits(1);
    }

    /// The requests since the last call.
    pub(crate) fn taken(&self) -> Vec<(HeaderMap, Value)> {
        std::mem::take(&mut self.shared.requests.lock().unwrap())
    }

    /// How many clients left before the end of a response.
    pub(crate) fn left(&self) -> usize {
        self.shared.left.load(Ordering::SeqCst)
    }
}

async fn respond(shared: Arc<Shared>, headers: HeaderMap, body: Value) -> Response {
    let does = shared.does.lock().unwrap().clone();
    let prompt = body["messages"][1]["content"].as_str().unwrap_or_default().to_owned();
    shared.requests.lock().unwrap().push((headers, body));
    let mut leaving = Leaving(Arc::clone(&shared), false);
    let (first, rest, is_whole) = match does {
        Does::Responds(status, kind, text) => {
            leaving.1 = true;
            let status = StatusCode::from_u16(status).unwrap();
            return (status, [("content-type", kind)], text).into_response();
        }
        Does::Hangs => std::future::pending().await,
        Does::Writes(text) => (text, None, true),
        Does::Waits(first, rest) => (first, Some(rest), true),
        Does::Breaks(text) => (text, None, false),
    };
    let mut events = pieces(&numbered(&prompt, &first));
    let waits = rest.is_some();
    let mut later = pieces(&numbered(&prompt, &rest.unwrap_or_default()));
    if is_whole {
        let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        later.push(format!("data: {end}\n\ndata: [DONE]\n\n"));
    }
    events.reverse();
    later.reverse();
    let written = stream::unfold((events, later, waits, leaving), move |state| {
        let shared = Arc::clone(&shared);
        async move {
            let (mut events, mut later, mut waits, mut leaving) = state;
            if let Some(event) = events.pop() {
                return Some((Ok::<_, std::io::Error>(event), (events, later, waits, leaving)));
            }
            if waits {
                shared.gate.acquire().await.unwrap().forget();
                waits = false;
            }
            let Some(event) = later.pop() else {
                leaving.1 = true;
                return None;
            };
            Some((Ok(event), (events, later, waits, leaving)))
        }
    });
    ([("content-type", "text/event-stream")], Body::from_stream(written.boxed())).into_response()
}

/// Events with a few letters each.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let piece = |piece: &[char]| {
        let delta = json!({ "content": String::from_iter(piece) });
        format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": delta }] }))
    };
    letters.chunks(7).map(piece).collect()
}

/// The text with the numbers of sections: the first one in the prompt that has the words.
fn numbered(prompt: &str, text: &str) -> String {
    let mut parts = text.split("[[?: \"");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let words = part.split_once("\"]]").unwrap().0;
        let sections: Vec<&str> = prompt.split("=== Section ").skip(1).collect();
        let found = sections.iter().position(|section| section.contains(words));
        let number = found.unwrap_or_else(|| panic!("no section has `{words}`: {prompt}")) + 1;
        whole.push_str(&format!("[[{number}: \"{part}"));
    }
    whole
}

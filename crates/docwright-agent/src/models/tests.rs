//! Real hosts on this machine, working and failing ones.

mod outages;
mod writing;

use std::{sync::Arc, time::Duration};

use docwright_testing::ports::Port;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Mutex,
};

use super::*;
use crate::run::CallResult;

const KEY: &str = "sk-s3cret-key";

/// The behavior of a host after a request.
#[derive(Debug, Clone)]
enum Does {
    /// Sends this and closes the connection.
    Answers(String),
    /// Sends this and then nothing, with the connection open.
    Stops(String),
    /// Sends this and then the other repeatedly.
    Drips(String, &'static str),
    /// Sends these with pauses and closes the connection.
    Dawdles(Vec<String>),
}

/// A host of models, and the requests that it got.
struct Host {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Host {
    /// Does one thing after another, and then repeats the last one.
    async fn start(script: Vec<Does>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, script.clone(), Arc::clone(&kept)));
            }
        });
        Self { address, requests }
    }

    fn model(&self, name: &str) -> Remote {
        let settings = Settings {
            name: name.to_owned(),
            base_url: Some(self.address.clone()),
            key: KEY.to_owned(),
            silence: Duration::from_millis(400),
        };
        Remote::new(&settings).unwrap()
    }

    /// The body of a request.
    async fn body(&self, number: usize) -> Value {
        let request = self.requests.lock().await[number].clone();
        serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

async fn serve(mut stream: TcpStream, script: Vec<Does>, kept: Arc<Mutex<Vec<String>>>) {
    let request = read(&mut stream).await;
    let number = {
        let mut kept = kept.lock().await;
        kept.push(request);
        kept.len() - 1
    };
    match script[number.min(script.len() - 1)].clone() {
        Does::Answers(text) => drop(stream.write_all(text.as_bytes()).await),
        Does::Stops(text) => {
            drop(stream.write_all(text.as_bytes()).await);
            // Until the client closes the connection.
            drop(stream.read(&mut [0; 1]).await);
        }
        Does::Drips(text, drop) => {
            let mut sent = stream.write_all(text.as_bytes()).await;
            while sent.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await; // waits: a slow host is slow
                sent = stream.write_all(drop.as_bytes()).await;
            }
        }
        Does::Dawdles(pieces) => {
            for piece in pieces {
                drop(stream.write_all(piece.as_bytes()).await);
                tokio::time::sleep(Duration::from_millis(20)).await; // waits: a slow host is slow
            }
        }
    }
}

/// A request with its body.
async fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 8192];
        let count = stream.read(&mut chunk).await.unwrap_or(0);
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text
            .to_ascii_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        let head = text.find("\r\n\r\n").map(|end| end + 4);
        if count == 0 || head.is_some_and(|head| bytes.len() >= head + length.unwrap_or(0)) {
            return text;
        }
    }
}

/// An answer of HTTP that ends with the connection.
fn http(status: u16, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{body}")
}

fn events(events: &[Value]) -> String {
    let lines: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    http(200, "text/event-stream", &lines.concat())
}

fn delta(delta: &Value) -> Value {
    json!({ "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta }] })
}

fn end(reason: &str) -> Value {
    json!({
        "object": "chat.completion.chunk",
        "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 },
    })
}

/// A call of `read`, in pieces, as hosts stream it.
fn call() -> String {
    let piece = |call: Value| delta(&json!({ "tool_calls": [call] }));
    events(&[
        delta(&json!({ "role": "assistant", "content": null, "reasoning_content": "Where?" })),
        delta(&json!({ "content": "I look." })),
        piece(
            json!({ "index": 0, "id": "c1", "type": "function", "function": { "name": "read", "arguments": "{\"path\":" } }),
        ),
        piece(json!({ "index": 0, "function": { "arguments": "\"a.mdx\"}" } })),
        end("tool_calls"),
    ]) + "data: [DONE]\n\n"
}

async fn ask(model: &Remote) -> Result<ModelResponse, ModelError> {
    let turns = [Turn::User("look".into())];
    tokio::time::timeout(Duration::from_secs(30), model.answer("rules", &turns))
        .await
        .expect("a host that says nothing is given up")
}

#[tokio::test]
async fn chat_completions_stream_and_call_tools() {
    let host = Host::start(vec![
        Does::Answers(call()),
        Does::Answers(events(&[delta(&json!({ "content": "Done." })), end("stop")])),
    ])
    .await;
    let model = host.model("openai-chat:org/qwen3:8b");
    let turns = [Turn::User("look".into())];
    let answer = model.answer("rules", &turns).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("I look.", 1));
    assert_eq!(
        (answer.calls[0].name.as_str(), &answer.calls[0].arguments),
        ("read", &json!({ "path": "a.mdx" }))
    );
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (7, 3));
    let request = host.requests.lock().await[0].clone();
    assert!(request.starts_with("POST /v1/chat/completions "), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}")), "{request}");
    let body = host.body(0).await;
    assert_eq!((&body["model"], &body["stream"]), (&json!("org/qwen3:8b"), &json!(true)));
    assert_eq!(body["messages"][0], json!({ "role": "system", "content": "rules" }));
    assert!(body["tools"].as_array().is_some_and(|tools| tools.len() == TOOL_COUNT), "{body}");
    assert_eq!(body["max_tokens"], Value::Null, "the host knows what its model can write");
    // The result of the tool is returned with its call.
    let result = CallResult {
        id: answer.calls[0].id.clone(),
        name: "read".into(),
        text: "It is here.".into(),
        refused: false,
    };
    let turns = [turns[0].clone(), Turn::Model(answer), Turn::Tools(vec![result])];
    assert_eq!(model.answer("rules", &turns).await.unwrap().text, "Done.");
    let body = host.body(1).await;
    assert_eq!(body["messages"][2]["tool_calls"][0]["id"], "c1", "{body}");
    assert_eq!(body["messages"][2]["reasoning_content"], "Where?", "{body}");
    let answered = json!({ "role": "tool", "tool_call_id": "c1", "content": "It is here." });
    assert_eq!(body["messages"][3], answered);
}

/// Events of the Messages protocol.
fn messages(list: &[Value]) -> String {
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    http(200, "text/event-stream", &list.iter().map(event).collect::<String>())
}

#[tokio::test]
async fn messages_stream_thoughts_text_and_calls() {
    let start =
        |block: Value| json!({ "type": "content_block_start", "index": 0, "content_block": block });
    let delta = |index: u8, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let end = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 30 } });
    let usage = json!({ "input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 1 });
    let opened = json!({ "type": "message_start", "message": { "usage": usage } });
    let done = json!({ "type": "message_stop" });
    let first = messages(&[
        opened.clone(),
        start(json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        delta(0, json!({ "type": "thinking_delta", "thinking": "Where " })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "is it?" })),
        delta(0, json!({ "type": "signature_delta", "signature": "c2ln" })),
        start(json!({ "type": "text", "text": "" })),
        delta(1, json!({ "type": "text_delta", "text": "I " })),
        delta(1, json!({ "type": "text_delta", "text": "look." })),
        start(json!({ "type": "tool_use", "id": "t1", "name": "read", "input": {} })),
        delta(2, json!({ "type": "input_json_delta", "partial_json": "{\"path\":" })),
        delta(2, json!({ "type": "input_json_delta", "partial_json": "\"a.mdx\"}" })),
        start(json!({ "type": "tool_use", "id": "t2", "name": "list", "input": {} })),
        end("tool_use"),
        done.clone(),
    ]);
    let second = messages(&[opened.clone(), end("refusal"), done.clone()]);
    let third = messages(&[opened.clone(), end("max_tokens"), done]);
    let fourth = messages(&[opened]);
    let script = [first, second, third, fourth].map(Does::Answers).to_vec();
    let host = Host::start(script).await;
    let model = host.model("anthropic:claude");
    let answer = ask(&model).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.calls.len()), ("I look.", 2));
    assert_eq!(
        (answer.calls[0].id.as_str(), answer.calls[0].name.as_str(), &answer.calls[0].arguments),
        ("t1", "read", &json!({ "path": "a.mdx" }))
    );
    assert_eq!((answer.calls[1].id.as_str(), &answer.calls[1].arguments), ("t2", &json!({})));
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (105, 30));
    let request = host.requests.lock().await[0].to_ascii_lowercase();
    assert!(request.starts_with("post /v1/messages "), "{request}");
    assert!(request.contains(&format!("x-api-key: {KEY}")), "{request}");
    assert!(request.contains("anthropic-version: 2023-06-01"), "{request}");
    let body = host.body(0).await;
    assert_eq!((&body["system"], &body["max_tokens"]), (&json!("rules"), &json!(16_000)));
    assert_eq!(body["tools"].as_array().unwrap().len(), TOOL_COUNT, "{body}");
    // The next request repeats the blocks unchanged: reasoning counts only with its signature.
    let result = |id: &str, refused| CallResult {
        id: id.into(),
        name: "read".into(),
        text: "It is here.".into(),
        refused,
    };
    let results = vec![result("t1", false), result("t2", true)];
    let turns = [Turn::User("look".into()), Turn::Model(answer), Turn::Tools(results)];
    let error = model.answer("rules", &turns).await.unwrap_err();
    assert!(error.message.contains("its provider ended the answer"), "{}", error.message);
    let messages = host.body(1).await["messages"].clone();
    let thought = json!({ "type": "thinking", "thinking": "Where is it?", "signature": "c2ln" });
    assert_eq!(messages[1]["content"][0], thought, "{messages}");
    assert_eq!(messages[1]["content"][2]["input"], json!({ "path": "a.mdx" }), "{messages}");
    let expected = json!({ "type": "tool_result", "tool_use_id": "t2", "content": "It is here.", "is_error": true });
    assert_eq!(messages[2]["content"][1], expected, "{messages}");
    let error = ask(&model).await.unwrap_err();
    assert!(error.message.contains("cut off at its limit of tokens"), "{}", error.message);
    let error = ask(&model).await.unwrap_err();
    assert!(error.message.contains("broke off before its end"), "{}", error.message);
}

const TOOL_COUNT: usize = crate::tools::TOOLS.len();

#[tokio::test]
async fn cost_is_taken_from_response_of_host() {
    let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25 });
    let last = json!({ "choices": [], "usage": usage });
    let text = events(&[delta(&json!({ "content": "Done." })), end("stop"), last]);
    let host = Host::start(vec![Does::Answers(text), Does::Answers(call())]).await;
    let model = host.model("openai-chat:x");
    assert_eq!(ask(&model).await.unwrap().usage.cost, Some(0.25));
    assert_eq!(ask(&model).await.unwrap().usage.cost, None);
}

#[tokio::test]
async fn request_has_no_authorization_without_key() {
    let host = Host::start(vec![Does::Answers(call())]).await;
    for name in ["openai-chat:x", "ollama:x", "llamacpp:x"] {
        let settings = Settings {
            name: name.to_owned(),
            base_url: Some(host.address.clone()),
            key: String::new(),
            silence: Duration::from_secs(5),
        };
        ask(&Remote::new(&settings).unwrap()).await.unwrap();
    }
    for request in host.requests.lock().await.iter() {
        assert!(!request.to_ascii_lowercase().contains("authorization"), "{request}");
        assert!(request.starts_with("POST /v1/chat/completions "), "{request}");
    }
}

#[tokio::test]
async fn response_without_streaming_is_read() {
    let message = json!({ "role": "assistant", "content": "Line one\nline two", "tool_calls": [
        { "id": "c1", "type": "function", "function": { "name": "list", "arguments": "{}" } },
    ] });
    let whole = json!({ "object": "chat.completion", "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }] });
    let text = http(200, "application/json; charset=utf-8", &format!("{whole:#}"));
    let answer = ask(&Host::start(vec![Does::Answers(text)]).await.model("openai-chat:x")).await;
    let answer = answer.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.calls[0].name.as_str()),
        ("Line one\nline two", "list")
    );
}

#[tokio::test]
async fn invalid_calls_reach_the_tools() {
    let one = |function: Value| {
        let call = json!({ "index": 0, "id": "c1", "type": "function", "function": function });
        events(&[delta(&json!({ "tool_calls": [call] })), end("tool_calls")])
    };
    let host = Host::start(vec![
        Does::Answers(one(json!({ "name": "shell", "arguments": "{}" }))),
        Does::Answers(one(json!({ "name": "read", "arguments": "{ not json" }))),
        Does::Answers(one(json!({ "name": "read", "arguments": "[1]" }))),
    ])
    .await;
    let model = host.model("openai-chat:x");
    assert_eq!(ask(&model).await.unwrap().calls[0].name, "shell");
    for _ in 0..2 {
        let answer = ask(&model).await.unwrap();
        assert!(!answer.calls[0].arguments.is_object(), "{answer:?}");
    }
}

/// The error of a model with this name for a host that does this.
async fn failure_of(name: &str, does: Does) -> ModelError {
    let host = Host::start(vec![does]).await;
    let error = ask(&host.model(name)).await.unwrap_err();
    let asked = format!("the model `{name}` at {}/v1 gave no answer: ", host.address);
    let asked = if name.starts_with("anthropic") { asked.replace("/v1", "") } else { asked };
    assert!(error.message.starts_with(&asked), "{}", error.message);
    assert!(error.message.contains("; ") && !error.message.contains(KEY), "{}", error.message);
    error
}

const HTML: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>";

#[tokio::test]
async fn refusal_reports_response_and_remedy() {
    let json = "application/json";
    says(vec![
        (
            http(401, json, r#"{"error":{"message":"no such key sk-s3cret-key"}}"#),
            "it answered 401: “no such key [key]”",
            "--agent-keys",
            1,
        ),
        (
            http(404, json, r#"{"object":"error","message":"The model `x` does not exist."}"#),
            "it answered 404: “The model `x` does not exist.”",
            "model's name",
            1,
        ),
        (
            http(400, json, r#"{"error":"x does not support tools"}"#),
            "it answered 400: “x does not support tools”",
            "call tools",
            1,
        ),
        (
            http(422, json, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#),
            "it answered 422: “field required”",
            "call tools",
            1,
        ),
        (
            http(429, json, r#"{"error":{"message":"slow down"}}"#),
            "it answered 429: “slow down”",
            "try again later",
            5,
        ),
        (
            http(500, "text/plain", "out of memory\n\u{1b}[0m"),
            "it answered 500: “out of memory [0m”",
            "log",
            5,
        ),
        (http(502, "text/html", HTML), "it answered 502: a web page titled “Sign in”", "log", 5),
        (http(503, json, ""), "it answered 503;", "log", 5),
    ])
    .await;
}

#[tokio::test]
async fn invalid_response_is_reported_with_remedy() {
    let json = "application/json";
    let cut = events(&[delta(&json!({ "content": "I will" }))]);
    says(vec![
        (http(200, "text/html", HTML), "it answered with a web page titled “Sign in”", "/v1", 1),
        (http(200, "text/event-stream", HTML), "it answered with a web page", "/v1", 1),
        (http(200, json, ""), "nothing at all", "/v1", 5),
        (http(200, "text/event-stream", ""), "nothing at all", "/v1", 5),
        (
            http(200, json, r#"{"object":"chat.completion","choices":[]}"#),
            "holds no choices: “{",
            "name",
            1,
        ),
        (http(200, json, r#"{"version":"1"}"#), "something else: “{\"version\":\"1\"}”", "name", 1),
        (
            http(200, json, r#"{"error":{"message":"no such model"}}"#),
            "with an error: “no such model”",
            "name",
            1,
        ),
        (
            http(200, "text/plain", "hello"),
            "with “text/plain” where an event stream belongs: “hello”",
            "/v1",
            1,
        ),
        (events(&[json!({ "choices": [] })]) + "data: [DONE]\n\n", "holds no choices", "name", 1),
        (
            events(&[json!({ "error": { "message": "overloaded" } })]),
            "with an error: “overloaded”",
            "log",
            1,
        ),
        (cut.clone(), "broke off before its end", "log", 5),
        (cut.clone() + "data: [DONE]\n\n", "broke off before its end", "log", 5),
        (
            http(200, "text/event-stream", "data: {\"choices\":[{\n\n"),
            "not valid JSON: “data: {",
            "/v1",
            5,
        ),
        (
            events(&[delta(&json!({ "content": "I will" })), end("length")]),
            "cut off at its limit of tokens",
            "request less in one prompt",
            1,
        ),
        (
            events(&[delta(&json!({ "content": "I" })), end("content_filter")]),
            "its provider ended the answer",
            "rephrase the prompt",
            1,
        ),
    ])
    .await;
}

/// Sends requests to hosts with these answers, and checks the error, its advice, and the number of attempts.
async fn says(cases: Vec<(String, &str, &str, u32)>) {
    for (answer, expected, advice, attempts) in cases {
        let error = failure_of("openai-chat:x", Does::Answers(answer)).await;
        let (what, to_do) = error.message.rsplit_once("; ").unwrap();
        assert!(format!("{what};").contains(expected), "{expected}: {}", error.message);
        assert!(to_do.contains(advice), "{advice}: {}", error.message);
        assert_eq!(error.attempts, attempts, "{}", error.message);
    }
}

#[tokio::test]
async fn other_protocols_report_the_same_errors() {
    for name in ["openai:gpt", "anthropic:claude", "ollama:x"] {
        let page = http(200, "text/html", "<html><title>Hi</title></html>");
        assert!(
            failure_of(name, Does::Answers(page)).await.message.contains("web page titled “Hi”")
        );
        let wrong = http(401, "application/json", r#"{"error":{"message":"bad key"}}"#);
        assert!(failure_of(name, Does::Answers(wrong)).await.message.contains("401: “bad key”"));
        let silent = failure_of(name, Does::Stops(http(200, "text/event-stream", ""))).await;
        assert!(silent.message.contains("--agent-answer-seconds"), "{}", silent.message);
    }
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let answer = Does::Answers(http(200, "text/event-stream", overloaded));
    let error = failure_of("anthropic:claude", answer).await;
    assert!(error.message.contains("with an error: “Overloaded”"), "{}", error.message);
    assert_eq!(error.attempts, 5, "it passes");
}

#[tokio::test]
async fn request_to_silent_host_times_out() {
    let head = http(200, "text/event-stream", "");
    let started = events(&[delta(&json!({ "content": "I will" }))]);
    for (does, expected) in [
        (Does::Stops(String::new()), "did not answer within 0.4 seconds"),
        (Does::Stops("HTTP/1.1 200 OK\r\n".into()), "did not answer within"),
        (Does::Stops(head.clone()), "sent nothing of it for 0.4 seconds"),
        (Does::Stops(started.clone()), "sent nothing of it"),
        (Does::Stops(http(500, "text/plain", "oh")), "sent nothing of it"),
        (Does::Drips(head.clone(), ": keep-alive\n\n"), "sent nothing of it"),
        (Does::Drips(head.clone(), "\n"), "sent nothing of it"),
        (Does::Drips(head.clone(), "data: {}\n\n"), "sent nothing of it"),
        (Does::Drips(head, "data: {\"choices\":[]}\n\n"), "sent nothing of it"),
        (Does::Drips(started, ": keep-alive\n\n"), "sent nothing of it"),
    ] {
        let error = failure_of("openai-chat:x", does.clone()).await;
        assert!(error.message.contains(expected), "{does:?}: {}", error.message);
        assert!(error.message.contains("--agent-answer-seconds"), "{}", error.message);
        assert_eq!(error.attempts, 2, "once more, since it costs so long");
    }
}

#[tokio::test]
async fn slow_answer_is_read_to_its_end() {
    // Longer than the limit of silence, in pieces that each arrive in time.
    let event = |event: &Value| format!("data: {event}\n\n");
    let mut pieces = vec![http(200, "text/event-stream", "")];
    pieces.extend((0..40).map(|_| event(&delta(&json!({ "content": "x" })))));
    pieces.push(event(&end("stop")));
    let host = Host::start(vec![Does::Dawdles(pieces)]).await;
    let answer = ask(&host.model("openai-chat:x")).await.unwrap();
    assert_eq!(answer.text, "x".repeat(40));
    assert_eq!(host.requests.lock().await.len(), 1, "it was asked once");
}

#[tokio::test]
async fn redirects_and_missing_hosts_are_reported() {
    let to = "HTTP/1.1 307 X\r\nLocation: http://elsewhere.example/v1?key=s3cret\r\nContent-Length: 0\r\n\r\n";
    let error = failure_of("openai-chat:x", Does::Answers(to.to_owned())).await;
    assert!(
        error.message.contains("307, a redirect to http://elsewhere.example/v1;"),
        "{}",
        error.message
    );
    let settings = |address: &str| Settings {
        name: "ollama:x".to_owned(),
        base_url: Some(address.to_owned()),
        key: String::new(),
        silence: Duration::from_secs(5),
    };
    let unused = Port::take();
    let free = format!("127.0.0.1:{}", unused.number());
    let address = format!("http://me:s3cret@{free}");
    let error = ask(&Remote::new(&settings(&address)).unwrap()).await.unwrap_err();
    let expected = format!(
        "the model `ollama:x` at http://{free}/v1 gave no answer: it can't be reached (Connection refused"
    );
    assert!(error.message.starts_with(&expected), "{}", error.message);
    assert!(error.message.contains("check that it runs") && error.attempts == 5, "{error:?}");
    assert!(!error.message.contains("s3cret"), "{}", error.message);
    let answer = http(429, "application/json", "{}").replacen("\r\n", "\r\nRetry-After: 7\r\n", 1);
    assert_eq!(failure_of("openai-chat:x", Does::Answers(answer)).await.retry_after, Some(7));
}

#[tokio::test]
async fn endless_answer_is_cut_off_at_limit() {
    let line = format!("data: {}\n\n", delta(&json!({ "content": "x".repeat(1 << 20) })));
    let text = http(200, "text/event-stream", &line.repeat(70));
    let host = Host::start(vec![Does::Stops(text)]).await;
    let mut model = host.model("openai-chat:x");
    model.silence = Duration::from_secs(20);
    let error = ask(&model).await.unwrap_err();
    assert!(error.message.contains("longer than 64 MiB"), "{}", error.message);
}

#[test]
fn unusable_models_are_refused_with_reason() {
    let settings = |name: &str, base_url: Option<&str>| Settings {
        name: name.to_owned(),
        base_url: base_url.map(str::to_owned),
        key: KEY.to_owned(),
        silence: Duration::from_secs(5),
    };
    for (name, address, expected) in [
        ("bogus:x", None, "unknown provider `bogus`"),
        ("openai-chat:x", None, "--agent-urls openai-chat=https://HOST/v1"),
        ("openai-chat:x", Some("localhost:1234"), "isn't an HTTP URL"),
    ] {
        let reason = Remote::new(&settings(name, address)).unwrap_err();
        assert!(reason.contains(expected) && reason.contains(name), "{reason}");
    }
    let shown = format!("{:?}", settings("ollama:x", Some("http://me:s3cret@h/v1")));
    assert!(!shown.contains("s3cret") && !shown.contains(KEY), "{shown}");
}

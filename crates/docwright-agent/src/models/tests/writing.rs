//! Texts that hosts write piece by piece.

use super::*;

async fn written(name: &str, does: Does) -> (Result<(), ModelError>, Vec<String>, Value) {
    let host = Host::start(vec![does]).await;
    let mut model = host.model(name);
    model.silence = Duration::from_secs(10);
    let turns = [Turn::User("ask".into())];
    let mut pieces = Vec::new();
    let mut take = |piece: &str| {
        if !piece.is_empty() {
            pieces.push(piece.to_owned());
        }
    };
    let result = model.write("rules", &turns, 900, &mut take).await;
    (result, pieces, host.body(0).await)
}

#[tokio::test]
async fn text_is_passed_on_in_pieces_without_tools() {
    let piece = |text: &str| delta(&json!({ "content": text }));
    let whole = events(&[piece("One "), piece(""), piece("two."), end("stop")]);
    let (result, pieces, body) = written("openai-chat:x", Does::Answers(whole)).await;
    assert_eq!((result, pieces), (Ok(()), vec!["One ".to_owned(), "two.".to_owned()]));
    assert_eq!((&body["tools"], &body["max_tokens"]), (&Value::Null, &json!(900)));
    let delta = |text: &str| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } });
    let block = json!({ "type": "text", "text": "" });
    let whole = messages(&[
        json!({ "type": "message_start", "message": { "usage": {} } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        delta("One "),
        delta("two."),
        json!({ "type": "message_stop" }),
    ]);
    let (result, pieces, body) = written("anthropic:x", Does::Answers(whole)).await;
    assert_eq!((result, pieces), (Ok(()), vec!["One ".to_owned(), "two.".to_owned()]));
    assert_eq!((&body["tools"], &body["max_tokens"]), (&Value::Null, &json!(900)));
}

#[tokio::test]
async fn long_text_ends_at_its_limit_and_refusal_is_an_error() {
    let piece = delta(&json!({ "content": "One" }));
    for (reason, is_written) in [("length", true), ("stop", true), ("content_filter", false)] {
        let text = events(&[piece.clone(), end(reason)]);
        let (result, pieces, _) = written("openai-chat:x", Does::Answers(text)).await;
        assert_eq!((result.is_ok(), pieces.len()), (is_written, 1), "{reason}");
    }
}

#[tokio::test]
async fn error_without_reply_does_not_repeat_the_request() {
    let text = http(400, "application/json", r#"{"error":{"message":"bad prompt: my secret"}}"#);
    let (result, _, _) = written("openai-chat:x", Does::Answers(text)).await;
    let error = result.unwrap_err();
    assert!(error.message.contains("my secret"), "{error}");
    let reason = error.without_reply();
    assert!(reason.ends_with("it answered 400") && !reason.contains("secret"), "{reason}");
}

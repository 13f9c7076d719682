//! Limits of a site's MCP server.

use serde_json::{Value, json};

use super::{HOST, published};

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_messages_have_a_length_limit() {
    let (_setup, process) = published(&[]).await;
    let ask = async |query: String| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "search", "arguments": { "query": query } } });
        let request = reqwest::Client::new()
            .post(format!("{}/mcp", process.address))
            .header("host", HOST)
            .json(&body);
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, answer) = ask("ü".repeat(1_000)).await;
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(false)), "{answer}");
    let (status, answer) = ask("ü".repeat(1_001)).await;
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)), "{answer}");
    let said = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("1000 characters"), "{said}");
    let (status, answer) = ask("x".repeat(70_000)).await;
    assert_eq!(status, 413);
    assert!(answer["error"]["message"].as_str().unwrap().contains("65536 bytes"), "{answer}");
}

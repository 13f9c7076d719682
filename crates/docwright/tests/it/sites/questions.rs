//! Questions to a site's MCP server.

use serde_json::{Value, json};

use super::{HOST, Site};

async fn call(site: &Site, method: &str, params: Value) -> Value {
    let request = reqwest::Client::new().post(format!("{}/mcp", site.process.address));
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = request.header("host", HOST).json(&body).send().await.unwrap();
    answer.json::<Value>().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn site_without_assistant_has_no_tool_ask() {
    let site = Site::publish().await;
    let listed = call(&site, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "list_pages", "read_page"]);
    let arguments = json!({ "question": "Which text of the page gets smaller?" });
    let params = json!({ "name": "ask", "arguments": arguments });
    let refused = call(&site, "tools/call", params).await;
    assert_eq!(refused["error"]["message"], "unknown tool `ask`", "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ask_quotes_pages_or_says_that_they_do_not_say() {
    let site = Site::publish_with(json!({ "assistant": { "mode": "on" } })).await;
    let call =
        async |method: &str, params: Value| call(&site, method, params).await["result"].clone();
    let listed = call("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "ask").unwrap();
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    let ask = async |arguments: Value| {
        let result = call("tools/call", json!({ "name": "ask", "arguments": arguments })).await;
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == true)
    };
    let (text, is_error) = ask(json!({ "question": "Which text of the page gets smaller?" })).await;
    assert!(
        !is_error && text.starts_with("From the pages:\n\n## Page — Part\nPath: /page#part\n\n"),
        "{text}"
    );
    assert!(text.contains("Text of the page that gets smaller."), "{text}");
    let (text, is_error) =
        ask(json!({ "question": "How do I connect the page to Salesforce?" })).await;
    assert!(!is_error && text.starts_with("The pages don't say."), "{text}");
    assert!(!text.contains("Text of the page"), "{text}");
    for (arguments, expected) in [
        (json!({}), "`question` is missing"),
        (json!({ "question": "x".repeat(2_001) }), "2,000 characters"),
        (json!({ "question": "Deep?", "language": "xx" }), "must be one of: en"),
    ] {
        let (text, is_error) = ask(arguments).await;
        assert!(is_error && text.contains(expected), "{text}");
    }
}

//! Feedback of agents with the MCP server of a site: stored as that of readers, with their limits.

use std::{fs, path::Path};

use docwright_testing::wait::eventually;
use reqwest::{Client, Method};
use serde_json::{Value, json};

use super::HOST;
use crate::server::{Process, Setup, write_repository};

/// A site that asks readers for feedback, if `feedback` says so.
struct Place {
    setup: Setup,
    process: Process,
}

impl Place {
    async fn publish(settings: Value) -> Self {
        let setup = Setup::with_repository(|folder: &Path| {
            write_repository(folder, 2);
            let path = folder.join("docs.json");
            let mut config: Value =
                serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            for (key, value) in settings.as_object().unwrap() {
                config[key] = value.clone();
            }
            fs::write(path, config.to_string()).unwrap();
        });
        let process = setup.serve_with(&[("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1")]);
        let api = setup.api(&process);
        let export = api.start_export().await;
        api.wait_for(&export, &["completed"]).await;
        let place = Self { setup, process };
        // A node learns of a new release shortly after an export completes.
        eventually("the site is served", async || {
            let page = format!("{}/page-0", place.process.address);
            Client::new().get(page).header("host", HOST).send().await.unwrap().status() == 200
        })
        .await;
        place
    }

    async fn call(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Client::new().post(format!("{}/mcp", self.process.address));
        for (name, value) in [("host", HOST)].iter().chain(headers) {
            request = request.header(*name, *value);
        }
        request.json(&body).send().await.unwrap().json().await.unwrap()
    }

    /// The text of the result, and whether it is an error.
    async fn submit(&self, arguments: Value, headers: &[(&str, &str)]) -> (String, bool) {
        let params = json!({ "name": "submit_feedback", "arguments": arguments });
        let answer = self.call("tools/call", params, headers).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{answer}")).to_owned();
        (text, answer["result"]["isError"] == true)
    }

    /// The tool, as it is listed.
    async fn tool(&self) -> Option<Value> {
        let listed = self.call("tools/list", json!({}), &[]).await;
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == "submit_feedback").cloned()
    }

    async fn stored(&self) -> Vec<Value> {
        let path = format!("/v1/analytics/{}/feedback", self.setup.project);
        let list: Value = {
            let listed = self.setup.api(&self.process).send(Method::GET, &path, None).await;
            listed.json().await.unwrap()
        };
        list["feedback"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_of_agent_is_stored_with_its_source() {
    let place = Place::publish(json!({ "feedback": { "thumbsRating": true } })).await;
    let tool = place.tool().await.unwrap();
    assert_eq!(tool["annotations"]["readOnlyHint"], false);
    assert_eq!(tool["inputSchema"]["required"], json!(["page", "helpful"]));
    let comment = json!("  The port is missing. ");
    let arguments = json!({ "page": "/page-0.md", "helpful": false, "comment": comment });
    let (text, is_error) = place.submit(arguments, &[]).await;
    assert!(!is_error, "{text}");
    let stored = place.stored().await;
    assert_eq!(stored.len(), 1, "{stored:?}");
    assert_eq!(
        ["path", "comment", "helpful", "source", "status"].map(|field| &stored[0][field]),
        [
            &json!("page-0"),
            &json!("The port is missing."),
            &json!(false),
            &json!("mcp"),
            &json!("pending")
        ]
    );
    let refused = [
        (json!({ "helpful": true }), &[][..], "`page` is missing"),
        (json!({ "page": "page-0" }), &[], "`helpful` must be true or false"),
        (json!({ "page": "nowhere", "helpful": true }), &[], "isn't a page of this site"),
        (json!({ "page": "../../etc/passwd", "helpful": true }), &[], "isn't a page of this site"),
        (
            json!({ "page": "page-0", "helpful": true, "comment": "ü".repeat(2_001) }),
            &[],
            "2,000 characters",
        ),
        (json!({ "page": "page-0", "helpful": true, "comment": "a\0b" }), &[], "NUL"),
        (
            json!({ "page": "page-0", "helpful": true }),
            &[("origin", "https://evil.example")],
            "pages of other sites",
        ),
        (
            json!({ "page": "page-0", "helpful": true }),
            &[("sec-fetch-site", "cross-site")],
            "pages of other sites",
        ),
    ];
    for (arguments, headers, expected) in refused {
        let (text, is_error) = place.submit(arguments, headers).await;
        assert!(is_error && text.contains(expected), "{text}");
    }
    assert_eq!(place.stored().await.len(), 1, "what is refused isn't stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_and_reader_share_hourly_limit() {
    let place = Place::publish(json!({ "feedback": { "thumbsRating": true } })).await;
    let arguments = json!({ "page": "page-1", "helpful": true });
    let own = [("x-forwarded-for", "192.0.2.1")];
    let mut accepted = 0;
    // A new hour can start in between, once.
    let refused = loop {
        let (text, is_error) = place.submit(arguments.clone(), &own).await;
        if is_error {
            break text;
        }
        accepted += 1;
        assert!(accepted <= 40, "there is a limit");
    };
    assert!(accepted >= 20 && refused.contains("Try again in an hour"), "{accepted} {refused}");
    let request = Client::new().post(format!("{}/_docwright/feedback", place.process.address));
    let request = request.header("host", HOST).header(own[0].0, own[0].1).json(&arguments);
    assert_eq!(request.send().await.unwrap().status(), 429, "the same reader");
    assert!(!place.submit(arguments, &[("x-forwarded-for", "192.0.2.2")]).await.1);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_that_asks_for_no_feedback_has_no_tool_for_it() {
    let place = Place::publish(json!({
        "feedback": { "thumbsRating": true },
        "integrations": { "telemetry": { "enabled": false } },
    }))
    .await;
    assert_eq!(place.tool().await, None);
    let arguments = json!({ "page": "page-0", "helpful": true });
    let params = json!({ "name": "submit_feedback", "arguments": arguments });
    let refused = place.call("tools/call", params, &[]).await;
    assert_eq!(refused["error"]["message"], "unknown tool `submit_feedback`", "{refused}");
    assert!(place.stored().await.is_empty());
}

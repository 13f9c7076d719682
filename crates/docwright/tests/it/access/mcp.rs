//! Operations as tools of the service's MCP server: the protocol, scopes, other organizations' objects, and hostile
//! arguments.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::AccessSetup;
use crate::{http2::Secure, server::Api};

/// A message with a key, over HTTP/1.1.
async fn post(api: &Api, body: &Value) -> (u16, Value) {
    let request = api.client.post(format!("{}/mcp", api.base)).bearer_auth(&api.key).json(body);
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

async fn call(api: &Api, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let (status, answer) = post(api, &body).await;
    assert_eq!((status, &answer["id"]), (200, &json!(7)), "{answer}");
    answer
}

/// The result of a tool that must succeed.
async fn result(api: &Api, tool: &str, arguments: Value) -> Value {
    let answer = call(api, tool, arguments).await;
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{tool}: {answer}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    result["structuredContent"].clone()
}

/// The sentence of a tool that must be refused.
async fn refused(api: &Api, tool: &str, arguments: Value) -> String {
    let answer = call(api, tool, arguments).await;
    assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

async fn tools(api: &Api) -> Vec<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    post(api, &body).await.1["result"]["tools"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "one story")]
async fn agent_reads_and_changes_with_the_scope_of_its_key() {
    let place = AccessSetup::new(None).await;
    let (own, project) = (place.setup.organization.clone(), place.setup.project.clone());
    let editor = place.key(&own, "write", json!({})).await;
    let hello = json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize",
        "params": { "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let (_, answer) = post(&editor, &hello).await;
    assert_eq!(
        (&answer["id"], &answer["result"]["protocolVersion"]),
        (&json!("a"), &json!("2025-03-26"))
    );
    assert_eq!(answer["result"]["serverInfo"]["name"], "docwright");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(post(&editor, &initialized).await.0, 202);
    let listed = tools(&editor).await;
    let tool = |name: &str| listed.iter().find(|tool| tool["name"] == name);
    let start = tool("create_agent_job").expect("editors start jobs");
    assert_eq!(start["annotations"]["readOnlyHint"], false);
    let schema = &start["inputSchema"];
    assert_eq!(schema["required"], json!(["projectId", "prompt"]));
    assert_eq!(schema["properties"]["prompt"]["maxLength"], 100_000);
    assert!(schema["properties"]["idempotencyKey"].is_object(), "{schema}");
    for each in &listed {
        let text = each.to_string();
        assert!(!text.contains("$ref"), "clients read a schema alone: {text}");
        assert!(each["description"].as_str().unwrap().len() > 20, "{text}");
    }

    let projects = result(&editor, "list_projects", json!({ "limit": 1 })).await;
    assert_eq!(projects["projects"].as_array().unwrap().len(), 1);
    let next = json!({ "limit": 1, "cursor": projects["nextCursor"] });
    let second = result(&editor, "list_projects", next).await;
    assert_ne!(second["projects"][0]["id"], projects["projects"][0]["id"]);
    let of = json!({ "projectId": project });
    assert_eq!(result(&editor, "get_project", of.clone()).await["id"], json!(project));
    for name in [
        "list_releases",
        "list_previews",
        "list_views",
        "get_timeline",
        "list_visitors",
        "list_agents",
        "list_dead_links",
        "list_suggested_redirects",
        "list_searches",
        "list_empty_searches",
        "get_web_vitals",
        "list_unread_pages",
        "list_feedback_by_page",
        "list_project_feedback",
        "list_gaps",
        "list_agent_jobs",
        "list_agent_models",
        "list_pages",
        "list_problems",
        "list_pull_requests",
        "list_deployments",
    ] {
        assert!(result(&editor, name, of.clone()).await.is_object(), "{name}");
    }
    let domains = result(&editor, "list_domains", json!({})).await;
    let domain = domains["domains"][0]["domain"].clone();
    assert_eq!(result(&editor, "get_domain", json!({ "domain": domain })).await["domain"], domain);
    let kind = json!({ "projectId": project, "by": "referrer" });
    assert!(result(&editor, "get_breakdown", kind).await.is_object());

    let prompt = json!({ "projectId": project, "prompt": "Add page a titled \"A\" with text \"B.\"", "idempotencyKey": "one" });
    let job = result(&editor, "create_agent_job", prompt.clone()).await;
    let again = result(&editor, "create_agent_job", prompt).await;
    assert_eq!(job["id"], again["id"], "the same key starts one job");
    let of_job = json!({ "projectId": project, "id": job["id"] });
    editor.finished(&project, job["id"].as_str().unwrap()).await;
    assert_eq!(result(&editor, "get_agent_job", of_job.clone()).await["status"], "completed");
    for name in ["get_agent_job_history", "get_agent_job_diff"] {
        assert!(result(&editor, name, of_job.clone()).await.is_object(), "{name}");
    }
    let release = result(&editor, "create_release", json!({ "domain": domain })).await;
    let status = json!({ "statusId": release["updateId"] });
    assert!(result(&editor, "get_update", status).await.is_object());
    let release = json!({ "releaseId": release["id"] });
    assert!(result(&editor, "get_release", release).await.is_object());
    let preview = json!({ "projectId": project, "branch": "main" });
    let preview = result(&editor, "start_preview", preview).await;
    assert!(preview["previewUrl"].as_str().unwrap().starts_with("http"), "{preview}");

    // Changes are in the audit log with the key, as those of the API.
    let admin = place.key(&own, "admin", json!({})).await;
    let log = admin.send(reqwest::Method::GET, "/v1/audit?limit=100", None).await;
    let log: Value = log.json().await.unwrap();
    let id = editor.key.split('_').nth(1).unwrap();
    for action in ["agent_job.create", "preview.create"] {
        let entries = log["entries"].as_array().unwrap();
        let found = entries.iter().filter(|entry| entry["action"] == action).collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{action}: {log}");
        assert!(found[0].to_string().contains(id), "{}", found[0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "one story")]
async fn agent_gains_nothing_beyond_its_key() {
    let place = AccessSetup::new(None).await;
    let (own, project) = (place.setup.organization.clone(), place.setup.project.clone());
    let reader = place.key(&own, "read", json!({})).await;
    let limited = place.key(&own, "write", json!({ "projects": [place.second] })).await;
    let names: Vec<_> =
        tools(&reader).await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    assert!(names.contains(&"list_projects".to_owned()), "{names:?}");
    for change in ["create_agent_job", "start_preview", "create_release", "cancel_agent_job"] {
        assert!(!names.contains(&change.to_owned()), "{change}");
    }
    // A tool that isn't listed is refused by its operation.
    let job = json!({ "projectId": project, "prompt": "Fix the links." });
    let text = refused(&reader, "create_agent_job", job.clone()).await;
    assert!(text.contains("scope `write`"), "{text}");
    // Others' objects look as if they didn't exist, and so do projects that a key can't access.
    for (api, foreign) in
        [(&reader, &place.other_project), (&limited, &project), (&limited, &"prj_none".to_owned())]
    {
        for tool in ["get_project", "list_releases", "list_gaps", "list_views", "list_agent_jobs"] {
            let text = refused(api, tool, json!({ "projectId": foreign })).await;
            assert_eq!(text, "Project not found. Check the ID.", "{tool}");
        }
    }
    let foreign = json!({ "projectId": place.other_project, "prompt": "Fix the links." });
    let text = refused(&limited, "create_agent_job", foreign).await;
    assert_eq!(text, "Project not found. Check the ID.");
    let listed = result(&limited, "list_projects", json!({})).await;
    let ids: Vec<_> =
        listed["projects"].as_array().unwrap().iter().map(|each| &each["id"]).collect();
    assert_eq!(ids, [&json!(place.second)]);

    // Arguments that no schema allows.
    for (arguments, part) in [
        (json!({}), "`projectId` is missing"),
        (json!({ "projectId": null }), "`projectId` is missing"),
        (json!({ "projectId": 7 }), "`projectId` must be a string"),
        (json!({ "projectId": ["a"] }), "`projectId` must be a"),
        (json!({ "projectId": "a\0" }), "NUL"),
        (
            json!({ "projectId": project, "limit": 0 }),
            "`limit` must be a whole number from 1 to 100",
        ),
        (json!({ "projectId": project, "limit": { "$gt": 0 } }), "`limit` must be a"),
        (json!({ "projectId": project, "cursor": "x" }), "`cursor`"),
        (json!({ "projectId": project, "__proto__": "x" }), "`__proto__` is an unknown argument"),
        (json!([project]), "`arguments` must be an object"),
        (json!("x"), "`arguments` must be an object"),
    ] {
        let text = refused(&limited, "list_agent_jobs", arguments.clone()).await;
        assert!(text.contains(part), "{arguments}: {text}");
    }
    for (arguments, part) in [
        (json!({ "projectId": place.second, "prompt": " " }), "blank"),
        (json!({ "projectId": place.second, "prompt": "x".repeat(100_001) }), "longer than 100000"),
        (json!({ "projectId": place.second, "prompt": "a\0b" }), "NUL"),
        (
            json!({ "projectId": place.second, "prompt": "Fix.", "model": "other:model" }),
            "`model` must be one of",
        ),
        (
            json!({ "projectId": place.second, "prompt": "Fix.", "idempotencyKey": "ü" }),
            "`idempotencyKey` must",
        ),
    ] {
        let text = refused(&limited, "create_agent_job", arguments).await;
        assert!(text.contains(part), "{text}");
    }
    for unknown in ["delete_project", "merge_pull_request", "../projects", ""] {
        let answer = call(&limited, unknown, json!({})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }

    // Without a key nothing is listed.
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for key in ["", "dw_wrong", "dwp_site_key"] {
        let stranger = Api { key: key.to_owned(), ..reader.clone() };
        let sent = stranger.client.post(format!("{}/mcp", stranger.base)).bearer_auth(key);
        let answer = sent.json(&request).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{key}");
        assert_eq!(answer.headers()["www-authenticate"], "Bearer");
    }
    let get = reader.client.get(format!("{}/mcp", reader.base)).bearer_auth(&reader.key);
    let get = get.send().await.unwrap();
    assert_eq!((get.status().as_u16(), get.headers()["allow"].to_str().unwrap()), (405, "POST"));
    for (body, status, code) in [("{", 400, -32700), ("[]", 400, -32600)] {
        let sent = reader.client.post(format!("{}/mcp", reader.base)).bearer_auth(&reader.key);
        let answer = sent.body(body).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(answer.json::<Value>().await.unwrap()["error"]["code"], code, "{body}");
    }
    let unknown = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list" });
    assert_eq!(post(&reader, &unknown).await.1["error"]["code"], -32601);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_work_over_http2() {
    let secure = Secure::start("info").await;
    let key = secure.setup.new_key(&["--scope", "read"]);
    let request = || {
        let request = secure.request("POST", "/mcp").header("content-type", "application/json");
        request.header("mcp-protocol-version", "2025-06-18")
    };
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "list_projects", "arguments": {} } });
    let keyed = request().header("authorization", format!("Bearer {key}"));
    let answer = secure.send(keyed, &body.to_string()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let read: Value = serde_json::from_str(&answer.text).unwrap();
    let projects = &read["result"]["structuredContent"]["projects"];
    assert_eq!(projects[0]["id"], json!(secure.setup.project), "{read}");
    assert!(answer.headers.contains_key("x-request-id"));
    assert_eq!(secure.send(request(), &body.to_string()).await.status, 401);
}

//! Invalid requests: errors name the field, on both databases.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::{
    agent::write_site,
    postgres::database,
    server::{Api, Setup},
};

const EXPORTS: &str = "/v1/static-export/jobs";

/// The error text of a refusal.
async fn refused(request: RequestBuilder) -> String {
    let response = request.send().await.expect("the server answers");
    let (status, address) = (response.status(), response.url().to_string());
    assert_eq!(response.headers()["content-type"], "application/json", "{address}");
    let body: Value = response.json().await.expect("an error is JSON");
    assert_eq!(
        (status.as_u16(), &body["code"]),
        (400, &json!("invalid_request")),
        "{address} {body}"
    );
    body["error"].as_str().unwrap_or_default().to_owned()
}

fn request(api: &Api, method: Method, path: &str) -> RequestBuilder {
    api.client.request(method, format!("{}{path}", api.base)).bearer_auth(&api.key)
}

async fn text_that_no_database_keeps(api: &Api, project: &str) {
    let job = format!("/v2/agent/{project}/job");
    for (path, body, field) in [
        (EXPORTS, json!({ "domain": "docs.example.com", "version": "1\0" }), "version"),
        (EXPORTS, json!({ "domain": "docs.example.com", "version": "1\n2" }), "version"),
        (EXPORTS, json!({ "domain": "docs.example.com", "version": "1\u{1b}[2J" }), "version"),
        (EXPORTS, json!({ "domain": "docs.example.com", "version": " 1" }), "version"),
        (EXPORTS, json!({ "domain": "docs.example.com", "version": "1\u{a0}" }), "version"),
        (EXPORTS, json!({ "domain": "docs.example.com\0" }), "domain"),
        (EXPORTS, json!({ "domain": "docs.example.com", "paths": ["a", "b\0"] }), "paths[1]"),
        (&job, json!({ "prompt": "fix\0 links" }), "prompt"),
        (&format!("{job}/agt_1/message"), json!({ "prompt": "more\0" }), "prompt"),
    ] {
        let sentence = refused(request(api, Method::POST, path).json(&body)).await;
        assert!(sentence.starts_with(&format!("`{field}` ")), "{sentence}");
    }
    for (method, path, name) in [
        (Method::GET, "/v1/static-export/jobs/a%00".to_owned(), "jobId"),
        (Method::POST, "/v1/static-export/jobs/a%00/bundle".to_owned(), "jobId"),
        (Method::POST, "/v1/project/update/a%00".to_owned(), "projectId"),
        (Method::GET, "/v1/project/update-status/a%00".to_owned(), "statusId"),
        (Method::GET, "/v2/agent/a%00/jobs".to_owned(), "projectId"),
        (Method::GET, format!("/v2/agent/{project}/jobs?cursor=a%00"), "cursor"),
        (Method::GET, format!("{job}/a%00"), "id"),
        (Method::GET, format!("{job}/a%00/events"), "id"),
        (Method::POST, format!("{job}/a%00/cancel"), "id"),
        (Method::GET, "/v1/projects/a%00/pull-requests".to_owned(), "projectId"),
        (Method::GET, "/git/a%00.git/info/refs?service=git-upload-pack".to_owned(), "repository"),
        (Method::GET, "/objects/a%00?expires=1&signature=a".to_owned(), "key"),
        (Method::GET, "/objects/a?expires=1&signature=%00".to_owned(), "signature"),
    ] {
        let sentence = refused(request(api, method, &path)).await;
        assert!(sentence.starts_with(&format!("`{name}` contains a NUL")), "{path}: {sentence}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nul_characters_are_refused_on_sqlite() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    text_that_no_database_keeps(&setup.api(&process), &setup.project).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn nul_characters_are_refused_on_postgres() {
    let setup = Setup::on_database(write_site, &database("nul").await);
    let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    text_that_no_database_keeps(&setup.api(&process), &setup.project).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_parameters_are_named() {
    let setup = Setup::built_in(write_site, &[]);
    let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    let api = setup.api(&process);
    let project = &setup.project;
    for (path, name) in [
        ("/objects/x?expires=abc".to_owned(), "expires"),
        ("/objects/x?expires=99999999999999999999".to_owned(), "expires"),
        (format!("/v1/projects/{project}/pull-requests/99999999999999999999"), "number"),
        (format!("/v1/projects/{project}/pull-requests/x"), "number"),
        (format!("/v1/projects/{project}/pull-requests?cursor=W10"), "cursor"),
        (format!("/v2/agent/{project}/jobs?limit=101"), "limit"),
        (format!("/v2/agent/{project}/jobs?limit=1&limit=2"), "limit"),
        (format!("/v2/agent/{project}/jobs?status=none"), "status"),
    ] {
        let sentence = refused(request(&api, Method::GET, &path)).await;
        assert!(sentence.starts_with(&format!("`{name}` ")), "{path}: {sentence}");
    }
    let events = format!("/v2/agent/{project}/job/agt_1/events");
    let events = request(&api, Method::GET, &events).header("last-event-id", "x");
    assert!(refused(events).await.starts_with("`Last-Event-ID` "));
    let domain = "docs.example.com";
    for (body, start) in [
        (json!({}), "`domain` is missing."),
        (json!({ "domain": 1 }), "`domain` must be a string."),
        (json!({ "domain": "https://docs.example.com" }), "`domain` must be a bare hostname"),
        (json!({ "domain": domain, "version": "" }), "`version` is blank"),
        (json!({ "domain": domain, "version": "x".repeat(201) }), "`version` is longer than 200"),
        (
            json!({ "domain": domain, "paths": [] }),
            "`paths` must be an array of at least one page.",
        ),
        (json!({ "domain": domain, "paths": "a" }), "`paths` must be an array."),
        (json!({ "domain": domain, "paths": ["a", 1] }), "`paths[1]` must be a string."),
    ] {
        let sentence = refused(request(&api, Method::POST, EXPORTS).json(&body)).await;
        assert!(sentence.starts_with(start), "{body}: {sentence}");
    }
    let long = json!({ "domain": domain, "paths": ["a-page-".repeat(200)] });
    let sentence = refused(request(&api, Method::POST, EXPORTS).json(&long)).await;
    assert!(
        sentence.starts_with("`paths` contains `a-page-") && sentence.len() < 300,
        "{sentence}"
    );
}

/// Operations refuse unknown fields in their body, whatever other fields it has. Those of discovery ignore them: clients
/// that other services know send more.
#[tokio::test(flavor = "multi_thread")]
async fn unknown_field_is_refused() {
    let mut setup = Setup::built_in(write_site, &[]);
    // An operator key is allowed to do everything, so only the field can be the reason.
    let operator = setup.admin(&["key", "create", "operator", "--scope", "operator"]);
    setup.key = operator["key"].as_str().unwrap().to_owned();
    let process = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    let api = setup.api(&process);
    let description: Value =
        request(&api, Method::GET, "/openapi.json").send().await.unwrap().json().await.unwrap();
    let domain = "docs.example.com";
    let mut bodies = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        let Some(body) = item["post"]["requestBody"]["content"]["application/json"].as_object()
        else {
            continue;
        };
        if path.starts_with("/discovery/") {
            continue;
        }
        bodies += 1;
        let name = body["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let schema = &description["components"]["schemas"][name];
        assert_eq!(schema["additionalProperties"], false, "{path}");
        let address = [
            ("{projectId}", &*setup.project),
            ("{id}", "agt_1"),
            ("{domain}", domain),
            ("{number}", "1"),
        ]
        .iter()
        .fold(path.clone(), |path, (name, value)| path.replace(name, value));
        for field in schema["properties"].as_object().unwrap().keys() {
            // A field with one extra letter, and an unrelated field.
            for (wrong, end) in [
                (format!("{field}s"), format!(" is an unknown field; use `{field}` instead.")),
                ("x-1".to_owned(), format!("`{field}`")),
            ] {
                let sentence = refused(
                    request(&api, Method::POST, &address).json(&json!({ wrong.as_str(): "a" })),
                );
                let sentence = sentence.await;
                assert!(
                    sentence.starts_with(&format!("`{wrong}` is an unknown field")),
                    "{sentence}"
                );
                assert!(sentence.contains(&end), "{path}: {sentence}");
            }
        }
    }
    assert!(bodies >= 3, "the description has bodies");
    let good = json!({ "domain": domain, "Version": "1" });
    let sentence = refused(request(&api, Method::POST, EXPORTS).json(&good)).await;
    assert_eq!(sentence, "`Version` is an unknown field; use `version` instead.");
    let long = json!({ "x".repeat(100_000): 1 });
    let sentence = refused(request(&api, Method::POST, EXPORTS).json(&long)).await;
    assert!(sentence.len() < 300, "{sentence}");
}

//! From a dead link to a redirect: readers meet it, an agent adds the redirect, and the next reader finds the page.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{BROWSER, HOST, get, publish, read};
use crate::{
    agent::write_site,
    scripted::scripted,
    server::{Api, Setup},
    sites::ask,
};

#[tokio::test(flavor = "multi_thread")]
async fn dead_link_becomes_a_redirect() {
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" },
        "navigation": { "groups": [{ "group": "Start", "pages": ["page-0", "page-1", "page-2"] }] },
        "redirects": [{ "source": "/pages-1", "destination": "/page-1" }] });
    let (model, requests) = scripted(vec![
        ("write", json!({ "path": "docs.json", "text": format!("{config:#}\n") })),
        ("finish", json!({ "summary": "Redirect the old path" })),
    ])
    .await;
    let setup = Setup::built_in(write_site, &["--model", "openai-chat:tiny"]);
    let urls = format!("openai-chat={model}");
    let process = setup.serve_with(&[("DOCWRIGHT_AGENT_URLS", &urls)]);
    let key = setup.new_key(&["--scope", "admin"]);
    let api = Api { key, ..setup.api(&process) };
    publish(&api).await;

    let browser = [("user-agent", BROWSER)];
    for path in ["GET /pages-1", "GET /pages-1", "GET /wp-login.php"] {
        assert_eq!(read(&process, path, &browser).await, 404, "{path}");
    }
    let suggested = eventually("a redirect is suggested", async || {
        let found = get(&api, &setup, "redirects").await;
        if found["redirects"][0]["total"] == 2 { Ok(found) } else { Err(found) }
    })
    .await;
    let redirects = suggested["redirects"].as_array().unwrap();
    assert_eq!(redirects.len(), 1, "no page resembles the other path: {suggested}");
    assert_eq!(
        (&redirects[0]["path"], &redirects[0]["page"]),
        (&json!("/pages-1"), &json!("page-1"))
    );

    let job = api.prompt(&setup.project, redirects[0]["prompt"].as_str().unwrap()).await;
    let job = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    let asked = requests.lock().unwrap()[0]["messages"].to_string();
    assert!(asked.contains("/pages-1") && asked.contains("`redirects` in `docs.json`"), "{asked}");
    let pull = format!("/v1/projects/{}/pull-requests/1/merge", setup.project);
    let merged = api.send(Method::POST, &pull, None).await;
    assert_eq!(merged.status(), 200);
    eventually("the next reader finds the page", async || {
        let answer = ask(&process.address, (HOST, "GET /pages-1"), &browser).await;
        match (answer.status, answer.header("location")) {
            (301 | 302 | 307 | 308, Some(to)) if to.ends_with("page-1") => Ok(()),
            (status, _) => Err(Value::from(status)),
        }
    })
    .await;
}

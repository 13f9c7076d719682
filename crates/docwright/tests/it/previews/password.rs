//! Password-protected previews: every file is protected, and the form needs no script.

use reqwest::{Client, Method, Response, redirect::Policy};
use serde_json::{Value, json};

use super::{Running, host};

async fn protect(running: &Running, password: Option<&str>) -> u16 {
    let path = format!("/v1/projects/{}/preview-password", running.setup.project);
    let method = if password.is_some() { Method::PUT } else { Method::DELETE };
    let body = password.map(|password| json!({ "password": password }));
    running.api.send(method, &path, body).await.status().as_u16()
}

async fn sign_in(running: &Running, preview: &Value, password: &str, origin: &str) -> Response {
    let client = Client::builder().redirect(Policy::none()).build().unwrap();
    let request = client.post(format!("{}/_docwright/sign-in", running.api.base));
    let request = request.header("host", host(preview)).header("accept", "text/html");
    let request = request.header("origin", origin);
    let form = [("password", password), ("next", "/page-0?x=1")];
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let kind = "application/x-www-form-urlencoded";
    request.header("content-type", kind).body(body).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_preview_requires_password() {
    let running = Running::start(&[]);
    let preview: Value = running.start_preview("main").await.json().await.unwrap();
    running.shows(&preview, "page-0", "Text of page-0").await;
    let writer = running.setup.new_key(&["--scope", "write"]);
    let admin = running.setup.new_key(&["--scope", "admin"]);
    let mut running =
        Running { api: crate::server::Api { key: writer, ..running.api.clone() }, ..running };
    assert_eq!(
        protect(&running, Some("correct horse")).await,
        403,
        "the scope `write` isn't enough"
    );
    running.api.key = admin;
    assert_eq!(protect(&running, Some(" ")).await, 400);
    assert_eq!(protect(&running, Some("correct horse")).await, 204);
    for path in [
        "",
        "page-0",
        "page-0.md",
        "llms.txt",
        "llms-full.txt",
        "_docwright/theme.css",
        "_docwright/search.js",
        "_docwright/changes",
        "_docwright/before/page-0",
        "mcp",
        "sitemap.xml",
        "nothing-here",
    ] {
        let answer = running.get_with(&preview, path, &[("accept", "text/html")]).await;
        assert_eq!(answer.status(), 403, "{path}");
        let text = answer.text().await.unwrap();
        assert!(
            text.contains("type=\"password\"") && !text.contains("Text of page"),
            "{path}: {text}"
        );
        assert!(!text.contains("<script"), "{text}");
        let forged = [("cookie", "docwright-preview=99999999999999.00")];
        assert_eq!(running.get_with(&preview, path, &forged).await.status(), 403, "{path}");
    }
    let own = preview["previewUrl"].as_str().unwrap();
    let wrong = sign_in(&running, &preview, "wrong", own).await;
    assert_eq!(wrong.status(), 403);
    assert!(wrong.headers().get("set-cookie").is_none());
    assert!(wrong.text().await.unwrap().contains("Incorrect password"));
    let other = sign_in(&running, &preview, "correct horse", "https://evil.example").await;
    assert_eq!(other.status(), 403, "the form came from another site");

    let right = sign_in(&running, &preview, "correct horse", own).await;
    assert_eq!(right.status(), 303);
    assert_eq!(right.headers()["location"], "/page-0?x=1");
    let cookie = right.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(
        !cookie.to_ascii_lowercase().contains("domain") && cookie.contains("HttpOnly"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let signed_in = [("cookie", cookie.as_str())];
    for path in ["page-0", "_docwright/search.js", "_docwright/changes"] {
        let answer = running.get_with(&preview, path, &signed_in).await;
        assert_eq!(answer.status(), 200, "{path}");
        assert!(answer.headers()["cache-control"] != "public", "{path}");
    }
    // The cookie is valid for this preview only.
    running.push("other", "page-1.mdx", "Other words.");
    let second: Value = running.start_preview("other").await.json().await.unwrap();
    assert_eq!(running.get_with(&second, "", &signed_in).await.status(), 403);
    // A new password invalidates it.
    assert_eq!(protect(&running, Some("another one")).await, 204);
    assert_eq!(running.get_with(&preview, "page-0", &signed_in).await.status(), 403);
    assert_eq!(protect(&running, None).await, 204);
    assert_eq!(running.get(&preview, "page-0").await.status(), 200);
    // The database and the audit log don't contain the password.
    let database = std::fs::read(running.setup.data().join("docwright.db")).unwrap();
    let log = std::fs::read(running.setup.data().join("docwright.db-wal")).unwrap_or_default();
    for bytes in [database, log] {
        assert!(!bytes.windows(13).any(|part| part == b"correct horse"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn preview_password_guesses_are_limited() {
    let running = Running::start(&[]);
    let preview: Value = running.start_preview("main").await.json().await.unwrap();
    running.shows(&preview, "page-0", "Text of page-0").await;
    let admin = running.setup.new_key(&["--scope", "admin"]);
    let running =
        Running { api: crate::server::Api { key: admin, ..running.api.clone() }, ..running };
    assert_eq!(protect(&running, Some("correct horse")).await, 204);
    let own = preview["previewUrl"].as_str().unwrap();
    let tries =
        (0..40).map(|number| {
            let (running, preview) = (&running, &preview);
            async move {
                sign_in(running, preview, &format!("guess {number}"), own).await.status().as_u16()
            }
        });
    let answers = futures::future::join_all(tries).await;
    let wrong = answers.iter().filter(|status| **status == 403).count();
    assert!(wrong <= 10, "{answers:?}");
    assert!(answers.iter().all(|status| [403, 429].contains(status)), "{answers:?}");
    let right = sign_in(&running, &preview, "correct horse", own).await;
    assert_eq!(right.status(), 429, "further guesses are refused");
}

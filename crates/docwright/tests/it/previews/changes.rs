//! Changes in a preview: a list, pages side by side, and the comment on the pull request.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::Value;

use super::Running;

/// A server with a published domain and a pull request that changes a page.
async fn changed(variables: &[(&str, &str)]) -> (Running, Value) {
    let running = Running::start(variables);
    let export = running.api.start_export().await;
    running.api.wait_for(&export, &["completed"]).await;
    let project = running.setup.project.clone();
    let prompt = "replace \"Text of page-0\" with \"Preview words\"";
    let job = running.api.prompt(&project, prompt).await;
    running.api.finished(&project, job["id"].as_str().unwrap()).await;
    let preview = running.newest(|preview| preview["releaseStatus"] == "ready").await;
    running.shows(&preview, "page-0", "Preview words").await;
    (running, preview)
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_pages_are_listed_and_shown_side_by_side() {
    let (running, preview) = changed(&[]).await;
    let list = running.get(&preview, "_docwright/changes").await;
    assert_eq!(list.status(), 200);
    assert_eq!(list.headers()["x-robots-tag"], "noindex, nofollow");
    let list = list.text().await.unwrap();
    assert!(
        list.contains("1 page changed") && list.contains("/_docwright/changes/page-0"),
        "{list}"
    );
    assert!(!list.contains("page-1"), "only changed pages are listed: {list}");
    let page = running.get(&preview, "_docwright/changes/page-0").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    let is_strict = policy.starts_with("default-src 'none'; script-src 'sha256-");
    assert!(is_strict && !policy.contains("script-src 'self'"), "{policy}");
    assert_eq!(page.headers()["cache-control"], "no-store");
    let page = page.text().await.unwrap();
    // Parts that both versions share, such as a space between words, aren't marked.
    assert!(page.contains("<del>Text</del>") && page.contains("<ins>Preview</ins>"), "{page}");
    assert_eq!(page.matches("<script").count(), 1, "only its own: {page}");
    for (path, status) in [("page-1", 404), ("../page-0", 404), ("%ff", 404), ("nothing", 404)] {
        let path = format!("_docwright/changes/{path}");
        assert_eq!(running.get(&preview, &path).await.status(), status, "{path}");
    }
    let before = running.get(&preview, "_docwright/before/page-0").await;
    assert_eq!(before.status(), 200);
    assert!(before.text().await.unwrap().contains("Text of page-0"));
    // Production sites don't have these paths.
    let site = running.api.client.get(format!("{}/_docwright/changes", running.api.base));
    assert_eq!(site.header("host", "docs.example.com").send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn preview_is_compared_with_the_release_that_it_is_based_on() {
    let (running, preview) = changed(&[]).await;
    running.push("main", "page-1.mdx", "Later words.");
    eventually("the site has the later change", async || {
        let page = running.api.client.get(format!("{}/page-1", running.api.base));
        let page = page.header("host", "docs.example.com").send().await.unwrap();
        let text = page.text().await.unwrap();
        if text.contains("Later words") { Ok(()) } else { Err(text) }
    })
    .await;
    // The preview doesn't have that change, which isn't one of the pull request.
    let list = running.get(&preview, "_docwright/changes").await.text().await.unwrap();
    assert!(list.contains("1 page changed") && !list.contains("page-1"), "{list}");
    // A branch from the later commit is compared with the later release.
    running.push("other", "page-2.mdx", "Other words.");
    assert_eq!(running.start_preview("other").await.status(), 202);
    let other = running
        .newest(|newest| newest["branch"] == "other" && newest["releaseStatus"] == "ready")
        .await;
    running.shows(&other, "page-2", "Other words").await;
    let list = running.get(&other, "_docwright/changes").await.text().await.unwrap();
    assert!(list.contains("1 page changed") && list.contains("page-2"), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_request_has_one_updated_comment() {
    let (running, preview) = changed(&[]).await;
    let path = format!("/v1/projects/{}/pull-requests/1", running.setup.project);
    let until = async |words: &str| {
        eventually(&format!("it says {words}"), async || {
            let found = running.api.send(Method::GET, &path, None).await;
            let found: Value = found.json().await.unwrap();
            let comments = found["comments"].as_array().unwrap();
            assert!(comments.len() < 2, "one comment: {found}");
            let text = comments.first().and_then(Value::as_str).unwrap_or_default();
            if text.contains(words) { Ok(text.to_owned()) } else { Err(found) }
        })
        .await
    };
    let text = until("1 page changed").await;
    let url = preview["previewUrl"].as_str().unwrap();
    assert!(text.contains(&format!("({url}/page-0)")), "{text}");
    assert!(text.contains(&format!("({url}/_docwright/changes/page-0)")), "{text}");
    let branch = preview["branch"].as_str().unwrap();
    running.push(branch, "page-1.mdx", "See [nothing](/not-there).");
    let text = until("new error").await;
    assert_eq!(text.matches("side by side").count(), 1, "one comment: {text}");
}

//! Previews on the built-in git host: opened, rebuilt, and closed.

use reqwest::{Method, StatusCode};
use serde_json::Value;

use super::Running;

#[tokio::test(flavor = "multi_thread")]
async fn pull_request_of_agent_has_preview_until_merged() {
    let running = Running::start(&[]);
    let project = running.setup.project.clone();
    let job =
        running.api.prompt(&project, "replace \"Text of page-0\" with \"Preview words\"").await;
    let job = running.api.finished(&project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    let preview = running.newest(|preview| preview["releaseStatus"] == "ready").await;
    assert_eq!((&preview["pullRequest"], &preview["isFork"]), (&1.into(), &false.into()));
    let url = preview["previewUrl"].as_str().unwrap();
    assert!(url.starts_with("http://") && url.contains(".localhost:"), "{url}");
    running.shows(&preview, "page-0", "Preview words").await;
    let page = running.get(&preview, "page-0").await;
    assert_eq!(page.headers()["x-robots-tag"], "noindex, nofollow");
    assert_eq!(page.headers()["cache-control"], "private, no-cache");
    assert_eq!(page.headers()["referrer-policy"], "same-origin");
    assert!(!page.headers().contains_key("strict-transport-security"));
    assert!(!page.headers()["server-timing"].to_str().unwrap().contains("feedback"));
    let robots = running.get(&preview, "robots.txt").await.text().await.unwrap();
    assert_eq!(robots, "User-agent: *\nDisallow: /\n");
    assert_eq!(running.get(&preview, "sitemap.xml").await.status(), 404);
    for asset in ["_docwright/styles.css", "search-index.js"] {
        let answer = running.get(&preview, asset).await;
        assert_eq!(answer.headers()["cache-control"], "private, no-cache", "{asset}");
    }

    // A push to the branch rebuilds the preview at the same address.
    let branch = preview["branch"].as_str().unwrap();
    running.push(branch, "page-0.mdx", "Newer words.");
    running.shows(&preview, "page-0", "Newer words.").await;

    let merge = format!("/v1/projects/{project}/pull-requests/1/merge");
    let merged = running.api.send(Method::POST, &merge, None).await;
    assert_eq!(merged.status(), 200);
    let closed = running.newest(|preview| preview["state"] == "closed").await;
    assert_eq!((&closed["id"], &closed["closedBecause"]), (&preview["id"], &"pull_request".into()));
    for path in ["page-0", "", "_docwright/styles.css"] {
        let answer = running.get_with(&preview, path, &[("accept", "text/html")]).await;
        assert_eq!(answer.status(), StatusCode::GONE, "{path}");
        assert_eq!(answer.headers()["x-robots-tag"], "noindex, nofollow");
        let text = answer.text().await.unwrap();
        assert!(text.contains("closed") && !text.contains("words"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn branch_is_previewed_through_api() {
    let running = Running::start(&[]);
    running.push("try", "page-1.mdx", "Tried words.");
    let started = running.start_preview("try").await;
    assert_eq!(started.status(), 202);
    assert_eq!(started.headers()["ratelimit-policy"], "\"previews\";q=5;w=60");
    assert!(started.headers()["ratelimit"].to_str().unwrap().starts_with("\"previews\";r=4;t="));
    let location = started.headers()["location"].to_str().unwrap().to_owned();
    let body: Value = started.json().await.unwrap();
    assert_eq!(body.as_object().unwrap().len(), 2, "{body}");
    assert_eq!(
        location,
        format!("/v1/project/update-status/{}", body["statusId"].as_str().unwrap())
    );
    running.shows(&body, "page-1", "Tried words.").await;
    let update: Value = running.api.send(Method::GET, &location, None).await.json().await.unwrap();
    assert_eq!((&update["status"], &update["source"]), (&"success".into(), &"preview".into()));

    let again: Value = running.start_preview("try").await.json().await.unwrap();
    assert_eq!(again["previewUrl"], body["previewUrl"]);
    assert_ne!(again["statusId"], body["statusId"]);
    // A missing branch fails with a reason.
    let wrong: Value = running.start_preview("nothing-here").await.json().await.unwrap();
    let failed = running.newest(|preview| preview["releaseStatus"] == "failed").await;
    assert_eq!(failed["previewUrl"], wrong["previewUrl"]);
    assert!(
        failed["error"].as_str().unwrap().contains("branch `nothing-here` not found"),
        "{failed}"
    );
    assert_eq!(running.get(&failed, "").await.status(), 404);

    let preview = running.previews().await.remove(1);
    let path = format!(
        "/v1/projects/{}/previews/{}",
        running.setup.project,
        preview["id"].as_str().unwrap()
    );
    let one: Value = running.api.send(Method::GET, &path, None).await.json().await.unwrap();
    assert_eq!(one["previewUrl"], body["previewUrl"]);
    for _ in 0..2 {
        assert_eq!(running.api.send(Method::DELETE, &path, None).await.status(), 204);
    }
    assert_eq!(running.get(&preview, "page-1").await.status(), StatusCode::GONE);
    // The production site doesn't change.
    let site = running.api.client.get(format!("{}/page-1", running.api.base));
    let site = site.header("host", "docs.example.com").send().await.unwrap();
    assert!(!site.text().await.unwrap().contains("Tried words."));
}

#[tokio::test(flavor = "multi_thread")]
async fn previews_need_their_own_domain() {
    let url = [("DOCWRIGHT_PUBLIC_URL", "https://docs-admin.example.com")];
    let running = Running::start(&url);
    let refused = running.start_preview("main").await;
    assert_eq!(refused.status(), 409);
    let body: Value = refused.json().await.unwrap();
    assert!(body["error"].as_str().unwrap().contains("--preview-domain"), "{body}");
    assert!(running.previews().await.is_empty());
    drop(running);
    let domain = [url[0], ("DOCWRIGHT_PREVIEW_DOMAIN", "previews.example.net")];
    let running = Running::start(&domain);
    let started: Value = running.start_preview("main").await.json().await.unwrap();
    let address = started["previewUrl"].as_str().unwrap();
    assert!(
        address.starts_with("https://") && address.ends_with(".previews.example.net"),
        "{address}"
    );
    let name = address["https://".len()..].split('.').next().unwrap();
    assert_eq!(name.len(), 32, "160 bits");
    running.shows(&started, "page-0", "Text of page-0").await;
}

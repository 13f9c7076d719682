//! Texts from repositories, commits, readers, and members are escaped.

use serde_json::json;

use super::ProjectPages;
use crate::server::git;

/// A text that would run as markup, in a tag or in an attribute.
const EVIL: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";

#[tokio::test(flavor = "multi_thread")]
async fn no_text_becomes_markup() {
    let place = ProjectPages::start().await;
    let (setup, api, admin) = (&place.dashboard.setup, &place.api, &place.admin);
    // The repository: a commit message, a page's title and path, a branch, and a diagnostic.
    let path = "<img src=x onerror=alert(3)>.mdx";
    setup.commit(
        path,
        &format!("---\ntitle: {}\n---\n\n[x](/<script>alert(4)</script>)\n", json!(EVIL)),
    );
    let work = setup.folder.path().join("commits");
    git(&work, &["commit", "--quiet", "--allow-empty", "--amend", "--message", EVIL]);
    let branch = "a'><script>alert(5)</script>";
    git(&work, &["push", "--quiet", "--force", "origin", "HEAD:main"]);
    git(&work, &["push", "--quiet", "origin", &format!("HEAD:refs/heads/{branch}")]);
    admin.post(&place.at("releases/build"), &[]).await;
    place.dashboard.released(api, 2).await;
    admin.post(&place.at("previews"), &[("branch", branch)]).await;
    place.until(&place.at("previews"), "data-tone=\"good\"").await;
    // Members.
    let project = format!("/v1{}", place.path);
    let body = json!({ "name": EVIL });
    assert_eq!(api.send(reqwest::Method::PATCH, &project, Some(body)).await.status(), 200);
    let fields = [("domain", "docs.example.com"), ("version", EVIL), ("paths", "")];
    let export = admin.post(&place.at("exports"), &fields).await.location().unwrap();
    place.until(&export, "Download").await;
    admin.post(&place.at("domains"), &[("domain", "x.example.org"), ("branch", EVIL)]).await;
    let fields = [("host", "github.com"), ("username", EVIL), ("secret", "x")];
    admin.post(&place.at("settings/credentials"), &fields).await;
    let target = format!("https://hooks.example.com/?{EVIL}");
    admin.post(&place.at("settings/notifications"), &[("target", &target)]).await;
    // Feedback, and notes on it.
    let feedback = place.dashboard.feedback(false, Some(EVIL)).await;
    let fields = [("state", "in_progress"), ("note", EVIL)];
    admin.post(&place.at(&format!("feedback/{feedback}")), &fields).await;
    // A git host's error.
    let pool = place.dashboard.pool().await;
    sqlx::query("UPDATE polls SET error = $1").bind(EVIL).execute(&pool).await.unwrap();

    let mut waiting = vec![place.path.clone()];
    let mut seen = std::collections::BTreeSet::new();
    let mut shown = 0;
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let page = admin.get(&path).await;
        assert!(page.status < 500, "{path}: {}", page.status);
        let is_page = page
            .headers
            .get("content-type")
            .is_some_and(|kind| kind.to_str().is_ok_and(|kind| kind.starts_with("text/html")));
        if !is_page && page.status == 200 {
            // A browser downloads tables, and never reads them as a page.
            assert_eq!(page.headers["x-content-type-options"], "nosniff", "{path}");
            continue;
        }
        for markup in ["<script>", "<img", "onerror=alert(2)>", "\"'>"] {
            assert!(!page.text.contains(markup), "{path} holds {markup}: {}", page.text);
        }
        shown += usize::from(page.text.contains("&lt;script&gt;"));
        let links = page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let own = links.filter(|link| link.starts_with(&place.path));
        waiting.extend(own.map(|link| link.replace("&amp;", "&")));
    }
    assert!(seen.len() >= 18, "{seen:?}");
    assert!(shown >= 12, "the texts are shown on {shown} of {seen:?}");
}

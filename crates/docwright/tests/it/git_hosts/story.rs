//! A site's life from its first release to a lost webhook: one service, one GitHub, and a team that uses
//! both.

use docwright_testing::wait::eventually;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Hub, Running, hooks::Hook};
use crate::server::git;

/// Refs of a pull request from the same repository on GitHub.
const OWN: [&str; 2] = ["refs/heads/change", "refs/pull/1/head"];

impl Running {
    async fn list(&self, path: &str, of: &str) -> Vec<Value> {
        let answer = self.api.send(Method::GET, path, None).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.json::<Value>().await.unwrap()[of].as_array().unwrap().clone()
    }

    /// Waits until a commit has a release with a status.
    async fn release_of(&self, commit: &str, status: &str) -> Value {
        let path = format!("/v1/projects/{}/releases", self.setup.project);
        eventually("the release", async || {
            let all = self.list(&path, "releases").await;
            all.into_iter().find(|each| each["commit"] == commit && each["status"] == status)
        })
        .await
    }

    /// Waits until the preview of a pull request is ready.
    async fn preview_of(&self, number: i64, is_right: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/v1/projects/{}/previews", self.setup.project);
        eventually("the preview", async || {
            let all = self.list(&path, "previews").await;
            all.into_iter().find(|each| each["pullRequest"] == number && is_right(each))
        })
        .await
    }

    /// Status and text of a preview's page.
    async fn preview_page(&self, preview: &Value, path: &str) -> (u16, String) {
        let (_, host) = preview["previewUrl"].as_str().unwrap().split_once("://").unwrap();
        let request = self.api.client.get(format!("{}/{path}", self.api.base));
        let answer = request.header("host", host).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }
}

impl Hub {
    /// Pushes a change to refs that aren't published.
    fn push_beside(&self, targets: &[&str], words: &str) {
        let work = self.folder.path().join("work");
        git(&work, &["checkout", "--quiet", "--detach"]);
        std::fs::write(work.join("page-1.mdx"), format!("---\ntitle: One\n---\n\n{words}\n"))
            .unwrap();
        git(&work, &["commit", "--quiet", "--all", "--message", words]);
        let bare = self.bare().display().to_string();
        for target in targets {
            git(&work, &["push", "--quiet", "--force", &bare, &format!("HEAD:{target}")]);
        }
        git(&work, &["checkout", "--quiet", "trunk"]);
    }

    /// Comments on a pull request.
    async fn comments(&self, number: i64) -> Vec<Value> {
        let all = self.journal().await["comments"].as_array().unwrap().clone();
        all.into_iter().filter(|each| each["number"] == number).collect()
    }

    /// Waits until the latest state of a commit is as given.
    async fn state_of(&self, commit: &str, state: &str) {
        eventually(state, async || {
            let journal = self.ask("/journal").await;
            let statuses = journal["statuses"].as_array().unwrap();
            let last = statuses.iter().rfind(|each| each["sha"] == commit)?;
            (last["state"] == state).then_some(())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
#[expect(clippy::too_many_lines, reason = "one story from start to end")]
async fn site_is_published_from_its_repository() {
    let hub = Hub::start();
    let running = hub.serve(&[("DOCWRIGHT_POLL_SECONDS", "0")]);

    // A project is created from a URL and gets its first release.
    running.shows("page-0", "Text of page-0").await;
    let first = git(&hub.bare(), &["rev-parse", "trunk"]);
    hub.state_of(&first, "success").await;
    let hook = Hook::new(&running).await;

    // A push is published.
    let good = hub.push("Good words.");
    assert_eq!(hook.push("one").await, 202);
    running.shows("page-0", "Good words.").await;
    hub.state_of(&good, "success").await;

    // A push that can't be built leaves the site unchanged.
    let work = hub.folder.path().join("work");
    let config = std::fs::read_to_string(work.join("docs.json")).unwrap();
    std::fs::write(work.join("docs.json"), "{ this is no JSON").unwrap();
    let broken = hub.push("Broken words.");
    assert_eq!(hook.push("two").await, 202);
    let failed = running.release_of(&broken, "failed").await;
    assert!(failed["error"].as_str().unwrap().contains("docs.json"), "{failed}");
    hub.state_of(&broken, "failure").await;
    assert!(running.page("page-0").await.contains("Good words."));

    // The next push is published, then rolled back. A webhook without a new commit changes nothing.
    std::fs::write(work.join("docs.json"), config).unwrap();
    let wrong = hub.push("Wrong words.");
    assert_eq!(hook.push("three").await, 202);
    running.shows("page-0", "Wrong words.").await;
    let id = running.release_of(&good, "ready").await["id"].as_str().unwrap().to_owned();
    let back = format!("/v1/releases/{id}/activate");
    assert_eq!(running.api.send(Method::POST, &back, None).await.status(), 200);
    running.shows("page-0", "Good words.").await;
    assert_eq!(hook.push("four").await, 202);
    super::hooks::looked(&running).await;
    assert!(running.page("page-0").await.contains("Good words."));
    assert_eq!(running.release_of(&wrong, "ready").await["active"], false);

    // A pull request has a preview and one comment, which is updated.
    hub.push_beside(&OWN, "Proposed words.");
    hub.ask("/pull?number=1&head=change&owner=acme").await;
    assert_eq!(hook.push("five").await, 202);
    let preview = running.preview_of(1, |preview| preview["releaseStatus"] == "ready").await;
    let (status, text) = running.preview_page(&preview, "page-1").await;
    assert_eq!(status, 200);
    assert!(text.contains("Proposed words."));
    assert!(!running.page("page-1").await.contains("Proposed words."));
    let url = preview["previewUrl"].as_str().unwrap();
    let comment = eventually("the comment", async || {
        let comments = hub.comments(1).await;
        let found = comments.first()?["body"].as_str()?.to_owned();
        found.contains("/page-1").then_some(found)
    })
    .await;
    assert!(comment.contains(url), "{comment}");
    hub.push_beside(&OWN, "Better words.");
    assert_eq!(hook.push("six").await, 202);
    eventually("the new words", async || {
        running.preview_page(&preview, "page-1").await.1.contains("Better words.").then_some(())
    })
    .await;

    // A pull request of a fork has both, too.
    hub.push_beside(&["refs/pull/2/head"], "Words of a stranger.");
    hub.ask("/pull?number=2&head=patch&owner=mallory").await;
    assert_eq!(hook.push("seven").await, 202);
    let fork = running.preview_of(2, |preview| preview["releaseStatus"] == "ready").await;
    assert_eq!(fork["isFork"], true);
    assert!(running.preview_page(&fork, "page-1").await.1.contains("Words of a stranger."));
    assert_ne!(fork["previewUrl"], preview["previewUrl"]);

    // Closing a pull request closes its preview and updates the same comment.
    hub.ask("/close?number=1").await;
    assert_eq!(hook.push("eight").await, 202);
    let closed = running.preview_of(1, |preview| preview["state"] == "closed").await;
    assert_eq!(closed["closedBecause"], "pull_request");
    eventually("the end of the preview", async || {
        (running.preview_page(&preview, "page-1").await.0 == 410).then_some(())
    })
    .await;
    eventually("the last word", async || {
        let comments = hub.comments(1).await;
        assert_eq!(comments.len(), 1, "{comments:?}");
        comments[0]["body"].as_str()?.contains("closed").then_some(())
    })
    .await;
    assert_eq!(running.preview_page(&fork, "page-1").await.0, 200);

    // The audit log lists these changes.
    let key = running.setup.new_key(&["--scope", "admin"]);
    let admin = crate::server::Api { key, ..running.api.clone() };
    let entries = admin.send(Method::GET, "/v1/audit?limit=100", None).await;
    let entries: Value = entries.json().await.unwrap();
    let entries = entries["entries"].as_array().unwrap();
    let did = |action: &str| entries.iter().any(|entry| entry["action"] == action);
    assert!(did("release.activate"), "{entries:?}");
    assert_eq!(entries.iter().filter(|entry| entry["subject"]["id"] == json!(id)).count(), 1);

    // Without a webhook, polling finds the push.
    let running = hub.serve_again(running, &[("DOCWRIGHT_POLL_SECONDS", "1")]);
    hub.push("Words that nobody announced.");
    running.shows("page-0", "Words that nobody announced.").await;
}

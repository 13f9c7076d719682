//! Golden questions as a check of a pull request on GitHub: in its comment, and in the status of its commit.

use std::fs;

use docwright_testing::wait::eventually;
use serde_json::Value;

use super::{Hub, hooks::Hook};
use crate::server::git;

const QUESTIONS: &str = "\
- question: When does an upload fail?
  pages: [page-0]
- question: How do I rotate a token?
  pages: [page-2]
";
/// Refs of a pull request from the same repository.
const OWN: [&str; 2] = ["refs/heads/change", "refs/pull/1/head"];

impl Hub {
    /// Changes a page in the pull request. Returns the commit.
    fn propose(&self, words: &str) -> String {
        let work = self.folder.path().join("work");
        git(&work, &["checkout", "--quiet", "-B", "change", "trunk"]);
        fs::write(work.join("page-0.mdx"), format!("---\ntitle: Zero\n---\n\n{words}\n")).unwrap();
        git(&work, &["commit", "--quiet", "--all", "--message", words]);
        let bare = self.bare().display().to_string();
        for target in OWN {
            git(&work, &["push", "--quiet", "--force", &bare, &format!("HEAD:{target}")]);
        }
        let commit = git(&work, &["rev-parse", "HEAD"]);
        git(&work, &["checkout", "--quiet", "trunk"]);
        commit
    }

    /// Waits until the only comment of the pull request contains some words.
    async fn comment(&self, words: &str) -> String {
        eventually(&format!("the comment says {words}"), async || {
            let journal = self.ask("/journal").await;
            let comments = journal["comments"].as_array().unwrap();
            assert!(comments.len() <= 1, "{comments:?}");
            let text = comments.first().map_or("", |comment| comment["body"].as_str().unwrap());
            if text.contains(words) { Ok(text.to_owned()) } else { Err(journal) }
        })
        .await
    }

    /// Waits for the last status of a commit, if it isn't pending.
    async fn status(&self, commit: &str) -> Value {
        eventually("the commit has a status", async || {
            let journal = self.ask("/journal").await;
            let statuses = journal["statuses"].as_array().unwrap();
            let last = statuses.iter().rfind(|status| status["sha"] == commit)?;
            (last["state"] != "pending").then(|| last.clone())
        })
        .await
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn comment_and_commit_status_name_lost_questions() {
    let hub = Hub::start();
    let work = hub.folder.path().join("work");
    fs::create_dir(work.join(".docwright")).unwrap();
    fs::write(work.join(".docwright/questions.yaml"), QUESTIONS).unwrap();
    git(&work, &["add", "--all"]);
    hub.push("An upload fails above 20 MB.");
    let running = hub.serve(&[("DOCWRIGHT_POLL_SECONDS", "0")]);
    running.shows("page-0", "20 MB").await;
    let hook = Hook::new(&running).await;

    let lost = hub.propose("Ask the team.");
    hub.ask("/pull?number=1&head=change&owner=acme").await;
    assert_eq!(hook.push("one").await, 202);
    let text = hub.comment("1 question lost its page. 0 of 2 questions pass.").await;
    assert!(text.contains("Lost:\n\n- When does an upload fail\\?: [page\\-0]("), "{text}");
    assert!(!text.contains("rotate"), "a question that failed before isn't listed: {text}");
    let status = hub.status(&lost).await;
    assert_eq!(
        (&status["state"], &status["context"]),
        (&"success".into(), &"docwright/preview".into())
    );
    let description = status["description"].as_str().unwrap();
    assert!(description.contains(" 1 question lost its page."), "{description}");

    let repaired = hub.propose("Above 20 MB, an upload fails.");
    assert_eq!(hook.push("two").await, 202);
    let text = hub.comment("Golden questions: 1 of 2 questions pass, none changed.").await;
    assert!(!text.contains("Lost:"), "{text}");
    let status = hub.status(&repaired).await;
    assert!(!status["description"].as_str().unwrap().contains("question"), "{status}");
    // GitHub's own API spec allows each request.
    hub.journal().await;
}

//! Diffs of agent jobs in the API and the dashboard.

use reqwest::Method;
use serde_json::{Value, json};

use super::{
    Running,
    git::{clone, git},
};

async fn diff(running: &Running, job: &Value) -> Value {
    let answer = running.api.send(Method::GET, &running.path(job, "/diff"), None).await;
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

/// The lines of one kind in a file of a diff.
fn lines<'a>(diff: &'a Value, path: &str, kind: &str) -> Vec<&'a str> {
    let files = diff["files"].as_array().unwrap();
    let file = files.iter().find(|file| file["path"] == path);
    let lines = file.unwrap_or_else(|| panic!("{path}: {diff}"))["lines"].as_array().unwrap();
    let of_kind = lines.iter().filter(|line| line["kind"] == kind);
    of_kind.map(|line| line["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_job_shows_its_whole_diff() {
    let running = Running::start();
    let nothing = running.work("replace \"words that nobody wrote\" with \"x\"").await;
    let none = diff(&running, &nothing).await;
    assert_eq!(none, json!({ "base": null, "commit": null, "hasLines": false, "files": [] }));
    let job =
        running.work("add page new titled \"New\" to group Start with text \"Fresh words.\"").await;
    let first = diff(&running, &job).await;
    assert_eq!(first["hasLines"], true, "{first}");
    let new = first["files"].as_array().unwrap().iter().find(|file| file["path"] == "new.mdx");
    assert_eq!(new.unwrap()["fate"], "added", "{first}");
    assert!(lines(&first, "new.mdx", "added").contains(&"Fresh words."), "{first}");
    assert_eq!(lines(&first, "docs.json", "hunk").len(), 1, "{first}");
    // Two follow-ups add commits; the diff covers all of them.
    for (old, new) in [("Fresh", "Newer"), ("Newer", "Newest")] {
        let body = json!({ "prompt": format!("replace \"{old}\" with \"{new}\"") });
        let sent =
            running.api.send(Method::POST, &running.path(&job, "/message"), Some(body)).await;
        assert_eq!(sent.status(), 200);
        running.finish(&job).await;
    }
    let last = diff(&running, &job).await;
    assert_eq!(last["base"], first["base"]);
    assert_ne!(last["commit"], first["commit"]);
    assert!(lines(&last, "new.mdx", "added").contains(&"Newest words."), "{last}");
    assert!(lines(&last, "new.mdx", "removed").is_empty(), "{last}");
    assert_eq!(lines(&last, "docs.json", "added"), lines(&first, "docs.json", "added"));
    // The diff stays available even if the branch changes.
    let folder = clone(&running, "clone");
    git(
        &folder,
        &["push", "--quiet", "origin", "--delete", job["source"]["ref"].as_str().unwrap()],
    );
    assert_eq!(diff(&running, &job).await, last);
    let missing = running.path(&json!({ "id": "agt_no" }), "/diff");
    assert_eq!(running.api.send(Method::GET, &missing, None).await.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn diff_is_truncated_at_limits() {
    let running = Running::start();
    let folder = clone(&running, "clone");
    let page = |text: &str| format!("---\ntitle: T\n---\n\n{text}\n");
    // Git decides by a file's beginning whether it is text. Later bytes can be binary.
    let odd = format!("{}\n\nodd \0 bytes\n\nan old word", "Filler words.\n\n".repeat(800));
    std::fs::write(folder.join("page-1.mdx"), page(&odd)).unwrap();
    git(&folder, &["commit", "--quiet", "--all", "--message", "Odd"]);
    git(&folder, &["push", "--quiet"]);
    let job = running.work("replace \"an old word\" with \"a new word\"").await;
    assert_eq!(job["status"], "completed", "{job}");
    let shown = diff(&running, &job).await;
    assert_eq!(lines(&shown, "page-1.mdx", "added"), ["a new word"], "{shown}");
    assert!(lines(&shown, "page-1.mdx", "same").contains(&"odd \u{fffd} bytes"), "{shown}");
    // Diffs that are too long show only counts.
    let long = "A line with an early thought, and some more words after it.\n\n".repeat(3_000);
    std::fs::write(folder.join("page-2.mdx"), page(&long)).unwrap();
    git(&folder, &["commit", "--quiet", "--all", "--message", "Long"]);
    git(&folder, &["push", "--quiet"]);
    let job = running.work("replace \"early\" with \"late\"").await;
    assert_eq!(job["status"], "completed", "{job}");
    let shown = diff(&running, &job).await;
    assert_eq!(shown["hasLines"], false, "{shown}");
    let file = &shown["files"][0];
    assert_eq!((&file["added"], &file["removed"]), (&json!(3_000), &json!(3_000)), "{shown}");
    assert_eq!((&file["lines"], &file["leftOut"]), (&json!([]), &json!(6_000)), "{shown}");
}

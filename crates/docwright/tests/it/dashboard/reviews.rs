//! Reviews of pull requests of every size and kind, while others push.

use std::{fs, path::Path};

use reqwest::StatusCode;

use super::{Dashboard, Page, pull_requests::clone};
use crate::{
    agent::{git::git, write_site},
    server::Setup,
};

/// Files that the long change adds.
const FILES: usize = 5_000;

/// A site with a binary file, and a page with the line endings of Windows.
fn write_files(folder: &Path) {
    write_site(folder);
    fs::write(folder.join("logo.png"), b"\x89PNG\0one").unwrap();
    fs::write(folder.join("windows.mdx"), "---\r\ntitle: Windows\r\n---\r\n\r\nOld.\r\n").unwrap();
    let lines = "A line of a long page.\n".repeat(30);
    fs::write(folder.join("former.mdx"), format!("---\ntitle: Moved\n---\n\n{lines}")).unwrap();
}

/// A clone of a project with these files, on a new branch.
async fn start() -> (Dashboard, std::path::PathBuf) {
    let dashboard = Dashboard::on(Setup::built_in(write_files, &[]), &[]).await;
    let folder = clone(&dashboard);
    git(&folder, &["checkout", "--quiet", "-b", "change"]);
    (dashboard, folder)
}

fn commit(folder: &Path, message: &str) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", message]);
}

impl Dashboard {
    /// Pushes the branch and opens its pull request.
    async fn opens(&self, folder: &Path, base: &str) -> Page {
        git(folder, &["push", "--quiet", "origin", "change"]);
        let list = format!("/projects/{}/pull-requests", self.setup.project);
        let fields = [("head", "change"), ("base", base), ("title", "Change"), ("body", "")];
        self.operator.submit(&list, &fields).await
    }

    fn pull_request(&self) -> String {
        format!("/projects/{}/pull-requests/1", self.setup.project)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn change_of_thousands_of_files_has_a_short_page() {
    let (dashboard, folder) = start().await;
    for number in 0..FILES {
        let path = folder.join(format!("many/{}/page-{number}.mdx", number % 50));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("---\ntitle: Page {number}\n---\n\nText.\n")).unwrap();
    }
    commit(&folder, "Add pages");
    let page = dashboard.opens(&folder, "main").await;
    page.is(StatusCode::OK).says("5,000 files").says("+25000").says("Merge and publish");
    let files = page.text.matches("<details class=\"file\"").count();
    assert!(files == 200, "{files} files are shown");
    page.says("4,800 more");
    assert!(page.text.len() < 2_000_000, "{} bytes", page.text.len());
    let merged =
        dashboard.operator.submit(&format!("{}/merge", dashboard.pull_request()), &[]).await;
    merged.is(StatusCode::OK).says("Merged").says("5,000 files");
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_files_renames_and_line_endings_are_shown() {
    let (dashboard, folder) = start().await;
    fs::write(folder.join("logo.png"), b"\x89PNG\0two").unwrap();
    fs::rename(folder.join("former.mdx"), folder.join("latter.mdx")).unwrap();
    let windows = folder.join("windows.mdx");
    fs::write(&windows, fs::read_to_string(&windows).unwrap().replace("Old.", "New.")).unwrap();
    let hostile = "<script>alert(1)</script>";
    fs::write(folder.join("<script>\u{202e}\"&.mdx"), format!("{hostile}\n\u{1b}[31mred\n"))
        .unwrap();
    commit(&folder, hostile);
    let page = dashboard.opens(&folder, "main").await;
    page.is(StatusCode::OK).says("4 files").says("former.mdx → latter.mdx").says("not text");
    page.says("Old").says("New").lacks("<script>alert").lacks("<script>\u{202e}");
    // Only the line that changed is different, with either line ending.
    let (_, shown) = page.text.split_once("<code>windows.mdx").unwrap();
    let (shown, _) = shown.split_once("</details>").unwrap();
    assert_eq!(shown.matches("<span class=\"added\"").count(), 1, "{shown}");
    // The same after a merge as one commit, without the branch.
    let fields = [("method", "squash"), ("delete_branch", "on")];
    let merge = format!("{}/merge", dashboard.pull_request());
    let merged = dashboard.operator.submit(&merge, &fields).await;
    merged.is(StatusCode::OK).says("Merged").says("4 files").says("former.mdx → latter.mdx");
    git(&folder, &["fetch", "--quiet", "--prune"]);
    assert_eq!(git(&folder, &["branch", "--remotes", "--list", "origin/change"]).trim(), "");
    let subject = git(&folder, &["log", "--max-count=1", "--format=%s %an", "origin/main"]);
    assert_eq!(
        subject.trim(),
        format!(
            "Change (#1) {}",
            git(&folder, &["log", "--max-count=1", "--format=%an", "change"]).trim()
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_request_with_conflicts_or_without_target_branch_cannot_be_merged() {
    let (dashboard, folder) = start().await;
    git(&folder, &["push", "--quiet", "origin", "main:refs/heads/version"]);
    fs::write(folder.join("former.mdx"), "Mine.\n").unwrap();
    commit(&folder, "Change a page");
    dashboard.opens(&folder, "version").await.says("No conflicts with version");
    let conflict = |text: &str| {
        git(&folder, &["checkout", "--quiet", "-B", "theirs", "main"]);
        fs::write(folder.join("former.mdx"), text).unwrap();
        commit(&folder, "Change the same page");
        git(&folder, &["push", "--quiet", "origin", "theirs:version"]);
    };
    conflict("Theirs.\n");
    let (shown, merge) = (dashboard.pull_request(), format!("{}/merge", dashboard.pull_request()));
    let page = dashboard.operator.get(&shown).await;
    page.is(StatusCode::OK).says("Conflicts with version").lacks(&merge);
    for method in ["merge", "squash", "rebase"] {
        let refused = dashboard.operator.post(&merge, &[("method", method)]).await;
        refused.is(StatusCode::CONFLICT).says("conflicts with version");
    }
    git(&folder, &["push", "--quiet", "origin", ":version"]);
    let page = dashboard.operator.get(&shown).await;
    page.is(StatusCode::OK).says("The target branch version doesn't exist").lacks(&merge);
    dashboard.operator.post(&merge, &[]).await.is(StatusCode::CONFLICT).says("doesn't exist");
    dashboard.operator.submit(&format!("{shown}/close"), &[]).await.says("Closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_pushed_during_a_review_are_not_merged() {
    let (dashboard, folder) = start().await;
    fs::write(folder.join("former.mdx"), "Reviewed.\n").unwrap();
    commit(&folder, "Change a page");
    let page = dashboard.opens(&folder, "main").await;
    let reviewed = page.after("name=\"head_commit\" value=\"");
    assert_eq!(reviewed, git(&folder, &["rev-parse", "HEAD"]).trim());
    fs::write(folder.join("former.mdx"), "Never seen.\n").unwrap();
    git(&folder, &["commit", "--quiet", "--all", "--amend", "--message", "Change it"]);
    git(&folder, &["push", "--quiet", "--force", "origin", "change"]);
    let merge = format!("{}/merge", dashboard.pull_request());
    let fields = [("method", "merge"), ("head_commit", reviewed.as_str())];
    let refused = dashboard.operator.post(&merge, &fields).await;
    refused.is(StatusCode::CONFLICT).says("other commits than the ones that you reviewed");
    let page = dashboard.operator.get(&dashboard.pull_request()).await;
    page.says("Never seen.");
    let newest = page.after("name=\"head_commit\" value=\"");
    let fields = [("method", "rebase"), ("head_commit", newest.as_str())];
    dashboard.operator.submit(&merge, &fields).await.says("Merged").says("Never seen.");
    // The API refuses unreviewed commits, methods that it doesn't know, and unknown fields, too.
    let api = dashboard.api("admin");
    let path = format!("/v1{}/merge", dashboard.pull_request());
    for body in [
        serde_json::json!({ "method": "octopus" }),
        serde_json::json!({ "head_commit": newest }),
        serde_json::json!({ "deleteBranch": "yes" }),
    ] {
        let answer = api.send(reqwest::Method::POST, &path, Some(body)).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    }
}

//! Pull requests of docwright's own host, with real git and a real database.

use docwright_repository::git::Environment;
use docwright_storage::database::NewProject;
use docwright_types::{plan::Plan, pull_request::MergeMethod, site::Activation};

use super::*;

const BRANCH: &str = "docwright/job-1";

struct Host {
    _folder: tempfile::TempDir,
    built_in: BuiltIn,
}

impl Host {
    /// A repository with a page, and a branch that changes it.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open_folder(folder.path()).await.unwrap();
        let organization = database.create_organization("Acme", Plan::Enterprise, 0).await.unwrap();
        let new = NewProject {
            organization_id: &organization.id,
            name: "Docs",
            repository: docwright_repository::location::BUILT_IN,
            docs_path: "",
            model: None,
            activation: Activation::Automatic,
        };
        let project_id = database.create_project(new, 0).await.unwrap().id;
        let built_in = BuiltIn {
            database,
            folder: folder.path().join("git"),
            public_url: "http://localhost".to_owned(),
            project_id,
            clock: Clock::default(),
            git: Git::new(&Environment::for_testing(folder.path())),
        };
        let files = folder.path().join("files");
        std::fs::create_dir(&files).unwrap();
        std::fs::write(files.join("a.mdx"), "one\n").unwrap();
        built_in.import(&files).await.unwrap();
        let host = Self { _folder: folder, built_in };
        host.commit(BRANCH, "two\n").await;
        host.open().await;
        host
    }

    async fn run(&self, arguments: &[&str]) -> String {
        let git = self.built_in.git.clone().with_author("T", "t@example.org");
        git.run(&self.built_in.repository(), arguments).await.unwrap()
    }

    /// Commits another text of the page to a branch.
    async fn commit(&self, branch: &str, text: &str) {
        let file = self.built_in.folder.join("text");
        std::fs::write(&file, text).unwrap();
        let blob = self.run(&["hash-object", "-w", &file.display().to_string()]).await;
        let index = ["read-tree", MAIN];
        self.run(&index).await;
        self.run(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},a.mdx")]).await;
        let tree = self.run(&["write-tree"]).await;
        let parent = if branch == MAIN { MAIN } else { "refs/heads/main" };
        let commit = self.run(&["commit-tree", &tree, "-p", parent, "-m", "Change"]).await;
        self.run(&["update-ref", &format!("refs/heads/{branch}"), &commit]).await;
    }

    /// Commits a file on top of a branch.
    async fn write(&self, branch: &str, path: &str, text: &str) {
        let file = self.built_in.folder.join("text");
        std::fs::write(&file, text).unwrap();
        let blob = self.run(&["hash-object", "-w", &file.display().to_string()]).await;
        let branch = format!("refs/heads/{branch}");
        self.run(&["read-tree", &branch]).await;
        let entry = format!("100644,{blob},{path}");
        self.run(&["update-index", "--add", "--cacheinfo", &entry]).await;
        let tree = self.run(&["write-tree"]).await;
        let message = format!("Write {path}");
        let commit = self.run(&["commit-tree", &tree, "-p", &branch, "-m", &message]).await;
        self.run(&["update-ref", &branch, &commit]).await;
    }

    async fn open(&self) {
        let new = NewPullRequest {
            head: BRANCH.to_owned(),
            base: MAIN.to_owned(),
            title: "Change".to_owned(),
            body: String::new(),
        };
        GitHost::open(&self.built_in, &new).await.unwrap();
    }

    async fn state(&self) -> PullRequestState {
        let found = self.built_in.database.pull_request(&self.built_in.project_id, 1).await;
        found.unwrap().unwrap().state
    }
}

#[tokio::test]
async fn imported_files_are_in_one_pack() {
    let host = Host::new().await;
    let objects = host.run(&["count-objects", "-v"]).await;
    let count = |name: &str| objects.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    assert_eq!((count("in-pack: "), count("packs: ")), ("1", "1"), "{objects}");
}

#[tokio::test]
async fn pull_request_is_shown_and_merged() {
    let host = Host::new().await;
    let view = host.built_in.view(1).await.unwrap().unwrap();
    let Some(Patch::Whole(patch)) = view.patch else { panic!("{view:?}") };
    assert!(patch.contains("-one\n+two") && view.mergeable);
    host.built_in.merge(1, &MergeOptions::default()).await.unwrap();
    let merged = host.built_in.commit(MAIN).await.unwrap();
    let known = host.built_in.database.last_head(&host.built_in.project_id, None).await.unwrap();
    assert_eq!(known, merged, "the releases that follow are known");
    assert_eq!(host.state().await, PullRequestState::Merged);
    assert_eq!(host.run(&["show", "main:a.mdx"]).await, "two");
    assert!(matches!(
        host.built_in.merge(1, &MergeOptions::default()).await,
        Err(BuiltInError::Refused(_))
    ));
}

#[tokio::test]
async fn interrupted_merge_is_completed() {
    let host = Host::new().await;
    // The state after a crash: the branch is moved, and the database has no record.
    let options = MergeOptions::default();
    let merged = host.built_in.merge_branches(&host.pull_request().await, &options).await.unwrap();
    assert_eq!(host.state().await, PullRequestState::Open);
    host.built_in.merge(1, &MergeOptions::default()).await.unwrap();
    let after = host.built_in.commit(MAIN).await.unwrap();
    assert_eq!(after, Some(merged.0.after), "nothing is merged twice");
    assert_eq!(host.state().await, PullRequestState::Merged);
}

#[tokio::test]
async fn merge_with_conflict_is_refused_with_reason() {
    let host = Host::new().await;
    host.commit(MAIN, "three\n").await;
    let view = host.built_in.view(1).await.unwrap().unwrap();
    assert!(view.patch.is_some() && !view.mergeable);
    let error = host.built_in.merge(1, &MergeOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("conflicts with main"), "{error}");
    assert_eq!(host.state().await, PullRequestState::Open);
}

/// The patch of the pull request.
async fn patch(host: &Host) -> String {
    let view = host.built_in.view(1).await.unwrap().unwrap();
    let Some(Patch::Whole(patch)) = view.patch else { panic!("{view:?}") };
    patch
}

/// The subjects, authors, and committers of the commits of the main branch, newest first.
async fn history(host: &Host) -> String {
    host.run(&["log", "--first-parent", "--format=%s|%an|%cn", MAIN]).await
}

/// A branch with two commits beside a newer commit of the main branch.
async fn apart() -> Host {
    let host = Host::new().await;
    host.write(BRANCH, "b.mdx", "b\n").await;
    host.write(MAIN, "c.mdx", "c\n").await;
    host
}

#[tokio::test]
async fn squash_adds_one_commit_of_the_author() {
    let host = apart().await;
    let before = patch(&host).await;
    let options = MergeOptions { method: MergeMethod::Squash, ..Default::default() };
    host.built_in.merge(1, &options).await.unwrap();
    let history = history(&host).await;
    assert!(history.starts_with("Change (#1)|T|docwright\nWrite c.mdx|T|T\n"), "{history}");
    assert_eq!(host.run(&["show", "main:a.mdx"]).await, "two");
    assert_eq!(patch(&host).await, before);
    host.run(&["update-ref", "-d", &format!("refs/heads/{BRANCH}")]).await;
    assert_eq!(patch(&host).await, before, "its branch is gone");
}

#[tokio::test]
async fn rebase_adds_the_commits_of_the_branch() {
    let host = apart().await;
    let before = patch(&host).await;
    let options = MergeOptions { method: MergeMethod::Rebase, ..Default::default() };
    host.built_in.merge(1, &options).await.unwrap();
    let history = history(&host).await;
    let expected = "Write b.mdx|T|docwright\nChange|T|docwright\nWrite c.mdx|T|T\n";
    assert!(history.starts_with(expected), "{history}");
    assert_eq!(host.run(&["show", "main:b.mdx"]).await, "b");
    assert_eq!(patch(&host).await, before);
}

#[tokio::test]
async fn rebase_keeps_commits_that_are_on_top_already() {
    let host = Host::new().await;
    let head = host.built_in.commit(BRANCH).await.unwrap();
    let options = MergeOptions { method: MergeMethod::Rebase, ..Default::default() };
    host.built_in.merge(1, &options).await.unwrap();
    assert_eq!(host.built_in.commit(MAIN).await.unwrap(), head);
    assert!(patch(&host).await.contains("-one\n+two"));
}

#[tokio::test]
async fn rebase_that_would_lose_a_change_is_refused() {
    let host = apart().await;
    // A merge that also changes a file.
    host.write(BRANCH, "d.mdx", "d\n").await;
    let tree = host.run(&["rev-parse", &format!("{BRANCH}^{{tree}}")]).await;
    host.run(&["update-ref", &format!("refs/heads/{BRANCH}"), &format!("{BRANCH}~1")]).await;
    let merge = ["commit-tree", &tree, "-p", BRANCH, "-p", "main~1", "-m", "Merge"];
    let merge = host.run(&merge).await;
    host.run(&["update-ref", &format!("refs/heads/{BRANCH}"), &merge]).await;
    let before = host.built_in.commit(MAIN).await.unwrap();
    let options = MergeOptions { method: MergeMethod::Rebase, ..Default::default() };
    let error = host.built_in.merge(1, &options).await.unwrap_err();
    assert!(error.to_string().contains("would lose"), "{error}");
    assert_eq!(host.built_in.commit(MAIN).await.unwrap(), before);
    assert_eq!(host.state().await, PullRequestState::Open);
}

#[tokio::test]
async fn interrupted_squash_and_rebase_are_completed() {
    for method in [MergeMethod::Squash, MergeMethod::Rebase] {
        let host = apart().await;
        let options = MergeOptions { method, ..Default::default() };
        let (merged, _) =
            host.built_in.merge_branches(&host.pull_request().await, &options).await.unwrap();
        host.built_in.merge(1, &options).await.unwrap();
        let after = host.built_in.commit(MAIN).await.unwrap();
        assert_eq!(after, Some(merged.after), "{method:?}: nothing is merged twice");
        assert_eq!(host.state().await, PullRequestState::Merged);
    }
}

#[tokio::test]
async fn commits_that_were_not_reviewed_are_not_merged() {
    let host = Host::new().await;
    let reviewed = host.built_in.view(1).await.unwrap().unwrap().head_commit;
    host.write(BRANCH, "b.mdx", "b\n").await;
    let stale = MergeOptions { head_commit: reviewed, ..Default::default() };
    let error = host.built_in.merge(1, &stale).await.unwrap_err();
    assert!(error.to_string().contains("other commits than the ones that you reviewed"), "{error}");
    assert_eq!(host.state().await, PullRequestState::Open);
    let head_commit = host.built_in.view(1).await.unwrap().unwrap().head_commit;
    let options = MergeOptions { head_commit, deletes_branch: true, ..Default::default() };
    host.built_in.merge(1, &options).await.unwrap();
    assert_eq!(host.built_in.commit(BRANCH).await.unwrap(), None, "the branch is deleted");
    assert!(patch(&host).await.contains("-one\n+two"));
}

#[tokio::test]
async fn unreadable_pull_request_is_not_mergeable() {
    let host = Host::new().await;
    let commit = host.run(&["rev-parse", BRANCH]).await;
    host.run(&["update-ref", "-d", &format!("refs/heads/{BRANCH}")]).await;
    let view = host.built_in.view(1).await.unwrap().unwrap();
    assert!(view.patch.is_none() && !view.mergeable, "its branch is gone");
    assert!(matches!(
        host.built_in.merge(1, &MergeOptions::default()).await,
        Err(BuiltInError::Refused(_))
    ));
    host.run(&["update-ref", &format!("refs/heads/{BRANCH}"), &commit]).await;
    // A damaged repository: an empty patch would look like a change of nothing.
    let blob = host.run(&["rev-parse", &format!("{BRANCH}:a.mdx")]).await;
    let object = host.built_in.repository().join("objects").join(&blob[..2]).join(&blob[2..]);
    std::fs::remove_file(object).unwrap();
    assert!(matches!(host.built_in.view(1).await, Err(BuiltInError::Git(_))));
}

#[tokio::test]
async fn long_pull_request_shows_counts() {
    let host = Host::new().await;
    host.commit(BRANCH, &"a line of a long page\n".repeat(MAXIMUM_PATCH / 20)).await;
    let view = host.built_in.view(1).await.unwrap().unwrap();
    let lines = MAXIMUM_PATCH / 20;
    assert_eq!(view.patch, Some(Patch::Counts(format!("{lines}\t1\ta.mdx"))));
    assert!(view.mergeable);
}

#[tokio::test]
async fn pull_requests_are_dated_when_they_are_opened() {
    let host = Host::new().await;
    let first = host.pull_request().await.created_at;
    host.built_in.clock.advance(3_600_000);
    let other = NewPullRequest {
        head: "other".to_owned(),
        base: MAIN.to_owned(),
        title: "Later".to_owned(),
        body: String::new(),
    };
    GitHost::open(&host.built_in, &other).await.unwrap();
    let found = host.built_in.database.pull_request(&host.built_in.project_id, 2).await;
    let second = found.unwrap().unwrap().created_at;
    assert!(second - first >= 3_600_000, "{first} {second}");
}

impl Host {
    async fn pull_request(&self) -> PullRequest {
        let found = self.built_in.database.pull_request(&self.built_in.project_id, 1).await;
        found.unwrap().unwrap()
    }
}

#[tokio::test]
async fn open_pull_requests_are_listed_and_commented_on() {
    let host = Host::new().await;
    let built_in = &host.built_in;
    let new = NewPullRequest {
        head: BRANCH.into(),
        base: MAIN.into(),
        title: "T".into(),
        body: "B".into(),
    };
    built_in.open(&new).await.unwrap();
    built_in.open(&NewPullRequest { head: "gone".into(), ..new }).await.unwrap();
    let open = built_in.pull_requests().await.unwrap();
    assert_eq!(open.len(), 1, "the other one has no branch");
    assert_eq!((open[0].number, open[0].head_branch.as_str(), open[0].is_fork), (1, BRANCH, false));
    assert_eq!(Some(&open[0].head_commit), built_in.commit(BRANCH).await.unwrap().as_ref());
    let comment = |body: &str| Comment { marker: "preview".to_owned(), body: body.to_owned() };
    let id = built_in.set_comment(1, None, &comment("one")).await.unwrap();
    assert_eq!(built_in.set_comment(1, None, &comment("two")).await.unwrap(), id);
    assert!(built_in.set_comment(9, None, &comment("x")).await.is_err());
    let comments = built_in.database.comments(&built_in.project_id, 1).await.unwrap();
    assert_eq!(comments, ["two"]);
    assert!(built_in.database.delete_project(&built_in.project_id).await.unwrap().is_some());
}

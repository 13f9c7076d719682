//! Reports about commits and pull requests, and lists of open ones.

use docwright_repository::git_hosts::{
    Annotation, Comment, CommitState, CommitStatus, GitHost, OpenPullRequest,
};
use docwright_types::git_host::GitHostKind;
use serde_json::{Value, json};

use super::Host;

pub(super) const COMMIT: &str = "8f2c1e0b9a7d6c5b4a39281706f5e4d3c2b1a098";

pub(super) fn status(state: CommitState) -> CommitStatus {
    CommitStatus {
        commit: COMMIT.to_owned(),
        state,
        context: "docwright/docs.example.com".to_owned(),
        description: "3 pages are ready.".to_owned(),
        target_url: Some("https://docs.example.com".to_owned()),
        annotations: Vec::new(),
    }
}

/// The requests for one status, or the error.
async fn said(
    kind: GitHostKind,
    status: &CommitStatus,
    answers: Vec<(u16, Value)>,
) -> (Option<String>, Vec<String>) {
    let (host, remote) = Host::start(kind, answers).await;
    let error = remote.set_status(status).await.err().map(|error| error.message);
    (error, host.asked())
}

#[tokio::test]
async fn commit_states_use_names_of_each_host() {
    use CommitState::{Failure, Pending, Skipped, Success};
    for (kind, path, words) in [
        (
            GitHostKind::GitLab,
            "/api/v4/projects/group%2Fsub%2Fdocs/statuses/".to_owned() + COMMIT,
            ["pending", "success", "failed", "canceled"],
        ),
        (
            GitHostKind::Gitea,
            "/api/v1/repos/group/sub/docs/statuses/".to_owned() + COMMIT,
            ["pending", "success", "failure", "success"],
        ),
        (
            GitHostKind::Bitbucket,
            format!("/2.0/repositories/group/sub/docs/commit/{COMMIT}/statuses/build"),
            ["INPROGRESS", "SUCCESSFUL", "FAILED", "STOPPED"],
        ),
    ] {
        for (state, word) in [Pending, Success, Failure, Skipped].into_iter().zip(words) {
            let (error, asked) = said(kind, &status(state), vec![(201, json!({}))]).await;
            assert_eq!((error, asked.len()), (None, 1));
            assert!(asked[0].starts_with(&format!("POST {path} ")), "{}", asked[0]);
            assert!(asked[0].contains(&format!("\"state\":\"{word}\"")), "{}", asked[0]);
            assert!(asked[0].contains("docwright/docs.example.com"), "{}", asked[0]);
        }
    }
}

#[tokio::test]
async fn refused_transition_of_gitlab_is_no_error() {
    let message = "Cannot transition status via :enqueue from :pending";
    let again = vec![(400, json!({ "message": message }))];
    assert_eq!(said(GitHostKind::GitLab, &status(CommitState::Pending), again).await.0, None);
    let wrong = vec![(400, json!({ "message": "name is too long" }))];
    let (error, _) = said(GitHostKind::GitLab, &status(CommitState::Pending), wrong).await;
    assert!(error.unwrap().contains("name is too long"));
}

#[tokio::test]
async fn bitbucket_gets_a_report_with_annotations() {
    let annotation = |line| Annotation {
        path: "docs/a.mdx".to_owned(),
        line,
        is_error: true,
        code: "broken-link".to_owned(),
        message: "broken link".to_owned(),
    };
    let status = CommitStatus {
        annotations: vec![annotation(0), annotation(4)],
        ..status(CommitState::Failure)
    };
    let ok = || (200, json!({}));
    let (error, asked) = said(GitHostKind::Bitbucket, &status, vec![ok(), ok(), ok()]).await;
    assert_eq!(error, None);
    let commit = format!("/2.0/repositories/group/sub/docs/commit/{COMMIT}");
    assert!(asked[0].starts_with(&format!("PUT {commit}/reports/")), "{}", asked[0]);
    assert!(asked[0].contains(r#""result":"FAILED""#), "{}", asked[0]);
    let annotations = asked[1].split_once("[{").unwrap().1;
    assert!(
        asked[1].contains("/annotations ") && annotations.contains(r#""line":4"#),
        "{}",
        asked[1]
    );
    assert!(!annotations.contains(r#""line":0"#), "{annotations}");
    let key = asked[2].split("\"key\":\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(key.len(), 40, "the longest that it takes");
}

#[tokio::test]
async fn comment_is_created_or_updated() {
    let comment = Comment { marker: "docwright:prj_1".to_owned(), body: "Text".to_owned() };
    for (kind, list, change, hidden) in [
        (
            GitHostKind::GitLab,
            "/api/v4/projects/group%2Fsub%2Fdocs/merge_requests/3/notes",
            "PUT /api/v4/projects/group%2Fsub%2Fdocs/merge_requests/3/notes/12 ",
            "<!-- docwright:prj_1 -->",
        ),
        (
            GitHostKind::Gitea,
            "/api/v1/repos/group/sub/docs/issues/3/comments",
            "PATCH /api/v1/repos/group/sub/docs/issues/comments/12 ",
            "<!-- docwright:prj_1 -->",
        ),
        (
            GitHostKind::Bitbucket,
            "/2.0/repositories/group/sub/docs/pullrequests/3/comments",
            "PUT /2.0/repositories/group/sub/docs/pullrequests/3/comments/12 ",
            "[//]: # (docwright:prj_1)",
        ),
    ] {
        let page = |comments: Value| match kind {
            GitHostKind::Bitbucket => json!({ "values": comments }),
            _ => comments,
        };
        let text = format!("Text\n\n{hidden}");
        let own = match kind {
            GitHostKind::Bitbucket => json!({ "id": 12, "content": { "raw": text } }),
            _ => json!({ "id": 12, "body": text }),
        };
        let answers = vec![(200, page(json!([]))), (201, own.clone())];
        let (host, remote) = Host::start(kind, answers).await;
        assert_eq!(remote.set_comment(3, None, &comment).await.unwrap(), "12");
        let asked = host.asked();
        assert!(asked[0].starts_with(&format!("GET {list}")), "{}", asked[0]);
        assert!(asked[1].starts_with(&format!("POST {list} ")), "{}", asked[1]);
        assert!(asked[1].contains(&serde_json::to_string(&text).unwrap()), "{}", asked[1]);
        // The known comment is gone; another one has the marker.
        let answers = vec![(404, json!({})), (200, page(json!([own]))), (200, own.clone())];
        let (host, remote) = Host::start(kind, answers).await;
        assert_eq!(remote.set_comment(3, Some("5"), &comment).await.unwrap(), "12");
        let asked = host.asked();
        assert!(asked[2].starts_with(change), "{}", asked[2]);
    }
}

/// What a check of golden questions says has marks of Markdown, lines, and quotes.
#[tokio::test]
async fn changed_questions_reach_each_host_unchanged() {
    let description =
        "12 pages, no new diagnostics. 2 questions lost their page, 1 question found its answer.";
    let body = "**Preview**: [https://x](https://x)\n\n1 question lost its page. 0 of 2 questions pass.\n\nLost:\n\n\
        - How large is \"one\"\\?: [page\\-0](https://x/page-0). not found\n";
    let comment = Comment { marker: "docwright-preview:prv_1".to_owned(), body: body.to_owned() };
    let status =
        CommitStatus { description: description.to_owned(), ..status(CommitState::Success) };
    let quoted = |text: &str| serde_json::to_string(text).unwrap().trim_matches('"').to_owned();
    for kind in [GitHostKind::GitLab, GitHostKind::Gitea, GitHostKind::Bitbucket] {
        let (error, asked) = said(kind, &status, vec![(201, json!({}))]).await;
        assert_eq!(error, None);
        assert!(asked[0].contains(&quoted(description)), "{}", asked[0]);
        let none = if kind == GitHostKind::Bitbucket { json!({ "values": [] }) } else { json!([]) };
        let (host, remote) = Host::start(kind, vec![(200, none), (201, json!({ "id": 1 }))]).await;
        assert_eq!(remote.set_comment(3, None, &comment).await.unwrap(), "1");
        assert!(host.asked()[1].contains(&quoted(body.trim_end())), "{}", host.asked()[1]);
    }
}

async fn open(
    kind: GitHostKind,
    pages: Vec<Value>,
) -> (Result<Vec<OpenPullRequest>, String>, Vec<String>) {
    let (host, remote) =
        Host::start(kind, pages.into_iter().map(|page| (200, page)).collect()).await;
    let open = remote.pull_requests().await.map_err(|error| error.message);
    (open, host.asked())
}

#[tokio::test]
async fn gitlab_lists_open_merge_requests() {
    let request = |number: i64, from: i64| {
        json!({
            "iid": number, "title": "T", "web_url": format!("https://x/{number}"),
            "author": { "username": "ada" }, "source_branch": "topic", "sha": COMMIT,
            "target_branch": "main", "source_project_id": from, "target_project_id": 1,
        })
    };
    let full = Value::Array((0..50).map(|number| request(number, 1)).collect());
    let (open, asked) = open(GitHostKind::GitLab, vec![full, json!([request(50, 2)])]).await;
    let open = open.unwrap();
    assert_eq!(open.len(), 51);
    assert!(asked[1].contains("state=opened&") && asked[1].contains("&page=2"), "{}", asked[1]);
    assert_eq!(
        open[50],
        OpenPullRequest {
            number: 50,
            title: "T".into(),
            url: "https://x/50".into(),
            author: "ada".into(),
            head_branch: "topic".into(),
            head_commit: COMMIT.into(),
            base_branch: "main".into(),
            fork: None,
            is_fork: true,
            git_ref: "refs/merge-requests/50/head".into(),
        }
    );
    assert!(!open[0].is_fork);
}

#[tokio::test]
async fn gitea_lists_open_pull_requests() {
    let request = json!({
        "number": 4, "title": "T", "html_url": "https://x/4", "user": { "login": "ada" },
        "head": { "ref": "topic", "sha": COMMIT, "repo": null },
        "base": { "ref": "main", "repo": { "full_name": "group/docs" } },
    });
    let (listed, asked) = open(GitHostKind::Gitea, vec![json!([request])]).await;
    let open = listed.unwrap();
    assert!(
        asked[0].starts_with("GET /api/v1/repos/group/sub/docs/pulls?state=open&"),
        "{}",
        asked[0]
    );
    assert!(open[0].is_fork, "its repository is gone");
    assert_eq!(open[0].git_ref, "refs/pull/4/head");
}

#[tokio::test]
async fn bitbucket_lists_open_pull_requests_and_where_forks_are() {
    let request = |from: &str| {
        json!({
            "id": 9, "title": "T", "links": { "html": { "href": "https://x/9" } },
            "author": { "display_name": "Ada" },
            "source": {
                "branch": { "name": "topic/a" }, "commit": { "hash": &COMMIT[..12] },
                "repository": { "full_name": from },
            },
            "destination": { "branch": { "name": "main" }, "repository": { "full_name": "team/docs" } },
        })
    };
    let page = json!({ "values": [request("team/docs"), request("ada/docs")] });
    let (open, asked) = open(GitHostKind::Bitbucket, vec![page]).await;
    let open = open.unwrap();
    assert!(asked[0].contains("/pullrequests?state=OPEN&"), "{}", asked[0]);
    assert_eq!((open[0].is_fork, &open[0].fork), (false, &None));
    let fork = open[1].fork.as_deref().unwrap();
    assert!(open[1].is_fork && fork.ends_with("/ada/docs.git"), "{fork}");
    assert_eq!(open[1].git_ref, "refs/heads/topic/a");
}

#[tokio::test]
async fn missing_field_of_host_is_an_error() {
    for kind in [GitHostKind::GitLab, GitHostKind::Gitea] {
        let (listed, _) = open(kind, vec![json!([{ "title": "T" }])]).await;
        assert!(listed.unwrap_err().contains("a pull request that can't be read"));
    }
}

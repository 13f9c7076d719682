//! Bitbucket Data Center, following its documentation: <https://developer.atlassian.com/server/bitbucket/rest/v902/>

use docwright_repository::{
    git_hosts::{
        Annotation, Comment, CommitState, CommitStatus, GitHost, HostSettings, RemoteHost,
    },
    location::RemoteAddress,
    network::{AllowedHosts, Network},
    remote::Access,
};
use docwright_types::git_host::GitHostKind;
use serde_json::{Value, json};

use super::{
    Host, open_on,
    said::{self, COMMIT},
};

const KIND: GitHostKind = GitHostKind::BitbucketDataCenter;
const PATH: &str = "bitbucket/scm/doc/docs.git";
const PULLS: &str = "/bitbucket/rest/api/1.0/projects/doc/repos/docs/pull-requests";

/// A page of a list; `next` is the start of the next one.
fn page(values: &[Value], next: Option<u64>) -> (u16, Value) {
    let page = json!({
        "size": values.len(), "limit": 50, "isLastPage": next.is_none(), "values": values,
        "start": 0, "nextPageStart": next,
    });
    (200, page)
}

/// The end of a pull request: a branch in a repository.
fn reference(branch: &str, repository: i64, key: &str) -> Value {
    json!({
        "id": format!("refs/heads/{branch}"), "displayId": branch, "latestCommit": COMMIT,
        "repository": { "id": repository, "slug": "docs", "project": { "key": key } },
    })
}

fn pull_request(id: i64, version: i64, state: &str) -> Value {
    json!({
        "id": id, "version": version, "title": "Old", "state": state, "open": state == "OPEN",
        "fromRef": reference("docwright/job-1", 1, "DOC"), "toRef": reference("main", 1, "DOC"),
        "author": { "user": { "name": "ada", "displayName": "Ada" } },
        "reviewers": [{ "user": { "name": "eve", "displayName": "Eve" }, "role": "REVIEWER" }],
        "links": { "self": [{ "href": format!("https://x/{id}") }] },
    })
}

fn refusal(exception: &str, message: &str) -> (u16, Value) {
    let name = format!("com.atlassian.bitbucket.pull.{exception}");
    let error = json!({ "context": null, "message": message, "exceptionName": name });
    (409, json!({ "errors": [error] }))
}

fn duplicate() -> (u16, Value) {
    let message = "A pull request between these branches is already open";
    refusal("DuplicatePullRequestException", message)
}

async fn open(answers: Vec<(u16, Value)>) -> (Result<String, String>, Vec<String>) {
    open_on(Host::start_at(PATH, KIND, answers).await).await
}

#[tokio::test]
async fn pull_request_is_created_once() {
    let created = (201, pull_request(5, 0, "OPEN"));
    let (opened, asked) = open(vec![page(&[], None), created]).await;
    assert_eq!(opened.unwrap(), "https://x/5");
    let list = "at=refs%2Fheads%2Fdocwright%2Fjob-1&direction=OUTGOING&state=ALL&order=NEWEST";
    assert_eq!(asked[0], format!("GET {PULLS}?{list}&limit=50&start=0 Bearer secret"));
    let body = r#"{"title":"T","description":"B","fromRef":{"id":"refs/heads/docwright/job-1","repository":{"slug":"docs","project":{"key":"doc"}}},"toRef":{"id":"refs/heads/main","repository":{"slug":"docs","project":{"key":"doc"}}}}"#;
    assert_eq!(asked[1], format!("POST {PULLS} Bearer secret {body}"));
    // Another run was faster: its pull request is updated.
    let found = pull_request(5, 3, "OPEN");
    let answers =
        vec![page(&[], None), duplicate(), page(std::slice::from_ref(&found), None), (200, found)];
    let (opened, asked) = open(answers).await;
    assert_eq!(opened.unwrap(), "https://x/5");
    let body =
        r#"{"title":"T","description":"B","version":3,"reviewers":[{"user":{"name":"eve"}}]}"#;
    assert_eq!(asked[3], format!("PUT {PULLS}/5 Bearer secret {body}"));
}

#[tokio::test]
async fn pull_request_without_changes_is_refused_with_reason() {
    let message = "main is already up-to-date with all changes from docwright/job-1";
    let answers = vec![page(&[], None), refusal("EmptyPullRequestException", message)];
    let (opened, asked) = open(answers).await;
    assert!(opened.unwrap_err().contains(message));
    assert_eq!(asked.len(), 2);
}

#[tokio::test]
async fn stale_version_of_pull_request_is_read_again_once() {
    let message = "You are attempting to modify a pull request based on out-of-date information.";
    let stale = || refusal("PullRequestOutOfDateException", message);
    let version = |version| pull_request(5, version, "OPEN");
    let answers =
        vec![page(&[version(1)], None), stale(), page(&[version(2)], None), (200, version(3))];
    let (opened, asked) = open(answers).await;
    assert_eq!(opened.unwrap(), "https://x/5");
    assert!(asked[3].contains(r#""version":2"#), "{}", asked[3]);
    let answers = vec![page(&[version(1)], None), stale(), page(&[version(1)], None), stale()];
    let (opened, _) = open(answers).await;
    assert!(opened.unwrap_err().contains("out-of-date"));
}

#[tokio::test]
async fn closed_pull_request_is_found_and_not_changed() {
    for state in ["MERGED", "DECLINED"] {
        let answers = vec![page(&[pull_request(5, 3, state)], None)];
        let (host, remote) = Host::start_at(PATH, KIND, answers).await;
        let found = remote.find("docwright/job-1").await.unwrap().unwrap();
        assert!(!found.is_open && found.url == "https://x/5" && host.asked().len() == 1);
        let (opened, asked) = open(vec![page(&[pull_request(5, 3, state)], None)]).await;
        assert_eq!((opened.unwrap().as_str(), asked.len()), ("https://x/5", 1));
    }
}

/// A page can be short though there are more, and the next one starts where the host says.
#[tokio::test]
async fn pages_are_followed_past_pull_requests_of_other_repositories() {
    let mut upstream = pull_request(4, 0, "OPEN");
    upstream["toRef"] = reference("main", 7, "UP");
    let answers = vec![
        page(&[upstream], Some(83)),
        page(&[pull_request(5, 0, "OPEN")], None),
        (200, pull_request(5, 1, "OPEN")),
    ];
    let (opened, asked) = open(answers).await;
    assert_eq!(opened.unwrap(), "https://x/5");
    assert!(asked[1].contains("&limit=50&start=83 "), "{}", asked[1]);
    // A host that sends clients around in circles.
    let (opened, asked) = open(vec![page(&[], Some(0)), (401, json!({}))]).await;
    assert!(opened.is_err());
    assert!(asked[1].starts_with("POST "), "{}", asked[1]);
}

#[tokio::test]
async fn open_pull_requests_and_places_of_forks_are_listed() {
    let mut fork = pull_request(9, 0, "OPEN");
    fork["fromRef"] = reference("topic/a", 2, "~ada");
    let answers = vec![page(&[pull_request(8, 0, "OPEN")], Some(50)), page(&[fork], None)];
    let (host, remote) = Host::start_at(PATH, KIND, answers).await;
    let open = remote.pull_requests().await.unwrap();
    let asked = host.asked();
    assert!(
        asked[0].starts_with(&format!("GET {PULLS}?state=OPEN&order=NEWEST&limit=50&start=0 "))
    );
    assert!(asked[1].contains("&start=50 "), "{}", asked[1]);
    assert_eq!((open[0].is_fork, &open[0].fork, open[0].number), (false, &None, 8));
    assert_eq!(open[0].git_ref, "refs/heads/docwright/job-1");
    assert_eq!((open[0].author.as_str(), open[0].base_branch.as_str()), ("Ada", "main"));
    assert_eq!((open[1].head_branch.as_str(), open[1].head_commit.as_str()), ("topic/a", COMMIT));
    let address = open[1].fork.as_deref().unwrap();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(open[1].is_fork && address.ends_with("/bitbucket/scm/~ada/docs.git"), "{address}");
    assert_eq!(open[1].git_ref, "refs/heads/topic/a");
}

fn status(state: CommitState, annotations: Vec<Annotation>) -> CommitStatus {
    CommitStatus { annotations, ..said::status(state) }
}

#[tokio::test]
async fn states_of_commits_are_builds() {
    use CommitState::{Failure, Pending, Skipped, Success};
    for (state, word) in [
        (Pending, "INPROGRESS"),
        (Success, "SUCCESSFUL"),
        (Failure, "FAILED"),
        (Skipped, "CANCELLED"),
    ] {
        let (host, remote) = Host::start_at(PATH, KIND, vec![(204, Value::Null)]).await;
        remote.set_status(&status(state, Vec::new())).await.unwrap();
        let asked = host.asked();
        let builds = format!(
            "POST /bitbucket/rest/api/1.0/projects/doc/repos/docs/commits/{COMMIT}/builds "
        );
        assert!(asked.len() == 1 && asked[0].starts_with(&builds), "{}", asked[0]);
        assert!(asked[0].contains(&format!("\"state\":\"{word}\"")), "{}", asked[0]);
        assert!(asked[0].contains("\"name\":\"docwright/docs.example.com\""), "{}", asked[0]);
    }
    let refused = json!({ "errors": [{ "message": "invalid state" }] });
    let (_, remote) = Host::start_at(PATH, KIND, vec![(400, refused)]).await;
    let error = remote.set_status(&status(Skipped, Vec::new())).await.unwrap_err();
    assert!(error.message.contains("invalid state"), "{}", error.message);
}

#[tokio::test]
async fn report_with_annotations_replaces_earlier_one() {
    let annotation = |line, is_error| Annotation {
        path: "docs/a.mdx".to_owned(),
        line,
        is_error,
        code: "broken-link".to_owned(),
        message: "broken link".to_owned(),
    };
    let annotations = vec![annotation(4, true), annotation(0, false)];
    let done = || (204, Value::Null);
    let answers = vec![(200, json!({})), done(), done(), done()];
    let (host, remote) = Host::start_at(PATH, KIND, answers).await;
    remote.set_status(&status(CommitState::Failure, annotations)).await.unwrap();
    let asked = host.asked();
    let reports =
        format!("/bitbucket/rest/insights/1.0/projects/doc/repos/docs/commits/{COMMIT}/reports/");
    assert!(asked[0].starts_with(&format!("PUT {reports}")), "{}", asked[0]);
    assert!(asked[0].contains(r#""result":"FAIL""#), "{}", asked[0]);
    for (line, method) in [(1, "DELETE"), (2, "POST")] {
        assert!(asked[line].starts_with(&format!("{method} {reports}")), "{}", asked[line]);
        assert!(asked[line].contains("/annotations Bearer"), "{}", asked[line]);
    }
    let expected = r#"{"annotations":[{"path":"docs/a.mdx","line":4,"type":"BUG","message":"broken link","severity":"HIGH"},{"path":"docs/a.mdx","line":0,"type":"BUG","message":"broken link","severity":"LOW"}]}"#;
    assert!(asked[2].ends_with(expected), "{}", asked[2]);
    assert!(asked[3].contains("/builds "), "{}", asked[3]);
}

fn comment() -> Comment {
    Comment { marker: "docwright:prj_1".to_owned(), body: "Text".to_owned() }
}

const TEXT: &str = r"Text\n\n[//]: # (docwright:prj_1)";

/// An entry of the activities of a pull request.
fn activity(id: i64, version: i64, text: &str) -> Value {
    let comment = json!({ "id": id, "version": version, "text": text });
    json!({ "id": 900 + id, "action": "COMMENTED", "commentAction": "ADDED", "comment": comment })
}

#[tokio::test]
async fn comment_is_created_once_and_updated_with_its_version() {
    let push = json!({ "id": 1, "action": "RESCOPED" });
    let answers = vec![page(&[push], None), (201, json!({ "id": 12, "version": 0 }))];
    let (host, remote) = Host::start_at(PATH, KIND, answers).await;
    assert_eq!(remote.set_comment(3, None, &comment()).await.unwrap(), "12");
    let asked = host.asked();
    let activities = format!("GET {PULLS}/3/activities?limit=50&start=0 Bearer secret");
    assert_eq!(asked[0], activities);
    assert_eq!(asked[1], format!("POST {PULLS}/3/comments Bearer secret {{\"text\":\"{TEXT}\"}}"));
    // A known one is read before it is changed.
    let answers = vec![(200, json!({ "id": 12, "version": 4 })), (200, json!({ "id": 12 }))];
    let (host, remote) = Host::start_at(PATH, KIND, answers).await;
    assert_eq!(remote.set_comment(3, Some("12"), &comment()).await.unwrap(), "12");
    let asked = host.asked();
    assert_eq!(asked[0], format!("GET {PULLS}/3/comments/12 Bearer secret"));
    let body = format!("{{\"text\":\"{TEXT}\",\"version\":4}}");
    assert_eq!(asked[1], format!("PUT {PULLS}/3/comments/12 Bearer secret {body}"));
}

#[tokio::test]
async fn oldest_comment_with_marker_is_found() {
    let own = "Text\n\n[//]: # (docwright:prj_1)";
    let answers = vec![
        // The known comment is gone, and someone copied the text of the present one.
        (404, json!({ "errors": [] })),
        page(&[activity(20, 0, own), activity(19, 0, "Thanks")], Some(2)),
        page(&[activity(12, 7, own), json!({ "id": 1, "action": "OPENED" })], None),
        (200, json!({ "id": 12, "version": 8 })),
    ];
    let (host, remote) = Host::start_at(PATH, KIND, answers).await;
    assert_eq!(remote.set_comment(3, Some("5"), &comment()).await.unwrap(), "12");
    let asked = host.asked();
    assert!(asked[2].contains("&start=2 "), "{}", asked[2]);
    assert!(asked[3].starts_with(&format!("PUT {PULLS}/3/comments/12 ")), "{}", asked[3]);
    assert!(asked[3].contains(r#""version":7"#), "{}", asked[3]);
}

#[tokio::test]
async fn git_sends_tokens_alone_and_passwords_with_name() {
    let network = Network::new(AllowedHosts::default());
    let settings = HostSettings {
        kinds: [("git.example.com".to_owned(), KIND)].into(),
        tokens: [("git.example.com".to_owned(), "secret".to_owned())].into(),
        ..HostSettings::default()
    };
    let address = RemoteAddress::parse("https://git.example.com/scm/~ada/docs.git").unwrap();
    let own = |username: &str| {
        let (username, password) = (username.to_owned(), "own".to_owned());
        docwright_repository::git::Credentials { username, password }
    };
    for (own, expected) in [
        (None, ("", "secret")),
        (Some(own("x-access-token")), ("", "own")),
        (Some(own("ada")), ("ada", "own")),
    ] {
        let Access::Password(sent) = settings.access(&address, own, &network).await.unwrap() else {
            panic!("it has credentials");
        };
        assert_eq!((sent.username.as_str(), sent.password.as_str()), expected);
    }
}

#[tokio::test]
async fn repository_is_found_below_a_path_for_a_person_and_over_ssh() {
    for (address, base) in [
        ("https://git.example.com/scm/DOC/docs.git", "https://git.example.com/rest"),
        ("https://git.example.com:8443/a/b/scm/~ada/docs", "https://git.example.com:8443/a/b/rest"),
        ("ssh://git@git.example.com:7999/doc/docs.git", "https://git.example.com/rest"),
    ] {
        let address = RemoteAddress::parse(address).unwrap();
        let settings = HostSettings {
            kinds: [(address.host().to_owned(), KIND)].into(),
            ..HostSettings::default()
        };
        let network = Network::new(AllowedHosts::default());
        let host = RemoteHost::new(&address, Some("t"), &settings, &network).unwrap();
        assert!(format!("{host:?}").contains(&format!("\"{base}\"")), "{host:?}");
    }
}

//! Pull requests on GitLab, Gitea, and Bitbucket, following their documentation. GitHub is tested with the
//! service.

mod bitbucket_data_center;
mod said;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::StatusCode,
};
use docwright_repository::{
    git_hosts::{GitHost, HostSettings, NewPullRequest, RemoteHost},
    location::RemoteAddress,
    network::{AllowedHosts, Network},
};
use docwright_types::git_host::GitHostKind;
use serde_json::{Value, json};

/// A host with scripted responses, which records its requests.
#[derive(Clone, Default)]
pub(crate) struct Host {
    answers: Arc<Mutex<Vec<(u16, Value)>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn answer(State(host): State<Host>, request: Request) -> (StatusCode, Json<Value>) {
    let token = ["authorization", "private-token"].map(|name| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    });
    let line = format!("{} {} {}", request.method(), request.uri(), token.concat());
    let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
    let line = format!("{line} {}", String::from_utf8_lossy(&body)).trim_end().to_owned();
    host.asked.lock().unwrap().push(line);
    let (status, body) = host.answers.lock().unwrap().remove(0);
    (StatusCode::from_u16(status).unwrap(), Json(body))
}

impl Host {
    /// A host with these responses, and its repository `group/sub/docs`.
    async fn start(kind: GitHostKind, answers: Vec<(u16, Value)>) -> (Self, RemoteHost) {
        Self::start_at("group/sub/docs.git", kind, answers).await
    }

    /// A host with these responses, and its repository at a path.
    async fn start_at(
        path: &str,
        kind: GitHostKind,
        answers: Vec<(u16, Value)>,
    ) -> (Self, RemoteHost) {
        let host = Self { answers: Arc::new(Mutex::new(answers)), ..Self::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let router = Router::new().fallback(answer).with_state(host.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        let settings = HostSettings {
            kinds: [(address.clone(), kind)].into(),
            tokens: [(address.clone(), "secret".to_owned())].into(),
            first_wait: Some(Duration::from_millis(1)),
            ..HostSettings::default()
        };
        let network = Network::new(address.parse::<AllowedHosts>().unwrap());
        let repository = format!("http://{address}/{path}");
        let repository = RemoteAddress::parse(&repository).unwrap();
        let remote = RemoteHost::new(&repository, None, &settings, &network).unwrap();
        (host, remote)
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Opens a pull request on a host with these responses. Returns its address and the requests that the host
    /// got.
    async fn open(
        kind: GitHostKind,
        answers: Vec<(u16, Value)>,
    ) -> (Result<String, String>, Vec<String>) {
        open_on(Self::start(kind, answers).await).await
    }
}

/// Opens a pull request. Returns its address and the requests that the host got.
async fn open_on((host, remote): (Host, RemoteHost)) -> (Result<String, String>, Vec<String>) {
    let new = NewPullRequest {
        head: "docwright/job-1".into(),
        base: "main".into(),
        title: "T".into(),
        body: "B".into(),
    };
    let opened = remote.open(&new).await;
    (opened.map(|opened| opened.url).map_err(|error| error.message), host.asked())
}

#[tokio::test]
async fn gitlab() {
    let found = json!([{ "iid": 7, "web_url": "https://x/7", "state": "opened" }]);
    let projects = "/api/v4/projects/group%2Fsub%2Fdocs/merge_requests";
    let list = format!("GET {projects}?state=all&source_branch=docwright%2Fjob-1 secret");
    let (opened, asked) =
        Host::open(GitHostKind::GitLab, vec![(200, json!([])), (201, found[0].clone())]).await;
    assert_eq!(opened.unwrap(), "https://x/7");
    let body = r#"{"title":"T","description":"B","source_branch":"docwright/job-1","target_branch":"main"}"#;
    assert_eq!(asked, [list.clone(), format!("POST {projects} secret {body}")]);
    // Another run was faster: its pull request is updated.
    let exists = json!({ "message": ["Another open merge request already exists"] });
    let answers =
        vec![(200, json!([])), (409, exists), (200, found.clone()), (200, found[0].clone())];
    let (opened, asked) = Host::open(GitHostKind::GitLab, answers).await;
    assert_eq!(opened.unwrap(), "https://x/7");
    assert_eq!(
        asked[3],
        format!("PUT {projects}/7 secret {}", r#"{"title":"T","description":"B"}"#)
    );
}

#[tokio::test]
async fn gitea() {
    let pull = |number: i64, head: &str| json!({ "number": number, "html_url": format!("https://x/{number}"), "state": "open", "head": { "ref": head } });
    let pulls = "/api/v1/repos/group/sub/docs/pulls";
    let (opened, asked) = Host::open(
        GitHostKind::Gitea,
        vec![(200, json!([pull(1, "other")])), (201, pull(2, "docwright/job-1"))],
    )
    .await;
    assert_eq!(opened.unwrap(), "https://x/2");
    assert_eq!(asked[0], format!("GET {pulls}?state=all&sort=newest&limit=50&page=1 token secret"));
    let body = r#"{"title":"T","body":"B","head":"docwright/job-1","base":"main"}"#;
    assert_eq!(asked[1], format!("POST {pulls} token secret {body}"));
    let answers =
        vec![(200, json!([pull(3, "docwright/job-1")])), (201, pull(3, "docwright/job-1"))];
    let (opened, asked) = Host::open(GitHostKind::Gitea, answers).await;
    assert_eq!(opened.unwrap(), "https://x/3");
    assert!(asked[1].starts_with(&format!("PATCH {pulls}/3 ")), "{}", asked[1]);
}

#[tokio::test]
async fn bitbucket() {
    let pull = json!({ "id": 5, "state": "OPEN", "links": { "html": { "href": "https://x/5" } } });
    let pulls = "/2.0/repositories/group/sub/docs/pullrequests";
    let answers = vec![(200, json!({ "values": [] })), (201, pull.clone())];
    let (opened, asked) = Host::open(GitHostKind::Bitbucket, answers).await;
    assert_eq!(opened.unwrap(), "https://x/5");
    assert!(
        asked[0].starts_with(&format!(
            "GET {pulls}?q=source.branch.name%3D%22docwright%2Fjob-1%22&state=OPEN"
        )),
        "{}",
        asked[0]
    );
    let body = r#"{"title":"T","description":"B","source":{"branch":{"name":"docwright/job-1"}},"destination":{"branch":{"name":"main"}}}"#;
    assert_eq!(asked[1], format!("POST {pulls} Bearer secret {body}"));
}

#[tokio::test]
async fn transient_errors_are_retried_and_others_are_named() {
    let ok = json!([{ "iid": 7, "web_url": "https://x/7", "state": "opened" }]);
    let answers =
        vec![(500, json!({})), (429, json!({})), (503, json!({})), (200, ok), (200, json!({}))];
    assert_eq!(Host::open(GitHostKind::GitLab, answers).await.0.unwrap(), "https://x/7");
    for (status, expected) in [
        (401, "token is wrong"),
        (403, "needs write access"),
        (404, "doesn't exist"),
        (422, "422 (planned)"),
    ] {
        let (refused, asked) =
            Host::open(GitHostKind::GitLab, vec![(status, json!({ "message": "planned" }))]).await;
        let message = refused.unwrap_err();
        assert!(message.contains(expected) && !message.contains("secret"), "{message}");
        assert_eq!(asked.len(), 1, "{status} is not retried");
    }
    let (refused, _) = Host::open(GitHostKind::GitLab, vec![(500, json!({})); 4]).await;
    assert!(refused.unwrap_err().contains("answers 500"));
}

#[test]
fn missing_settings_are_reported() {
    let (none, network) = (HostSettings::default(), Network::new(AllowedHosts::default()));
    for (address, expected) in [
        ("file:///srv/docs", "no host for pull requests"),
        ("https://git.example.com/a/b.git", "git.example.com=gitlab"),
    ] {
        let address = RemoteAddress::parse(address).unwrap();
        let problem = RemoteHost::new(&address, None, &none, &network).unwrap_err();
        assert!(problem.contains(expected), "{address}: {problem}");
    }
}

#[tokio::test]
async fn private_host_is_not_requested() {
    let settings = HostSettings {
        kinds: [("127.0.0.1:1".to_owned(), GitHostKind::Gitea)].into(),
        tokens: [("127.0.0.1:1".to_owned(), "secret".to_owned())].into(),
        ..HostSettings::default()
    };
    let address = RemoteAddress::parse("http://127.0.0.1:1/a/b").unwrap();
    let network = Network::new(AllowedHosts::default());
    let host = RemoteHost::new(&address, None, &settings, &network).unwrap();
    let error = host.find("main").await.unwrap_err();
    assert!(error.message.contains("--private-hosts") && !error.is_transient, "{error}");
}

#[tokio::test]
async fn missing_token_error_names_places_to_set_it() {
    let network = Network::new(AllowedHosts::default());
    for (address, own) in
        [("https://github.com/a/docs.git", true), ("git@github.com:a/docs.git", false)]
    {
        let address = RemoteAddress::parse(address).unwrap();
        let remote = RemoteHost::new(&address, None, &HostSettings::default(), &network).unwrap();
        let error = remote.find("docwright/job-1").await.unwrap_err();
        assert!(error.message.contains("add `github.com=TOKEN` to"), "{}", error.message);
        // Credentials of projects are not sent over SSH.
        let offered = error.message.contains("`docwright admin credential set github.com`");
        assert!(offered == own && !error.is_transient, "{}", error.message);
    }
}

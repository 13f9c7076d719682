//! Git contacts only checked hosts, and the targets of their redirects.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use docwright_repository::{
    git::{Credentials, GitError},
    location::RemoteAddress,
    network::{AllowedHosts, Network, NetworkError},
    remote::{Access, Remote},
};

use crate::repositories::{TestRepository, git};

/// A host of repositories in a folder: git's dumb protocol, and redirects.
#[derive(Clone)]
struct Host {
    folder: std::path::PathBuf,
    redirects: Arc<Mutex<Vec<(&'static str, String)>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn answer(State(host): State<Host>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let authorization = request.headers().get(header::AUTHORIZATION);
    let authorization = authorization.and_then(|value| value.to_str().ok()).unwrap_or_default();
    host.asked.lock().unwrap().push(format!("{path} {authorization}").trim_end().to_owned());
    let redirects = host.redirects.lock().unwrap();
    if let Some((from, to)) = redirects.iter().find(|(from, _)| path.starts_with(from)) {
        let rest = path.strip_prefix(from).unwrap_or_default();
        let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
        let target = format!("{to}{rest}{query}");
        return (StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, target)]).into_response();
    }
    match std::fs::read(host.folder.join(path.trim_start_matches('/'))) {
        Ok(bytes) => Body::from(bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn start(folder: &std::path::Path) -> (Host, u16) {
    let host = Host { folder: folder.to_owned(), redirects: Arc::default(), asked: Arc::default() };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().fallback(answer).with_state(host.clone());
    tokio::spawn(axum::serve(listener, router).into_future());
    (host, port)
}

#[tokio::test(flavor = "multi_thread")]
async fn git_follows_only_redirects_that_were_checked() {
    let place = TestRepository::new();
    let commit = place.commit(&[("a", "one")]);
    let folder = place.folder.path();
    git(folder, &["clone", "--quiet", "--bare", "source", "public/new.git"]);
    git(&folder.join("public/new.git"), &["update-server-info"]);
    let (host, port) = start(&folder.join("public")).await;
    let (inside, inside_port) = start(&folder.join("public")).await;
    let origin = format!("http://localhost:{port}");
    *host.redirects.lock().unwrap() = vec![
        ("/old.git", format!("{origin}/new.git")),
        ("/out.git", format!("http://127.0.0.1:{inside_port}/new.git")),
        ("/page.git/info/refs", format!("{origin}/login")),
    ];
    let git = &place.checkouts.git;
    let network = Network::new(format!("localhost:{port}").parse::<AllowedHosts>().unwrap());
    let credentials = Credentials { username: "me".into(), password: "s3cret".into() };
    let access = Access::Password(credentials);
    let connect = async |path: &str| {
        let address = RemoteAddress::parse(&format!("{origin}/{path}")).unwrap();
        Remote::connect(git, &network, &address, &access).await
    };
    for path in ["new.git", "old.git"] {
        let remote = connect(path).await.unwrap();
        assert_eq!(remote.url(), format!("{origin}/new.git"), "{path}");
        assert_eq!(remote.head(Some("trunk")).await.unwrap().commit, commit);
    }
    let asked = host.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|line| line.ends_with("Basic bWU6czNjcmV0")), "{asked:?}");
    let error = connect("out.git").await.unwrap_err();
    assert!(matches!(error, GitError::Network(NetworkError::Private { .. })), "{error}");
    assert!(!error.is_transient() && !error.to_string().contains("s3cret"));
    let error = connect("page.git").await.unwrap_err();
    assert!(matches!(error, GitError::Network(NetworkError::Redirect { .. })), "{error}");
    let missing = connect("none.git").await.unwrap().head(None).await.unwrap_err();
    assert!(!missing.is_transient(), "{missing}");
    assert!(inside.asked.lock().unwrap().is_empty(), "the internal host got no request");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_after_check_is_not_followed_by_git() {
    let place = TestRepository::new();
    place.commit(&[("a", "one")]);
    let folder = place.folder.path();
    git(folder, &["clone", "--quiet", "--bare", "source", "public/new.git"]);
    git(&folder.join("public/new.git"), &["update-server-info"]);
    let (host, port) = start(&folder.join("public")).await;
    let (inside, inside_port) = start(&folder.join("public")).await;
    let network = Network::new("localhost".parse::<AllowedHosts>().unwrap());
    let address = RemoteAddress::parse(&format!("http://localhost:{port}/new.git")).unwrap();
    let remote = Remote::connect(&place.checkouts.git, &network, &address, &Access::Anonymous);
    let remote = remote.await.unwrap();
    *host.redirects.lock().unwrap() =
        vec![("/new.git", format!("http://127.0.0.1:{inside_port}/new.git"))];
    assert!(remote.head(None).await.is_err());
    assert!(inside.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn private_hosts_are_refused_over_both_protocols() {
    let place = TestRepository::new();
    let network = Network::new(AllowedHosts::default());
    for address in [
        "http://127.0.0.1:1/a",
        "http://localhost:1/a",
        "https://0x7f000001/a",
        "https://[::ffff:10.0.0.1]/a",
        "ssh://git@127.0.0.1/a",
        "git@localhost:a",
        "ssh://git@0x7f000001/a",
    ] {
        let address = RemoteAddress::parse(address).unwrap();
        let outcome =
            Remote::connect(&place.checkouts.git, &network, &address, &Access::Anonymous).await;
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, GitError::Network(NetworkError::Private { .. })),
            "{address}: {error}"
        );
    }
}

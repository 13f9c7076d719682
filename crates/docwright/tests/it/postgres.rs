//! The service on PostgreSQL, and its behavior during a database outage.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use reqwest::Method;
use serde_json::Value;
use sqlx::{ConnectOptions, Connection, Executor, postgres::PgConnectOptions};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

use crate::{agent::write_site, server::Setup};

/// A proxy to a server. It can be cut or frozen.
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    state: watch::Sender<State>,
    refused: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Cut,
    Frozen,
}

impl Wire {
    pub(crate) async fn to(host: String, port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, now) = watch::channel(State::Open);
        let refused = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&refused);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (host, mut now) = (host.clone(), now.clone());
                if *now.borrow() == State::Cut {
                    count.fetch_add(1, Ordering::SeqCst);
                }
                tokio::spawn(async move {
                    if *now.borrow() == State::Open {
                        let mut server = TcpStream::connect((host, port)).await.unwrap();
                        tokio::select! {
                            _ = copy_bidirectional(&mut client, &mut server) => {}
                            _ = now.wait_for(|state| *state != State::Open) => {}
                        }
                    }
                    // Frozen connections stay open.
                    let _cut = now.wait_for(|state| *state != State::Frozen).await;
                });
            }
        });
        Self { address, state, refused }
    }

    /// Cuts or restores the connection.
    pub(crate) fn set_open(&self, open: bool) {
        self.state.send_replace(if open { State::Open } else { State::Cut });
    }

    /// The number of connections that arrived while the proxy was cut.
    pub(crate) fn refused(&self) -> usize {
        self.refused.load(Ordering::SeqCst)
    }

    /// Stops forwarding but keeps connections open.
    pub(crate) fn freeze(&self) {
        self.state.send_replace(State::Frozen);
    }
}

/// The tests' server.
fn server() -> PgConnectOptions {
    let url = std::env::var("DOCWRIGHT_TEST_POSTGRES_URL");
    let url = url.expect("`cargo xtask test` starts a server; or set DOCWRIGHT_TEST_POSTGRES_URL to an empty database");
    url.parse().unwrap()
}

/// Creates a database for a test. Returns its address.
pub(crate) async fn database(name: &str) -> String {
    let options = server();
    let name = format!("service_{name}_{}", std::process::id());
    let mut connection = options.connect().await.unwrap();
    connection.execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    connection.close().await.unwrap();
    let (user, host, port) = (options.get_username(), options.get_host(), options.get_port());
    format!("postgres://{user}@{host}:{port}/{name}")
}

/// Creates a database for a test, behind a proxy.
pub(crate) async fn database_on_wire(name: &str) -> (Wire, String) {
    let (options, url) = (server(), database(name).await);
    let wire = Wire::to(options.get_host().to_owned(), options.get_port()).await;
    let direct = format!("{}:{}", options.get_host(), options.get_port());
    let url = url.replace(&direct, &wire.address.to_string());
    (wire, url)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn service_runs_on_postgres_and_reports_outage() {
    let (wire, url) = database_on_wire("wire").await;
    let setup = Setup::on_database(write_site, &url);
    let process = setup.serve();
    let api = setup.api(&process);
    let export = api.start_export().await;
    let exported = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(exported["status"], "completed", "{exported}");
    let job = api.prompt(&setup.project, "add page new titled New").await;
    let job = api.finished(&setup.project, job["id"].as_str().unwrap()).await;
    assert_eq!(job["status"], "completed", "{job}");
    wire.set_open(false);
    for path in [format!("/v1/static-export/jobs/{export}"), "/readyz".to_owned()] {
        let response = api.send(Method::GET, &path, None).await;
        assert_eq!(response.status(), 503, "{path}");
        assert!(response.headers().contains_key("retry-after"), "{path}");
        let body: Value = response.json().await.unwrap();
        let sentence = body["error"].as_str().unwrap();
        assert!(sentence.ends_with('.') && !sentence.contains("postgres"), "{sentence}");
    }
    assert_eq!(api.send(Method::GET, "/healthz", None).await.status(), 200, "the process runs");
}

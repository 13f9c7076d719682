//! Probes and metrics are served only at the configured address.

use reqwest::Client;

use super::Logged;
use crate::server::Setup;

async fn status(address: &str, path: &str) -> u16 {
    reqwest::get(format!("{address}{path}")).await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_not_public() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[]), "info");
    let address = &service.process.address;
    assert_eq!(status(address, "/healthz").await, 200);
    assert_eq!(status(address, "/readyz").await, 200);
    assert_eq!(status(address, "/metrics").await, 404, "a proxy on this machine looks the same");
    let keyed = Client::new().get(format!("{address}/metrics")).bearer_auth(&setup.key);
    assert_eq!(keyed.send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_with_own_address_are_served_only_there() {
    let setup = Setup::new();
    let service = Logged::start(setup.service(&[("DOCWRIGHT_PROBES", "127.0.0.1:0")]), "info");
    let (address, probes) = (&service.process.address, service.probes().await);
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(status(&probes, path).await, 200, "{path}");
        assert_eq!(status(address, path).await, 404, "{path}");
    }
    for path in ["/", "/api", "/openapi.json", "/v1/static-export/jobs/x", "/git/x.git/info/refs"] {
        assert_eq!(status(&probes, path).await, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_process_has_one_listener() {
    let setup = Setup::new();
    for (variables, metrics) in [
        (vec![("DOCWRIGHT_ROLE", "worker")], 404),
        (vec![("DOCWRIGHT_ROLE", "worker"), ("DOCWRIGHT_PROBES", "127.0.0.1:0")], 200),
    ] {
        let worker = Logged::start(setup.service(&variables), "info");
        let address = &worker.process.address;
        assert_eq!(status(address, "/healthz").await, 200);
        assert_eq!(status(address, "/readyz").await, 200);
        assert_eq!(status(address, "/metrics").await, metrics);
        assert_eq!(status(address, "/api").await, 404);
    }
}

/// Load balancers see that a process is stopping before it exits. Metrics stay available until the end.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn stopping_process_is_not_ready() {
    // Building this many pages takes a while.
    let setup = Setup::with_pages(400);
    let variables =
        [("DOCWRIGHT_PROBES", "127.0.0.1:0"), ("DOCWRIGHT_SIGNAL_AT", "checked_out=term")];
    let mut service = Logged::start(setup.service(&variables), "info");
    let (api, probes) = (setup.api(&service.process), service.probes().await);
    assert_eq!(status(&probes, "/readyz").await, 200);
    api.start_export().await;
    service.says("stopping").await;
    assert_eq!(status(&probes, "/readyz").await, 503);
    assert_eq!(status(&probes, "/healthz").await, 200);
    assert_eq!(status(&probes, "/metrics").await, 200);
    assert!(service.process.wait().success());
    service.says("stopped").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn taken_address_is_reported() {
    let setup = Setup::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = setup.service(&[("DOCWRIGHT_PROBES", &address)]);
    let output = command.stderr(std::process::Stdio::piped()).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&address) && said.contains("such as --probes 127.0.0.1:"), "{said}");
}

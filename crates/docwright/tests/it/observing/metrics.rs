//! Metrics match events, as read by an independent parser.

use docwright_testing::wait::eventually;
use reqwest::{Client, Method};

use super::{Logged, Scrape, is_documented};
use crate::{
    postgres::database_on_wire,
    server::{Setup, write_repository},
};

/// A service with a separate address for probes.
fn serve(setup: &Setup, level: &str) -> Logged {
    let command = setup.service(&[("DOCWRIGHT_PROBES", "127.0.0.1:0")]);
    Logged::start(command, level)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn metrics_count_work_of_service() {
    let setup = Setup::new();
    let service = serve(&setup, "info");
    let (api, probes) = (setup.api(&service.process), service.probes().await);
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    let broken = api.send(Method::GET, "/v1/static-export/jobs/job_nobody", None).await;
    assert_eq!(broken.status(), 404);
    for path in ["/no/such/page", "/wp-login.php"] {
        assert_eq!(api.send(Method::GET, path, None).await.status(), 404);
    }
    let stranger = Client::new().get(format!("{}/v1/static-export/jobs/{id}", api.base));
    let key = format!("dw_{}_{}", "0".repeat(16), "0".repeat(48));
    assert_eq!(stranger.bearer_auth(key).send().await.unwrap().status(), 401);
    let page = Client::new().get(format!("{}/page-1", api.base)).header("host", "docs.example.com");
    assert_eq!(page.send().await.unwrap().status(), 200);
    service.says("job finished").await;
    let scrape = Scrape::of(&probes).await;
    scrape.says_what_it_is();
    is_documented(&scrape, false);
    requests(&scrape, &id);
    jobs(&scrape);
    system(&scrape);
    assert_eq!(scrape.count("docwright_sign_ins_failed_total", &[("reason", "unknown")]), 1);
    assert_eq!(scrape.count("docwright_sign_ins_failed_total", &[("reason", "revoked")]), 0);
    assert_eq!(scrape.count("docwright_open_sites", &[]), 1);
    assert_eq!(
        scrape.count("docwright_bundle_cache_misses_total", &[]),
        0,
        "the bundle was stored on this node"
    );
}

fn requests(scrape: &Scrape, job: &str) {
    let count = |method, route, status| {
        let labels = [("method", method), ("route", route), ("status", status)];
        scrape.count("docwright_request_seconds_count", &labels)
    };
    assert_eq!(count("POST", "/v1/static-export/jobs", "2xx"), 1);
    let route = "/v1/static-export/jobs/{jobId}";
    assert!(count("GET", route, "2xx") >= 1);
    assert_eq!(count("GET", route, "4xx"), 2, "one not found, one without a valid key");
    assert_eq!(count("GET", "none", "4xx"), 2, "unknown paths share one label");
    assert!(scrape.values("route").iter().all(|route| !route.contains(job)));
    let labels = [("method", "POST"), ("route", "/v1/static-export/jobs"), ("status", "2xx")];
    let sum = scrape.get("docwright_request_seconds_sum", &labels);
    assert!(sum > 0.0 && sum < 60.0, "{sum}");
    let last = [&labels[..], &[("le", "+Inf")]].concat();
    assert_eq!(scrape.count("docwright_request_seconds_bucket", &last), 1);
    assert_eq!(scrape.count("docwright_site_request_seconds_count", &[("status", "2xx")]), 1);
    assert_eq!(scrape.count("docwright_site_request_seconds_count", &[("status", "5xx")]), 0);
}

fn jobs(scrape: &Scrape) {
    let release = ("kind", "release");
    assert_eq!(scrape.count("docwright_jobs_started_total", &[release]), 1);
    assert_eq!(scrape.count("docwright_jobs_started_total", &[("kind", "agent_job")]), 0);
    for (outcome, jobs) in [("completed", 1), ("failed", 0), ("lost", 0), ("retried", 0)] {
        let labels = [release, ("outcome", outcome)];
        assert_eq!(scrape.count("docwright_jobs_ended_total", &labels), jobs, "{outcome}");
    }
    for step in ["checked_out", "started", "built", "stored", "ended"] {
        let labels = [release, ("step", step)];
        assert_eq!(scrape.count("docwright_job_step_seconds_count", &labels), 1, "{step}");
    }
    let built = scrape.get("docwright_job_step_seconds_sum", &[release, ("step", "built")]);
    assert!(built > 0.001, "a build uses its own process: {built}");
}

fn system(scrape: &Scrape) {
    assert!(scrape.get("docwright_connections", &[]) >= 1.0, "the client keeps one open");
    assert_eq!(scrape.count("docwright_connections_refused_total", &[("reason", "system")]), 0);
    assert_eq!(scrape.count("docwright_database_up", &[]), 1);
    for state in ["waiting", "delayed", "running"] {
        let labels = [("kind", "agent_job"), ("state", state)];
        assert_eq!(scrape.count("docwright_queue_jobs", &labels), 0);
    }
    let used = scrape.get("docwright_database_connections", &[("state", "used")])
        + scrape.get("docwright_database_connections", &[("state", "idle")]);
    let limit = scrape.get("docwright_database_connections_limit", &[]);
    assert!(used >= 1.0 && used <= limit, "{used} of {limit}");
    let free = scrape.get("docwright_disk_free_bytes", &[]);
    assert!(free > 0.0 && free < scrape.get("docwright_disk_total_bytes", &[]));
    if cfg!(target_os = "linux") {
        assert!(scrape.get("process_resident_memory_bytes", &[]) > 1e6);
        assert!(scrape.get("process_open_fds", &[]) > 5.0);
        assert!(scrape.get("process_cpu_seconds_total", &[]) > 0.0);
    }
    let started = scrape.get("process_start_time_seconds", &[]);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap().as_secs_f64();
    assert!((started - now).abs() < 600.0, "{started}");
}

/// Metrics show queued jobs. Scrapes reuse a recent database query.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn waiting_jobs_are_counted_with_their_age() {
    let setup = Setup::new();
    let role = [("DOCWRIGHT_PROBES", "127.0.0.1:0"), ("DOCWRIGHT_ROLE", "api")];
    let service = Logged::start(setup.service(&role), "info");
    let (api, probes) = (setup.api(&service.process), service.probes().await);
    api.start_export().await;
    let release = [("kind", "release")];
    let waiting = [("kind", "release"), ("state", "waiting")];
    let first = Scrape::of(&probes).await;
    assert_eq!(first.count("docwright_queue_jobs", &waiting), 1);
    let age = first.get("docwright_queue_oldest_wait_seconds", &release);
    let again = Scrape::of(&probes).await;
    let same = again.get("docwright_queue_oldest_wait_seconds", &release);
    assert!((same - age).abs() < 1e-9, "the database was queried again: {same}");
    let later = eventually("the age grows", async || {
        let now = Scrape::of(&probes).await.get("docwright_queue_oldest_wait_seconds", &release);
        (now > age).then_some(now)
    });
    let waited = later.await - age;
    assert!(waited > 4.0, "the database was queried again after {waited} seconds");
}

/// If the database hangs, scrapes and probes still respond, without outdated values.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn metrics_leave_out_hanging_database() {
    let (wire, url) = database_on_wire("hangs").await;
    let setup = Setup::on_database(|folder| write_repository(folder, 1), &url);
    let service = serve(&setup, "info");
    let probes = service.probes().await;
    let waiting = [("kind", "release"), ("state", "waiting")];
    // The imported repository is released first.
    eventually("the queue is empty", async || {
        Scrape::of(&probes).await.count("docwright_queue_jobs", &waiting) == 0
    })
    .await;
    wire.freeze();
    // The connection stays frozen: queries that wait for the database would never finish.
    let scrape = eventually("the database does not answer", async || {
        let scrape = Scrape::of(&probes).await;
        (scrape.count("docwright_database_up", &[]) == 0).then_some(scrape)
    });
    let scrape = scrape.await;
    assert_eq!(scrape.find("docwright_queue_jobs", &waiting), None);
    assert!(scrape.get("docwright_disk_free_bytes", &[]) > 0.0);
    let ready = reqwest::get(format!("{probes}/readyz")).await.unwrap();
    assert_eq!(ready.status(), 503);
    let alive = reqwest::get(format!("{probes}/healthz")).await.unwrap();
    assert_eq!(alive.status(), 200);
}

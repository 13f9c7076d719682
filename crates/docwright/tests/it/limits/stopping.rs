//! Shutdown of the service at any moment.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus},
    time::Duration,
};

use docwright_testing::wait::{eventually, eventually_with};
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use super::{HOST, Waiting, published};
use crate::server::{Process, Setup};

/// The drain time of jobs is one second here; requeuing and the last steps have their own deadlines.
const DRAIN: (&str, &str) = ("DOCWRIGHT_DRAIN_SECONDS", "1");
/// The obstacles in these tests last longer: half a minute, minutes, or forever.
const BOUND: Duration = Duration::from_secs(20);

/// Sends a signal and waits until the process exits.
async fn stop(process: &mut Process, signal: &str) -> ExitStatus {
    process.signal(signal);
    eventually_with("the service has ended", BOUND, async || process.ended()).await
}

/// Writes pages whose code never ends. Each costs a second or more.
fn write_endless(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let pages: Vec<_> = (0..200).map(|page| format!("page-{page}")).collect();
    let config = json!({ "theme": "mint", "name": "Test", "colors": { "primary": "#0f766e" }, "navigation": { "pages": pages } });
    fs::write(folder.join("docs.json"), config.to_string()).unwrap();
    for page in pages {
        let text = "---\ntitle: Page\n---\n\nexport const Endless = () => { for (;;) {} };\n\n<Endless />\n";
        fs::write(folder.join(format!("{page}.mdx")), text).unwrap();
    }
}

/// A service with a running export that never finishes.
async fn building(variables: &[(&str, &str)]) -> (Setup, Process) {
    let setup = Setup::with_repository(write_endless);
    let process = setup.serve_with(variables);
    let api = setup.api(&process);
    let export = api.start_export().await;
    api.wait_for(&export, &["running"]).await;
    (setup, process)
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_export_is_requeued_at_shutdown() {
    let (setup, mut process) = building(&[DRAIN]).await;
    let status = stop(&mut process, "TERM").await;
    assert!(status.success(), "{status}");
    let releases = setup.admin(&["release", "list", "--project", &setup.project]);
    assert_eq!(releases[0]["status"], "queued", "{releases}");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_signal_ends_process_immediately() {
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let (_setup, mut process) = building(&[("DOCWRIGHT_DRAIN_SECONDS", "600")]).await;
        process.signal(signal);
        // Two simultaneous signals count as one. The process has handled the first when it isn't ready.
        let ready = format!("{}/readyz", process.address);
        eventually("it is not ready", async || {
            reqwest::get(&ready).await.is_ok_and(|answer| answer.status() != 200)
        })
        .await;
        let status = stop(&mut process, signal).await;
        assert_eq!((status.code(), status.signal()), (Some(code), None));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_leaves_time_for_readiness_checks() {
    let (setup, other_setup) = (Setup::new(), Setup::new());
    let (mut process, mut unwatched) = (setup.serve(), other_setup.serve());
    let ready = format!("{}/readyz", process.address);
    assert_eq!(reqwest::get(&ready).await.unwrap().status(), 200);
    process.signal("TERM");
    unwatched.signal("TERM");
    eventually("it is not ready", async || reqwest::get(&ready).await.unwrap().status() == 503)
        .await;
    let health = format!("{}/healthz", process.address);
    assert_eq!(reqwest::get(&health).await.unwrap().status(), 200, "the process still responds");
    let status = eventually("the one that nobody asked has ended", async || unwatched.ended());
    assert!(status.await.success());
    assert!(process.ended().is_none(), "the other process waits for readiness checks");
    assert!(process.wait().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn event_streams_and_half_sent_requests_do_not_delay_shutdown() {
    let mut waiting = Waiting::start(&[DRAIN]).await;
    let events = waiting.job().await;
    let mut stream = waiting.api.send(reqwest::Method::GET, &events, None).await;
    assert!(stream.chunk().await.unwrap().is_some());
    let address = waiting.process.address.trim_start_matches("http://").to_owned();
    let mut half = TcpStream::connect(&address).await.unwrap();
    half.write_all(b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nx-").await.unwrap();
    let mut body = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /v1/static-export/jobs HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{{",
        waiting.setup.key
    );
    body.write_all(head.as_bytes()).await.unwrap();
    let status = stop(&mut waiting.process, "TERM").await;
    assert!(status.success(), "{status}");
    // The data sent so far arrives, then the stream ends.
    while let Ok(Some(_)) = stream.chunk().await {}
}

#[tokio::test(flavor = "multi_thread")]
async fn frozen_reader_does_not_delay_shutdown() {
    let waiting = Waiting::start(&[DRAIN]).await;
    let events = waiting.job().await;
    let url = format!("{}{events}", waiting.process.address);
    let header = format!("authorization: Bearer {}", waiting.setup.key);
    let mut reader = Command::new("curl")
        .args(["--silent", "--no-buffer", "-H", &header, &url])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let frozen = Command::new("kill").args(["-s", "STOP", &reader.id().to_string()]).status();
    assert!(frozen.unwrap().success());
    let mut process = waiting.process;
    let status = stop(&mut process, "TERM").await;
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stuck_thread_does_not_delay_shutdown() {
    let (setup, process) = published(&[]).await;
    drop(process);
    let database = docwright_storage::Database::open_folder(&setup.data()).await.unwrap();
    let bundle = database.serving().await.unwrap().remove(0).1.unwrap().bundle;
    // Opening this FIFO blocks, like a file on an unavailable disk.
    let object = setup.data().join("objects").join(&bundle.key);
    fs::remove_file(&object).unwrap();
    assert!(Command::new("mkfifo").arg(&object).status().unwrap().success());
    let mut process = setup.serve_with(&[DRAIN]);
    let page = reqwest::Client::new().get(format!("{}/page-0", process.address));
    let page = page.header("host", HOST).send().await.unwrap();
    assert_eq!(page.status(), 503, "the page isn't available");
    let status = stop(&mut process, "TERM").await;
    assert!(status.success(), "{status}");
}

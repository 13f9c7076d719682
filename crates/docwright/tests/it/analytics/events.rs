//! Single events as files that analytics programs read.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use docwright_testing::wait::eventually;
use serde_json::{Value, json};

use super::{BROWSER, Counted, HOST, has_lines, publish, read};
use crate::{agent::write_site, server::Setup};

const AGENT: (&str, &str) = ("user-agent", BROWSER);

/// The files of events in the object storage of a setup.
fn files(setup: &Setup) -> Vec<PathBuf> {
    fn below(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
    }
    below(&setup.data().join("objects/events"))
}

/// The result of a query about all files, from DuckDB. `None` if it isn't installed.
fn query(setup: &Setup, select: &str) -> Option<Value> {
    let program = "import duckdb, json, sys\n\
         rows = duckdb.sql(sys.argv[1]).fetchall()\n\
         print(json.dumps(rows, default=str))";
    let mocks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/mocks/.venv/bin/python");
    let python = if mocks.is_file() { mocks } else { "python3".into() };
    let is_there = Command::new(&python).args(["-c", "import duckdb"]).output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("left out: the Python package duckdb isn't installed");
        return None;
    }
    let files = setup.data().join("objects/events/*/*/*/*.parquet");
    let query = select.replace("EVENTS", &format!("'{}'", files.display()));
    let output = Command::new(&python).args(["-c", program, &query]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Reads three pages, and reports as the script does.
async fn visit(site: &Counted) {
    let referrer = ("referer", "https://search.example/?q=secret");
    let language = ("accept-language", "de-AT");
    assert_eq!(site.read("GET /page-0", &[AGENT, referrer, language]).await, 200);
    assert_eq!(site.read("GET /page-1", &[AGENT]).await, 200);
    assert_eq!(site.read("GET /page-1", &[("user-agent", "Claude-User/1.0")]).await, 200);
    assert_eq!(site.read("GET /gone", &[AGENT]).await, 404);
    let events = json!([{ "time": 30 }, { "search": ["marmot", 0] }]);
    let body = json!({ "page": "page-0", "events": events });
    let request = site.api.client.post(format!("{}/_docwright/reading", site.process.address));
    let request = request.header("host", HOST).header("user-agent", BROWSER).json(&body);
    assert_eq!(request.send().await.unwrap().status(), 204);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn events_are_files_that_analytics_programs_read() {
    let mut site = Counted::start().await;
    visit(&site).await;
    site.process.signal("TERM");
    assert!(site.process.wait().success());
    // The hour can end in between.
    assert!(matches!(files(&site.setup).len(), 1..=2));
    let Some(rows) = query(
        &site.setup,
        "SELECT event, reader, page, value, referrer, language, device, agent FROM EVENTS ORDER BY ALL",
    ) else {
        return;
    };
    let none = Value::Null;
    let expected = json!([
        ["empty_search", "human", "page-0", "marmot", none, none, none, none],
        ["other_dead_link", none, none, "/gone", none, none, none, none],
        ["reading_time", "human", "page-0", "30", none, none, none, none],
        ["search", "human", "page-0", "marmot", none, none, none, none],
        ["view", "ai", "page-1", none, none, none, none, "Claude-User"],
        ["view", "human", "page-0", none, "search.example", "de-AT", "desktop", none],
        ["view", "human", "page-1", none, none, none, "desktop", none],
    ]);
    assert_eq!(rows, expected);
    // Times tell the minute.
    let exact = "SELECT COUNT(*) FROM EVENTS WHERE time <> date_trunc('minute', time) OR domain <> 'docs.example.com'";
    assert_eq!(query(&site.setup, exact), Some(json!([[0]])));
    let recent = "SELECT COUNT(*) FROM EVENTS WHERE time > now() - INTERVAL 2 HOUR";
    assert_eq!(query(&site.setup, recent), Some(json!([[7]])));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_killed_process_are_stored_and_go_with_their_project() {
    let mut site = Counted::start().await;
    visit(&site).await;
    let waiting = site.setup.data().join("spool/events");
    eventually("events wait on the disk", async || has_lines(&waiting)).await;
    site.views_are(2, 1).await;
    site.process.kill();
    assert_eq!(files(&site.setup).len(), 0);
    let process = site.setup.serve();
    eventually("the events are stored", async || !files(&site.setup).is_empty()).await;
    eventually("nothing waits", async || fs::read_dir(&waiting).unwrap().next().is_none()).await;
    drop(process);
    site.setup.admin(&["domain", "delete", HOST, "--yes"]);
    assert!(files(&site.setup).is_empty());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn no_events_are_kept_for_zero_days() {
    let setup = Setup::built_in(write_site, &[]);
    let mut process = setup.serve_with(&[("DOCWRIGHT_KEEP_ANALYTICS_EVENTS_FOR", "0")]);
    let api = setup.api(&process);
    publish(&api).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    super::views_are(&api, &setup, 1, 0).await;
    process.signal("TERM");
    assert!(process.wait().success());
    assert!(files(&setup).is_empty());
    assert!(!setup.data().join("spool").exists());
}

//! Nodes, kills, and a database that is away.

use std::fs;

use docwright_testing::wait::eventually;
use serde_json::Value;

use super::{BROWSER, Counted, get, publish, read, views_are, visitors_are};
use crate::{
    agent::write_site,
    postgres::{database, database_on_wire},
    server::Setup,
};

const AGENT: (&str, &str) = ("user-agent", BROWSER);

#[tokio::test(flavor = "multi_thread")]
async fn kill_loses_only_what_is_not_written_yet() {
    let Counted { setup, mut process, api } = Counted::start().await;
    for _ in 0..7 {
        assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    }
    views_are(&api, &setup, 7, 0).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    process.kill();
    let process = setup.serve();
    let api = setup.api(&process);
    for _ in 0..5 {
        assert_eq!(read(&process, "GET /page-1", &[AGENT]).await, 200);
    }
    eventually("the views of both processes are there", async || {
        let views = get(&api, &setup, "views").await;
        let human = views["totals"]["human"].as_u64().unwrap();
        if (12..=13).contains(&human) { Ok(()) } else { Err(views) }
    })
    .await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn stopped_process_writes_what_it_counted() {
    let Counted { setup, mut process, .. } = Counted::start().await;
    for _ in 0..7 {
        assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    }
    process.signal("TERM");
    assert!(process.wait().success());
    let process = setup.serve();
    let views = get(&setup.api(&process), &setup, "views").await;
    assert_eq!(views["totals"]["human"], 7, "{views}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn views_and_visitors_of_nodes_add_up() {
    let setup = Setup::on_database(write_site, &database("analytics").await);
    let proxies = ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32");
    let one = setup.serve_with(&[proxies]);
    let other = setup.serve_with(&[proxies, ("DOCWRIGHT_ROLE", "api")]);
    let api = setup.api(&one);
    publish(&api).await;
    eventually("the other node serves the site", async || {
        read(&other, "HEAD /page-0", &[AGENT]).await == 200
    })
    .await;
    for reader in 0..30 {
        // Ten readers are on both nodes.
        let address = format!("198.51.100.{}", reader % 20);
        let headers = [AGENT, ("x-forwarded-for", address.as_str())];
        let node = if reader < 20 { &one } else { &other };
        assert_eq!(read(node, "GET /page-0", &headers).await, 200);
    }
    views_are(&api, &setup, 30, 0).await;
    // A visitor of both nodes counts once.
    visitors_are(&api, &setup, 20).await;
}

/// The views of people that wait on the disk.
fn waiting(setup: &Setup) -> i64 {
    let files = fs::read_dir(setup.data().join("spool/sums")).into_iter().flatten();
    let files = files.filter_map(|file| fs::read_to_string(file.unwrap().path()).ok());
    let lines = files.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let batches = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let views = batches.flat_map(|batch| batch["views"].as_array().unwrap().clone());
    views.map(|sum| sum["views"][0].as_i64().unwrap()).sum()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn views_wait_on_the_disk_across_kills() {
    let (wire, url) = database_on_wire("analytics_spool").await;
    let setup = Setup::on_database(write_site, &url);
    let mut process = setup.serve();
    let api = setup.api(&process);
    publish(&api).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    views_are(&api, &setup, 1, 0).await;
    let mut expected = 1;
    for round in 0..3 {
        wire.set_open(false);
        for _ in 0..=round {
            assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
            expected += 1;
        }
        views_wait(&setup, round + 1).await;
        process.kill();
        // The next process needs the database to start.
        wire.set_open(true);
        process = setup.serve();
        if round == 1 {
            // It is killed while it writes what waits, or before.
            process.kill();
            process = setup.serve();
        }
        let api = setup.api(&process);
        views_are(&api, &setup, expected, 0).await;
        eventually("nothing waits", async || waiting(&setup) == 0).await;
    }
}

/// Whether sketches of visitors wait on the disk.
fn visitors_wait(setup: &Setup) -> bool {
    let files = fs::read_dir(setup.data().join("spool/visitors")).into_iter().flatten();
    // Others are being written, or merged.
    files.filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "sketches").count()
        > 0
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn visitors_wait_on_the_disk_across_a_kill() {
    let (wire, url) = database_on_wire("analytics_visitors").await;
    let setup = Setup::on_database(write_site, &url);
    let proxies = [("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.1/32")];
    let mut process = setup.serve_with(&proxies);
    let api = setup.api(&process);
    publish(&api).await;
    let come = async |process: &_, readers: std::ops::Range<u8>| {
        for reader in readers {
            let address = format!("198.51.100.{reader}");
            let headers = [AGENT, ("x-forwarded-for", address.as_str())];
            assert_eq!(read(process, "GET /page-0", &headers).await, 200);
        }
    };
    come(&process, 0..10).await;
    visitors_are(&api, &setup, 10).await;
    wire.set_open(false);
    // Five of them come again.
    come(&process, 5..20).await;
    views_wait(&setup, 15).await;
    eventually("the visitors wait on the disk", async || visitors_wait(&setup)).await;
    process.kill();
    wire.set_open(true);
    let process = setup.serve_with(&proxies);
    visitors_are(&setup.api(&process), &setup, 20).await;
    eventually("nothing waits", async || !visitors_wait(&setup)).await;
}

/// Waits until this many views of people wait on the disk.
async fn views_wait(setup: &Setup, views: i64) {
    eventually("the views wait on the disk", async || waiting(setup) == views).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn stopped_process_leaves_views_on_the_disk() {
    let (wire, url) = database_on_wire("analytics_stop").await;
    let setup = Setup::on_database(write_site, &url);
    let mut process = setup.serve();
    let api = setup.api(&process);
    publish(&api).await;
    eventually("the site is served", async || {
        read(&process, "HEAD /page-1", &[AGENT]).await == 200
    })
    .await;
    // A frozen database says nothing.
    wire.freeze();
    for _ in 0..4 {
        assert_eq!(read(&process, "GET /page-1", &[AGENT]).await, 200);
    }
    process.signal("TERM");
    assert!(process.wait().success());
    assert_eq!(waiting(&setup), 4);
    wire.set_open(true);
    let process = setup.serve();
    views_are(&setup.api(&process), &setup, 4, 0).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn views_stay_in_memory_while_the_disk_is_full() {
    let setup = Setup::built_in(write_site, &[]);
    let Some(disk) = crate::disk_full::SmallDisk::below(&setup, 48) else { return };
    let process = setup.serve_with(&[("DOCWRIGHT_LOW_DISK", "0")]);
    let api = setup.api(&process);
    publish(&api).await;
    disk.fill();
    for page in 0..12 {
        // New rows, which the database has no room for.
        assert_eq!(read(&process, &format!("GET /page-{}", page % 3), &[AGENT]).await, 200);
        assert_eq!(read(&process, &format!("GET /gone-{page}"), &[AGENT]).await, 404);
    }
    disk.make_room();
    views_are(&api, &setup, 12, 0).await;
    let links = get(&api, &setup, "dead-links").await;
    assert_eq!(links["deadLinks"].as_array().unwrap().len(), 12, "{links}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn views_are_kept_while_the_database_is_away() {
    let (wire, url) = database_on_wire("analytics_away").await;
    let setup = Setup::on_database(write_site, &url);
    let process = setup.serve();
    let api = setup.api(&process);
    publish(&api).await;
    assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    views_are(&api, &setup, 1, 0).await;
    wire.set_open(false);
    let refused = wire.refused();
    for _ in 0..9 {
        assert_eq!(read(&process, "GET /page-0", &[AGENT]).await, 200);
    }
    eventually("writes were tried", async || wire.refused() > refused + 3).await;
    for _ in 0..2 {
        assert_eq!(read(&process, "GET /page-1", &[AGENT]).await, 200);
    }
    wire.set_open(true);
    views_are(&api, &setup, 12, 0).await;
}

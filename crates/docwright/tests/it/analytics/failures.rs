//! Nodes, kills, and a database that is away.

use docwright_testing::wait::eventually;

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

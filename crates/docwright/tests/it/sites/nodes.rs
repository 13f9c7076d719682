//! Several nodes, a database outage, and copies of bundles.

use std::fs;

use docwright_testing::{
    s3::{BUCKET, S3Server},
    wait::eventually,
};
use reqwest::Method;

use super::{HOST, ask};
use crate::{
    agent::write_site,
    observing::{Logged, Scrape},
    postgres::{Wire, database, database_on_wire},
    server::{Process, Setup, docwright},
};

async fn publish(setup: &Setup, process: &Process) {
    let api = setup.api(process);
    let export = api.start_export().await;
    let job = api.wait_for(&export, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn release_activated_on_one_node_is_served_on_every_node() {
    let setup = Setup::on_database(write_site, &database("nodes").await);
    let one = setup.serve();
    let other = setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]);
    for words in ["First words.", "Second words."] {
        setup.commit("page-0.mdx", &format!("---\ntitle: Zero\n---\n\n{words}\n"));
        publish(&setup, &one).await;
        let here = ask(&one.address, (HOST, "GET /page-0"), &[]).await;
        assert!(String::from_utf8_lossy(&here.body).contains(words), "immediately on its own node");
        eventually(&format!("the other node shows {words:?}"), async || {
            let there = ask(&other.address, (HOST, "GET /page-0"), &[]).await;
            String::from_utf8_lossy(&there.body).contains(words)
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn sites_are_served_without_the_database() {
    let (wire, url) = database_on_wire("sites").await;
    let setup = Setup::on_database(write_site, &url);
    let process = setup.serve();
    publish(&setup, &process).await;
    let before = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
    assert_eq!(before.status, 200, "the site is published");
    let api = setup.api(&process);
    // Requests that need the database wait now.
    wire.freeze();
    let waits = tokio::spawn(async move { api.send(Method::GET, "/v1/projects", None).await });
    let pages = ["/page-0", "/page-1", "/_docwright/theme.css", "/page-2"];
    for path in pages {
        let answer = ask(&process.address, (HOST, &format!("GET {path}")), &[]).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(!waits.is_finished(), "{path} doesn't wait");
    }
    wire.set_open(false);
    assert_eq!(waits.await.unwrap().status(), 503, "the database is unavailable");
    let api = setup.api(&process);
    assert_eq!(api.send(Method::GET, "/readyz", None).await.status(), 503);
    for path in pages {
        let answer = ask(&process.address, (HOST, &format!("GET {path}")), &[]).await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

/// A node with its own data folder switches when it has a copy, however long that takes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn node_without_store_serves_its_copies() {
    let setup = Setup::on_database(write_site, &database("store").await);
    let server = S3Server::start().await;
    let (_, port) = server.address.rsplit_once(':').unwrap();
    let wire = Wire::to("127.0.0.1".to_owned(), port.parse().unwrap()).await;
    let bucket = format!("s3://{BUCKET}/docs");
    let variables = server.variables();
    let direct = variables.iter().map(|(name, value)| (*name, value.as_str()));
    let direct: Vec<_> = direct.chain([("DOCWRIGHT_OBJECTS", bucket.as_str())]).collect();
    let one = setup.serve_with(&direct);
    let other = setup.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(setup.data().join("git"), other.join("git")).unwrap();
    let other = other.display().to_string();
    let mut command =
        docwright(&["serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", &other]);
    let endpoint = format!("http://{}", wire.address);
    command.envs(setup.shared()).envs(direct).env("AWS_ENDPOINT_URL", &endpoint);
    command.env("DOCWRIGHT_PROBES", "127.0.0.1:0");
    let far = Logged::start(command, "info");
    let page = async || {
        let answer = ask(&far.process.address, (HOST, "GET /page-0"), &[]).await;
        String::from_utf8_lossy(&answer.body).into_owned()
    };
    let shows = async |words: &str| {
        eventually(&format!("{words:?} shows"), async || page().await.contains(words)).await;
    };
    setup.commit("page-0.mdx", "---\ntitle: Zero\n---\n\nFirst words.\n");
    publish(&setup, &one).await;
    shows("First words.").await;
    wire.set_open(false);
    setup.commit("page-0.mdx", "---\ntitle: Zero\n---\n\nSecond words.\n");
    publish(&setup, &one).await;
    // The node requests the new release and retries.
    eventually("the node has asked the store three times", async || {
        assert!(page().await.contains("First words."));
        wire.refused() >= 3
    })
    .await;
    wire.set_open(true);
    shows("Second words.").await;
    let probes = far.probes().await;
    eventually("only the served release is open", async || {
        Scrape::of(&probes).await.count("docwright_open_sites", &[]) == 1
    })
    .await;
    let metrics = Scrape::of(&probes).await;
    let of_cache = |name: &str| metrics.count(&format!("docwright_bundle_cache_{name}"), &[]);
    assert!(of_cache("copies") >= 2, "one per release, and possibly one of the import");
    assert!(of_cache("misses_total") >= 2, "two bundles, possibly with retries");
    assert_eq!((of_cache("hits_total"), of_cache("evictions_total")), (0, 0));
    assert!(of_cache("bytes") > 1000, "{}", of_cache("bytes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_copy_is_replaced() {
    let setup = Setup::new();
    let server = S3Server::start().await;
    let bucket = format!("s3://{BUCKET}/docs");
    let variables = server.variables();
    let variables = variables.iter().map(|(name, value)| (*name, value.as_str()));
    let variables: Vec<_> = variables.chain([("DOCWRIGHT_OBJECTS", bucket.as_str())]).collect();
    let process = setup.serve_with(&variables);
    publish(&setup, &process).await;
    let before = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
    assert_eq!(before.status, 200);
    drop(process);
    let copies = fs::read_dir(setup.data().join("cache/bundles")).unwrap();
    let copies: Vec<_> = copies.map(|entry| entry.unwrap().path()).collect();
    assert!(!copies.is_empty());
    for copy in &copies {
        fs::write(copy, "spoiled").unwrap();
    }
    let process = setup.serve_with(&variables);
    let after = ask(&process.address, (HOST, "GET /page-0"), &[]).await;
    assert!(after.body == before.body, "{after:?}");
}

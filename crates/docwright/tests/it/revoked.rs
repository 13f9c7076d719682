//! A revoked key is refused at the next request on every node, even if parallel requests share a database
//! read.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use docwright_testing::wait::eventually;
use futures::future::join_all;
use reqwest::StatusCode;

use crate::{
    agent::write_site,
    postgres::database,
    server::{Api, Process, Setup},
};

/// Number of parallel requests on each node.
const AT_ONCE: usize = 16;
/// An organization can create ten keys an hour.
const ROUNDS: usize = 5;

/// Reads a job repeatedly. Returns the number of successful responses to requests sent after the revocation.
async fn read_on(
    (api, path): (Api, String),
    revoked: Arc<AtomicBool>,
    (good, stop): (Arc<AtomicUsize>, Arc<AtomicBool>),
) -> usize {
    let mut wrong = 0;
    while !stop.load(Ordering::SeqCst) {
        let was_revoked = revoked.load(Ordering::SeqCst);
        if status(&api, &path).await == 200 {
            good.fetch_add(1, Ordering::SeqCst);
            wrong += usize::from(was_revoked);
        }
    }
    wrong
}

async fn status(api: &Api, path: &str) -> StatusCode {
    api.send(reqwest::Method::GET, path, None).await.status()
}

async fn refused_at_once(setup: &Setup, nodes: &[Process]) {
    let job = setup.api(&nodes[0]).prompt(&setup.project, "fix broken links").await;
    let path = format!("/v2/agent/{}/job/{}", setup.project, job["id"].as_str().unwrap());
    for _ in 0..ROUNDS {
        let key = setup.new_key(&["--scope", "read"]);
        let of = |node| Api { key: key.clone(), ..setup.api(node) };
        let (revoked, stop) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let mut counts = Vec::new();
        let mut load = Vec::new();
        for node in nodes {
            let good = Arc::<AtomicUsize>::default();
            for _ in 0..AT_ONCE {
                let (asked, revoked) = ((of(node), path.clone()), Arc::clone(&revoked));
                let watched = (Arc::clone(&good), Arc::clone(&stop));
                load.push(tokio::spawn(read_on(asked, revoked, watched)));
            }
            counts.push(good);
        }
        eventually("all nodes answer", async || {
            counts.iter().all(|good| good.load(Ordering::SeqCst) >= 2 * AT_ONCE)
        })
        .await;
        let id = key.split('_').nth(1).unwrap();
        tokio::task::block_in_place(|| setup.admin(&["key", "revoke", id]));
        revoked.store(true, Ordering::SeqCst);
        for node in nodes {
            assert_eq!(status(&of(node), &path).await, 401, "{}", node.address);
        }
        stop.store(true, Ordering::SeqCst);
        let wrong: usize = join_all(load).await.into_iter().map(Result::unwrap).sum();
        assert_eq!(wrong, 0, "requests that came after the key was revoked were answered");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn revoked_key_is_refused_immediately_on_two_nodes() {
    let setup = Setup::on_database(write_site, &database("revoked").await);
    let nodes = [(); 2].map(|()| setup.serve_with(&[("DOCWRIGHT_ROLE", "api")]));
    refused_at_once(&setup, &nodes).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_key_is_refused_immediately_on_sqlite() {
    let setup = Setup::built_in(write_site, &[]);
    let nodes = [setup.serve_with(&[("DOCWRIGHT_ROLE", "api")])];
    refused_at_once(&setup, &nodes).await;
}

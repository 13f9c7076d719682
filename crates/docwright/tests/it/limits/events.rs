//! Event streams: revoked keys and the limit on streams.

use std::time::Duration;

use docwright_testing::wait::eventually;
use reqwest::Method;
use tokio::time::timeout;

use super::{DEADLINE, Waiting};

#[tokio::test(flavor = "multi_thread")]
async fn event_stream_ends_when_its_key_is_revoked() {
    let mut waiting = Waiting::start(&[]).await;
    let events = waiting.job().await;
    let good = waiting.api.clone();
    waiting.api.key = waiting.setup.new_key(&[]);
    let mut revoked = waiting.api.send(Method::GET, &events, None).await;
    let mut kept = good.send(Method::GET, &events, None).await;
    assert!(revoked.chunk().await.unwrap().is_some() && kept.chunk().await.unwrap().is_some());
    let id = waiting.api.key.split('_').nth(1).unwrap();
    waiting.setup.admin(&["key", "revoke", id]);
    let ended = async { while let Ok(Some(_)) = revoked.chunk().await {} };
    timeout(DEADLINE, ended).await.expect("the stream ends");
    assert_eq!(waiting.api.send(Method::GET, &events, None).await.status(), 401);
    // The other key's stream stays open past the cache time of keys, and ends with its job.
    assert!(timeout(Duration::from_secs(3), kept.chunk()).await.is_err(), "the stream ended");
    let cancel = events.replace("/events", "/cancel");
    assert_eq!(good.send(Method::POST, &cancel, None).await.status(), 200);
    let ended = async { while let Ok(Some(_)) = kept.chunk().await {} };
    timeout(DEADLINE, ended).await.expect("the stream ends with the job");
}

#[tokio::test(flavor = "multi_thread")]
async fn organization_has_a_limit_of_streams() {
    let waiting = Waiting::start(&[]).await;
    let events = waiting.job().await;
    let mut open = Vec::new();
    for _ in 0..20 {
        let stream = waiting.api.send(Method::GET, &events, None).await;
        assert_eq!(stream.status(), 200);
        open.push(stream);
    }
    let refused = waiting.api.send(Method::GET, &events, None).await;
    assert_eq!(
        (refused.status(), &refused.headers()["retry-after"]),
        (429.try_into().unwrap(), &"5".parse().unwrap())
    );
    assert!(refused.text().await.unwrap().contains("Close some"));
    open.clear();
    eventually("a stream that ended makes room", async || {
        waiting.api.send(Method::GET, &events, None).await.status() == 200
    })
    .await;
}

//! Transfers that are interrupted, change on the way, or aren't bundles.

use std::time::Duration;

use docwright_testing::wait::eventually_with;

use super::{
    DeploymentFolder,
    bundles::{bundle, sha256},
    host::{HostRequest, broken, rest, stalled, status, whole},
};

/// The starts of the requested ranges.
fn starts(log: &[HostRequest]) -> Vec<Option<usize>> {
    log.iter().map(HostRequest::start).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn transfer_resumes_after_interruption() {
    let place = DeploymentFolder::new().await;
    let one = bundle("1");
    let half = one.len() / 2;
    place.host.answers(move |asked| match asked.before {
        0 => broken(&one, "\"one\"", half),
        1 => status(503),
        _ => rest(&one, "\"one\"", asked.start().unwrap()),
    });
    place.ask("/bundle", &[]);
    place.deploy().serves("1").await;
    let log = place.host.log();
    let start = log[1].start().unwrap();
    assert!(0 < start && start <= half, "{start}");
    assert_eq!(starts(&log), [None, Some(start), Some(start)]);
    assert_eq!((log[0].header("if-range"), log[2].header("if-range")), (None, Some("\"one\"")));
}

/// The link leads to another bundle when the transfer resumes. The two are never mixed, whatever the host
/// does.
#[tokio::test(flavor = "multi_thread")]
async fn changed_bundle_is_fetched_from_start() {
    type Second = fn(&[u8], usize) -> axum::http::Response<axum::body::Body>;
    let (one, two) = (bundle("1"), bundle("2"));
    let half = one.len() / 2;
    let seconds: [(&str, Second, usize); 4] = [
        // A host that supports `If-Range` sends the other bundle whole.
        ("whole", |_, _| whole(&bundle("2")), 2),
        // A host that doesn't sends the rest of the other bundle, with another ETag or none. Both have the
        // same length, so only the ETag differs.
        ("another tag", |two, start| rest(two, "\"two\"", start), 3),
        ("no tag", |two, start| rest(two, "", start), 3),
        // The other bundle ends before the requested part.
        ("nothing there", |_, _| status(416), 3),
    ];
    for (name, second, requests) in seconds {
        let place = DeploymentFolder::new().await;
        let (one, two) = (one.clone(), two.clone());
        let mut resized = two.clone();
        resized.resize(one.len(), 0);
        place.host.answers(move |asked| match asked.before {
            0 => broken(&one, "\"one\"", half),
            1 => second(&resized, asked.start().unwrap()),
            _ => whole(&two),
        });
        place.ask("/bundle", &[&format!("sha256: {}", sha256(&bundle("2")))]);
        place.deploy().serves("2").await;
        let log = place.host.log();
        assert_eq!(log.len(), requests, "{name}");
        assert!(log.get(2).is_none_or(|third| third.start().is_none()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transfer_restarts_without_strong_tag() {
    for tag in ["", "W/\"one\""] {
        let place = DeploymentFolder::new().await;
        let one = bundle("1");
        place.host.answers(move |asked| match asked.before {
            0 => broken(&one, tag, one.len() / 2),
            _ => whole(&one),
        });
        place.ask("/bundle", &[]);
        place.deploy().serves("1").await;
        assert_eq!(starts(&place.host.log()), [None, None]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn incomplete_bundle_is_refused() {
    let place = DeploymentFolder::new().await;
    let one = bundle("1");
    let length = one.len();
    place.ask("/bundle", &["maximumBytes: 1000000"]);
    let check =
        async |answer: Box<dyn Fn() -> axum::http::Response<_> + Send>, reason: &str, tries| {
            place.host.answers(move |_| answer());
            let error = place.fails().await;
            assert!(error.contains(reason) && error.contains("no earlier version"), "{error}");
            assert!(!error.contains(&place.host.address), "links are secret: {error}");
            assert_eq!(place.host.log().len(), tries, "{reason}");
            assert_eq!(place.versions(), [""; 0]);
            assert!(!place.data().join("bundle.download").exists(), "{reason}");
        };
    check(Box::new(|| status(403)), "expired", 1).await;
    check(Box::new(|| status(404)), "404", 1).await;
    check(Box::new(|| status(502)), "502", 4).await;
    check(Box::new(|| status(204)), "204", 1).await;
    check(Box::new(|| whole(b"<html>Please log in</html>")), "not valid", 1).await;
    check(Box::new(|| whole(b"")), "not valid", 1).await;
    let cut = one[..length / 2].to_vec();
    check(Box::new(move || whole(&cut)), "not valid", 1).await;
    let part = one.clone();
    // An unrequested part.
    check(Box::new(move || rest(&part, "\"one\"", 0)), "206", 1).await;
    let part = one.clone();
    // A host that never makes progress.
    check(Box::new(move || broken(&part, "\"one\"", 0)), "can't be fetched", 4).await;
    check(Box::new(|| whole(&vec![0; 1_000_001])), "exceeds the limit", 1).await;
    let endless = || {
        let zeros = axum::body::Bytes::from(vec![0; 65536]);
        let zeros = futures::stream::repeat_with(move || Ok::<_, std::io::Error>(zeros.clone()));
        axum::http::Response::new(axum::body::Body::from_stream(zeros))
    };
    check(Box::new(endless), "exceeds the limit", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_host_is_retried_until_it_answers() {
    let place = DeploymentFolder::new().await;
    place.host.gives(&bundle("1"));
    place.ask("/bundle", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    let two = bundle("2");
    // Retries are more frequent while no version is served.
    place.host.answers(move |asked| if asked.before < 6 { status(503) } else { whole(&two) });
    deployed.0.signal("HUP");
    let answer = deployed.says("503").await;
    assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signal_to_stop_ends_transfer_immediately() {
    let place = DeploymentFolder::new().await;
    let one = bundle("1");
    place.host.answers(move |_| stalled(&one, 1000));
    place.ask("/bundle", &[]);
    let mut deployed = place.deploy();
    place.host.asked().await;
    deployed.0.signal("TERM");
    // A transfer without progress ends after 30 seconds; the signal must end it sooner.
    let before = Duration::from_secs(25);
    let status = eventually_with("the transfer has ended", before, async || deployed.0.ended());
    assert_eq!(status.await.code(), Some(0));
}

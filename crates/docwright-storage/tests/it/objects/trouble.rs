//! Stores that are unavailable, lose connections, or are misconfigured.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use docwright_storage::{Objects, objects::S3Settings};
use docwright_testing::s3::{BUCKET, S3Server, SECRET};
use futures::TryStreamExt;

use super::{FEW_RETRIES, MIB, RETRIES, contents, open, open_with, owned, put, read};

/// Failed attempts within half a minute: the delay grows from 0.1 to 5 seconds.
const IN_VAIN: usize = 11;

#[tokio::test(flavor = "multi_thread")]
async fn store_can_be_away_for_half_a_minute() {
    let server = S3Server::start().await;
    let objects = open(&server, "s3://bundles").await.unwrap();
    let failures = &server.failures;
    let bytes = contents(40 * MIB);
    // Before the first part, between parts, and before the upload completes.
    for away_at in [0, 20 * MIB, 40 * MIB] {
        let key = format!("away/{away_at}");
        let mut upload = objects.upload(&key).await.unwrap();
        upload.write(&bytes[..away_at]).await.unwrap();
        failures.fail_next(IN_VAIN);
        upload.write(&bytes[away_at..]).await.unwrap();
        upload.finish().await.unwrap();
        assert!(std::fs::read(server.file(&key)).unwrap() == bytes, "{away_at}");
    }
    assert!(failures.failed.swap(0, Ordering::Relaxed) > 10);
    assert_eq!(server.uploads(), 0);
    failures.fail_next(IN_VAIN);
    assert!(read(&objects, "away/0").await == bytes);
    for break_at in [1, MIB, 40 * MIB - 1] {
        failures.break_off_after(break_at);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let mut stream = objects.get("away/0", None).await.unwrap();
        let mut pieces = vec![stream.try_next().await.unwrap().unwrap()];
        failures.fail_next(IN_VAIN);
        pieces.extend(stream.try_collect::<Vec<Bytes>>().await.unwrap());
        assert!(pieces.concat() == bytes, "{break_at}");
        failures.break_off_after(break_at);
        objects.download("away/0", &file).await.unwrap();
        assert!(std::fs::read(file).unwrap() == bytes, "{break_at}");
    }
    assert!(failures.failed.load(Ordering::Relaxed) > 10);
}

/// If a store completes an upload but its response is lost, the upload is neither repeated nor removed.
#[tokio::test(flavor = "multi_thread")]
async fn upload_completed_twice_succeeds() {
    let server = S3Server::start().await;
    let objects = open(&server, "s3://bundles").await.unwrap();
    server.failures.loses_completion.store(true, Ordering::Relaxed);
    put(&objects, "twice", &contents(20 * MIB)).await;
    assert_eq!(server.failures.failed.load(Ordering::Relaxed), 1);
    assert!(read(&objects, "twice").await == contents(20 * MIB));
    objects.settle().await;
    assert_eq!(server.uploads(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_missing_store_fail() {
    let server = S3Server::start().await;
    let patient = open(&server, "s3://bundles").await.unwrap();
    put(&patient, "there", &contents(20 * MIB)).await;
    let objects = open_with(&server, "s3://bundles", FEW_RETRIES).await.unwrap();
    for size in [1, 20 * MIB] {
        let mut upload = objects.upload("gone").await.unwrap();
        upload.write(&contents(size)).await.unwrap();
        server.failures.go_away();
        let error = upload.finish().await.unwrap_err();
        assert!(error.is_transient(), "{error}");
        let error = objects.get("there", None).await.err().unwrap();
        assert!(error.is_transient(), "{error}");
        server.failures.come_back();
        assert!(objects.size("gone").await.is_err(), "no object is visible");
    }
    let folder = tempfile::tempdir().unwrap();
    server.failures.break_off_after(MIB);
    let mut stream = objects.get("there", None).await.unwrap();
    stream.try_next().await.unwrap();
    server.failures.go_away();
    assert!(stream.try_collect::<Vec<Bytes>>().await.unwrap_err().is_transient());
    let file = folder.path().join("file");
    assert!(objects.download("there", &file).await.unwrap_err().is_transient());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "partial files are removed");
    // The service starts even if the store is unavailable.
    open_with(&server, "s3://bundles", FEW_RETRIES).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded() {
    const SIZE: u64 = 300 * MIB as u64;
    let server = S3Server::start().await;
    let objects = open(&server, "s3://bundles").await.unwrap();
    let mut upload = objects.upload("large").await.unwrap();
    server.failures.received.store(0, Ordering::Relaxed);
    let piece = vec![7; MIB];
    let (mut taken, mut most) = (0, 0);
    while taken < SIZE {
        upload.write(&piece).await.unwrap();
        taken += piece.len() as u64;
        most = most.max(taken.saturating_sub(server.failures.received.load(Ordering::Relaxed)));
    }
    upload.finish().await.unwrap();
    assert_eq!(objects.size("large").await.unwrap(), SIZE);
    // Four parts are sent while one is filled.
    assert!(most <= 40 * MIB as u64, "{most} bytes were held");
    assert!(most > 16 * MIB as u64, "several parts are sent in parallel");
}

/// Each invalid setting returns an error that says what to do and contains no secret.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_settings_are_reported() {
    let server = S3Server::start().await;
    let refused = async |address: &str, changed: &[(&'static str, &str)]| {
        let mut variables = owned(server.variables());
        variables.extend(owned(changed.iter().copied()));
        let settings = match S3Settings::new(address, variables) {
            Ok(settings) => settings.with_retries(RETRIES),
            Err(error) => return error.to_string(),
        };
        assert!(!format!("{settings:?}").contains(SECRET));
        let error = Objects::open_s3(&settings).await.unwrap_err();
        assert!(!error.is_transient(), "{error}");
        let text = format!("{error} {error:?}");
        assert!(!text.contains(SECRET) && !text.contains("wrong-secret"), "{text}");
        error.to_string()
    };
    for address in ["bucket", "s3://", "http://bucket", "s3://b/../c", "s3://a b", "s3://b?x"] {
        assert!(refused(address, &[]).await.contains("s3://bucket/prefix"), "{address}");
    }
    let good = format!("s3://{BUCKET}");
    let (secret, endpoint) = ("AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL");
    for (variable, value, named) in [
        ("AWS_ACCESS_KEY_ID", "wrong", "AWS_ACCESS_KEY_ID"),
        (secret, "wrong-secret", secret),
        (secret, "wrong-secret\n2", secret),
        (endpoint, "not an address", endpoint),
        (endpoint, "s3.example.com", endpoint),
        ("AWS_REGION", "no region", "AWS_REGION"),
        ("AWS_SERVER_SIDE_ENCRYPTION", "rot13", "rot13"),
    ] {
        let error = refused(&good, &[(variable, value)]).await;
        assert!(error.contains(named), "{variable}: {error}");
    }
    let objects = open(&server, &good).await.unwrap();
    assert!(!format!("{objects:?}").contains(SECRET), "{objects:?}");
    assert!(objects.list("").await.unwrap().is_empty(), "the check leaves no object");
}

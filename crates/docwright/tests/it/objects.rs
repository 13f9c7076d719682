//! Bundles in a bucket, through an S3 server: from the start of an export to a verified download.

use docwright_testing::s3::{BUCKET, S3Server, SECRET};
use reqwest::{Method, header};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::server::{Api, Process, Setup, docwright};

/// A service that stores its bundles in the bucket.
fn serve(setup: &Setup, server: &S3Server) -> Process {
    let address = format!("s3://{BUCKET}/docs");
    let variables = server.variables();
    let mut all = vec![("DOCWRIGHT_OBJECTS", address.as_str())];
    all.extend(variables.iter().map(|(name, value)| (*name, value.as_str())));
    setup.serve_with(&all)
}

/// Runs an export. Returns the response with the link.
async fn export(api: &Api) -> Value {
    let id = api.start_export().await;
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!(job["status"], "completed", "{job}");
    api.bundle(&id).await
}

async fn verify(bundle: &Value) -> Vec<u8> {
    let answer = reqwest::get(bundle["bundleUrl"].as_str().unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/gzip");
    let bytes = answer.bytes().await.unwrap();
    assert_eq!(bundle["sizeBytes"].as_u64(), Some(bytes.len() as u64));
    let sha256 = hex::encode(Sha256::digest(&bytes));
    assert_eq!(bundle["sha256"].as_str(), Some(sha256.as_str()));
    bytes.to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn export_is_downloaded_and_verified() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let process = serve(&setup, &server);
    let api = setup.api(&process);
    let bundle = export(&api).await;
    let link = bundle["bundleUrl"].as_str().unwrap();
    assert!(link.starts_with(&format!("{}/{BUCKET}/docs/", server.address)), "{link}");
    let bytes = verify(&bundle).await;
    let client = reqwest::Client::new();
    let part = client.get(link).header(header::RANGE, "bytes=10-19").send().await.unwrap();
    assert_eq!(
        (part.status().as_u16(), part.bytes().await.unwrap().as_ref()),
        (206, &bytes[10..20])
    );
    let (address, query) = link.split_once('?').unwrap();
    let key = address.rsplit_once("/docs/").unwrap().1;
    for wrong in [
        address.to_owned(),
        link.replace("X-Amz-Expires=3600", "X-Amz-Expires=36000"),
        link.replace(key, "probe/bundle.tar.gz"),
    ] {
        assert_ne!(wrong, link);
        assert_eq!(client.get(&wrong).send().await.unwrap().status(), 403, "{wrong}");
    }
    let own = client.get(format!("{}/objects/{key}?{query}", process.address));
    assert_eq!(own.send().await.unwrap().status(), 404, "the objects are elsewhere");
    let stranger = Api { key: format!("{}0", api.key), ..api.clone() };
    let path = format!("/v1/static-export/jobs/{}/bundle", bundle["jobId"].as_str().unwrap());
    assert_eq!(stranger.send(Method::POST, &path, None).await.status(), 401);
    assert_eq!(std::fs::read(server.file(&format!("docs/{key}"))).unwrap(), bytes);
    assert!(!setup.data().join("objects").exists(), "bundles are stored only in the bucket");
}

/// The service serves copies of bundles, so sites work while the store is unavailable, even after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn site_is_served_while_store_is_away() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let process = serve(&setup, &server);
    let api = setup.api(&process);
    export(&api).await;
    page(&api).await;
    server.failures.go_away();
    page(&api).await;
    drop(process);
    let process = serve(&setup, &server);
    page(&setup.api(&process)).await;
}

async fn page(api: &Api) {
    let page = api.client.get(format!("{}/page-1", api.base)).header("host", "docs.example.com");
    let page = page.send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("Text of page-1."));
}

#[tokio::test(flavor = "multi_thread")]
async fn outage_of_store_delays_job_without_failure() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let process = serve(&setup, &server);
    server.failures.fail_next(3);
    verify(&export(&setup.api(&process)).await).await;
    assert!(server.failures.failed.load(std::sync::atomic::Ordering::Relaxed) > 1);
    assert_eq!(server.uploads(), 0);
}

/// A service without a usable bundle store doesn't start, and says what to do.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_settings_prevent_start() {
    let (setup, server) = (Setup::new(), S3Server::start().await);
    let data = setup.data().display().to_string();
    for (address, variable, value, named) in [
        ("s3://bundles", "AWS_SECRET_ACCESS_KEY", "wrong-secret", "check AWS_SECRET_ACCESS_KEY"),
        ("s3://bundles", "AWS_ACCESS_KEY_ID", "AKIAOTHER", "check AWS_ACCESS_KEY_ID"),
        ("bundles", "AWS_REGION", "r", "s3://bucket/prefix"),
    ] {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", &data, "--objects", address];
        let mut command = docwright(&arguments);
        command.envs(server.variables()).env(variable, value).stderr(std::process::Stdio::piped());
        let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(text.contains(named) && text.contains("--objects"), "{text}");
        assert!(!text.contains(SECRET) && !text.contains("wrong-secret"), "{text}");
    }
}

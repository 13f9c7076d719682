//! Signed bundles: what a deployment with a public key serves, and what `docwright verify` says.

use std::{fs, process::Command};

use serde_json::{Value, json};

use super::{
    DeploymentFolder,
    bundles::{bundle, other_key, public_key, signed},
};
use crate::server::{Setup, docwright};

/// A line of values.
fn only(key: &str) -> String {
    format!("publicKey: '{key}'")
}

/// The signed bundle of a version with the manifest, the files, or the signature of another one.
fn manipulated() -> [(&'static str, Vec<u8>, &'static str); 4] {
    let (good, unsigned) = (signed(&bundle("2")), bundle("2"));
    let mut signature = good.clone();
    // In the member of the signature, which compression leaves as it is.
    let place = good.len() - 42 - 40 - 30;
    signature[place] ^= 1;
    let other = signed(&bundle("3"));
    let of_manifest = |bytes: &[u8]| {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        let end = docwright_site::bundle::Signable::read(file.as_file()).unwrap();
        (usize::try_from(end.end).unwrap(), end)
    };
    let ((end, signable), (of_other, _)) = (of_manifest(&good), of_manifest(&other));
    let found = tempfile::NamedTempFile::new().unwrap();
    fs::write(found.path(), &other).unwrap();
    let foreign = docwright_site::bundle::signature(found.as_file()).unwrap().unwrap();
    let foreign = [&good[..end], &signable.signed_end(&foreign.bytes).unwrap()].concat();
    let swapped = [&good[..end], &other[of_other..]].concat();
    [
        ("no signature", unsigned, "has no signature"),
        ("another signature", foreign, "is not from staticExport.publicKey"),
        ("another end", swapped, ""),
        ("a changed byte", signature, ""),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_with_public_key_serves_only_signed_bundles() {
    let place = DeploymentFolder::new().await;
    place.host.gives(&signed(&bundle("1")));
    place.ask("/bundle", &[&only(&public_key())]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    for (name, bytes, reason) in manipulated() {
        place.host.gives(&bytes);
        deployed.0.signal("HUP");
        let answer = deployed.until(|answer| answer["problem"].is_string()).await;
        assert!(answer["problem"].as_str().unwrap().contains(reason), "{name}: {answer}");
        assert_eq!((&answer["ready"], answer["version"].as_str()), (&true.into(), Some("1")));
        deployed.shows("1").await;
        assert_eq!(place.versions().len(), 1, "{name}");
        place.host.gives(&signed(&bundle("1")));
        deployed.0.signal("HUP");
        deployed.serves("1").await;
    }
    place.host.gives(&signed(&bundle("2")));
    deployed.0.signal("HUP");
    deployed.serves("2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bundle_of_another_key_is_refused() {
    let place = DeploymentFolder::new().await;
    place.host.gives(&signed(&bundle("1")));
    place.ask("/bundle", &[&only(&other_key())]);
    assert!(place.fails().await.contains("is not from staticExport.publicKey"));
    // Both keys are accepted while the root secret changes.
    place.ask("/bundle", &[&only(&format!("{}, {}", other_key(), public_key()))]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    // A version on disk isn't ready either.
    place.ask("/bundle", &[&only(&other_key())]);
    let answer = deployed.until(|answer| answer["ready"] == false).await;
    assert!(answer["problem"].as_str().unwrap().contains("is not from"), "{answer}");
    deployed.shows("1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bundles_of_a_service_are_signed() {
    let setup = Setup::new();
    let service = setup.serve();
    let api = setup.api(&service);
    let id = api.start_export().await;
    api.wait_for(&id, &["completed"]).await;
    let link = api.bundle(&id).await;
    let bytes = api.client.get(link["bundleUrl"].as_str().unwrap()).send().await.unwrap();
    let bytes = bytes.bytes().await.unwrap();
    assert_eq!(link["sizeBytes"], json!(bytes.len()));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.tar.gz");
    fs::write(&file, &bytes).unwrap();
    let operator = setup.admin(&["key", "create", "root", "--scope", "operator"]);
    let api = crate::server::Api { key: operator["key"].as_str().unwrap().to_owned(), ..api };
    let instance = api.send(reqwest::Method::GET, "/v1/instance", None).await;
    let instance: Value = instance.json().await.unwrap();
    let key = instance["bundlePublicKey"].as_str().unwrap().to_owned();
    let verify = |arguments: &[&str]| -> (bool, Value) {
        let file = file.to_str().unwrap();
        let output = docwright(&[&["verify", file, "--json"], arguments].concat()).output();
        let output = output.unwrap();
        (output.status.success(), serde_json::from_slice(&output.stdout).unwrap())
    };
    assert_eq!(verify(&[]).1["signature"], "unchecked");
    let (good, checked) = verify(&["--key", &key, "--sha256", link["sha256"].as_str().unwrap()]);
    assert!(good && checked["signature"] == "valid", "{checked}");
    let (good, checked) = verify(&["--key", &other_key()]);
    assert!(!good && checked["error"].as_str().unwrap().contains("not from this key"), "{checked}");
    // Common tools read the bundle, and find the signature as its last file.
    let listed = Command::new("tar").arg("-tzf").arg(&file).output().unwrap();
    assert!(listed.status.success());
    let listed = String::from_utf8(listed.stdout).unwrap();
    let last: Vec<_> = listed.lines().rev().take(2).collect();
    assert_eq!(last, ["manifest.json.sig", "manifest.json"]);
    // Without a server, there is no key.
    let docs = setup.folder.path().join("repository");
    let (docs, file) = (docs.to_str().unwrap(), file.to_str().unwrap());
    assert!(docwright(&["export", docs, "--out", file]).status().unwrap().success());
    assert_eq!(verify(&[]).1["signature"], "none");
    let (good, checked) = verify(&["--key", &key]);
    assert!(!good && checked["error"].as_str().unwrap().contains("no signature"), "{checked}");
}

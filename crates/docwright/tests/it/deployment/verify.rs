//! `docwright verify`, and the checks it shares with deployments.

use std::{fs, path::Path, process::Output};

use docwright_site::bundle::Bundle;
use serde_json::{Value, json};

use super::{
    DeploymentFolder,
    bundles::{bundle, sha256},
};
use crate::server::docwright;

fn verify(file: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = docwright(&["verify", &file.display().to_string()]);
    command.args(arguments).stderr(std::process::Stdio::piped());
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
    (status.code(), text.into_owned())
}

#[test]
fn valid_bundle_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.tar.gz");
    let bytes = bundle("1");
    fs::write(&file, &bytes).unwrap();
    let hash = sha256(&bytes);
    let (code, text) = verify(&file, &["--json", "--sha256", &hash.to_uppercase()]);
    assert_eq!(code, Some(0), "{text}");
    let expected = json!({
        "valid": true, "generator": concat!("docwright ", env!("CARGO_PKG_VERSION")),
        "version": "1", "commit": null, "pages": 2, "files": 5, "sizeBytes": bytes.len(),
        "sha256": hash, "signature": "none",
    });
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    let (code, text) = verify(&file, &[]);
    assert_eq!(code, Some(0));
    assert!(text.contains("is intact") && text.contains(&hash), "{text}");
}

#[test]
fn invalid_bundle_is_refused_with_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.tar.gz");
    let missing = verify(&file, &[]);
    assert_eq!(missing.0, Some(1));
    assert!(missing.1.contains("bundle.tar.gz: cannot read the file"), "{}", missing.1);
    assert!(verify(folder.path(), &[]).1.contains("not a file"));
    fs::write(&file, bundle("1")).unwrap();
    let (code, text) = verify(&file, &["--sha256", &sha256(b"another")]);
    assert_eq!(code, Some(1));
    assert!(text.contains(&format!("SHA-256 is {}", sha256(&bundle("1")))), "{text}");
    for wrong in ["abc", ""] {
        let (code, text) = verify(&file, &["--sha256", wrong]);
        assert_eq!(code, Some(2), "{text}");
    }
    fs::write(&file, b"").unwrap();
    let (code, text) = verify(&file, &["--json"]);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &answer["valid"]), (Some(1), &false.into()));
    assert!(answer["error"].as_str().is_some_and(|error| error.contains("not valid")), "{text}");
}

/// Changes one byte of each part.
#[tokio::test(flavor = "multi_thread")]
async fn changed_byte_anywhere_is_found() {
    let place = DeploymentFolder::new().await;
    place.host.gives(&bundle("1"));
    place.ask("/bundle", &[]);
    let deployed = place.deploy();
    deployed.serves("1").await;
    let two = bundle("2");
    let file = place.folder.path().join("bundle.tar.gz");
    fs::write(&file, &two).unwrap();
    let opened = Bundle::open(&file).unwrap();
    let place_of = |path: &str| {
        let member = opened.get(path).unwrap().member;
        usize::try_from(member.offset + member.length / 2).unwrap()
    };
    let first = usize::try_from(opened.files()[0].member.offset).unwrap();
    let last = opened.files().last().unwrap().member;
    let end = usize::try_from(last.offset + last.length).unwrap();
    for (part, at) in [
        ("a header", first / 2),
        ("a deflated file", place_of("index.html")),
        ("a stored file", place_of("noise.png")),
        ("the manifest", usize::midpoint(end, two.len())),
        ("the footer", two.len() - 15),
        ("the last byte", two.len() - 1),
    ] {
        let mut changed = two.clone();
        changed[at] ^= 0x10;
        fs::write(&file, &changed).unwrap();
        let (code, text) = tokio::task::block_in_place(|| verify(&file, &[]));
        assert_eq!(code, Some(1), "{part}: {text}");
        assert!(text.contains("not valid"), "{part}: {text}");
        place.host.gives(&changed);
        deployed.0.signal("HUP");
        deployed.says("not valid").await;
        deployed.shows("1").await;
        place.host.gives(&bundle("1"));
        deployed.0.signal("HUP");
        deployed.serves("1").await;
    }
}

//! Bundles for tests.

use docwright_site::{
    bundle::{About, BundleWriter},
    output::Output,
};
use sha2::{Digest, Sha256};

/// The SHA-256 of a bundle, as the API returns it.
pub(super) fn sha256(bundle: &[u8]) -> String {
    hex::encode(Sha256::digest(bundle))
}

/// The files of a site that shows its version. One file doesn't compress.
fn files(version: &str) -> Vec<(String, Vec<u8>)> {
    let noise = (0_u32..4000).flat_map(|n| Sha256::digest(n.to_be_bytes()).to_vec()).collect();
    let page =
        |text: &str| format!("<!DOCTYPE html><p>{text}</p>{}", " ".repeat(3000)).into_bytes();
    vec![
        ("404.html".to_owned(), page("Page not found")),
        ("guides/start.html".to_owned(), page(&format!("Start of {version}"))),
        ("index.html".to_owned(), page(&format!("Home of {version}"))),
        ("noise.png".to_owned(), noise),
        ("version.txt".to_owned(), version.as_bytes().to_vec()),
    ]
}

/// The bundle of a version.
pub(super) fn bundle(version: &str) -> Vec<u8> {
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    for (path, contents) in files(version) {
        writer.write(&path, &contents).unwrap();
    }
    let about = About { version: Some(version.to_owned()), page_count: 2, ..About::default() };
    let mut bundle = Vec::new();
    writer.finish(about, &mut bundle).unwrap();
    bundle
}

//! Bundles for tests.

use docwright_site::{
    bundle::{About, BundleWriter, Signable},
    output::Output,
};
use docwright_storage::Keyring;
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

/// The root secret of the service that signs bundles.
const ROOT_SECRET: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn keyring(secret: &str) -> Keyring {
    Keyring::parse(secret).unwrap()
}

/// The public key of signed bundles.
pub(super) fn public_key() -> String {
    keyring(ROOT_SECRET).bundle_key().unwrap().to_string()
}

/// The public key of another service.
pub(super) fn other_key() -> String {
    keyring(&ROOT_SECRET.replace('0', "1")).bundle_key().unwrap().to_string()
}

/// A bundle with the signature of its manifest.
pub(super) fn signed(bundle: &[u8]) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bundle).unwrap();
    let signable = Signable::read(file.as_file()).unwrap();
    let signature = keyring(ROOT_SECRET).sign_bundle(&signable.manifest.0).unwrap();
    let end = usize::try_from(signable.end).unwrap();
    [&bundle[..end], &signable.signed_end(&signature).unwrap()].concat()
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

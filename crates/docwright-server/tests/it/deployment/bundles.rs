//! Bundles of both forms, made for tests.

use std::io::Write;

use docwright_site::{
    bundle::{About, BundleWriter},
    output::Output,
};
use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use sha2::{Digest, Sha256};

/// The SHA-256 of a bundle, as the bundle operation gives it.
pub(super) fn sha256(bundle: &[u8]) -> String {
    hex::encode(Sha256::digest(bundle))
}

/// The files of a site that says its version. One does not get smaller by deflating.
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

/// The manifest of a version, as an earlier docwright wrote it.
fn earlier_manifest(version: &str) -> Vec<u8> {
    let files: Vec<_> = files(version)
        .iter()
        .map(|(path, contents)| {
            json!({ "path": path, "size": contents.len(), "sha256": sha256(contents) })
        })
        .collect();
    let manifest = json!({
        "generator": "docwright 0.0.9", "version": version, "commit": null,
        "pageCount": 2, "redirects": [], "files": files,
    });
    serde_json::to_vec_pretty(&manifest).unwrap()
}

/// The bundle of a version, as an earlier docwright made it.
pub(super) fn earlier_bundle(version: &str) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let manifest = ("manifest.json".to_owned(), earlier_manifest(version));
    for (path, contents) in [manifest].into_iter().chain(files(version)) {
        let mut header = tar::Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, &path, contents.as_slice()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

/// A version in a data folder, as an earlier docwright left it; returns the name of its folder.
pub(super) fn earlier_folder(data: &std::path::Path, version: &str) -> String {
    let name = sha256(version.as_bytes())[..32].to_owned();
    let folder = data.join("versions").join(&name);
    let manifest = ("manifest.json".to_owned(), earlier_manifest(version));
    for (path, contents) in [manifest].into_iter().chain(files(version)) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap().write_all(&contents).unwrap();
    }
    std::fs::write(data.join("current"), &name).unwrap();
    name
}

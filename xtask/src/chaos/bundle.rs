//! Verifies that a bundle matches its service's description: length, hash, and every file of its manifest.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use anyhow::{Context, ensure};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A service's description of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Promised {
    /// Length in bytes.
    pub(super) size: u64,
    /// SHA-256 in hex.
    pub(super) sha256: String,
}

/// Compares a bundle with its description and its files with its manifest. Returns all its text.
pub(super) fn verify(bundle: &[u8], promised: &Promised) -> anyhow::Result<String> {
    let size = bundle.len() as u64;
    ensure!(size == promised.size, "it has {size} bytes, {} were promised", promised.size);
    let sha256 = hash(bundle);
    ensure!(sha256 == promised.sha256, "its SHA-256 is {sha256}, {} was promised", promised.sha256);
    let mut archive = tar::Archive::new(MultiGzDecoder::new(Cursor::new(bundle)));
    let files = archive.entries()?.map(|entry| read(entry?));
    let mut files = files.collect::<anyhow::Result<BTreeMap<_, _>>>()?;
    let manifest = files.remove("manifest.json").context("it has no manifest.json")?;
    let mut expected = listed(&serde_json::from_slice(&manifest)?)?;
    let mut text = String::new();
    for (path, bytes) in files {
        let wanted = expected.remove(&path);
        let wanted = wanted.with_context(|| format!("{path} is not in its manifest"))?;
        let found = Promised { size: bytes.len() as u64, sha256: hash(&bytes) };
        ensure!(found == wanted, "{path} is not the file that its manifest describes");
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    let missing = expected.keys().next();
    ensure!(missing.is_none(), "{} is missing", missing.map_or("", String::as_str));
    Ok(text)
}

fn listed(manifest: &Value) -> anyhow::Result<BTreeMap<String, Promised>> {
    let files = manifest["files"].as_array().context("its manifest lists no files")?;
    let file = |file: &Value| {
        let promised =
            Promised { size: file["size"].as_u64()?, sha256: file["sha256"].as_str()?.to_owned() };
        Some((file["path"].as_str()?.to_owned(), promised))
    };
    files.iter().map(|each| file(each).context("its manifest describes a file badly")).collect()
}

fn read(mut entry: tar::Entry<'_, impl Read>) -> anyhow::Result<(String, Vec<u8>)> {
    let path = String::from_utf8(entry.path_bytes().into_owned())?;
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok((path, bytes))
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use flate2::{Compression, write::GzEncoder};
    use serde_json::json;

    use super::*;

    /// A bundle with one file, whose manifest describes `described`.
    fn bundle(described: &str, text: &str) -> Vec<u8> {
        let file = json!({ "path": "a.html", "size": described.len(), "sha256": hash(described.as_bytes()) });
        let manifest = json!({ "files": [file] }).to_string();
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in [("a.html", text), ("manifest.json", manifest.as_str())] {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    fn promised(bundle: &[u8]) -> Promised {
        Promised { size: bundle.len() as u64, sha256: hash(bundle) }
    }

    fn problem(bundle: &[u8], promised: &Promised) -> String {
        verify(bundle, promised).unwrap_err().to_string()
    }

    #[test]
    fn valid_bundle_returns_its_text() {
        let bundle = bundle("words", "words");
        assert_eq!(verify(&bundle, &promised(&bundle)).unwrap(), "words");
    }

    #[test]
    fn wrong_length_hash_or_file_is_found() {
        let good = bundle("words", "words");
        let right = promised(&good);
        let wrong = Promised { size: 1, ..right.clone() };
        assert!(problem(&good, &wrong).contains("1 were promised"));
        let wrong = Promised { sha256: "0".repeat(64), ..right };
        assert!(problem(&good, &wrong).starts_with("its SHA-256 is"));
        let bad = bundle("words", "other");
        assert!(problem(&bad, &promised(&bad)).starts_with("a.html is not the file"));
        let cut = &good[..good.len() / 2];
        assert!(verify(cut, &promised(cut)).is_err());
    }
}

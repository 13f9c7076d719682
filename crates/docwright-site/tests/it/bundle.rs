//! Bundles: the same bytes, and nothing taken from a bad one.

use std::{fs, path::Path};

use docwright_site::bundle::{BundleError, BundleInfo, Limits, Manifest, pack, unpack};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

fn site(folder: &Path) {
    fs::create_dir_all(folder.join("a")).unwrap();
    fs::write(folder.join("index.html"), "<p>home</p>").unwrap();
    fs::write(folder.join("a/b.html"), "<p>b</p>").unwrap();
    fs::write(folder.join(format!("{}.html", "long".repeat(40))), "x").unwrap();
}

#[test]
fn a_bundle_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    site(&folder.path().join("site"));
    let info = BundleInfo { page_count: 3, version: Some("1".into()), ..BundleInfo::default() };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    let manifest = pack(&folder.path().join("site"), &info, &mut one).unwrap();
    pack(&folder.path().join("site"), &info, &mut two).unwrap();
    assert!(one == two, "two bundles of one site differ");
    for file in &manifest.files {
        let bytes = fs::read(folder.path().join("site").join(&file.path)).unwrap();
        assert_eq!(
            (file.size, &file.sha256),
            (bytes.len() as u64, &hex::encode(Sha256::digest(&bytes))),
            "{}",
            file.path
        );
    }
    let target = folder.path().join("unpacked");
    assert_eq!(unpack(one.as_slice(), &target, Limits::default()).unwrap(), manifest);
    assert_eq!(fs::read_to_string(target.join("a/b.html")).unwrap(), "<p>b</p>");
}

/// An archive made by hand: its manifest, then entries.
fn archive(files: &[(&str, &[u8])], entries: &[(&str, &[u8], tar::EntryType)]) -> Vec<u8> {
    let manifest = Manifest {
        generator: "test".into(),
        version: None,
        commit: None,
        page_count: 1,
        redirects: Vec::new(),
        files: files
            .iter()
            .map(|(path, bytes)| docwright_site::bundle::FileEntry {
                path: (*path).into(),
                size: bytes.len() as u64,
                sha256: hex::encode(Sha256::digest(bytes)),
            })
            .collect(),
    };
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let json = serde_json::to_vec(&manifest).unwrap();
    add(&mut builder, "manifest.json", &json, tar::EntryType::Regular);
    for (path, bytes, kind) in entries {
        add(&mut builder, path, bytes, *kind);
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// Writes the name as it is, which the builder's own functions would refuse.
fn add(
    builder: &mut tar::Builder<impl std::io::Write>,
    path: &str,
    bytes: &[u8],
    kind: tar::EntryType,
) {
    let mut header = tar::Header::new_gnu();
    header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    builder.get_mut().write_all(header.as_bytes()).unwrap();
    builder.get_mut().write_all(bytes).unwrap();
    builder.get_mut().write_all(&vec![0; (512 - bytes.len() % 512) % 512]).unwrap();
}

fn refused(bundle: &[u8], limits: Limits) -> String {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("site");
    let error = unpack(bundle, &target, limits).expect_err("it must be refused");
    assert!(
        !target.exists() && fs::read_dir(folder.path()).unwrap().next().is_none(),
        "nothing may be left"
    );
    assert!(!folder.path().parent().unwrap().join("escaped.html").exists());
    error.to_string()
}

#[test]
fn bad_bundles_leave_nothing() {
    let regular = tar::EntryType::Regular;
    let good: (&str, &[u8]) = ("a.html", b"a");
    for (bundle, reason) in [
        (
            archive(&[("../escaped.html", b"a")], &[("../escaped.html", b"a", regular)]),
            "not a path within the site",
        ),
        (archive(&[good], &[("../escaped.html", b"a", regular)]), "not a path within the site"),
        (archive(&[good], &[("/etc/escaped", b"a", regular)]), "not a path within the site"),
        (archive(&[good], &[("a.html", b"", tar::EntryType::Symlink)]), "not a plain file"),
        (
            archive(&[good], &[("a.html", b"b", regular)]),
            "not the file that its manifest describes",
        ),
        (archive(&[good], &[("a.html", b"aa", regular)]), "another size"),
        (
            archive(&[good], &[("a.html", b"a", regular), ("b.html", b"b", regular)]),
            "not in its manifest",
        ),
        (archive(&[good], &[("a.html", b"a", regular), ("a.html", b"a", regular)]), "there twice"),
        (archive(&[good], &[]), "missing"),
        (b"not an archive".to_vec(), "damaged"),
        (Vec::new(), "damaged"),
    ] {
        let message = refused(&bundle, Limits::default());
        assert!(message.contains(reason), "{message} / {reason}");
    }
}

#[test]
fn truncated_and_oversized_bundles_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    site(folder.path());
    fs::write(folder.path().join("big.txt"), "x".repeat(100_000)).unwrap();
    let mut bundle = Vec::new();
    pack(folder.path(), &BundleInfo::default(), &mut bundle).unwrap();
    for length in [20, bundle.len() / 2, bundle.len() - 60] {
        refused(&bundle[..length], Limits::default());
    }
    assert!(refused(&bundle, Limits { total: 50_000, ..Limits::default() }).contains("too large"));
    assert!(refused(&bundle, Limits { files: 2, ..Limits::default() }).contains("too large"));
    let error = unpack(
        bundle.as_slice(),
        &folder.path().join("out"),
        Limits { files: 1, ..Limits::default() },
    );
    assert!(matches!(error, Err(BundleError::TooLarge(_))));
}

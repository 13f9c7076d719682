//! Bundles: reproducible, readable by common tools, and refused if invalid.

use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, mpsc},
};

use docwright_site::{
    bundle::{
        About, Bundle, BundleError, BundleWriter, Limits, Manifest, Signable, Signature,
        StreamedBundle, signature, verify,
    },
    output::Output,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Incompressible bytes.
fn noise(length: u32) -> Vec<u8> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    (0..length).map(|_| next()).collect()
}

/// A site with files of every kind: text, an image, an empty one, a large one, a long path.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("index.html".to_owned(), b"<p>home</p>".to_vec()),
        ("a/b.html".to_owned(), b"<p>b</p>".repeat(1000)),
        ("a/ä ö.html".to_owned(), b"umlauts".to_vec()),
        ("empty.txt".to_owned(), Vec::new()),
        ("block.txt".to_owned(), vec![b'x'; 512]),
        ("image.png".to_owned(), noise(200_000)),
        (format!("{}/{}.html", "long".repeat(40), "name".repeat(30)), b"x".to_vec()),
    ];
    files.sort();
    files
}

struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a bundle with files in the given order.
    fn bundle(&self, files: &[(String, Vec<u8>)]) -> PathBuf {
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        for (path, contents) in files {
            writer.write(path, contents).unwrap();
        }
        self.finish(writer)
    }

    fn finish(&self, writer: BundleWriter) -> PathBuf {
        let path = self.path("bundle.tar.gz");
        let about = About { page_count: 3, version: Some("1".to_owned()), ..About::default() };
        writer.finish(about, fs::File::create(&path).unwrap()).unwrap();
        path
    }

    fn write(&self, bytes: &[u8]) -> PathBuf {
        let path = self.path("changed.tar.gz");
        fs::write(&path, bytes).unwrap();
        path
    }
}

#[test]
fn bundle_round_trips() {
    let place = TestFolder::new();
    let path = place.bundle(&files());
    let manifest = verify(&path, Limits::default()).unwrap();
    assert_eq!((manifest.about.page_count, manifest.about.version.as_deref()), (3, Some("1")));
    let bundle = Arc::new(Bundle::open(&path).unwrap());
    assert_eq!(bundle.about(), &manifest.about);
    let files = files();
    assert!(bundle.files().iter().map(|file| &*file.path).eq(files.iter().map(|file| &*file.0)));
    for (path, contents) in &files {
        let file = bundle.get(path).unwrap();
        assert_eq!((file.size, file.sha256.0), (contents.len() as u64, sha256(contents)), "{path}");
        assert!(bundle.read(file).unwrap() == *contents, "{path}");
        let mut streamed = Vec::new();
        bundle.reader(file).read_to_end(&mut streamed).unwrap();
        assert!(streamed == *contents, "{path}");
        let mut alone = Vec::new();
        let member = bundle.member(file).unwrap();
        flate2::read::GzDecoder::new(member.as_slice()).read_to_end(&mut alone).unwrap();
        assert!(alone == *contents, "{path} isn't a single member");
    }
    let is_stored = |path: &str| bundle.get(path).unwrap().member.stored;
    assert!(is_stored("image.png") && !is_stored("a/b.html"));
    assert_eq!(bundle.get("a/c.html"), None);
    assert_eq!(bundle.read_text("a/ä ö.html").as_deref(), Some("umlauts"));
}

#[test]
fn signature_is_the_last_file_and_part_of_the_checks() {
    let place = TestFolder::new();
    let path = place.bundle(&files());
    let unsigned = fs::read(&path).unwrap();
    let file = fs::File::open(&path).unwrap();
    assert_eq!(signature(&file).unwrap(), None);
    let signable = Signable::read(&file).unwrap();
    let manifest = unsigned_manifest(&path);
    assert_eq!(signable.manifest.0, sha256(&manifest));
    let end = usize::try_from(signable.end).unwrap();
    let with = |bytes: &[u8; 64]| [&unsigned[..end], &signable.signed_end(bytes).unwrap()].concat();
    let signed = with(&[7; 64]);
    let path = place.write(&signed);
    let found = signature(&fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(found, Some(Signature { manifest: signable.manifest, bytes: [7; 64] }));
    assert_eq!(verify(&path, Limits::default()).unwrap().files.len(), files().len());
    // Nothing before the end moves, so each file is still served from its place.
    assert!(signed[..end] == unsigned[..end]);
    let again = Signable::read(&fs::File::open(&path).unwrap()).unwrap();
    assert_eq!(again, signable);
    // A second signature, and bytes that no reader of the archive sees.
    let footer = &signed[signed.len() - 42..];
    let other = with(&[8; 64]);
    let twice = [&signed[..signed.len() - 42], &other[end..]].concat();
    let hidden = [&signed[..signed.len() - 42], &[0; 5000], footer].concat();
    for (wrong, name) in [(twice, "twice"), (hidden, "hidden")] {
        assert!(verify(&place.write(&wrong), Limits::default()).is_err(), "{name}");
    }
}

/// The manifest as tools for `.tar.gz` read it.
fn unsigned_manifest(bundle: &Path) -> Vec<u8> {
    let file = bundle.display().to_string();
    output_of("tar", &["-xzOf", &file, "manifest.json"], bundle.parent().unwrap())
}

#[test]
fn order_of_files_does_not_matter() {
    let place = TestFolder::new();
    let mut files = files();
    let one = fs::read(place.bundle(&files)).unwrap();
    files.reverse();
    // The later of two files with the same path wins.
    files.insert(0, ("index.html".to_owned(), b"something else".to_vec()));
    assert!(fs::read(place.bundle(&files)).unwrap() == one);
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    for (path, contents) in &files[1..] {
        let from = place.path("from");
        fs::write(&from, contents).unwrap();
        if path == "image.png" {
            // The file is read again at the end.
            fs::rename(&from, place.path("image")).unwrap();
            writer.copy(path, &place.path("image")).unwrap();
        } else {
            writer.copy(path, &from).unwrap();
        }
    }
    assert!(fs::read(place.finish(writer)).unwrap() == one, "copies differ from contents");
}

/// Tells of each write. What it gets goes to a file.
struct Reporting(fs::File, mpsc::Sender<usize>);

impl Write for Reporting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.1.send(bytes.len());
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn images_are_written_before_pages_are_known() {
    let place = TestFolder::new();
    let expected = fs::read(place.bundle(&files())).unwrap();
    let (image, path) = (place.path("image"), place.path("streamed.tar.gz"));
    for is_on_disk in [true, false] {
        let (reports, written) = mpsc::channel();
        let output = Reporting(fs::File::create(&path).unwrap(), reports);
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        let bundle = StreamedBundle::new(writer, output);
        let contents = files().into_iter().find(|file| file.0 == "image.png").unwrap().1;
        if is_on_disk {
            fs::write(&image, &contents).unwrap();
            bundle.copy("image.png", &image).unwrap();
            bundle.all_copied().unwrap();
            let mut sum = 0;
            while sum < contents.len() {
                sum += written.recv().unwrap();
            }
        } else {
            bundle.write("image.png", &contents).unwrap();
            bundle.all_copied().unwrap();
        }
        for (path, contents) in files().iter().filter(|file| file.0 != "image.png") {
            bundle.write(path, contents).unwrap();
        }
        let about = About { page_count: 3, version: Some("1".to_owned()), ..About::default() };
        bundle.finish(about).unwrap();
        assert!(fs::read(&path).unwrap() == expected, "the image is on disk: {is_on_disk}");
    }
    let bundle = Bundle::open(&path).unwrap();
    let offset = |path: &str| bundle.get(path).unwrap().member.offset;
    assert!(bundle.files().iter().all(|file| file.member.offset >= offset("image.png")));
}

#[test]
fn file_that_a_build_can_make_is_written_with_the_others() {
    let place = TestFolder::new();
    let from = place.path("from");
    fs::write(&from, noise(100_000)).unwrap();
    let made = ["_docwright/a.bin", "llms.txt", "data.JSON"];
    let path = place.path("streamed.tar.gz");
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    let bundle = StreamedBundle::new(writer, fs::File::create(&path).unwrap());
    for path in made {
        bundle.copy(path, &from).unwrap();
    }
    bundle.all_copied().unwrap();
    for path in made {
        bundle.write(path, b"made").unwrap();
    }
    bundle.finish(About::default()).unwrap();
    verify(&path, Limits::default()).unwrap();
    let bundle = Bundle::open(&path).unwrap();
    assert!(made.iter().all(|path| bundle.read_text(path).unwrap() == "made"));
}

#[test]
fn file_that_changes_during_export_is_refused() {
    let place = TestFolder::new();
    let image = place.path("image");
    for changed in [noise(99_999), noise(100_001)[1..].to_vec()] {
        fs::write(&image, noise(100_000)).unwrap();
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        writer.copy("image.png", &image).unwrap();
        fs::write(&image, changed).unwrap();
        writer.finish(About::default(), Vec::new()).unwrap_err();
    }
    for changed in [noise(99_999), noise(100_001)[1..].to_vec()] {
        fs::write(&image, noise(100_000)).unwrap();
        let writer = BundleWriter::new(tempfile::tempfile().unwrap());
        let bundle = StreamedBundle::new(writer, tempfile::tempfile().unwrap());
        bundle.copy("image.png", &image).unwrap();
        fs::write(&image, changed).unwrap();
        bundle.all_copied().unwrap();
        let error = bundle.finish(About::default()).unwrap_err();
        assert_eq!(error.to_string(), "image was changed while it was read");
    }
}

/// The output of a program.
fn output_of(program: &str, arguments: &[&str], folder: &Path) -> Vec<u8> {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("install {program}: {error}"));
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
    output.stdout
}

const PYTHON: &str = "import sys, tarfile
archive = tarfile.open('bundle.tar.gz')
for member in archive:
    sys.stdout.buffer.write(archive.extractfile(member).read())";
const NODE: &str = "const zlib = require('node:zlib');
process.stdout.write(zlib.gunzipSync(require('node:fs').readFileSync('bundle.tar.gz')));";

#[test]
#[ignore = "needs bsdtar"]
fn common_tools_read_bundle() {
    let place = TestFolder::new();
    let folder = place.0.path().to_owned();
    let files = files();
    let bundle = place.bundle(&files);
    let (leading, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.0 == "image.png");
    let mut contents: Vec<u8> =
        leading.iter().chain(&others).flat_map(|file| file.1.clone()).collect();
    let manifest = output_of("tar", &["-xzOf", "bundle.tar.gz", "manifest.json"], &folder);
    let parsed: Manifest = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(parsed, verify(&bundle, Limits::default()).unwrap());
    contents.extend(manifest);
    output_of("gzip", &["-t", "bundle.tar.gz"], &folder);
    for (program, arguments) in [
        ("tar", &["-xzOf", "bundle.tar.gz"][..]),
        ("bsdtar", &["-xOf", "bundle.tar.gz"]),
        ("python3", &["-c", PYTHON]),
    ] {
        assert!(output_of(program, arguments, &folder) == contents, "{program}");
    }
    let whole = output_of("gzip", &["-dc", "bundle.tar.gz"], &folder);
    for (program, arguments) in
        [("7z", &["x", "-so", "bundle.tar.gz"][..]), ("node", &["-e", NODE])]
    {
        assert!(output_of(program, arguments, &folder) == whole, "{program}");
    }
}

/// A file of a handmade archive.
type Entry<'a> = (&'a str, &'a [u8], tar::EntryType);

/// A handmade bundle: its manifest, then entries.
fn bundle_of(files: &[(&str, &[u8])], entries: &[Entry<'_>]) -> Vec<u8> {
    let entry = |(path, bytes): &(&str, &[u8])| serde_json::json!({ "path": path, "size": bytes.len(), "sha256": hex::encode(sha256(bytes)), "member": { "offset": 0, "length": 0, "stored": false } });
    let manifest = serde_json::json!({
        "generator": "test", "version": null, "commit": null, "pageCount": 1, "redirects": [],
        "files": files.iter().map(entry).collect::<Vec<_>>(),
    });
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let manifest = manifest.to_string();
    add(&mut builder, "manifest.json", manifest.as_bytes(), tar::EntryType::Regular);
    for (path, bytes, kind) in entries {
        add(&mut builder, path, bytes, *kind);
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// Writes the name unchanged; the builder's own functions would refuse it.
fn add(builder: &mut tar::Builder<impl Write>, path: &str, bytes: &[u8], kind: tar::EntryType) {
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

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The reason why a bundle is refused.
fn refused(bundle: &[u8], limits: Limits) -> String {
    let place = TestFolder::new();
    let path = place.write(bundle);
    let error = verify(&path, limits).expect_err("the bundle must be refused");
    error.to_string()
}

#[test]
fn bad_bundles_are_refused() {
    let regular = tar::EntryType::Regular;
    let good: (&str, &[u8]) = ("a.html", b"a");
    let long = vec![b'a'; 5000];
    for (bundle, reason) in [
        (
            bundle_of(&[("../escaped.html", b"a")], &[("../escaped.html", b"a", regular)]),
            "not a path within the site",
        ),
        (bundle_of(&[good], &[("../escaped.html", b"a", regular)]), "not a path within the site"),
        (bundle_of(&[good], &[("/etc/escaped", b"a", regular)]), "not a path within the site"),
        (bundle_of(&[good], &[("a.html", b"", tar::EntryType::Symlink)]), "not a plain file"),
        (bundle_of(&[good], &[("x", &long, tar::EntryType::GNULongName)]), "too long"),
        (
            bundle_of(&[good], &[("a.html", b"b", regular)]),
            "not the file that its manifest describes",
        ),
        (bundle_of(&[good], &[("a.html", b"aa", regular)]), "another size"),
        (
            bundle_of(&[good], &[("a.html", b"a", regular), ("b.html", b"b", regular)]),
            "not in its manifest",
        ),
        (
            bundle_of(&[good], &[("a.html", b"a", regular), ("a.html", b"a", regular)]),
            "there twice",
        ),
        (bundle_of(&[good, good], &[("a.html", b"a", regular)]), "in its manifest twice"),
        (bundle_of(&[good], &[]), "missing"),
        (b"not an archive".to_vec(), "damaged"),
        (Vec::new(), "damaged"),
    ] {
        let message = refused(&bundle, Limits::default());
        assert!(message.contains(reason), "{message} / {reason}");
    }
}

/// Some bits in gzip headers have no meaning. Changing them has no effect.
#[test]
fn changed_byte_is_found_or_changes_nothing() {
    let place = TestFolder::new();
    let bundle = fs::read(place.bundle(&files())).unwrap();
    let manifest = verify(&place.write(&bundle), Limits::default()).unwrap();
    // Testing all bytes would take long. These are in headers, contents, the manifest, and the end.
    let last = bundle.len() - 1;
    let (mut found, mut harmless) = (0, 0);
    for changed in (0..40).chain((40..last).step_by(97)).chain(bundle.len() - 120..=last) {
        let mut bytes = bundle.clone();
        bytes[changed] ^= 0x10;
        match verify(&place.write(&bytes), Limits::default()) {
            Ok(same) => {
                assert_eq!(same, manifest, "byte {changed}");
                harmless += 1;
            }
            Err(_) => found += 1,
        }
    }
    assert!(found > 30 * harmless, "{found} found, {harmless} not");
    for length in [0, 20, bundle.len() / 2, bundle.len() - 60, last] {
        refused(&bundle[..length], Limits::default());
    }
}

/// A bundle whose index differs from its archive.
fn with_index(change: impl FnOnce(&mut Manifest)) -> Vec<u8> {
    let place = TestFolder::new();
    let bundle = fs::read(place.bundle(&files())).unwrap();
    let footer = bundle.len() - 42;
    let number = |from: usize| {
        let bytes = bundle[from..from + 8].try_into().unwrap();
        usize::try_from(u64::from_le_bytes(bytes)).unwrap()
    };
    let offset = number(footer + 16);
    // The header before the manifest contains its length, so the new text must have the same length.
    let mut json = Vec::new();
    let member = &bundle[offset..offset + number(footer + 24)];
    flate2::read::GzDecoder::new(member).read_to_end(&mut json).unwrap();
    let mut manifest: Manifest = serde_json::from_slice(&json).unwrap();
    change(&mut manifest);
    let mut changed = serde_json::to_vec_pretty(&manifest).unwrap();
    assert!(changed.len() <= json.len(), "the change must not make it longer");
    changed.resize(json.len(), b' ');
    let mut encoder = flate2::GzBuilder::new().mtime(0).write(Vec::new(), Compression::new(6));
    std::io::Write::write_all(&mut encoder, &changed).unwrap();
    let member = encoder.finish().unwrap();
    let mut end = bundle[offset + number(footer + 24)..].to_vec();
    let length = end.len() - 42 + 24;
    end[length..length + 8].copy_from_slice(&(member.len() as u64).to_le_bytes());
    [&bundle[..offset], &member, &end].concat()
}

#[test]
fn wrong_index_is_found() {
    verify(&TestFolder::new().write(&with_index(|_| ())), Limits::default()).unwrap();
    let member = |manifest: &Manifest, path: &str| {
        manifest.files.iter().find(|file| &*file.path == path).unwrap().member
    };
    let set = |manifest: &mut Manifest, path: &str, member| {
        manifest.files.iter_mut().find(|file| &*file.path == path).unwrap().member = member;
    };
    for (changed, reason) in [
        (
            with_index(|manifest| {
                let other = member(manifest, "index.html");
                set(manifest, "a/b.html", other);
            }),
            "not where its index says",
        ),
        (
            with_index(|manifest| {
                let mut longer = member(manifest, "index.html");
                longer.length += 1;
                set(manifest, "index.html", longer);
            }),
            "not where its index says",
        ),
        (
            with_index(|manifest| {
                let mut stored = member(manifest, "a/b.html");
                stored.stored = true;
                set(manifest, "a/b.html", stored);
            }),
            "not where its index says",
        ),
        (
            with_index(|manifest| {
                manifest.about.generator.clear();
                let mut beyond = member(manifest, "index.html");
                beyond.offset = u64::MAX;
                set(manifest, "index.html", beyond);
            }),
            "does not say where",
        ),
    ] {
        let place = TestFolder::new();
        let path = place.write(&changed);
        let found = verify(&path, Limits::default()).map(drop).map_err(|error| error.to_string());
        assert!(found.as_ref().unwrap_err().contains(reason), "{found:?} / {reason}");
    }
}

/// The archive contains a file that looks like a manifest, and an end that names it. Tools would show another
/// site than the served one.
#[test]
fn footer_with_another_manifest_is_found() {
    let place = TestFolder::new();
    let mut files = files();
    let mut manifest = verify(&place.bundle(&files), Limits::default()).unwrap();
    manifest.about.version = Some("2".to_owned());
    files.push(("zz.json".to_owned(), serde_json::to_vec_pretty(&manifest).unwrap()));
    let path = place.bundle(&files);
    verify(&path, Limits::default()).unwrap();
    let member = Bundle::open(&path).unwrap().get("zz.json").unwrap().member;
    let mut changed = fs::read(&path).unwrap();
    let footer = changed.len() - 42;
    changed[footer + 16..footer + 24].copy_from_slice(&member.offset.to_le_bytes());
    changed[footer + 24..footer + 32].copy_from_slice(&member.length.to_le_bytes());
    let path = place.write(&changed);
    assert_eq!(Bundle::open(&path).unwrap().about().version.as_deref(), Some("2"));
    let found = verify(&path, Limits::default()).unwrap_err().to_string();
    assert!(found.contains("another manifest"), "{found}");
}

#[test]
fn large_bundles_are_refused() {
    let place = TestFolder::new();
    let bundle = fs::read(place.bundle(&files())).unwrap();
    let small = Limits { total: 50_000, ..Limits::default() };
    assert!(refused(&bundle, small).contains("too large"));
    let path = place.write(&bundle);
    let error = verify(&path, Limits { files: 2, ..Limits::default() });
    assert!(matches!(error, Err(BundleError::TooLarge(_))));
}

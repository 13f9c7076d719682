//! One suite for every object store: folders and buckets must behave the same.

mod moto;
mod trouble;

use std::{
    path::Path,
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use docwright_storage::{
    Keyring, ObjectError, Objects,
    objects::{Retries, S3Settings},
};
use docwright_testing::s3::{BUCKET, S3Server};
use docwright_testing::wait::eventually;
use docwright_types::timestamp::{DAY, MINUTE, Timestamp};
use futures::TryStreamExt;
use moto::Moto;

const MIB: usize = 1024 * 1024;
/// One hundredth of the service's delays. As in the service, a request has two minutes: a machine that runs other
/// tests can be slow.
const RETRIES: Retries = Retries {
    first_wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(50),
    give_up_after: Duration::from_mins(2),
};
/// The same for a store that stays away.
const FEW_RETRIES: Retries = Retries { give_up_after: Duration::from_secs(2), ..RETRIES };

/// Details of a store that tests need.
enum TestStore<'a> {
    Folder(&'a Path),
    S3s(&'a S3Server),
    Moto(&'a Moto),
}

impl TestStore<'_> {
    /// Unfinished uploads.
    async fn uploads(&self) -> usize {
        match self {
            TestStore::Folder(data) => {
                std::fs::read_dir(data.join("objects/.uploads")).unwrap().count()
            }
            TestStore::S3s(server) => server.uploads(),
            TestStore::Moto(moto) => moto.uploads(BUCKET).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folder() {
    let data = tempfile::tempdir().unwrap();
    let keyring = Keyring::open_folder(data.path()).unwrap();
    let objects = Objects::open_folder(data.path(), keyring).unwrap();
    let place = TestStore::Folder(data.path());
    conforms(&objects, &place).await;
    killed(&objects, &place).await;
    assert_eq!(objects.local_path("a/b"), Some(data.path().join("objects/a/b")));
    folder_links(&objects, data.path()).await;
}

/// docwright signs links to a folder itself and verifies them before it serves a file.
async fn folder_links(objects: &Objects, data: &Path) {
    let link = objects.link("a/b.tar.gz", "http://docs", (0, 100)).await.unwrap();
    let start = "http://docs/objects/a/b.tar.gz?expires=100&signature=";
    let signature = link.strip_prefix(start).unwrap();
    assert!(objects.is_good_link("a/b.tar.gz", signature, (99, 100)));
    assert!(
        !objects.is_good_link("a/b.tar.gz", signature, (100, 100)),
        "expired links are refused"
    );
    assert!(!objects.is_good_link("a/b.tar.gz", signature, (99, 101)));
    assert!(!objects.is_good_link("a/c.tar.gz", signature, (99, 100)));
    assert!(!objects.is_good_link("a/b.tar.gz", "", (99, 100)));
    let again = Objects::open_folder(data, Keyring::open_folder(data).unwrap()).unwrap();
    assert!(
        again.is_good_link("a/b.tar.gz", signature, (99, 100)),
        "the secret survives a restart"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn s3s() {
    let server = S3Server::start().await;
    let objects = open(&server, "s3://bundles/some/prefix").await.unwrap();
    let place = TestStore::S3s(&server);
    conforms(&objects, &place).await;
    links(&objects, &server).await;
    put(&objects, "beside/a", &contents(3)).await;
    assert!(server.file("some/prefix/beside/a").is_file());
    assert_eq!(objects.local_path("beside/a"), None);
    assert!(!objects.is_good_link("beside/a", "", (0, 1)));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packages of tests/mocks"]
async fn moto_server() {
    let server = Moto::start(BUCKET).await;
    let variables = [
        ("AWS_ENDPOINT_URL", server.address.as_str()),
        ("AWS_ACCESS_KEY_ID", "k"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("AWS_SERVER_SIDE_ENCRYPTION", "aws:kms"),
        ("AWS_SSE_KMS_KEY_ID", "arn:aws:kms:us-east-1:123456789012:key/abcd"),
    ];
    let settings = S3Settings::new("s3://bundles/p", owned(variables)).unwrap();
    let objects = Objects::open_s3(&settings.with_retries(RETRIES)).await.unwrap();
    let place = TestStore::Moto(&server);
    conforms(&objects, &place).await;
    killed(&objects, &place).await;
    let nothing = S3Settings::new("s3://nothing", owned(variables)).unwrap();
    let error = Objects::open_s3(&nothing).await.unwrap_err();
    assert!(
        matches!(&error, ObjectError::Settings(text) if text.contains("create the bucket")),
        "{error}"
    );
    for length in [3, 9 * MIB] {
        put(&objects, "sealed", &contents(length)).await;
        let link = objects.link("sealed", "", (0, MINUTE)).await.unwrap();
        let head = reqwest::get(link).await.unwrap();
        let header = |name: &str| head.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("x-amz-server-side-encryption"), "aws:kms", "{length}");
        assert_eq!(
            header("x-amz-server-side-encryption-aws-kms-key-id"),
            "arn:aws:kms:us-east-1:123456789012:key/abcd"
        );
        assert_eq!(header("content-type"), "application/gzip");
    }
}

async fn conforms(objects: &Objects, place: &TestStore<'_>) {
    what_goes_in_comes_out(objects).await;
    ranges(objects).await;
    what_is_not_there(objects).await;
    writers_at_once(objects).await;
    nothing_is_seen_before_the_end(objects, place).await;
    ages(objects).await;
    let mut keys = objects.list("").await.unwrap();
    keys.retain(|key| !key.starts_with("in-out/") && !key.starts_with("at-once/"));
    assert_eq!(keys, ["ranges"], "only this object is left");
}

async fn what_goes_in_comes_out(objects: &Objects) {
    let folder = tempfile::tempdir().unwrap();
    for size in [0, 1, 5 * MIB, 5 * MIB + 1, 8 * MIB, 40 * MIB] {
        let (key, bytes) = (format!("in-out/{size}/bundle.tar.gz"), contents(size));
        put(objects, &key, &bytes).await;
        assert_eq!(objects.size(&key).await.unwrap(), size as u64);
        assert!(read(objects, &key).await == bytes, "{size}");
        let file = folder.path().join("file");
        objects.download(&key, &file).await.unwrap();
        assert!(std::fs::read(&file).unwrap() == bytes, "{size}");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "only the old file is left"
        );
        assert_eq!(objects.list(&format!("in-out/{size}")).await.unwrap(), [key]);
    }
}

async fn ranges(objects: &Objects) {
    let bytes = contents(20 * MIB);
    put(objects, "ranges", &bytes).await;
    let end = bytes.len();
    for range in [0..1, 0..end, 7..8 * MIB + 3, 16 * MIB..end, end - 1..end, 5..5] {
        let wanted = Some(range.start as u64..range.end as u64);
        let stream = objects.get("ranges", wanted).await.unwrap();
        let read: Vec<Bytes> = stream.try_collect().await.unwrap();
        assert!(read.concat() == bytes[range.clone()], "{range:?}");
    }
}

async fn what_is_not_there(objects: &Objects) {
    let folder = tempfile::tempdir().unwrap();
    let missing = |error| matches!(error, ObjectError::Missing(key) if key == "not/there");
    assert!(missing(objects.get("not/there", None).await.err().unwrap()));
    assert!(missing(objects.size("not/there").await.unwrap_err()));
    let target = folder.path().join("file");
    assert!(missing(objects.download("not/there", &target).await.unwrap_err()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no file is created");
    objects.remove("not/there").await.unwrap();
    put(objects, "removed", b"1").await;
    objects.remove("removed").await.unwrap();
    assert!(objects.size("removed").await.is_err());
    assert!(objects.list("not").await.unwrap().is_empty());
    for key in ["", "../x", "a/../b", "/a", "a/", "a//b", ".hidden", "a b", "ä", "a?b", "a\\b"] {
        let refused = |error| matches!(error, ObjectError::Key(named) if named == key);
        assert!(refused(objects.upload(key).await.unwrap_err()), "{key}");
        assert!(refused(objects.get(key, None).await.err().unwrap()), "{key}");
        assert!(refused(objects.remove(key).await.unwrap_err()), "{key}");
        assert!(refused(objects.download(key, &target).await.unwrap_err()), "{key}");
        assert!(refused(objects.link(key, "", (0, MINUTE)).await.unwrap_err()), "{key}");
        assert_eq!(objects.local_path(key), None);
    }
}

/// Objects are listed by age. Removing them leaves no folders.
async fn ages(objects: &Objects) {
    for key in ["ages/one/1", "ages/two"] {
        put(objects, key, b"1").await;
    }
    let older = async |time| {
        let mut keys: Vec<String> = objects.older_than(time).try_collect().await.unwrap();
        keys.retain(|key| key.starts_with("ages/"));
        keys.sort();
        keys
    };
    assert_eq!(older(now() - DAY).await, [""; 0]);
    assert_eq!(older(now() + DAY).await, ["ages/one/1", "ages/two"]);
    objects.remove("ages/one/1").await.unwrap();
    assert_eq!(older(now() + DAY).await, ["ages/two"]);
    if let Some(path) = objects.local_path("ages/one") {
        assert!(!path.exists(), "empty folders are removed");
        assert!(path.parent().unwrap().is_dir());
    }
    objects.remove("ages/two").await.unwrap();
    assert_eq!(older(now() + DAY).await, [""; 0]);
}

async fn writers_at_once(objects: &Objects) {
    let writers = (0..8_u8).map(|number| {
        let (objects, key) = (objects.clone(), format!("at-once/{number}"));
        tokio::spawn(async move {
            let bytes = vec![number; 9 * MIB];
            put(&objects, &key, &bytes).await;
            assert!(read(&objects, &key).await == bytes);
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(objects.list("at-once").await.unwrap().len(), 8);
}

/// An unfinished upload leaves nothing.
async fn nothing_is_seen_before_the_end(objects: &Objects, place: &TestStore<'_>) {
    for size in [1, 20 * MIB] {
        let mut upload = objects.upload("broken").await.unwrap();
        upload.write(&contents(size)).await.unwrap();
        assert!(matches!(objects.size("broken").await, Err(ObjectError::Missing(_))));
        assert_eq!(objects.list("").await.unwrap().iter().find(|key| *key == "broken"), None);
        drop(upload);
        objects.settle().await;
        assert_eq!(place.uploads().await, 0, "{size}");
        assert!(objects.size("broken").await.is_err());
    }
    if let TestStore::S3s(server) = place {
        let early = server.failures.removed_early.load(Ordering::Relaxed);
        assert_eq!(early, 0, "a part that ends later stays");
    }
}

/// Remains of a killed process's uploads are removed after a while, not before.
async fn killed(objects: &Objects, place: &TestStore<'_>) {
    let stored = || match place {
        TestStore::S3s(server) => server.failures.stored.load(Ordering::Relaxed),
        TestStore::Folder(_) | TestStore::Moto(_) => 0,
    };
    let before = stored();
    let mut upload = objects.upload("killed").await.unwrap();
    upload.write(&contents(20 * MIB)).await.unwrap();
    eventually("one upload is open", async || place.uploads().await == 1).await;
    if let TestStore::S3s(_) = place {
        eventually("two parts are stored", async || stored() == before + 2).await;
    }
    // Simulates a killed process: the upload's destructor doesn't run.
    std::mem::forget(upload);
    // moto reports 2010 as the start of every upload.
    if !matches!(place, TestStore::Moto(_)) {
        assert_eq!(objects.remove_broken_uploads(now() - DAY).await.unwrap(), 0);
        assert_eq!(place.uploads().await, 1);
    }
    assert_eq!(objects.remove_broken_uploads(now() + MINUTE).await.unwrap(), 1);
    assert_eq!(place.uploads().await, 0);
    assert_eq!(objects.remove_broken_uploads(now() + MINUTE).await.unwrap(), 0);
}

/// Links need no key, expire, and can't be altered.
async fn links(objects: &Objects, server: &S3Server) {
    let bytes = contents(9 * MIB);
    put(objects, "linked/bundle.tar.gz", &bytes).await;
    put(objects, "linked/other", b"other").await;
    let link = |seconds: Timestamp| objects.link("linked/bundle.tar.gz", "", (0, seconds * 1000));
    let link = async |seconds| link(seconds).await.unwrap();
    let good = link(60).await;
    assert!(good.starts_with(&format!("{}/bundles/some/prefix/linked/", server.address)), "{good}");
    let client = reqwest::Client::new();
    let whole = client.get(&good).send().await.unwrap();
    assert_eq!(whole.status(), 200);
    assert!(whole.bytes().await.unwrap() == bytes);
    let part = client.get(&good).header("Range", "bytes=8388600-8388610").send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.bytes().await.unwrap(), bytes[8_388_600..=8_388_610]);
    let (path, query) = good.split_once('?').unwrap();
    for altered in [
        path.to_owned(),
        good.replace("linked/bundle.tar.gz", "linked/other"),
        good.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
        format!("{path}?{}", altered_end(query)),
    ] {
        assert_ne!(altered, good);
        assert_eq!(client.get(&altered).send().await.unwrap().status(), 403, "{altered}");
    }
    assert_eq!(client.put(&good).send().await.unwrap().status(), 403, "links are read-only");
    let short = link(1).await;
    eventually("the link has expired", async || {
        client.get(&short).send().await.unwrap().status() == 403
    })
    .await;
    assert_eq!(client.get(&good).send().await.unwrap().status(), 200);
}

/// Alters the signature, which is at the end.
fn altered_end(query: &str) -> String {
    let (rest, last) = query.split_at(query.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

async fn open(server: &S3Server, address: &str) -> Result<Objects, ObjectError> {
    open_with(server, address, RETRIES).await
}

async fn open_with(
    server: &S3Server,
    address: &str,
    retries: Retries,
) -> Result<Objects, ObjectError> {
    let settings = S3Settings::new(address, owned(server.variables()))?;
    Objects::open_s3(&settings.with_retries(retries)).await
}

fn owned<V: Into<String>>(
    variables: impl IntoIterator<Item = (&'static str, V)>,
) -> Vec<(String, String)> {
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

async fn put(objects: &Objects, key: &str, bytes: &[u8]) {
    let mut upload = objects.upload(key).await.unwrap();
    // Chunks that don't align with upload parts.
    for piece in bytes.chunks(300_007) {
        upload.write(piece).await.unwrap();
    }
    upload.finish().await.unwrap();
}

async fn read(objects: &Objects, key: &str) -> Vec<u8> {
    let stream = objects.get(key, None).await.unwrap();
    stream.try_collect::<Vec<Bytes>>().await.unwrap().concat()
}

/// Bytes that don't repeat with a short period.
fn contents(length: usize) -> Vec<u8> {
    let byte = |place: u32| place.wrapping_mul(2_654_435_761).to_be_bytes()[0];
    (0..u32::try_from(length).unwrap()).map(byte).collect()
}

fn now() -> Timestamp {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    now.as_millis().try_into().unwrap()
}

use std::fs;

use super::*;

/// Larger than the caches of these tests.
const ROOM: u64 = 1024 * 1024 * 1024;

fn key(number: u8) -> Key {
    Key { kind: Kind::Page, hash: [number; 32] }
}

fn bytes(cache: &ResultCache, number: u8) -> Option<Vec<u8>> {
    cache.get(&key(number)).map(|(_, bytes)| bytes)
}

struct TestCache {
    folder: tempfile::TempDir,
}

impl TestCache {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("below/results")
    }

    fn open(&self) -> ResultCache {
        ResultCache::open(&self.path(), ROOM)
    }

    /// Adds entries in a build of its own.
    fn add(&self, entries: &[(u8, &[u8])]) {
        let cache = self.open();
        for (number, bytes) in entries {
            assert!(cache.add(key(*number), bytes).is_some(), "{number}");
        }
        cache.save().unwrap();
    }

    fn length(&self) -> u64 {
        fs::metadata(self.path()).unwrap().len()
    }
}

#[test]
fn entries_are_found_by_later_builds() {
    let place = TestCache::new();
    place.add(&[(1, b"one"), (2, b"")]);
    place.add(&[(3, b"three"), (1, b"new")]);
    let cache = place.open();
    let found: Vec<_> = (1..5).map(|number| bytes(&cache, number)).collect();
    let expected: [Option<&[u8]>; 4] = [Some(b"new"), Some(b""), Some(b"three"), None];
    assert_eq!(found, expected.map(|bytes| bytes.map(<[u8]>::to_vec)));
    let contents = Key { kind: Kind::Contents, hash: [1; 32] };
    assert!(cache.get(&contents).is_none(), "it is of another kind");
}

#[test]
fn unsaved_entries_are_not_found() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let killed = place.open();
    killed.add(key(1), b"half").unwrap();
    killed.add(key(2), b"two").unwrap();
    // The lock ends with the process, and nothing else happens.
    drop(killed);
    let cache = place.open();
    assert_eq!((bytes(&cache, 1), bytes(&cache, 2)), (Some(b"one".to_vec()), None));
    cache.add(key(2), b"again").unwrap();
    cache.save().unwrap();
    assert_eq!(bytes(&place.open(), 2), Some(b"again".to_vec()));
}

#[test]
fn interrupted_save_leaves_earlier_entries() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let before = fs::read(place.path()).unwrap();
    place.add(&[(1, b"two"), (2, b"two")]);
    let after = fs::read(place.path()).unwrap();
    assert!(after.len() > before.len());
    // The bytes arrive in order, and the slot last: without it, the file is as before.
    for length in before.len()..after.len() {
        let mut partial = after[..length].to_vec();
        let header = usize::try_from(HEADER).unwrap();
        partial[..header].copy_from_slice(&before[..header]);
        fs::write(place.path(), &partial).unwrap();
        let cache = place.open();
        assert_eq!((bytes(&cache, 1), bytes(&cache, 2)), (Some(b"one".to_vec()), None), "{length}");
    }
    // A torn slot isn't read either.
    for torn in 81..80 + 28 {
        let mut partial = after.clone();
        let slot = usize::try_from(Slot::offset(2)).unwrap();
        partial[slot + torn - 80..slot + 28].fill(0);
        fs::write(place.path(), &partial).unwrap();
        let found = bytes(&place.open(), 1).unwrap();
        assert!(found == b"one" || found == b"two", "{torn}");
    }
}

#[test]
fn damaged_bytes_are_never_returned() {
    let place = TestCache::new();
    place.add(&[(1, b"first entry"), (2, b"second entry")]);
    let whole = fs::read(place.path()).unwrap();
    let mut lost = 0;
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(place.path(), &damaged).unwrap();
        let cache = place.open();
        for (number, expected) in [(1, &b"first entry"[..]), (2, b"second entry")] {
            match bytes(&cache, number) {
                Some(found) => assert_eq!(found, expected, "byte {at}"),
                None => lost += 1,
            }
        }
        drop(cache);
        // It can be used again after any damage.
        place.add(&[(3, b"third")]);
        assert_eq!(bytes(&place.open(), 3), Some(b"third".to_vec()), "byte {at}");
    }
    assert!(lost > 100, "{lost}");
}

#[test]
fn shortened_file_is_used_as_far_as_it_goes() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let whole = fs::read(place.path()).unwrap();
    for length in 0..whole.len() {
        fs::write(place.path(), &whole[..length]).unwrap();
        assert_eq!(bytes(&place.open(), 1), None, "{length}");
        place.add(&[(1, b"again")]);
        assert_eq!(bytes(&place.open(), 1), Some(b"again".to_vec()), "{length}");
    }
}

#[test]
fn file_of_another_format_is_replaced() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let mut other = fs::read(place.path()).unwrap();
    other[15] += 1;
    fs::write(place.path(), &other).unwrap();
    let reader = File::open(place.path()).unwrap();
    place.add(&[(2, b"two")]);
    let cache = place.open();
    assert_eq!((bytes(&cache, 1), bytes(&cache, 2)), (None, Some(b"two".to_vec())));
    let still = file::read_at(&reader, 0, other.len() as u64).unwrap();
    assert!(still == other, "a reader of the other format sees other bytes");
}

#[test]
fn second_build_reads_and_adds_nothing() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let first = place.open();
    let second = place.open();
    assert!(second.add(key(2), b"two").is_none());
    assert_eq!(bytes(&second, 1), Some(b"one".to_vec()));
    first.add(key(3), b"three").unwrap();
    first.save().unwrap();
    second.save().unwrap();
    drop((first, second));
    let third = place.open();
    assert_eq!((bytes(&third, 2), bytes(&third, 3)), (None, Some(b"three".to_vec())));
}

#[test]
fn reader_keeps_its_entries_while_another_build_rewrites() {
    let place = TestCache::new();
    let long = vec![7; 3 * 1024 * 1024];
    place.add(&[(1, b"one"), (2, &long)]);
    let writer = place.open();
    let reader = place.open();
    writer.get(&key(1)).unwrap();
    for _ in 0..2 {
        writer.add(key(2), &long).unwrap();
    }
    writer.save().unwrap();
    assert!(place.length() < 4 * 1024 * 1024, "{}", place.length());
    assert_eq!(bytes(&reader, 1), Some(b"one".to_vec()));
    assert_eq!(bytes(&reader, 2), Some(long.clone()));
    drop((reader, writer));
    assert_eq!(bytes(&place.open(), 2), Some(long));
}

#[test]
fn file_stays_within_its_limit() {
    let place = TestCache::new();
    let limit = 4 * 1024 * 1024;
    let large = vec![1; 300_000];
    for build in 0..40_u8 {
        let cache = ResultCache::open(&place.path(), limit);
        for number in 0..5 {
            // Each build has other results than the last one.
            cache.add(key(number * 40 + build), &large);
        }
        cache.save().unwrap();
        assert!(place.length() <= limit + 64 * 1024, "{}", place.length());
        let cache = ResultCache::open(&place.path(), limit);
        let found = (0..5).filter(|number| bytes(&cache, number * 40 + build).is_some()).count();
        assert!(found > 0, "build {build} found nothing of the last one");
    }
    let cache = ResultCache::open(&place.path(), limit);
    let larger = vec![2; 5 * 1024 * 1024];
    assert!(cache.add(key(250), &larger).is_none());
    cache.save().unwrap();
}

#[test]
fn unused_entries_are_forgotten_after_some_builds() {
    let place = TestCache::new();
    place.add(&[(1, b"used"), (2, b"unused")]);
    for build in 10..10 + u8::try_from(UNUSED_BUILDS).unwrap() {
        let cache = place.open();
        assert!(bytes(&cache, 1).is_some() && cache.known.contains_key(&key(2)), "{build}");
        cache.add(key(build), b"new").unwrap();
        cache.save().unwrap();
    }
    let cache = place.open();
    assert!(bytes(&cache, 1).is_some() && !cache.known.contains_key(&key(2)));
}

#[test]
fn nothing_new_writes_nothing() {
    let place = TestCache::new();
    place.add(&[(1, b"one")]);
    let before = fs::read(place.path()).unwrap();
    let cache = place.open();
    assert!(bytes(&cache, 1).is_some());
    cache.save().unwrap();
    assert!(fs::read(place.path()).unwrap() == before);
}

#[test]
fn cache_without_file_is_empty_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    // A file can't be a folder, and a folder can't be the file.
    fs::create_dir(folder.path().join("folder")).unwrap();
    for path in ["file/results", "folder"] {
        let cache = ResultCache::open(&folder.path().join(path), ROOM);
        assert!(bytes(&cache, 1).is_none() && cache.add(key(1), b"one").is_none(), "{path}");
        cache.save().unwrap_err();
    }
}

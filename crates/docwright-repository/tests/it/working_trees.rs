//! Files of a commit that are made from those of another one.

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use docwright_repository::{
    checkout::{Checkout, Origin, Revision},
    remote::Access,
};
use docwright_testing::wait::eventually;

use crate::repositories::{TestRepository, names};

/// Checks out the newest commit into the clone of an owner.
async fn check_out(place: &TestRepository, owner: &str) -> Checkout {
    let (address, access) = (place.address(), Access::Anonymous);
    let origin = Origin::Remote { owner, address: &address, access: &access };
    place.checkouts.check_out(&origin, "", Revision::Default).await.unwrap()
}

/// What is below a folder: for each path its kind, whether it is executable, and its contents.
fn contents(folder: &Path) -> BTreeMap<String, (&'static str, bool, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for name in names(&folder.join(&below)) {
            let (path, below) = (folder.join(&below).join(&name), below.join(&name));
            let metadata = fs::symlink_metadata(&path).unwrap();
            let entry = if metadata.is_dir() {
                folders.push(below.clone());
                ("folder", false, Vec::new())
            } else if metadata.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                ("link", false, target.into_os_string().into_encoded_bytes())
            } else {
                ("file", metadata.mode() & 0o100 != 0, fs::read(&path).unwrap())
            };
            found.insert(below.display().to_string(), entry);
        }
    }
    found
}

/// The folder with the files of commits, of the only clone.
fn files(place: &TestRepository) -> PathBuf {
    let cache = place.folder.path().join("cache");
    let clone = names(&cache).into_iter().map(|name| cache.join(name)).find(|path| path.is_dir());
    clone.unwrap().join("files")
}

#[tokio::test]
async fn updated_files_equal_newly_written_ones() {
    let place = TestRepository::new();
    let source = place.source();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(source.join(path).parent().unwrap()).unwrap();
        fs::write(source.join(path), text).unwrap();
    };
    let remove = |path: &str| {
        let path = source.join(path);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    };
    let rename = |from: &str, to: &str| fs::rename(source.join(from), source.join(to)).unwrap();
    let executable = |mode: u32| {
        fs::set_permissions(source.join("run.sh"), Permissions::from_mode(mode)).unwrap();
    };
    let steps: [(&str, &dyn Fn()); 15] = [
        ("first", &|| {
            write("docs.json", "{}");
            write("a/one.mdx", "one\r\n");
            write("a/b/two.mdx", "two\n");
            write("run.sh", "exit\n");
        }),
        ("text", &|| write("a/one.mdx", "other\n")),
        ("same length", &|| write("a/one.mdx", "OTHER\n")),
        ("more files", &|| write("c/d/e/three.mdx", "three\n")),
        ("renamed", &|| rename("a/b/two.mdx", "a/b/deux.mdx")),
        ("executable", &|| executable(0o755)),
        ("not executable", &|| executable(0o644)),
        ("link to a folder", &|| symlink("a", source.join("link")).unwrap()),
        ("folder in place of a link", &|| {
            remove("link");
            write("link/one.mdx", "one\n");
        }),
        ("link in place of a folder", &|| {
            remove("link");
            symlink("docs.json", source.join("link")).unwrap();
        }),
        ("file in place of a folder", &|| {
            remove("c");
            write("c", "text\n");
        }),
        ("attributes of lines", &|| write(".gitattributes", "*.mdx text eol=crlf\n")),
        ("attributes of a folder", &|| write("a/.gitattributes", "*.mdx -text\n")),
        ("no attributes", &|| {
            remove(".gitattributes");
            remove("a/.gitattributes");
        }),
        ("nothing left", &|| {
            for path in ["a", "c", "link", "run.sh"] {
                remove(path);
            }
        }),
    ];
    for (name, change) in steps {
        change();
        place.commit_all(name);
        let updated = contents(check_out(&place, "org").await.folder());
        let written = contents(check_out(&place, name).await.folder());
        assert_eq!(updated, written, "{name}");
    }
}

#[tokio::test]
async fn unchanged_files_are_not_written_again() {
    let place = TestRepository::new();
    place.commit(&[("image.png", "image"), ("page.mdx", "zero")]);
    let stamp = |checkout: &Checkout| {
        let metadata = fs::metadata(checkout.folder().join("image.png")).unwrap();
        (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    };
    let before = std::cell::Cell::new(stamp(&check_out(&place, "org").await));
    // A process that another test starts holds the locks until it has replaced the copy of this one.
    let number = std::cell::Cell::new(0);
    eventually("the image is that of the commit before", async || {
        number.set(number.get() + 1);
        let text = number.get().to_string();
        place.commit(&[("page.mdx", &text)]);
        let checkout = check_out(&place, "org").await;
        assert_eq!(fs::read_to_string(checkout.folder().join("page.mdx")).unwrap(), text);
        let now = stamp(&checkout);
        before.replace(now) == now
    })
    .await;
}

#[tokio::test]
async fn files_in_use_are_not_taken() {
    let place = TestRepository::new();
    place.commit(&[("page.mdx", "one")]);
    let used = check_out(&place, "org").await;
    place.commit(&[("page.mdx", "two")]);
    let next = check_out(&place, "org").await;
    let read = |checkout: &Checkout| fs::read_to_string(checkout.folder().join("page.mdx"));
    assert_eq!((read(&used).unwrap(), read(&next).unwrap()), ("one".to_owned(), "two".to_owned()));
}

#[tokio::test]
async fn changed_or_damaged_files_are_repaired() {
    type Damage<'d> = (&'d str, &'d dyn Fn(&Path));

    let place = TestRepository::new();
    place.commit(&[("page.mdx", "page"), ("other.mdx", "zero")]);
    let damages: [Damage<'_>; 4] = [
        ("changed", &|kept| fs::write(kept.join("tree/page.mdx"), "text").unwrap()),
        ("removed", &|kept| fs::remove_file(kept.join("tree/page.mdx")).unwrap()),
        ("damaged index", &|kept| fs::write(kept.join("index"), "DIRC").unwrap()),
        ("no index", &|kept| fs::remove_file(kept.join("index")).unwrap()),
    ];
    for (name, damage) in damages {
        let commit = check_out(&place, "org").await.commit().unwrap().to_owned();
        damage(&files(&place).join(commit));
        place.commit(&[("other.mdx", name)]);
        let checkout = check_out(&place, "org").await;
        let page = fs::read_to_string(checkout.folder().join("page.mdx")).unwrap();
        assert_eq!(page, "page", "{name}");
    }
}

#[tokio::test]
async fn partial_files_of_killed_process_are_removed_after_a_time() {
    let place = TestRepository::new();
    place.commit(&[("page.mdx", "page")]);
    drop(check_out(&place, "org").await);
    let kept = |name: &str, age: Duration| {
        let folder = files(&place).join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("page.mdx"), "pa").unwrap();
        let written = SystemTime::now() - age;
        fs::File::open(&folder).unwrap().set_modified(written).unwrap();
    };
    kept("partial-old", Duration::from_hours(2));
    kept("partial-new", Duration::from_mins(5));
    let commit = check_out(&place, "org").await.commit().unwrap().to_owned();
    assert_eq!(
        names(&files(&place)),
        [commit.clone(), format!("{commit}.lock"), "partial-new".to_owned()]
    );
}

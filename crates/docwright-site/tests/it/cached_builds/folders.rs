//! Builds into a folder with an earlier build in it.
#![cfg(unix)]

use std::time::Duration;

use docwright_site::{
    folder::{FolderWriter, files_of},
    stamp::{Snapshot, Stamp},
};

use super::*;

/// A page whose links lead to missing anchors. Where it is rendered, its first version replaces the file.
const WRITTEN_TWICE: &str = "index.html";

/// A folder for a site, and the snapshot of the last build.
struct Site {
    folder: tempfile::TempDir,
    last: Option<Snapshot>,
}

/// A change of a built folder, and its name.
type Change<'a> = (&'a str, &'a dyn Fn(&Site));

/// The files of a folder.
type Contents = BTreeMap<String, Vec<u8>>;

impl Site {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), last: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds into the folder, some time after its files were written.
    fn build(&mut self, root: &Root, cache: Option<&Cache>) -> Report {
        let now = fs::metadata(self.folder.path()).unwrap().modified().unwrap();
        let now = now + Duration::from_mins(1);
        let opened = cache.map(Cache::open);
        let state = (opened.clone(), self.last.take());
        let writer = FolderWriter::new(self.folder.path(), state, now).unwrap();
        let report = build(&root.source(), &root.options, &writer, &|_| {}).unwrap();
        self.last = writer.finish(&[]).unwrap();
        if let Some(cache) = opened {
            cache.save().unwrap();
        }
        report
    }

    fn files(&self) -> Contents {
        let files = files_of(self.folder.path()).unwrap().expect("only plain files");
        files.into_iter().map(|file| (file.path, fs::read(file.place).unwrap())).collect()
    }

    fn stamps(&self) -> BTreeMap<String, Stamp> {
        let files = files_of(self.folder.path()).unwrap().expect("only plain files");
        files.into_iter().map(|file| (file.path, file.stamp)).collect()
    }

    /// Builds, and checks that the folder is that of a first build, and that files with the same contents weren't written.
    fn check(&mut self, root: &Root, cache: Option<&Cache>, what: &str) -> Report {
        let (files, stamps) = (self.files(), self.stamps());
        let report = self.build(root, cache);
        let mut first = Site::new();
        first.build(root, None);
        let (found, expected) = (self.files(), first.files());
        let differs = |path: &&&String| found.get(**path) != expected.get(**path);
        let paths: BTreeSet<_> = found.keys().chain(expected.keys()).collect();
        let differing: Vec<_> = paths.iter().filter(differs).collect();
        assert!(differing.is_empty(), "{what}: {differing:?}");
        for (path, stamp) in self.stamps() {
            let is_same = files.get(&path) == Some(&found[&path]) && path != WRITTEN_TWICE;
            assert!(!is_same || stamps[&path] == stamp, "{what}: {path} was written again");
        }
        report
    }
}

#[test]
fn unchanged_site_writes_nothing() {
    let (root, cache, mut site) = (site(), Cache::new(), Site::new());
    site.build(&root, Some(&cache));
    let stamps = site.stamps();
    let report = site.check(&root, Some(&cache), "first build in the folder");
    assert_eq!(report.reused_pages, report.pages);
    assert!(site.last.as_ref().unwrap().is_settled());
    site.check(&root, Some(&cache), "settled");
    assert!(site.stamps() == stamps);
    site.check(&root, None, "without a cache");
}

#[test]
fn any_changed_file_gives_the_folder_of_a_first_build() {
    let (root, cache, mut site) = (site(), Cache::new(), Site::new());
    site.build(&root, Some(&cache));
    for (path, contents) in &root.files {
        let (name, changed) = changes(path, contents).pop().unwrap();
        let changed = root.with(path, changed.unwrap_or_default());
        site.check(&changed, Some(&cache), &name);
        site.check(&root, Some(&cache), &format!("{name}, changed back"));
    }
    for path in ["guide.mdx", "images/one.png", "snippets/old.mdx", "style.css"] {
        site.check(&root.without(path), Some(&cache), path);
    }
}

#[test]
fn bundle_and_folder_share_results() {
    let (root, cache, mut folder) = (site(), Cache::new(), Site::new());
    folder.build(&root, Some(&cache));
    let report = root.check(&cache, "bundle after a folder").report;
    assert_eq!(report.reused_pages, report.pages);
    let mut other = Site::new();
    let report = other.check(&root, Some(&cache), "folder after a bundle");
    assert_eq!(report.reused_pages, report.pages);
}

#[test]
fn changed_folder_is_repaired() {
    let (root, cache, mut site) = (site(), Cache::new(), Site::new());
    site.build(&root, Some(&cache));
    site.build(&root, Some(&cache));
    let damage = |path: &Path| {
        let mut contents = fs::read(path).unwrap();
        contents[10] ^= 1;
        fs::write(path, contents).unwrap();
    };
    let changes: [Change<'_>; 6] = [
        ("damaged", &|site| damage(&site.path("guide.html"))),
        ("damaged image", &|site| damage(&site.path("images/one.png"))),
        ("removed", &|site| fs::remove_file(site.path("index.html")).unwrap()),
        ("more files", &|site| {
            fs::create_dir_all(site.path("more/of/them")).unwrap();
            fs::write(site.path("more/of/them/a.html"), "a").unwrap();
        }),
        ("folder in the way", &|site| {
            fs::remove_file(site.path("guide.html")).unwrap();
            fs::create_dir_all(site.path("guide.html/below")).unwrap();
        }),
        ("file in the way", &|site| {
            fs::remove_dir_all(site.path("images")).unwrap();
            fs::write(site.path("images"), "a file").unwrap();
        }),
    ];
    for (what, change) in changes {
        for cache in [Some(&cache), None] {
            change(&site);
            site.check(&root, cache, what);
            assert!(!site.path("more").exists(), "an empty folder is left");
        }
        site.build(&root, Some(&cache));
    }
}

#[test]
#[cfg(unix)]
fn links_lead_nothing_out_of_the_folder() {
    let (root, cache, mut site) = (site(), Cache::new(), Site::new());
    site.build(&root, Some(&cache));
    let elsewhere = tempfile::tempdir().unwrap();
    let precious = elsewhere.path().join("guide.html");
    fs::write(&precious, "precious").unwrap();
    for name in ["guide.html", "more.html"] {
        let _ = fs::remove_file(site.path(name));
        std::os::unix::fs::symlink(&precious, site.path(name)).unwrap();
    }
    fs::remove_dir_all(site.path("images")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), site.path("images")).unwrap();
    // A backup can share files with the folder.
    fs::remove_file(site.path("code.html")).unwrap();
    fs::hard_link(&precious, site.path("code.html")).unwrap();
    site.build(&root, Some(&cache));
    let mut first = Site::new();
    first.build(&root, None);
    assert!(site.files() == first.files());
    assert_eq!(fs::read(precious).unwrap(), b"precious");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn interrupted_build_is_completed() {
    let (root, cache, mut site) = (site(), Cache::new(), Site::new());
    site.build(&root, Some(&cache));
    let last = site.last.clone();
    let changed = root.with("guide.mdx", "Other text.");
    // The process ends before the snapshot is kept, and the change is undone.
    site.build(&changed, Some(&cache));
    site.last = last;
    site.check(&root, Some(&cache), "after an interrupted build");
}

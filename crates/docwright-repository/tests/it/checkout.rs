//! Files of a repository: checkouts, refusals, and git's data.

use std::{collections::BTreeSet, os::unix::fs::symlink, path::Path};

use docwright_repository::{
    checkout::{Checkout, CheckoutError, Checkouts, Limits, Origin, Revision},
    clones::CloneLimits,
    history,
    remote::Access,
    web,
};

use crate::repositories::{TestRepository, git, names};

async fn remote(
    place: &TestRepository,
    docs: &str,
    revision: Revision<'_>,
) -> Result<Checkout, CheckoutError> {
    let (address, access) = (place.address(), Access::Anonymous);
    let origin = Origin::Remote { owner: "org", address: &address, access: &access };
    place.checkouts.check_out(&origin, docs, revision).await
}

fn read(checkout: &Checkout, path: &str) -> String {
    std::fs::read_to_string(checkout.root().join(path)).unwrap()
}

#[tokio::test]
async fn requested_commit_is_checked_out() {
    let place = TestRepository::new();
    let first = place.commit(&[("docs/a.mdx", "one")]);
    git(&place.source(), &["branch", "next"]);
    let second = place.commit(&[("docs/a.mdx", "two")]);
    let default = remote(&place, "docs", Revision::Default).await.unwrap();
    assert_eq!(read(&default, "a.mdx"), "two");
    assert_eq!((default.commit(), default.branch()), (Some(&*second), Some("trunk")));
    assert_eq!(
        (default.docs(), default.path_of(default.root()).unwrap()),
        ("docs".into(), "docs".into())
    );
    let branch =
        remote(&place, "/docs/".trim_start_matches('/'), Revision::Branch("next")).await.unwrap();
    assert_eq!((read(&branch, "a.mdx").as_str(), branch.commit()), ("one", Some(&*first)));
    let commit = remote(&place, "", Revision::Commit(&first)).await.unwrap();
    assert_eq!((read(&commit, "docs/a.mdx").as_str(), commit.branch()), ("one", None));
    assert!(commit.folder().starts_with(place.folder.path().canonicalize().unwrap()));
    for missing in [Revision::Branch("none"), Revision::Commit("0000"), Revision::Branch("-x")] {
        let error = remote(&place, "", missing).await.unwrap_err();
        assert!(!error.is_transient(), "{missing:?}: {error}");
    }
    let gone = "1".repeat(40);
    assert!(!remote(&place, "", Revision::Commit(&gone)).await.unwrap_err().is_transient());
}

#[tokio::test]
async fn ref_other_than_branch_is_fetched() {
    let place = TestRepository::new();
    place.commit(&[("a.mdx", "one")]);
    let pull = place.commit(&[("a.mdx", "two")]);
    git(&place.source(), &["update-ref", "refs/pull/7/head", &pull]);
    git(&place.source(), &["reset", "--quiet", "--hard", "HEAD~1"]);
    let checkout = remote(&place, "", Revision::Ref("refs/pull/7/head")).await.unwrap();
    assert_eq!((read(&checkout, "a.mdx").as_str(), checkout.commit()), ("two", Some(&*pull)));
    assert_eq!(checkout.branch(), None);
    for missing in ["refs/pull/8/head", "refs/pull/*", "--upload-pack=x", "HEAD:x"] {
        let error = remote(&place, "", Revision::Ref(missing)).await.unwrap_err();
        assert!(!error.is_transient(), "{missing}: {error}");
    }
}

#[tokio::test]
async fn bare_repository_needs_no_clone_and_folder_is_used_in_place() {
    let place = TestRepository::new();
    let commit = place.commit(&[("a.mdx", "one")]);
    let bare = place.folder.path().join("bare.git");
    git(place.folder.path(), &["clone", "--quiet", "--bare", "source", "bare.git"]);
    let checkout =
        place.checkouts.check_out(&Origin::Bare(&bare), "", Revision::Default).await.unwrap();
    assert_eq!((checkout.commit(), read(&checkout, "a.mdx").as_str()), (Some(&*commit), "one"));
    assert_eq!(checkout.repository(), Some(bare));
    let source = place.source();
    let folder = Origin::Folder(&source);
    let clean = place.checkouts.check_out(&folder, "", Revision::Default).await.unwrap();
    assert_eq!((clean.commit(), clean.repository()), (Some(&*commit), None));
    assert_eq!(clean.root(), source.canonicalize().unwrap());
    std::fs::write(source.join("b.mdx"), "new").unwrap();
    let changed = place.checkouts.check_out(&folder, "", Revision::Default).await.unwrap();
    assert_eq!(changed.commit(), None, "uncommitted changes have no commit");
    let none = Origin::Folder(Path::new("/none"));
    let gone = place.checkouts.check_out(&none, "", Revision::Default);
    assert!(matches!(gone.await, Err(CheckoutError::NoFolder)));
}

#[tokio::test]
async fn docs_path_outside_the_repository_is_refused() {
    let place = TestRepository::new();
    let other = place.folder.path().join("other");
    std::fs::create_dir_all(other.join("inner")).unwrap();
    std::fs::write(other.join("docs.json"), "{}").unwrap();
    let source = place.source();
    place.commit(&[("real/docs.json", "{}"), ("file.mdx", "text")]);
    symlink(&other, source.join("absolute")).unwrap();
    symlink("../../../../other", source.join("relative")).unwrap();
    symlink("real", source.join("inside")).unwrap();
    symlink("absolute", source.join("chained")).unwrap();
    symlink(".git", source.join("settings")).unwrap();
    place.commit_all("Links");
    let bare = place.folder.path().join("bare.git");
    git(place.folder.path(), &["clone", "--quiet", "--bare", "source", "bare.git"]);
    let (address, access) = (place.address(), Access::Anonymous);
    let origins = [
        Origin::Remote { owner: "org", address: &address, access: &access },
        Origin::Bare(&bare),
        Origin::Folder(&source),
    ];
    for origin in origins {
        let check_out = |docs| place.checkouts.check_out(&origin, docs, Revision::Default);
        let inside = check_out("inside").await.unwrap();
        assert_eq!(inside.docs(), "real", "links within the repository are resolved");
        let escape = inside.path_of(&inside.folder().join("absolute")).unwrap_err();
        assert!(matches!(escape, CheckoutError::DocsPath { .. }), "{escape}");
        for docs in [
            "absolute",
            "relative",
            "chained",
            "absolute/inner",
            "..",
            "real/../../other",
            "/etc",
            "file.mdx",
            "none",
            ".",
        ] {
            let error = check_out(docs).await.err().unwrap_or_else(|| panic!("{origin:?} {docs}"));
            let text = error.to_string();
            assert!(text.contains(&format!("`{docs}`")), "{text}");
            assert!(!text.contains(&place.folder.path().display().to_string()), "{text}");
            assert!(!error.is_transient());
        }
    }
}

#[tokio::test]
async fn each_limit_is_named_before_anything_is_written() {
    let deep = format!("{}x.mdx", "d/".repeat(4));
    for (limits, part) in [
        (Limits { bytes: 100, ..Limits::default() }, "exceed 100 bytes"),
        (Limits { files: 2, ..Limits::default() }, "more than 2 files"),
        (Limits { depth: 4, ..Limits::default() }, "more than 4 deep"),
    ] {
        let place = TestRepository::with(CloneLimits::default(), limits);
        place.commit(&[("a.mdx", &"x".repeat(60)), ("b.mdx", &"x".repeat(60)), (&deep, "")]);
        let error = remote(&place, "", Revision::Default).await.unwrap_err();
        assert!(error.to_string().contains(part) && !error.is_transient(), "{error}");
        let clone = names(&place.folder.path().join("cache")).into_iter().next().unwrap();
        let files =
            place.folder.path().join("cache").join(clone.trim_end_matches(".change")).join("files");
        assert!(names(&files).iter().all(|name| name.ends_with(".lock")), "{:?}", names(&files));
    }
    let exact = Limits { bytes: 120, files: 3, depth: 5 };
    let place = TestRepository::with(CloneLimits::default(), exact);
    place.commit(&[("a.mdx", &"x".repeat(60)), ("b.mdx", &"x".repeat(60)), (&deep, "")]);
    assert!(remote(&place, "", Revision::Default).await.is_ok(), "a limit itself is allowed");
}

#[tokio::test]
async fn unsafe_path_in_tree_is_refused() {
    let place = TestRepository::new();
    place.commit(&[("a", "one")]);
    let blob = place.git(&["rev-parse", "HEAD:a"]);
    // Git creates such a tree only when it is written manually.
    let file = place.folder.path().join("tree");
    let mut tree = b"100644 ..\0".to_vec();
    tree.extend((0..20).map(|at| u8::from_str_radix(&blob[at * 2..at * 2 + 2], 16).unwrap()));
    std::fs::write(&file, tree).unwrap();
    let path = file.display().to_string();
    let tree = place.git(&["hash-object", "-t", "tree", "--literally", "-w", &path]);
    let commit = place.git(&["commit-tree", &tree, "-m", "Trap"]);
    place.git(&["update-ref", "refs/heads/trunk", &commit]);
    let error = remote(&place, "", Revision::Default).await.unwrap_err();
    assert!(matches!(&error, CheckoutError::Path(path) if path == ".."), "{error}");
}

#[tokio::test]
async fn git_reports_dates_commits_and_trees() {
    let place = TestRepository::new();
    let dated = |date: &str| {
        let command =
            ["-c", "user.name=Ada", "-c", "user.email=a@example.org", "commit", "-qam", "x"];
        let mut command = std::process::Command::new("git")
            .args(command)
            .current_dir(place.source())
            .env("GIT_COMMITTER_DATE", date)
            .spawn()
            .unwrap();
        assert!(command.wait().unwrap().success());
    };
    place.commit(&[("docs/docs.json", "{}"), ("docs/ä b.mdx", "one"), ("other", "x")]);
    for (path, text, date) in [
        ("docs/docs.json", "1", "2024-01-02T03:04:05Z"),
        ("docs/ä b.mdx", "2", "2024-02-02T03:04:05Z"),
        ("docs/docs.json", "3", "2024-03-02T03:04:05Z"),
        ("other", "4", "2024-04-02T03:04:05Z"),
    ] {
        std::fs::write(place.source().join(path), text).unwrap();
        dated(date);
    }
    let checkout = remote(&place, "docs", Revision::Default).await.unwrap();
    let checkouts = &place.checkouts;
    let dates = checkouts.last_changes(&checkout, checkout.root(), None).await;
    let expected = [("docs.json", "2024-03-02T03:04:05Z"), ("ä b.mdx", "2024-02-02T03:04:05Z")];
    let expected = expected.map(|(path, date)| (path.to_owned(), date.to_owned()));
    assert_eq!(dates, expected.clone().into());
    let wanted = BTreeSet::from(["docs.json".to_owned()]);
    let few = checkouts.last_changes(&checkout, checkout.root(), Some(&wanted)).await;
    assert_eq!(few, [expected[0].clone()].into());
    let folder = place.source().join("docs");
    assert_eq!(history::last_changes(&checkouts.git, &folder, None).await, expected.into());
    let whole = history::last_changes(&checkouts.git, &place.source(), None).await;
    assert_eq!(whole["other"], "2024-04-02T03:04:05Z");
    shallow(checkouts, &place).await;
    let (repository, commit) = (checkout.repository().unwrap(), checkout.commit().unwrap());
    let facts = checkouts.facts(&repository, commit, None).await.unwrap();
    assert_eq!((&*facts.author, &*facts.message, facts.files_changed), ("Ada", "x", Some(1)));
    let before = place.git(&["rev-parse", "HEAD~2"]);
    let source = place.source();
    let facts = checkouts.facts(&source, commit, Some(&before)).await.unwrap();
    assert_eq!(facts.files_changed, Some(2));
    let first = place.git(&["rev-list", "--max-parents=0", "HEAD"]);
    assert_eq!(checkouts.facts(&source, &first, None).await.unwrap().files_changed, Some(3));
    let tree = checkouts.tree_of(&source, commit, "docs").await.unwrap();
    let parent = place.git(&["rev-parse", "HEAD~1"]);
    assert_eq!(tree, checkouts.tree_of(&source, &parent, "docs").await.unwrap());
    assert_ne!(tree, checkouts.tree_of(&source, &before, "docs").await.unwrap());
    assert_eq!(checkouts.tree_of(&source, commit, "none").await.unwrap(), None);
}

/// A clone of the newest commits only would give all files one date.
async fn shallow(checkouts: &Checkouts, place: &TestRepository) {
    let address = format!("file://{}", place.source().display());
    git(place.folder.path(), &["clone", "--quiet", "--depth", "1", &address, "shallow"]);
    let folder = place.folder.path().join("shallow");
    assert!(history::last_changes(&checkouts.git, &folder, None).await.is_empty());
    let plain = place.folder.path();
    assert!(history::last_changes(&checkouts.git, plain, None).await.is_empty());
}

#[tokio::test]
async fn folders_know_their_web_address() {
    let place = TestRepository::new();
    let checkouts = &place.checkouts;
    place.commit(&[("docs/a", "one")]);
    let docs = place.source().join("docs");
    assert_eq!(web::of_folder(&checkouts.git, &docs).await, None);
    place.git(&["remote", "add", "origin", "x"]);
    for (address, shown) in [
        ("git@host.example:o/n.git", "https://host.example/o/n"),
        ("https://me:secret@host.example/o/n.git", "https://host.example/o/n"),
        ("ssh://git@host.example:22/o/n", "https://host.example/o/n"),
    ] {
        place.git(&["remote", "set-url", "origin", address]);
        let found = web::of_folder(&checkouts.git, &docs).await.unwrap();
        assert_eq!(
            (found.address.as_str(), &*found.branch, &*found.folder),
            (shown, "trunk", "docs")
        );
    }
    place.git(&["remote", "set-url", "origin", "file:///srv/n.git"]);
    assert_eq!(web::of_folder(&checkouts.git, &docs).await, None);
}

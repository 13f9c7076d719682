//! Builds and exports with nothing to do leave their output as it is, and only those.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use docwright_testing::{programs, wait::eventually};
use tempfile::TempDir;

use crate::server::{docwright, git};

/// What an unchanged build prints.
const NOTE: &str = "note: nothing changed since the last build";

/// A docs root, and what is built of it.
struct Place(TempDir);

/// Files by path: contents, and what a write changes.
type Files = BTreeMap<PathBuf, (Vec<u8>, (u64, i64, i64))>;

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let configuration = serde_json::json!({
            "theme": "mint", "name": "Site", "navigation": { "pages": ["index", "guide"] },
        });
        fs::create_dir_all(place.path("root/images")).unwrap();
        place.write("docs.json", &configuration.to_string());
        place.write("index.mdx", "---\ntitle: Home\n---\n\n[x](/none)\n");
        place.write("guide.mdx", "---\ntitle: Guide\n---\n\nFirst words.\n");
        // One file that a build reads, and one that it copies.
        place.write("images/one.txt", "An image.");
        place.write("images/two.png", "Another image.");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn source(&self, name: &str) -> PathBuf {
        self.path("root").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.source(name), text).unwrap();
    }

    fn command(&self, name: &str, out: &str, flags: &[&str]) -> Command {
        let (root, out) = (self.path("root"), self.path(out));
        let arguments = [name, root.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let mut command = docwright(&[&arguments[..], flags].concat());
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Builds into `name`, and returns what the command printed besides its result.
    fn build(&self, name: &str, flags: &[&str]) -> String {
        let command = self.command(name, name, flags);
        printed(command)
    }

    fn files(&self, name: &str) -> Files {
        let mut found = Files::new();
        list(&self.path(name), &mut found);
        found
    }

    /// Builds, and checks that the output is that of a build that knows no other.
    fn check(&self, name: &str, flags: &[&str], what: &str) -> String {
        let printed_now = self.build(name, flags);
        let other = format!("other-{name}");
        let own: Vec<_> = flags.iter().copied().filter(|flag| *flag != "--no-cache").collect();
        printed(self.command(name, &other, &[&own[..], &["--no-cache"]].concat()));
        let contents = |name: &str| {
            let root = self.path(name);
            let files = self.files(name).into_iter();
            let files = files.map(|(path, (contents, _))| {
                (path.strip_prefix(&root).unwrap().to_owned(), contents)
            });
            files.collect::<BTreeMap<_, _>>()
        };
        assert!(contents(name) == contents(&other), "{name}, {what}");
        printed_now
    }

    /// Checks that a build does something, and that the next one has nothing to do.
    fn changes(&self, name: &str, flags: &[&str], what: &str) {
        let printed = self.check(name, flags, what);
        assert!(!printed.contains(NOTE), "{name}, {what}: {printed}");
        let printed = self.check(name, flags, what);
        assert!(printed.contains(NOTE), "{name}, {what}, again: {printed}");
    }
}

fn printed(mut command: Command) -> String {
    let output = command.stderr(Stdio::piped()).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    errors
}

fn list(path: &Path, found: &mut Files) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            list(&entry.unwrap().path(), found);
        }
    } else if let (Ok(metadata), Ok(contents)) = (fs::metadata(path), fs::read(path)) {
        let written = (metadata.ino(), metadata.mtime(), metadata.mtime_nsec());
        found.insert(path.to_owned(), (contents, written));
    }
}

fn set_modified(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Writes other bytes of the same length, and gives the file its old time.
fn damage(path: &Path) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut contents = fs::read(path).unwrap();
    let middle = contents.len() / 2;
    contents[middle] ^= 1;
    fs::write(path, contents).unwrap();
    set_modified(path, time);
}

const COMMANDS: [&str; 2] = ["build", "export"];

#[tokio::test]
async fn unchanged_build_writes_nothing() {
    let place = Place::new();
    for command in COMMANDS {
        let first = place.build(command, &[]);
        let output = place.files(command);
        let second = place.build(command, &[]);
        assert!(second.contains(NOTE) && !first.contains(NOTE), "{second}");
        assert!(first.contains("broken link"), "{first}");
        assert!(second.contains("broken link"), "diagnostics are printed again: {second}");
        assert!(place.files(command) == output, "{command}");
        // What was just written is read once more when no other program can have written to it at the same moment. Only
        // then the cache remembers it.
        eventually("the cache is left as it is", async || {
            let cache = place.files("cache");
            place.build(command, &[]);
            place.files("cache") == cache
        })
        .await;
        let strict = place.command(command, command, &["--strict", "--json"]).output().unwrap();
        assert_eq!(strict.status.code(), Some(1), "its errors count");
        assert!(!String::from_utf8_lossy(&strict.stderr).contains("note"));
        assert!(place.files(command) == output, "{command}");
        place.check(command, &["--no-cache"], "without a cache");
    }
}

#[test]
fn any_change_of_inputs_is_noticed() {
    let place = Place::new();
    let guide = place.source("guide.mdx");
    let before = fs::read_to_string(&guide).unwrap();
    let time = fs::metadata(&guide).unwrap().modified().unwrap();
    let changes: [(&str, &dyn Fn()); 13] = [
        ("same length", &|| place.write("guide.mdx", &before.replace("First", "Other"))),
        ("same length and time", &|| {
            place.write("guide.mdx", &before.replace("First", "Third"));
            set_modified(&guide, time);
        }),
        ("restored", &|| {
            fs::rename(&guide, place.path("aside")).unwrap();
            place.write("guide.mdx", &before.replace("First", "Newer"));
            fs::rename(&guide, place.path("newer")).unwrap();
            fs::rename(place.path("aside"), &guide).unwrap();
        }),
        ("older file", &|| fs::rename(place.path("newer"), &guide).unwrap()),
        ("touched", &|| set_modified(&guide, SystemTime::UNIX_EPOCH)),
        ("more", &|| place.write("more.mdx", "---\ntitle: More\n---\n\nMore.\n")),
        ("renamed", &|| {
            fs::rename(place.source("more.mdx"), place.source("less.mdx")).unwrap();
        }),
        ("ignored", &|| place.write(".mintignore", "less.mdx\n")),
        ("not ignored", &|| fs::remove_file(place.source(".mintignore")).unwrap()),
        ("removed", &|| fs::remove_file(place.source("less.mdx")).unwrap()),
        ("text file", &|| place.write("images/one.txt", "Another.")),
        ("image", &|| place.write("images/two.png", "A third image.")),
        ("link", &|| symlink("guide.mdx", place.source("linked.mdx")).unwrap()),
    ];
    for command in COMMANDS {
        place.build(command, &[]);
        assert!(place.build(command, &[]).contains(NOTE), "{command}");
    }
    for (what, change) in changes {
        change();
        for command in COMMANDS {
            place.changes(command, &[], what);
        }
    }
}

#[test]
fn any_change_of_options_is_noticed() {
    let place = Place::new();
    for command in COMMANDS {
        place.changes(command, &[], "first");
        place.changes(command, &["--site-url", "https://docs.example.com"], "URL");
        place.changes(command, &["--deployment-type", "air-gapped"], "deployment");
        place.changes(command, &[], "as at first");
    }
    let root = place.path("root");
    git(&root, &["init", "--quiet", "--initial-branch", "main"]);
    git(&root, &["remote", "add", "origin", "https://github.com/acme/docs.git"]);
    for command in COMMANDS {
        place.changes(command, &[], "a repository");
    }
}

#[test]
fn dates_of_later_commits_are_noticed() {
    let place = Place::new();
    let root = place.path("root");
    let commit = |date: &str| {
        git(&root, &["add", "--all"]);
        let date = format!("--date={date}");
        git(
            &root,
            &[
                "commit",
                "--quiet",
                "--amend",
                "--allow-empty",
                "--reset-author",
                "--no-edit",
                &date,
            ],
        );
    };
    git(&root, &["init", "--quiet", "--initial-branch", "main"]);
    git(&root, &["commit", "--quiet", "--allow-empty", "--message", "First"]);
    place.write("guide.mdx", "---\ntitle: Guide\ntimestamp: true\n---\n\nWords.\n");
    for command in COMMANDS {
        commit("2020-01-02T00:00:00Z");
        place.changes(command, &[], "first commit");
        commit("2021-01-02T00:00:00Z");
        place.changes(command, &[], "another commit");
    }
}

#[test]
fn any_change_of_outputs_is_repaired() {
    let place = Place::new();
    let (bundle, page) = (place.path("export"), place.path("build/guide.html"));
    let changes: [(&str, &str, &dyn Fn()); 8] = [
        ("export", "removed", &|| fs::remove_file(&bundle).unwrap()),
        ("export", "damaged", &|| damage(&bundle)),
        ("export", "cut off", &|| fs::write(&bundle, "short").unwrap()),
        ("export", "touched", &|| set_modified(&bundle, SystemTime::UNIX_EPOCH)),
        ("build", "removed page", &|| fs::remove_file(&page).unwrap()),
        ("build", "damaged page", &|| damage(&page)),
        ("build", "more files", &|| fs::write(place.path("build/more.html"), "More.").unwrap()),
        ("build", "removed site", &|| fs::remove_dir_all(place.path("build")).unwrap()),
    ];
    for command in COMMANDS {
        place.build(command, &[]);
    }
    for (command, what, change) in changes {
        change();
        place.changes(command, &[], what);
    }
}

#[test]
fn other_program_builds_again() {
    let place = Place::new();
    for command in COMMANDS {
        place.changes(command, &[], "first");
        let same = place.command(command, command, &[]);
        let copy = place.path("docwright");
        programs::copy(Path::new(same.get_program()), &copy);
        let mut other = Command::new(copy);
        other.args(same.get_args()).env("XDG_CACHE_HOME", place.path("cache"));
        let printed = printed(other);
        assert!(!printed.contains(NOTE), "{command}: {printed}");
    }
}

#[test]
fn output_in_the_docs_root_is_no_input() {
    let place = Place::new();
    for (command, out) in [("build", "root/site"), ("export", "root/bundle.tar.gz")] {
        let build = |flags: &[&str]| printed(place.command(command, out, flags));
        let contents = || {
            let files = place.files(out).into_iter();
            files.map(|(path, (contents, _))| (path, contents)).collect::<BTreeMap<_, _>>()
        };
        build(&[]);
        let first = place.files(out);
        let second = build(&[]);
        assert!(second.contains(NOTE) && place.files(out) == first, "{second}");
        place.write("index.mdx", &format!("---\ntitle: Home\n---\n\nOf {command}.\n"));
        build(&[]);
        let changed = contents();
        fs::remove_file(place.path(out)).or_else(|_| fs::remove_dir_all(place.path(out))).unwrap();
        build(&["--no-cache"]);
        assert!(contents() == changed, "{command}");
        fs::remove_file(place.path(out)).or_else(|_| fs::remove_dir_all(place.path(out))).unwrap();
    }
}

#[test]
fn permissions_of_copied_files_are_carried_over() {
    let place = Place::new();
    for mode in [0o644, 0o600, 0o644] {
        fs::set_permissions(place.source("images/two.png"), fs::Permissions::from_mode(mode))
            .unwrap();
        place.changes("build", &[], "permissions");
        let copied = fs::metadata(place.path("build/images/two.png")).unwrap();
        assert_eq!(copied.permissions().mode() & 0o777, mode);
    }
}

#[test]
fn redirects_are_written_each_time() {
    let place = Place::new();
    let configuration = serde_json::json!({
        "theme": "mint", "name": "Site", "navigation": { "pages": ["index", "guide"] },
        "redirects": [{ "source": "/old", "destination": "/guide" }],
    });
    place.write("docs.json", &configuration.to_string());
    let flags = ["--redirects", "netlify,nginx"];
    place.check("build", &flags, "first");
    let written = place.files("build");
    assert!(written.contains_key(&place.path("build/_redirects")));
    place.check("build", &flags, "again");
    assert!(place.files("build") == written, "a file was written again");
    fs::remove_file(place.path("build.nginx.conf")).unwrap();
    place.check("build", &flags, "again");
    assert!(place.path("build.nginx.conf").is_file());
    place.check("build", &[], "without redirects");
    assert!(!place.path("build/_redirects").exists());
}

#[tokio::test]
async fn killed_build_is_repaired() {
    let place = Place::new();
    for number in 0..200 {
        place.write(&format!("page-{number}.mdx"), "Words.\n");
    }
    for command in COMMANDS.into_iter().cycle().take(4) {
        place.build(command, &[]);
        let before = place.files(command);
        // Each page has another address, and the inputs of the last complete build stay as they were.
        let flags = ["--site-url", "https://docs.example.com"];
        let mut child = place.command(command, command, &flags).spawn().unwrap();
        eventually("the command writes", async || {
            let has_ended = child.try_wait().unwrap().is_some();
            (place.files(command) != before || has_ended).then_some(())
        })
        .await;
        child.kill().unwrap();
        child.wait().unwrap();
        let printed = place.check(command, &[], "killed");
        assert!(!printed.contains(NOTE), "{command}: {printed}");
        assert!(place.check(command, &[], "repaired").contains(NOTE), "{command}");
    }
}

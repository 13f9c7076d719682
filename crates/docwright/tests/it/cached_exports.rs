//! Exports with the results of earlier ones on the same machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use docwright_testing::wait::eventually;
use tempfile::TempDir;

use crate::server::docwright;

/// A docs root, and the cache folder of a person.
struct Place(TempDir);

impl Place {
    fn new(pages: usize) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let names: Vec<_> = (0..pages).map(|number| format!("page-{number}")).collect();
        let configuration = serde_json::json!({
            "theme": "mint", "name": "Site", "navigation": { "pages": names },
        });
        fs::create_dir(place.root()).unwrap();
        fs::write(place.root().join("docs.json"), configuration.to_string()).unwrap();
        for name in names {
            place.write(&name, "Words.");
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn write(&self, name: &str, text: &str) {
        let text =
            format!("---\ntitle: {name}\n---\n\n{text}\n\n```js\nconst a = '{name}';\n```\n");
        fs::write(self.root().join(format!("{name}.mdx")), text).unwrap();
    }

    fn command(&self, name: &str, flags: &[&str]) -> std::process::Command {
        let bundle = self.0.path().join(name).display().to_string();
        let root = self.root().display().to_string();
        let mut command = docwright(&[&["export", &root, "--out", &bundle], flags].concat());
        command.env("XDG_CACHE_HOME", self.0.path().join("cache"));
        command
    }

    /// The bundle of an export, and what it printed besides its result.
    fn export(&self, flags: &[&str]) -> (Vec<u8>, String) {
        self.export_to("bundle.tar.gz", flags)
    }

    fn export_to(&self, name: &str, flags: &[&str]) -> (Vec<u8>, String) {
        let output = self.command(name, flags).stderr(Stdio::piped()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{errors}");
        (fs::read(self.0.path().join(name)).unwrap(), errors)
    }

    /// The file with the results.
    fn results(&self) -> Option<PathBuf> {
        let mut entries = fs::read_dir(self.0.path().join("cache/docwright/builds")).ok()?;
        Some(entries.next()?.unwrap().path())
    }

    /// Exports with and without results, and compares. Returns what the first one printed.
    fn check(&self, what: &str) -> String {
        let (bundle, printed) = self.export(&[]);
        assert!(bundle == self.export_to("other.tar.gz", &["--no-cache"]).0, "{what}");
        printed
    }
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[test]
fn export_after_a_change_equals_a_first_one() {
    let place = Place::new(5);
    place.export(&["--no-cache"]);
    assert_eq!(place.results(), None, "nothing has to be kept");
    place.check("first export");
    let first = length(&place.results().unwrap());
    assert!(place.check("same site").contains("nothing changed"));
    place.write("page-1", "Other words.");
    place.check("changed page");
    let second = length(&place.results().unwrap());
    assert!(second > first && second - first < first, "only one page was rendered");
}

#[tokio::test]
async fn killed_export_leaves_usable_results() {
    let place = Place::new(200);
    for round in 0..3_u64 {
        let before = place.results().map_or(0, |path| length(&path));
        for number in 0..200 {
            place.write(&format!("page-{number}"), &format!("Round {round}."));
        }
        let mut child = place.command("killed.tar.gz", &[]).spawn().unwrap();
        eventually("the export keeps results", async || {
            let length = place.results().map_or(0, |path| length(&path));
            let has_ended = child.try_wait().unwrap().is_some();
            (length > before + 20_000 * (round + 1) || has_ended).then_some(())
        })
        .await;
        child.kill().unwrap();
        child.wait().unwrap();
        place.check(&format!("round {round}"));
    }
}

#[test]
fn exports_to_one_file_share_no_partial_file() {
    let place = Place::new(3);
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle.tar.gz");
    let export = || {
        let mut command = docwright(&["export", place.root().to_str().unwrap(), "--no-cache"]);
        command.arg("--out").arg(&bundle).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let others = folder.path().join("bundle.tar.gz.partial");
    fs::write(&others, "of someone else").unwrap();
    let exports: Vec<_> = (0..4).map(|_| export().spawn().unwrap()).collect();
    for mut export in exports {
        assert!(export.wait().unwrap().success());
    }
    let expected = place.export_to("other.tar.gz", &["--no-cache"]).0;
    assert!(fs::read(&bundle).unwrap() == expected);
    assert_eq!(fs::read_to_string(&others).unwrap(), "of someone else");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
    let permissions = |path: &Path| fs::metadata(path).unwrap().permissions();
    assert_eq!(permissions(&bundle), permissions(&others), "others can read it as usual");
}

#[test]
fn export_without_room_for_results_says_so() {
    let place = Place::new(2);
    fs::write(place.0.path().join("cache"), "a file, so it can't be a folder").unwrap();
    let (bundle, errors) = place.export(&[]);
    assert!(errors.contains("note: results not cached"), "{errors}");
    assert!(bundle == place.export(&["--no-cache"]).0);
}

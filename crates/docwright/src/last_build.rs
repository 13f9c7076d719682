//! What the last build to a destination read and wrote. If nothing of it changed, there is nothing to build.
//!
//! It is an entry of the docs root's results, and is saved after the destination is complete. A build that ends in between
//! leaves the entry of an earlier one, which describes other files than those that are there.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc, time::SystemTime};

use docwright_site::{
    Options,
    build::Report,
    result_cache::{Key, Kind, ResultCache},
    source::SourceSnapshot,
    stamp::{FileOnDisk, Snapshot, Stamp},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a build read and wrote.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LastBuild {
    /// `None` if the next build can't know whether they changed.
    pub(crate) inputs: Option<Inputs>,
    /// The files of the site in the destination.
    pub(crate) outputs: Snapshot,
    /// The [`Outcome`] as JSON.
    outcome: String,
}

/// All that a build follows from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inputs {
    pub(crate) source: SourceSnapshot,
    pub(crate) options: OptionsHash,
    /// The newest commit, if pages show dates of commits.
    pub(crate) head: Option<String>,
}

/// Identifies the program and its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OptionsHash([u8; 32]);

/// What a build says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) report: Report,
    /// What it prints about its options.
    pub(crate) note: Option<String>,
}

/// Where the last build to a destination is kept.
#[derive(Debug)]
pub(crate) struct LastBuildEntry {
    cache: Arc<ResultCache>,
    key: Key,
}

impl LastBuildEntry {
    /// The entry of a command that builds a docs root. `None` if the current folder is gone.
    pub(crate) fn new(
        cache: Arc<ResultCache>,
        command: &str,
        (root, out): (&Path, &Path),
    ) -> Option<Self> {
        let [root, out] =
            [root, out].map(|path| Some(std::path::absolute(path).ok()?.into_os_string()));
        let (root, out) = (root?, out?);
        let parts = [command.as_bytes(), root.as_encoded_bytes(), out.as_encoded_bytes()];
        let key = Key::of(Kind::LastBuild, parts);
        Some(Self { cache, key })
    }

    /// The last build that was complete.
    pub(crate) fn read(&self) -> Option<LastBuild> {
        postcard::from_bytes(&self.cache.get(&self.key)?.1).ok()
    }

    /// Puts a build that is complete in the place of the last one, once the cache is saved.
    pub(crate) fn add(&self, inputs: Option<Inputs>, outputs: Snapshot, outcome: &Outcome) {
        if let Ok(outcome) = serde_json::to_string(outcome) {
            self.put(&LastBuild { inputs, outputs, outcome });
        }
    }

    fn put(&self, build: &LastBuild) {
        if let Ok(bytes) = postcard::to_allocvec(build) {
            self.cache.add(self.key, &bytes);
        }
    }

    /// Keeps that the files of the last build were found unchanged later, so that fewer of them have to be read again. If
    /// that fails, they are read again.
    fn keep_settled(&self, build: &LastBuild) {
        self.put(build);
        self.cache.use_as_before();
        let _ = self.cache.save();
    }
}

impl LastBuild {
    /// What it said, if its inputs and the files of its destination are as they were: those that are `present`.
    pub(crate) fn again(
        self,
        (root, out): (&Path, Option<&Path>),
        present: &[FileOnDisk],
        now: SystemTime,
        entry: &LastBuildEntry,
    ) -> Option<Outcome> {
        let inputs = self.inputs?;
        // First the inputs: they change more often, and a large bundle takes long to read.
        let source = inputs.source.again(root, out, now)?;
        let outputs = self.outputs.again(present, now)?;
        let outcome = serde_json::from_str(&self.outcome).ok()?;
        if source != inputs.source || outputs != self.outputs {
            let inputs = Some(Inputs { source, ..inputs });
            entry.keep_settled(&Self { inputs, outputs, ..self });
        }
        Some(outcome)
    }
}

impl OptionsHash {
    /// The hash of all options but the dates of files, which follow from a commit. `None` if the program isn't found.
    pub(crate) fn of(options: &Options) -> Option<Self> {
        let program = fs::metadata(std::env::current_exe().ok()?).ok()?;
        let options = Options { last_modified: BTreeMap::new(), ..options.clone() };
        let all = (env!("CARGO_PKG_VERSION"), Stamp::of(&program), options);
        Some(Self(Sha256::digest(serde_json::to_vec(&all).ok()?).into()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use docwright_site::{
        source::Source,
        stamp::{SeenFile, hash_of},
    };

    use super::*;

    /// A docs root, a bundle, and the cache.
    struct Place(tempfile::TempDir);

    impl Place {
        fn new() -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            fs::create_dir(place.root()).unwrap();
            fs::write(place.root().join("docs.json"), "{}").unwrap();
            fs::write(place.bundle(), "bundle").unwrap();
            place
        }

        fn root(&self) -> std::path::PathBuf {
            self.0.path().join("root")
        }

        fn bundle(&self) -> std::path::PathBuf {
            self.0.path().join("bundle")
        }

        fn entry(&self) -> LastBuildEntry {
            let cache = Arc::new(ResultCache::open(&self.0.path().join("results"), 1 << 30));
            LastBuildEntry::new(cache, "export", (&self.root(), &self.bundle())).unwrap()
        }

        /// Keeps a build that took place right when the files were written.
        fn build(&self) {
            let entry = self.entry();
            let read = Source::read_for_build(&self.root(), None, Some(self.after(0))).unwrap();
            let options = OptionsHash([1; 32]);
            let inputs = Inputs { source: read.snapshot.unwrap(), options, head: None };
            let FileOnDisk { path, stamp, place } = self.present();
            let contents = Some(hash_of(&place).unwrap());
            let file = SeenFile { path, stamp, is_settled: false, contents };
            let outcome = Outcome { report: Report::default(), note: Some("said".to_owned()) };
            entry.add(Some(inputs), Snapshot { files: vec![file] }, &outcome);
            entry.cache.save().unwrap();
        }

        fn present(&self) -> FileOnDisk {
            FileOnDisk::at(&self.bundle(), "bundle".to_owned()).unwrap()
        }

        fn after(&self, seconds: u64) -> SystemTime {
            fs::metadata(self.bundle()).unwrap().modified().unwrap() + Duration::from_secs(seconds)
        }

        /// What the last build said, some time later.
        fn again(&self, seconds: u64) -> Option<Outcome> {
            let entry = self.entry();
            let present = [self.present()];
            entry.read()?.again((&self.root(), None), &present, self.after(seconds), &entry)
        }

        fn is_settled(&self) -> bool {
            let last = self.entry().read().unwrap();
            last.inputs.unwrap().source.is_settled() && last.outputs.is_settled()
        }
    }

    #[test]
    fn unchanged_files_settle_once() {
        let place = Place::new();
        place.build();
        assert_eq!(place.again(0).unwrap().note.as_deref(), Some("said"));
        assert!(!place.is_settled(), "they can change again");
        assert!(place.again(60).is_some() && place.is_settled());
        let kept = fs::read(place.0.path().join("results")).unwrap();
        assert!(place.again(61).is_some());
        assert!(fs::read(place.0.path().join("results")).unwrap() == kept, "nothing is new");
    }

    #[test]
    fn changed_input_or_output_is_not_the_last_build() {
        for (what, change) in [("input", "root/docs.json"), ("output", "bundle")] {
            let place = Place::new();
            place.build();
            fs::write(place.0.path().join(change), "other").unwrap();
            assert!(place.again(60).is_none(), "{what}");
        }
    }
}

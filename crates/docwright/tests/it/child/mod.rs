//! Work in child processes: the real program, and programs that pretend to be it.

mod cost;
mod fakes;
mod hostile;
mod processes;
mod work;

use std::{
    fs,
    future::pending,
    path::{Path, PathBuf},
};

use docwright_jobs::child::{
    ChildError, Folders, Launcher, Limits,
    work::{Build, BuildOptions, Built},
};
use docwright_testing::wait::eventually;
use tempfile::TempDir;

/// A launcher for the real program.
fn launcher(limits: Limits) -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_docwright"), limits)
}

/// A docs root and an output folder, inside a folder that children can't see.
struct ChildFolders {
    folder: TempDir,
    root: PathBuf,
    scratch: PathBuf,
}

impl ChildFolders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, scratch) = (folder.path().join("root"), folder.path().join("scratch"));
        for each in [&root, &scratch] {
            fs::create_dir(each).unwrap();
        }
        Self { folder, root, scratch }
    }

    /// Creates the folders with one page.
    fn with_page(text: &str) -> Self {
        let place = Self::new();
        place.write("docs.json", r#"{"name":"Test","navigation":{"pages":["index"]}}"#);
        place.write("index.mdx", text);
        place
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.root.join(path), text).unwrap();
    }

    fn folders(&self) -> Folders {
        Folders { read: vec![self.root.clone()], write: vec![self.scratch.clone()] }
    }

    fn bundle(&self) -> PathBuf {
        self.scratch.join("bundle.tar.gz")
    }

    fn build(&self) -> Build {
        Build {
            root: self.root.clone(),
            scratch: self.scratch.clone(),
            bundle: self.bundle(),
            options: BuildOptions::default(),
            questions: None,
            results: None,
        }
    }

    /// Builds without supplying data and without a stop signal.
    async fn run(&self, launcher: &Launcher) -> Result<Built, ChildError> {
        launcher.run(self.build(), &self.folders(), &(), pending()).await
    }
}

/// Whether a process runs. An ended process can still be a zombie.
fn is_running(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("State:\tZ")
}

/// Waits until a file contains a line, and returns the line.
async fn line_of(file: &Path) -> String {
    eventually(&format!("{} holds a line", file.display()), async || {
        Some(fs::read_to_string(file).ok()?.strip_suffix('\n')?.to_owned())
    })
    .await
}

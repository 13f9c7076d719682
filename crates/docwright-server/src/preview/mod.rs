//! The live preview behind `docwright dev`: the built site in memory, rebuilt on save, and a stream
//! of events that tells open pages to reload.

mod overlay;
mod serve;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
    time::Instant,
};

use axum::Router;
use docwright_site::{
    Diagnostic, Options,
    build::build,
    output::Memory,
    source::{Source, find_root},
};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;

/// A site as it was last built.
#[derive(Debug, Default)]
struct Built {
    files: BTreeMap<String, Vec<u8>>,
    diagnostics: Vec<Diagnostic>,
    /// Set when nothing could be built; the files are then those of the last build that worked.
    failure: Option<String>,
}

/// A docs root that is rebuilt when its files change.
#[derive(Debug)]
pub(crate) struct Preview {
    root: PathBuf,
    built: RwLock<Arc<Built>>,
    /// Counts builds; open pages reload when it changes.
    version: watch::Sender<u64>,
}

impl Preview {
    /// A preview of the docs root in or below `dir`; nothing is built yet.
    pub(crate) fn new(dir: PathBuf) -> anyhow::Result<Self> {
        let root = find_root(&dir)?.canonicalize()?;
        Ok(Self { root, built: RwLock::default(), version: watch::channel(0).0 })
    }

    /// Builds the site and tells open pages. A failure keeps the last site and is shown on it.
    pub(crate) fn rebuild(&self) {
        let started = Instant::now();
        let built = match build_site(&self.root) {
            Ok(built) => {
                let pages = built.files.keys().filter(|path| path.ends_with(".html")).count();
                eprintln!("built {pages} pages in {} ms", started.elapsed().as_millis());
                built
            }
            Err(error) => {
                eprintln!("error: {error:#}");
                let files = self.snapshot().files.clone();
                Built { files, diagnostics: Vec::new(), failure: Some(format!("{error:#}")) }
            }
        };
        if let Ok(mut current) = self.built.write() {
            *current = Arc::new(built);
        }
        self.version.send_modify(|version| *version += 1);
    }

    /// Rebuilds on every change below the docs root, until the watcher is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> anyhow::Result<RecommendedWatcher> {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                if event.is_ok_and(|event| !event.kind.is_access()) {
                    // The preview may be gone at shutdown; then nobody wants to know.
                    let _gone = sender.send(());
                }
            })?;
        watcher.watch(&self.root, RecursiveMode::Recursive)?;
        let preview = Arc::clone(self);
        std::thread::spawn(move || {
            while receiver.recv().is_ok() {
                // Editors write a file in several steps; take what has come so far as one change.
                while receiver.try_recv().is_ok() {}
                preview.rebuild();
            }
        });
        Ok(watcher)
    }

    /// The routes: the site, and `/_docwright/dev/events`.
    pub(crate) fn router(self: &Arc<Self>) -> Router {
        serve::router(Arc::clone(self))
    }

    fn snapshot(&self) -> Arc<Built> {
        self.built.read().map(|built| Arc::clone(&built)).unwrap_or_default()
    }
}

fn build_site(root: &Path) -> anyhow::Result<Built> {
    let (source, mut diagnostics) = Source::read(root)?;
    let output = Memory::default();
    let mut report = build(&source, &Options::default(), &output, &|_| {})?;
    diagnostics.append(&mut report.diagnostics);
    Ok(Built { files: output.into_files(), diagnostics, failure: None })
}

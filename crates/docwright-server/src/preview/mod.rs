//! The live preview behind `docwright dev`: the built site in memory, rebuilt on save, and a stream
//! of events that tells open pages to reload.

mod overlay;
mod serve;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, RwLock},
    time::{Duration, Instant},
};

use axum::Router;
use docwright_site::{
    Diagnostic, Options,
    build::{build, rebuild_pages},
    content::slug,
    output::Memory,
    source::{Source, find_root},
};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;

/// After a save, the rest of the site waits this long for the next one.
const QUIET: Duration = Duration::from_millis(700);

/// A site as it was last built.
#[derive(Debug, Default)]
struct Built {
    files: BTreeMap<String, Arc<[u8]>>,
    diagnostics: Vec<Diagnostic>,
    /// Set when nothing could be built; the files are then those of the last build that worked.
    failure: Option<String>,
}

/// A docs root that is rebuilt when its files change.
#[derive(Debug)]
pub(crate) struct Preview {
    root: PathBuf,
    /// The files as they were last read.
    source: Mutex<Source>,
    built: RwLock<Arc<Built>>,
    /// Counts builds; open pages reload when it changes.
    version: watch::Sender<u64>,
}

impl Preview {
    /// A preview of the docs root in or below `dir`; nothing is built yet.
    pub(crate) fn new(dir: PathBuf) -> anyhow::Result<Self> {
        let root = find_root(&dir)?.canonicalize()?;
        let (source, built) = (Mutex::default(), RwLock::default());
        Ok(Self { root, source, built, version: watch::channel(0).0 })
    }

    /// Builds the site and tells open pages. A failure keeps the last site and is shown on it.
    pub(crate) fn rebuild(&self) {
        let started = Instant::now();
        let built = match self.build_site() {
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
        self.show(built);
    }

    /// Shows what was built, and tells open pages.
    fn show(&self, built: Built) {
        if let Ok(mut current) = self.built.write() {
            *current = Arc::new(built);
        }
        self.version.send_modify(|version| *version += 1);
    }

    fn build_site(&self) -> anyhow::Result<Built> {
        let (source, mut diagnostics) = Source::read(&self.root)?;
        if let Ok(mut known) = self.source.lock() {
            *known = source.clone();
        }
        let output = Memory::default();
        let mut report = build(&source, &Options::default(), &output, &|_| {})?;
        diagnostics.append(&mut report.diagnostics);
        let files = output.into_files().into_iter().map(|(path, bytes)| (path, bytes.into()));
        Ok(Built { files: files.collect(), diagnostics, failure: None })
    }

    /// Shows pages whose own text changed, before all that depends on them (search, lists of pages)
    /// is built anew. `false` if the change is of another kind, or nothing changed.
    fn refresh(&self, changed: &BTreeSet<PathBuf>) -> bool {
        let started = Instant::now();
        let Some((source, slugs)) = self.changed_pages(changed) else { return false };
        let output = Memory::default();
        let Ok(report) = rebuild_pages(&source, &Options::default(), &slugs, &output) else {
            return false;
        };
        let last = self.snapshot();
        let mut files = last.files.clone();
        files.extend(output.into_files().into_iter().map(|(path, bytes)| (path, bytes.into())));
        let is_stale = |each: &&Diagnostic| !slugs.contains(&slug::of_path(&each.path));
        let mut diagnostics: Vec<_> = last.diagnostics.iter().filter(is_stale).cloned().collect();
        diagnostics.extend(report.diagnostics);
        self.show(Built { files, diagnostics, failure: None });
        eprintln!("refreshed {} in {} ms", report.pages, started.elapsed().as_millis());
        true
    }

    /// The files with the changes, and the pages that these are on.
    fn changed_pages(&self, changed: &BTreeSet<PathBuf>) -> Option<(Source, BTreeSet<String>)> {
        let mut source = self.source.lock().ok()?;
        let mut slugs = BTreeSet::new();
        for path in changed {
            let name = path.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/");
            if !(name.ends_with(".mdx") || name.ends_with(".md")) || !source.contains(&name) {
                return None;
            }
            let text = std::fs::read_to_string(path).ok()?;
            if source.text(&name) == Some(text.as_str()) {
                continue;
            }
            source.write(&name, &text);
            slugs.insert(slug::of_path(&name));
            // A snippet shows on the pages that name it.
            let file = name.rsplit('/').next().unwrap_or(&name).to_owned();
            let users = source.paths().filter(|path| path.ends_with(".mdx"));
            let users =
                users.filter(|path| source.text(path).is_some_and(|text| text.contains(&file)));
            slugs.extend(users.map(slug::of_path));
        }
        (!slugs.is_empty()).then(|| (source.clone(), slugs))
    }

    /// Rebuilds on every change below the docs root, until the watcher is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> anyhow::Result<RecommendedWatcher> {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                if let Ok(event) = event
                    && !event.kind.is_access()
                {
                    // The preview may be gone at shutdown; then nobody wants to know.
                    let _gone = sender.send(event.paths);
                }
            })?;
        watcher.watch(&self.root, RecursiveMode::Recursive)?;
        let preview = Arc::clone(self);
        std::thread::spawn(move || {
            while let Ok(paths) = receiver.recv() {
                let mut changed = BTreeSet::from_iter(paths);
                // Editors write a file in several steps; take what has come so far as one change.
                changed.extend(receiver.try_iter().flatten());
                let mut quick = preview.refresh(&changed);
                // While pages are being written, they alone are shown.
                while quick && let Ok(paths) = receiver.recv_timeout(QUIET) {
                    let mut changed = BTreeSet::from_iter(paths);
                    changed.extend(receiver.try_iter().flatten());
                    quick = preview.refresh(&changed) || changed.iter().all(|path| path.is_dir());
                }
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

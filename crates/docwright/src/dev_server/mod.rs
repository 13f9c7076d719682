//! The server of `docwright dev`: the built site in memory, rebuilt on save, and an event stream that makes open
//! pages reload.

mod overlay;
mod serve;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::Router;
use docwright_site::{
    Diagnostic, Options,
    build::{Report, build, rebuild_pages},
    content::{Content, frontmatter, is_markdown, slug},
    output::Memory,
    source::{Source, find_root},
};
use docwright_types::printable::printable;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;

use crate::{
    compile::{CompileArguments, last_changes, print_note},
    diagnostic_report::{DiagnosticReport, Summary, print_kinds},
};

/// After a save, the full build waits this long for another one.
const QUIET: Duration = Duration::from_millis(700);

/// The files of a site, by path.
type Files = BTreeMap<String, Arc<[u8]>>;

/// The last build of a site.
#[derive(Debug, Default)]
struct Built {
    files: Files,
    diagnostics: Vec<Diagnostic>,
    /// The error of a failed build; the files are then those of the last successful one.
    failure: Option<String>,
}

/// A docs root that is rebuilt when its files change.
#[derive(Debug)]
pub(crate) struct Preview {
    root: PathBuf,
    options: Options,
    /// Specs on other hosts, fetched at the start: address and text.
    remote: Vec<(String, String)>,
    /// Fonts on other hosts, fetched at the start: address and contents.
    fonts: Vec<(String, Vec<u8>)>,
    /// Errors of those that could not be fetched.
    not_fetched: Vec<Diagnostic>,
    /// The last printed diagnostics.
    printed: Mutex<Option<Vec<Diagnostic>>>,
    /// The files as last read, and their parsed contents.
    known: Mutex<(Source, Option<Arc<Content>>)>,
    built: RwLock<Arc<Built>>,
    /// Counts changes of files: results of earlier builds are dropped.
    changes: AtomicU64,
    /// Counts builds; open pages reload when it changes.
    version: watch::Sender<u64>,
}

impl Preview {
    /// The dev server of the docs root in or below a folder; nothing is built yet. Later commits, and changes on
    /// other hosts, are ignored.
    pub(crate) fn new(arguments: &CompileArguments) -> anyhow::Result<Self> {
        let root = find_root(&arguments.dir)?.canonicalize()?;
        let (mut source, _) = Source::read(&root)?;
        let not_fetched = arguments.fetch(&mut source)?;
        print_note(arguments.note_about_url(&source).as_deref());
        let last_modified = last_changes(&root, &source)?;
        let owned = |(address, text): (&str, &str)| (address.to_owned(), text.to_owned());
        let owned_font = |(address, font): (&str, &[u8])| (address.to_owned(), font.to_vec());
        Ok(Self {
            root,
            options: Options { last_modified, ..arguments.options()? },
            remote: source.remote().map(owned).collect(),
            fonts: source.fonts().map(owned_font).collect(),
            not_fetched,
            printed: Mutex::default(),
            known: Mutex::default(),
            built: RwLock::default(),
            changes: AtomicU64::new(0),
            version: watch::channel(0).0,
        })
    }

    /// Builds the site and notifies open pages. A failed build keeps the last site and is shown on it.
    pub(crate) fn rebuild(&self) {
        let (started, change) = (Instant::now(), self.changes.load(Ordering::SeqCst));
        let built = match self.build_site() {
            Ok((files, report)) => {
                let diagnostics = report.diagnostics.clone();
                self.print(report, started.elapsed());
                Built { files, diagnostics, failure: None }
            }
            Err(error) => {
                eprintln!("error: {}", printable(&format!("{error:#}")));
                let files = self.snapshot().files.clone();
                Built { files, diagnostics: Vec::new(), failure: Some(format!("{error:#}")) }
            }
        };
        // Another build follows the change that arrived in the meantime.
        if change == self.changes.load(Ordering::SeqCst) {
            self.show(built);
        }
    }

    /// Publishes a built site, and notifies open pages.
    fn show(&self, built: Built) {
        if let Ok(mut current) = self.built.write() {
            *current = Arc::new(built);
        }
        self.version.send_modify(|version| *version += 1);
    }

    /// Prints the result of a build: its counts, and the first diagnostic of each rule unless they were printed
    /// last.
    fn print(&self, report: Report, took: Duration) {
        let (pages, diagnostic_report) = (report.pages, DiagnosticReport::new(report));
        let counts = Summary::new(&diagnostic_report).counts();
        let found = diagnostic_report.counted;
        if let Ok(mut printed) = self.printed.lock()
            && printed.as_ref() != Some(&found)
        {
            print_kinds(&found, |line| eprintln!("{line}"));
            *printed = Some(found);
        }
        eprintln!("built {pages} pages in {} ms: {counts}", took.as_millis());
    }

    fn build_site(&self) -> anyhow::Result<(Files, Report)> {
        let (mut source, mut diagnostics) = Source::read(&self.root)?;
        diagnostics.extend(self.not_fetched.iter().cloned());
        for (address, text) in &self.remote {
            source.add_remote(address, text);
        }
        for (address, contents) in &self.fonts {
            source.add_font(address, contents);
        }
        let (content, _) = Content::load(&source)?;
        if let Ok(mut known) = self.known.lock() {
            *known = (source.clone(), Some(Arc::new(content)));
        }
        let output = Memory::default();
        let mut report = build(&source, &self.options, &output, &|_| {})?;
        report.add(&source, diagnostics)?;
        let files = output.into_files().into_iter().map(|(path, bytes)| (path, bytes.into()));
        Ok((files.collect(), report))
    }

    /// Publishes pages whose own text changed, before everything that depends on them (search, lists of pages) is
    /// rebuilt. Other changes wait for that.
    fn refresh(&self, changed: &BTreeSet<PathBuf>) {
        let started = Instant::now();
        let Some((source, content, slugs)) = self.changed_pages(changed) else { return };
        let output = Memory::default();
        let Ok(report) = rebuild_pages(&source, &content, &self.options, &slugs, &output) else {
            return;
        };
        let last = self.snapshot();
        let mut files = last.files.clone();
        files.extend(output.into_files().into_iter().map(|(path, bytes)| (path, bytes.into())));
        let is_stale = |each: &&Diagnostic| !slugs.contains(&slug::of_path(&each.path));
        let mut diagnostics: Vec<_> = last.diagnostics.iter().filter(is_stale).cloned().collect();
        diagnostics.extend(report.diagnostics);
        self.show(Built { files, diagnostics, failure: None });
        eprintln!("refreshed {} in {} ms", report.pages, started.elapsed().as_millis());
    }

    /// The files with the changes, and the pages that they affect.
    fn changed_pages(
        &self,
        changed: &BTreeSet<PathBuf>,
    ) -> Option<(Source, Arc<Content>, BTreeSet<String>)> {
        let mut known = self.known.lock().ok()?;
        let (source, content) = &mut *known;
        let content = content.clone()?;
        let mut slugs = BTreeSet::new();
        for path in changed {
            let name = path.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/");
            if !is_markdown(&name) || !source.contains(&name) {
                return None;
            }
            let text = std::fs::read_to_string(path).ok()?;
            let last = source.text(&name)?;
            if last == text {
                continue;
            }
            // Titles and other frontmatter appear on other pages as well.
            if head(last) != head(&text) {
                return None;
            }
            source.write(&name, &text);
            slugs.insert(slug::of_path(&name));
            // A snippet appears on the pages that import it.
            let imports = [format!("/{name}\""), format!("/{name}'")];
            let shows = |path: &&str| {
                let text = source.text(path).filter(|_| path.ends_with(".mdx"));
                text.is_some_and(|text| imports.iter().any(|import| text.contains(import)))
            };
            slugs.extend(source.paths().filter(shows).map(slug::of_path));
        }
        (!slugs.is_empty()).then(|| (source.clone(), content, slugs))
    }

    /// Rebuilds after every change below the docs root, until the watcher is dropped.
    pub(crate) fn watch(self: &Arc<Self>) -> anyhow::Result<RecommendedWatcher> {
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                if let Ok(event) = event
                    && !event.kind.is_access()
                {
                    // The server can be gone at shutdown; then nothing is needed.
                    let _gone = sender.send(event.paths);
                }
            })?;
        watcher.watch(&self.root, RecursiveMode::Recursive)?;
        // Changed pages are published immediately; the rest of the site follows on a separate thread.
        let (settle, settled) = std::sync::mpsc::channel();
        let preview = Arc::clone(self);
        std::thread::spawn(move || {
            while let Ok(paths) = receiver.recv() {
                // Editors write a file in several steps; the pending ones are one change.
                let changed = paths.into_iter().chain(receiver.try_iter().flatten()).collect();
                preview.changes.fetch_add(1, Ordering::SeqCst);
                preview.refresh(&changed);
                let _gone = settle.send(());
            }
        });
        let preview = Arc::clone(self);
        std::thread::spawn(move || {
            while settled.recv().is_ok() {
                while settled.recv_timeout(QUIET).is_ok() {}
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

/// The frontmatter of a page, as written.
fn head(text: &str) -> &str {
    &text[..frontmatter::split(text).body_offset]
}

//! Child processes that complete their work.

use std::{
    collections::BTreeMap,
    fs,
    future::pending,
    path::{Path, PathBuf},
    sync::Mutex,
};

use docwright_agent::workspace::Changes;
use docwright_jobs::child::{
    BrokerRequest, BrokerResponse, Caller, Folders, Limits, Progress,
    work::{
        Build, BuildDiagnostic, Check, Element, LinksToRepair, Markdown, MovedLinks, Piece,
        Preview, UnknownPaths,
    },
};
use docwright_site::{
    Options,
    build::build,
    bundle::{About, BundleWriter},
    source::Source,
};
use docwright_types::{
    deployment::PlaygroundMode,
    git_host::{GitHostKind, RepositoryFolder},
};
use url::Url;

use super::{ChildFolders, launcher};
use crate::server::docwright;

const SPEC: &str = r#"{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"Read it"}}}}"#;
const ADDRESS: &str = "https://api.example.com/openapi.json";

/// A spec that is too long for one message, so that the child receives it in parts.
fn spec() -> String {
    format!("{SPEC}{}", "\n".repeat(17 * 1024 * 1024))
}

/// Records messages and gives one answer.
#[derive(Default)]
struct Recorder {
    progress: Mutex<Vec<Progress>>,
    needs: Mutex<Vec<BrokerRequest>>,
}

impl Caller for Recorder {
    async fn supply(&self, needs: BrokerRequest) -> BrokerResponse {
        self.needs.lock().unwrap().push(needs);
        let diagnostic = BuildDiagnostic {
            path: "docs.json".to_owned(),
            line: 0,
            column: 0,
            is_error: false,
            code: "remote-spec".to_owned(),
            message: "a copy is used".to_owned(),
            help: None,
        };
        BrokerResponse {
            dates: dates(),
            remote_specs: vec![(ADDRESS.to_owned(), spec())],
            remote_fonts: Vec::new(),
            diagnostics: vec![diagnostic],
        }
    }

    fn progress(&self, progress: Progress) {
        self.progress.lock().unwrap().push(progress);
    }
}

fn dates() -> BTreeMap<String, String> {
    BTreeMap::from([("index.mdx".to_owned(), "2026-01-02T03:04:05Z".to_owned())])
}

#[tokio::test]
async fn bundle_of_child_equals_bundle_of_export() {
    let place = ChildFolders::new();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    copy(&docs, &place.root);
    let exported = place.folder.path().join("exported.tar.gz");
    let status = docwright(&["export", "--out", exported.to_str().unwrap(), "--json"])
        .arg(&place.root)
        .output()
        .unwrap()
        .status;
    assert!(status.success());

    let recorder = Recorder::default();
    let launcher = launcher(Limits::default());
    let built = launcher.run(place.build(), &place.folders(), &recorder, pending()).await.unwrap();
    assert_eq!(fs::read(place.bundle()).unwrap(), fs::read(exported).unwrap());
    assert!(built.page_count > 5 && built.errors == 0, "{built:?}");
    assert!(recorder.needs.lock().unwrap().is_empty(), "these docs request no data");
    let progress = recorder.progress.lock().unwrap();
    let all = Progress { rendered: built.page_count, total: built.page_count };
    assert_eq!(progress.last(), Some(&all));
}

#[tokio::test]
async fn child_uses_results_of_earlier_builds() {
    let place = ChildFolders::new();
    copy(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs"), &place.root);
    let folder = place.folder.path().join("results");
    fs::create_dir(&folder).unwrap();
    let launcher = launcher(Limits::default());
    let build = async |results: PathBuf| {
        let mut folders = place.folders();
        folders.write.push(folder.clone());
        let work = Build { results: Some(results), ..place.build() };
        let built = launcher.run(work, &folders, &(), pending()).await.unwrap();
        (built, fs::read(place.bundle()).unwrap())
    };
    let (first, bundle) = build(folder.join("results")).await;
    assert_eq!((first.reused_pages, first.results_error.as_deref()), (0, None));
    let (second, same) = build(folder.join("results")).await;
    assert_eq!(second.reused_pages, second.page_count);
    assert!(same == bundle);
    let page = place.root.join("run/releases.mdx");
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text + "\nOne more sentence.\n").unwrap();
    let (third, changed) = build(folder.join("results")).await;
    assert_eq!(third.reused_pages, third.page_count - 1);
    // A place that it can't write to costs the results only.
    let (cold, equal) = build(place.root.join("results")).await;
    assert!(cold.reused_pages == 0 && cold.results_error.is_some(), "{cold:?}");
    assert!(changed == equal && changed != bundle);
}

#[tokio::test]
async fn child_gets_options_and_data_of_parent() {
    let page = format!("---\ntitle: A\ntimestamp: true\nopenapi: \"{ADDRESS} GET /a\"\n---\n");
    let place = ChildFolders::with_page(&page);
    place.write("other.mdx", "not asked for");
    let repository = RepositoryFolder {
        kind: Some(GitHostKind::GitHub),
        address: Url::parse("https://github.com/example/docs").unwrap(),
        branch: "main".to_owned(),
        folder: "docs".to_owned(),
    };
    let mut asked: Build = place.build();
    asked.options.site_url = Some("https://docs.example.com/".to_owned());
    asked.options.commit = Some("c0ffee".to_owned());
    asked.options.version = Some("v2".to_owned());
    asked.options.paths = Some(vec!["index".to_owned()]);
    asked.options.features.playground.mode = PlaygroundMode::Off;
    asked.options.remote_specs = true;
    asked.options.repository = Some(repository.clone());
    let recorder = Recorder::default();
    let launcher = launcher(Limits::default());
    let built = launcher.run(asked.clone(), &place.folders(), &recorder, pending()).await.unwrap();
    let needs = BrokerRequest {
        dates: ["docs.json", "index.mdx", "other.mdx"].map(str::to_owned).to_vec(),
        remote_specs: vec![ADDRESS.to_owned()],
        remote_fonts: Vec::new(),
    };
    assert_eq!(*recorder.needs.lock().unwrap(), [needs]);
    assert_eq!((built.page_count, built.warnings), (1, 1), "{built:?}");
    assert_eq!(built.diagnostics[0].message, "a copy is used");

    let options = Options {
        site_url: asked.options.site_url.as_deref().and_then(|address| Url::parse(address).ok()),
        site_url_wins: false,
        commit: asked.options.commit.clone(),
        version: asked.options.version.clone(),
        paths: asked.options.paths.clone(),
        features: asked.options.features.clone(),
        repository: Some(repository),
        last_modified: dates(),
        ..Options::default()
    };
    assert_eq!(fs::read(place.bundle()).unwrap(), here(&place, &options));
}

#[tokio::test]
async fn child_checks_previews_and_finds_paths() {
    let place = ChildFolders::with_page("# A\n\n[x](/none)\n");
    let launcher = launcher(Limits::default());
    let folders = place.folders();
    let (root, changes) = (place.root.clone(), Changes::default());
    let check = Check { root: root.clone(), changes: changes.clone() };
    let problems = launcher.run(check, &folders, &(), pending()).await.unwrap();
    assert_eq!((problems.len(), problems[0].line), (1, 3), "{problems:?}");

    // Excluded pages aren't part of the site, although agents can change them.
    fs::write(root.join(".mintignore"), "drafts/\n").unwrap();
    fs::create_dir(root.join("drafts")).unwrap();
    fs::write(root.join("drafts/x.mdx"), "old").unwrap();
    let fixed = serde_json::json!({ "index.mdx": { "written": "Fixed, see [b](/b)." },
        "b.mdx": { "written": "" }, "drafts/x.mdx": { "written": "[c](/nowhere) <Tab>" } });
    let changes: Changes = serde_json::from_value(fixed).unwrap();
    let check = Check { root: root.clone(), changes: changes.clone() };
    assert_eq!(launcher.run(check, &folders, &(), pending()).await.unwrap(), []);
    let broken = serde_json::json!({ "index.mdx": { "written": "[b](/B) [c](/c#d)" }, "b.mdx": { "written": "" } });
    let links =
        LinksToRepair { root: root.clone(), changes: serde_json::from_value(broken).unwrap() };
    let links = launcher.run(links, &folders, &(), pending()).await.unwrap();
    let links: Vec<_> = links.iter().map(|link| (link.line, link.meant.as_deref())).collect();
    assert_eq!(links, [(1, Some("/b")), (1, None)]);
    let state = |heading: &str| {
        let files = serde_json::json!({ "index.mdx": { "written": "[b](/b#one)" },
            "b.mdx": { "written": format!("## {heading}\n") } });
        serde_json::from_value::<Changes>(files).unwrap()
    };
    let moved = MovedLinks { root: root.clone(), before: state("One"), after: state("Two") };
    let moved = launcher.run(moved, &folders, &(), pending()).await.unwrap();
    let moved: Vec<_> = moved.iter().map(|link| (link.href.as_str(), link.to.as_str())).collect();
    assert_eq!(moved, [("/b#one", "/b#two")]);
    let preview = |path: &str| Preview {
        root: root.clone(),
        changes: changes.clone(),
        path: path.to_owned(),
    };
    let text = launcher.run(preview("index"), &folders, &(), pending()).await.unwrap();
    assert!(text.is_some_and(|text| text.contains("Fixed, see b.")));
    assert_eq!(launcher.run(preview("c"), &folders, &(), pending()).await.unwrap(), None);

    let paths = ["index", "/index", "c"].map(str::to_owned).to_vec();
    let unknown = launcher.run(UnknownPaths { root, paths }, &folders, &(), pending()).await;
    assert_eq!(unknown.unwrap(), ["c"]);
}

#[tokio::test]
async fn failures_name_no_path_of_the_machine() {
    let mut place = ChildFolders::new();
    let machine = place.folder.path().display().to_string();
    let launcher = launcher(Limits::default());
    let error = place.run(&launcher).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("docs.json") && !text.contains(&machine), "{text}");
    assert!(!error.is_transient());
    // A file isn't a valid docs root.
    place.root.push("file");
    fs::write(&place.root, "text").unwrap();
    let text = place.run(&launcher).await.unwrap_err().to_string();
    assert!(text.starts_with("cannot read the docs root: "), "{text}");
}

/// Builds the bundle in this process.
fn here(place: &ChildFolders, options: &Options) -> Vec<u8> {
    let (mut source, _) = Source::read(&place.root).unwrap();
    source.add_remote(ADDRESS, &spec());
    let writer = BundleWriter::new(tempfile::tempfile().unwrap());
    let report = build(&source, options, &writer, &|_| ()).unwrap();
    let about = About {
        page_count: report.pages,
        commit: options.commit.clone(),
        version: options.version.clone(),
        redirects: report.redirects,
        ..About::default()
    };
    let mut bytes = Vec::new();
    writer.finish(about, &mut bytes).unwrap();
    bytes
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn markdown_is_read_without_any_folder() {
    let launcher = launcher(Limits::default());
    let hostile = ["_a_", "<b>a\n", "[a](", "> ", "- ", "`a ", "|a"];
    let mut texts: Vec<_> =
        hostile.iter().map(|part| part.repeat(64 * 1024 / part.len())).collect();
    texts.push("a **b**".to_owned());
    let work = Markdown { texts };
    let read = launcher.run(work, &Folders::default(), &(), pending()).await.unwrap();
    assert_eq!(read.len(), hostile.len() + 1);
    let bold = Piece::Begin(Element::Strong);
    assert!(read.last().unwrap().as_ref().unwrap().contains(&bold));
}

//! What a child costs. Not part of the tests: it measures, and needs a repository.
//!
//! `DOCWRIGHT_REPOSITORY=DIR cargo test -p docwright-server --test it child::cost -- --ignored --nocapture`

use std::{future::pending, path::PathBuf, time::Instant};

use docwright_flows::child::{
    Folders, Limits,
    work::{Build, BuildOptions, UnknownPaths},
};
use docwright_site::{
    Options,
    build::build,
    bundle::{BundleInfo, pack},
    output::Folder,
    source::Source,
};

use super::{Place, launcher};

#[tokio::test]
#[ignore = "measures"]
async fn start_and_end() {
    let place = Place::with_page("text");
    let launcher = launcher(Limits::default());
    let mut times = Vec::new();
    for _ in 0..50 {
        let started = Instant::now();
        let paths = UnknownPaths { root: place.root.clone(), paths: Vec::new() };
        launcher.run(paths, &place.folders(), &(), pending()).await.unwrap();
        times.push(started.elapsed());
    }
    times.sort();
    println!("start and end: median {:?}, slowest {:?}", times[25], times[49]);
}

#[tokio::test]
#[ignore = "measures"]
async fn a_build_with_and_without() {
    let root = PathBuf::from(std::env::var_os("DOCWRIGHT_REPOSITORY").expect("it names a folder"));
    let launcher = launcher(Limits::default());
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let started = Instant::now();
        let pages = here(&root, folder.path());
        println!("without a child: {pages} pages in {:?}", started.elapsed());

        let folder = tempfile::tempdir().unwrap();
        let scratch = folder.path().to_owned();
        let folders = Folders { read: vec![root.clone()], write: vec![scratch.clone()] };
        let bundle = scratch.join("bundle.tar.gz");
        let work = Build { root: root.clone(), scratch, bundle, options: BuildOptions::default() };
        let started = Instant::now();
        let built = launcher.run(work, &folders, &(), pending()).await.unwrap();
        println!("with a child: {} pages in {:?}", built.page_count, started.elapsed());
    }
}

fn here(root: &std::path::Path, scratch: &std::path::Path) -> usize {
    let (source, _) = Source::read(root).unwrap();
    let site = scratch.join("site");
    let report = build(&source, &Options::default(), &Folder::new(&site), &|_| ()).unwrap();
    let info = BundleInfo {
        page_count: report.pages,
        redirects: report.redirects,
        ..BundleInfo::default()
    };
    let file = std::fs::File::create(scratch.join("bundle.tar.gz")).unwrap();
    pack(&site, &info, std::io::BufWriter::new(&file)).unwrap();
    file.sync_all().unwrap();
    report.pages
}

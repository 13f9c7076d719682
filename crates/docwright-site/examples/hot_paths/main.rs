//! Runs a hot path of the compiler once, on generated input and without measuring anything: `cargo xtask instructions`
//! counts the instructions.
//!
//! Without arguments, prints the names of the paths. `prepare NAME DIR` writes to an empty folder what `run NAME DIR`
//! then needs, so that the preparation isn't counted.

mod input;

use std::{error::Error, fmt::Debug, fs, io, path::Path, sync::Arc};

use docwright_site::{
    Options,
    build::build,
    bundle::{About, BundleWriter},
    output::{Memory, Output},
    result_cache::ResultCache,
    search::{self, Query, Searcher, Synonyms},
    source::Source,
};
use input::Files;

/// Result of a path, which only matters if it is an error.
type Outcome = Result<(), Box<dyn Error>>;

/// A hot path.
struct HotPath {
    name: &'static str,
    prepare: Option<fn(&Path) -> Outcome>,
    run: fn(&Path) -> Outcome,
}

const PATHS: &[HotPath] = &[
    HotPath { name: "pages", prepare: None, run: build_pages },
    HotPath { name: "api", prepare: None, run: build_api },
    HotPath { name: "index", prepare: None, run: write_index },
    HotPath { name: "bundle", prepare: None, run: write_bundle },
    HotPath { name: "warm", prepare: Some(export_first), run: export_edited },
    HotPath { name: "query", prepare: Some(write_searched_site), run: ask },
];

/// Pages of the built site.
const PAGES: usize = 24;
/// Resources of the API spec.
const RESOURCES: usize = 6;
/// Pages of the search index.
const SEARCHED: usize = 60;
/// Files of the bundle.
const FILES: usize = 200;
/// Pages of the site that is exported twice.
const EXPORTED: usize = 24;
/// Larger than the results of an export. Bytes.
const ROOM: u64 = 1024 * 1024 * 1024;
/// Queries with one word, several words, a beginning of a word, a mistyped word, and a phrase.
const QUERIES: &[&str] =
    &["webhook", "delete the account", "subscr", "databse backup", "\"export project\""];

fn main() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let find = |name| PATHS.iter().find(|path| path.name == name).ok_or("no such hot path");
    match arguments[..] {
        [] => {
            for path in PATHS {
                println!("{}", path.name);
            }
        }
        ["prepare", name, folder] => {
            find(name)?.prepare.map_or(Ok(()), |prepare| prepare(folder.as_ref()))?;
        }
        ["run", name, folder] => (find(name)?.run)(folder.as_ref())?,
        _ => return Err("usage: hot_paths [prepare|run NAME DIR]".into()),
    }
    Ok(())
}

fn build_pages(_folder: &Path) -> Outcome {
    build_site(input::site(PAGES), PAGES + 1)
}

fn build_api(_folder: &Path) -> Outcome {
    build_site(input::api_site(RESOURCES), RESOURCES * 4 + 1)
}

/// Builds a site in memory. It must have this many pages.
fn build_site(files: Files, pages: usize) -> Outcome {
    let report =
        build(&Source::from_files(files), &Options::default(), &Memory::default(), &|_| {})?;
    check(report.pages == pages && report.diagnostics.is_empty(), &report)
}

/// Fails if the path did other work than it is for.
fn check(is_meant: bool, result: &dyn Debug) -> Outcome {
    if is_meant { Ok(()) } else { Err(format!("unexpected result: {result:?}").into()) }
}

fn write_index(_folder: &Path) -> Outcome {
    let again = |_: &str| Err(io::ErrorKind::NotFound.into());
    let documents = input::documents(SEARCHED);
    Ok(search::write_index(documents, &Synonyms::default(), &Memory::default(), &again)?)
}

fn write_bundle(_folder: &Path) -> Outcome {
    let writer = BundleWriter::new(tempfile::tempfile()?);
    for (path, contents) in input::built_files(FILES) {
        writer.write(&path, contents.as_bytes())?;
    }
    writer.finish(About::default(), io::sink())?;
    Ok(())
}

fn export_first(folder: &Path) -> Outcome {
    export(folder, input::site(EXPORTED), 0)
}

fn export_edited(folder: &Path) -> Outcome {
    export(folder, input::edited(input::site(EXPORTED)), EXPORTED)
}

/// Exports a site to a bundle with the results of earlier exports to the folder, which must have this many of its pages.
fn export(folder: &Path, files: Files, reused: usize) -> Outcome {
    let results = Arc::new(ResultCache::open(&folder.join("results"), ROOM));
    let writer = BundleWriter::with_cache(tempfile::tempfile()?, Arc::clone(&results));
    let report = build(&Source::from_files(files), &Options::default(), &writer, &|_| {})?;
    writer.finish(report.about(), io::sink())?;
    results.save()?;
    check(report.reused_pages == reused && report.diagnostics.is_empty(), &report)
}

fn write_searched_site(folder: &Path) -> Outcome {
    let (again, output) = (|_: &str| Err(io::ErrorKind::NotFound.into()), Memory::default());
    search::write_index(input::documents(SEARCHED), &Synonyms::default(), &output, &again)?;
    for (path, contents) in output.into_files() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, contents)?;
    }
    Ok(())
}

fn ask(folder: &Path) -> Outcome {
    let folder = folder.to_owned();
    let searcher = Searcher::new(move |path| fs::read_to_string(folder.join(path)).ok())?;
    for text in QUERIES {
        let query =
            Query { language: "en".to_owned(), text: (*text).to_owned(), limit: 10, version: None };
        let found = searcher.query(query, || false)?;
        check(!found.hits.is_empty(), text)?;
    }
    Ok(())
}

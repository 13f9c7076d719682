//! When each page last changed, as git knows it.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
};

use docwright_site::{content::shows_dates, source::Source};

use crate::git::{ask, question};

/// Starts the line of a commit in git's output; no path does.
const MARK: char = '\u{1}';

/// The date of the last commit of each file of a docs root, as ISO 8601. Empty if no page shows a
/// date, which spares asking, and without a history.
pub fn last_changes(root: &Path, source: &Source) -> BTreeMap<String, String> {
    if shows_dates(source) { dates(root, source) } else { BTreeMap::new() }
}

/// The same in a clone that holds the newest commit only, which is completed if need be.
pub(crate) fn last_changes_in_clone(root: &Path, source: &Source) -> BTreeMap<String, String> {
    if !shows_dates(source) {
        return BTreeMap::new();
    }
    deepen(root);
    dates(root, source)
}

/// Where git knows only the newest commits, all dates would be wrong: then there are none.
fn dates(root: &Path, source: &Source) -> BTreeMap<String, String> {
    if ask(root, &["rev-parse", "--is-shallow-repository"]).as_deref() != Some("false") {
        return BTreeMap::new();
    }
    let log = ["log", "--format=%x01%cI", "--name-only", "--no-renames", "--relative", "--", "."];
    let started = question(root, &[&["-c", "core.quotePath=false"], log.as_slice()].concat())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut process) = started else { return BTreeMap::new() };
    let lines = process.stdout.take().map(|output| BufReader::new(output).lines());
    let dates = read(lines.into_iter().flatten().map_while(Result::ok), source);
    // All that is wanted may be known long before the first commit is reached.
    let _ended = process.kill();
    let _status = process.wait();
    dates
}

/// Completes a clone that holds the newest commit only, without the contents of older files.
fn deepen(clone: &Path) {
    let fetch = ["fetch", "--quiet", "--unshallow", "--filter=blob:none"];
    if ask(clone, &fetch).is_none() {
        tracing::warn!("the history can't be fetched; pages say nothing of their last change");
    }
}

fn read(lines: impl Iterator<Item = String>, source: &Source) -> BTreeMap<String, String> {
    let mut wanted: BTreeSet<&str> = source.paths().collect();
    let mut dates = BTreeMap::new();
    let mut date = String::new();
    for line in lines {
        if let Some(next) = line.strip_prefix(MARK) {
            next.clone_into(&mut date);
        } else if wanted.remove(line.as_str()) {
            dates.insert(line, date.clone());
            if wanted.is_empty() {
                break;
            }
        }
    }
    dates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(folder: &Path, file: &str, date: &str) {
        std::fs::write(folder.join(file), date).unwrap();
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        assert!(ask(folder, &["add", "."]).is_some());
        let mut commit = question(folder, &[&identity, ["commit", "-qm", "x"].as_slice()].concat());
        let status = commit.env("GIT_COMMITTER_DATE", date).status().unwrap();
        assert!(status.success());
    }

    #[test]
    fn a_file_has_the_date_of_its_last_commit() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("docs");
        std::fs::create_dir(&root).unwrap();
        assert!(ask(folder.path(), &["init", "-q"]).is_some());
        commit(&root, "docs.json", "2024-01-02T03:04:05Z");
        commit(&root, "ä b.mdx", "2024-02-02T03:04:05Z");
        commit(&root, "docs.json", "2024-03-02T03:04:05Z");
        let source = Source::read(&root).unwrap().0;
        let known = dates(&root, &source);
        assert_eq!(known["docs.json"], "2024-03-02T03:04:05Z");
        assert_eq!(known["ä b.mdx"], "2024-02-02T03:04:05Z");

        let clone = folder.path().join("clone");
        let address = format!("file://{}", folder.path().display());
        let target = clone.display().to_string();
        assert!(ask(&root, &["clone", "-q", "--depth", "1", &address, &target]).is_some());
        assert!(dates(&clone.join("docs"), &source).is_empty(), "all dates would be one");
        deepen(&clone);
        assert_eq!(dates(&clone.join("docs"), &source), known);
    }
}

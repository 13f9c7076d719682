//! Compares two built sites of one project, page by page.
//!
//! Pages are identified by the fingerprints of their Markdown versions, which contain title, description, and
//! text: the HTML of every page changes with the navigation around it.

use std::collections::BTreeMap;

use crate::{
    bundle::{Bundle, FileEntry},
    generated::FINGERPRINTS,
};

/// Maximum size of Markdown versions that are read for their titles, in bytes.
const LONGEST: u64 = 1024 * 1024;
/// Maximum number of titles that are read. Further pages are named by their paths.
const TITLES: usize = 1_000;

/// The kind of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Its text or its title changed.
    Changed,
    /// It is new.
    Added,
    /// It has a new path and is otherwise unchanged.
    Moved {
        /// The path that it had.
        from: String,
    },
    /// It no longer exists.
    Removed,
}

/// A page that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChange {
    /// Its path, without an ending; that before, if it is removed.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The kind of the change.
    pub fate: Fate,
}

/// The pages that differ between two sites, by path. Without a site before, each page is new.
pub fn changed_pages(before: Option<&Bundle>, after: &Bundle) -> Vec<PageChange> {
    let (old, new) = texts(before, after);
    let mut gone: BTreeMap<&str, &Text<'_>> = old
        .iter()
        .filter(|(path, _)| !new.contains_key(*path))
        .map(|(path, page)| (*path, page))
        .collect();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, page) in gone.iter().rev() {
        places.entry(&page.fingerprint).or_default().push(path);
    }
    let mut changes = Vec::new();
    for (path, page) in &new {
        let fate = match old.get(path) {
            Some(before) if before.fingerprint == page.fingerprint => continue,
            Some(_) => Fate::Changed,
            None => match places.get_mut(page.fingerprint.as_str()).and_then(Vec::pop) {
                Some(from) => {
                    gone.remove(from);
                    Fate::Moved { from: from.to_owned() }
                }
                None => Fate::Added,
            },
        };
        changes.push((*path, Some((after, page.file)), fate));
    }
    for (path, page) in gone {
        changes.push((path, before.map(|before| (before, page.file)), Fate::Removed));
    }
    changes.sort_by_key(|(path, _, _)| *path);
    let changes = changes.into_iter().enumerate().map(|(number, (path, page, fate))| {
        let title = page.filter(|_| number < TITLES).and_then(|(bundle, page)| title(bundle, page));
        PageChange { path: path.to_owned(), title: title.unwrap_or_else(|| path.to_owned()), fate }
    });
    changes.collect()
}

/// The text of a page.
struct Text<'a> {
    /// Its Markdown version.
    file: &'a FileEntry,
    /// Its fingerprint.
    fingerprint: String,
}

/// The texts of two sites, by page path. Bundles of earlier versions have no fingerprints; then Markdown versions
/// are compared byte by byte.
fn texts<'a>(
    before: Option<&'a Bundle>,
    after: &'a Bundle,
) -> (BTreeMap<&'a str, Text<'a>>, BTreeMap<&'a str, Text<'a>>) {
    let known = (before.and_then(fingerprints), fingerprints(after));
    let both = match known {
        (Some(before), Some(after)) => (before, after),
        _ => (BTreeMap::new(), BTreeMap::new()),
    };
    (before.map(|before| pages(before, &both.0)).unwrap_or_default(), pages(after, &both.1))
}

/// The fingerprints of a site's pages, by their paths.
fn fingerprints(bundle: &Bundle) -> Option<BTreeMap<String, String>> {
    serde_json::from_str(&bundle.read_text(FINGERPRINTS)?).ok()
}

/// The texts of a site's pages, by the path of the page.
fn pages<'a>(
    bundle: &'a Bundle,
    fingerprints: &BTreeMap<String, String>,
) -> BTreeMap<&'a str, Text<'a>> {
    let pages = bundle.files().iter().filter_map(|file| {
        let path = file.path.strip_suffix(".md")?;
        bundle.get(&format!("{path}.html"))?;
        let known = fingerprints.get(path).cloned();
        let fingerprint = known.unwrap_or_else(|| file.sha256.to_string());
        Some((path, Text { file, fingerprint }))
    });
    pages.collect()
}

/// The title of a page: the first heading of its Markdown version.
fn title(bundle: &Bundle, page: &FileEntry) -> Option<String> {
    if page.size > LONGEST {
        return None;
    }
    let text = String::from_utf8(bundle.read(page).ok()?).ok()?;
    let heading = text.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(heading.trim().to_owned()).filter(|title| !title.is_empty())
}

//! The files of a change as a tree of folders, with what changed in each.

use std::collections::BTreeMap;

use docwright_operations::diff::FileDiff;
use maud::{Markup, html};

/// Folders inside each other; what lies deeper is shown by its whole path below them.
const DEEPEST: usize = 10;
/// A tree with more files is folded.
const OPEN: usize = 40;

/// A folder, with the files in it by their number in the change.
#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<(&'a str, usize)>,
}

/// The tree, each file a link to its change on the page.
pub(super) fn tree(files: &[FileDiff]) -> Markup {
    let mut root = Folder::default();
    for (number, file) in files.iter().enumerate() {
        let mut folder = &mut root;
        let mut path = file.path.as_str();
        for _ in 0..DEEPEST {
            let Some((name, rest)) = path.split_once('/') else { break };
            folder = folder.folders.entry(name).or_default();
            path = rest;
        }
        folder.files.push((path, number));
    }
    html! {
        details.tree open[files.len() <= OPEN] {
            summary { "File tree" }
            (folder(&root, files))
        }
    }
}

fn folder(this: &Folder<'_>, all: &[FileDiff]) -> Markup {
    html! {
        ul {
            @for (name, inner) in &this.folders {
                @let (name, inner) = only_child((*name).to_owned(), inner);
                li {
                    span.folder { (name) "/" } span.meta { (inner.count()) }
                    (folder(inner, all))
                }
            }
            @for (name, number) in &this.files {
                li { a href={ "#file-" (number) } { (name) } (counts(&all[*number])) }
            }
        }
    }
}

/// A folder with nothing but another in it is shown in one line with that.
fn only_child<'a, 'f>(mut name: String, mut folder: &'f Folder<'a>) -> (String, &'f Folder<'a>) {
    while folder.files.is_empty()
        && let [(inner, next)] = folder.folders.iter().collect::<Vec<_>>()[..]
    {
        name = format!("{name}/{inner}");
        folder = next;
    }
    (name, folder)
}

impl Folder<'_> {
    fn count(&self) -> usize {
        self.files.len() + self.folders.values().map(Folder::count).sum::<usize>()
    }
}

/// What became of a file, and how many lines of it changed.
pub(super) fn counts(file: &FileDiff) -> Markup {
    html! {
        span.counts {
            @if let Some(fate) = file.fate { span.fate { (fate.name()) } }
            @if file.added > 0 { span.plus { "+" (file.added) } }
            @if file.removed > 0 { span.minus { "−" (file.removed) } }
        }
    }
}

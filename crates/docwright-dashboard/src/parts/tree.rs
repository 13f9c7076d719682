//! The files of a change as a tree of folders, each with its counts.

use std::collections::BTreeMap;

use docwright_operations::diff::FileDiff;
use maud::{Markup, html};

use super::diff::{SHOWN_FILES, counts};
use crate::words;

/// Deepest level of nested folders; deeper files show the rest of their path.
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
            summary { (words::FILE_TREE) }
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
                    span.soft { (name) "/ " (inner.count()) }
                    (folder(inner, all))
                }
            }
            @for (name, number) in &this.files {
                @let file = &all[*number];
                li {
                    // The rest isn't on the page.
                    @if *number < SHOWN_FILES { a href={ "#file-" (number) } { (name) } } @else { (name) }
                    " " @if let Some(fate) = words::file_fate(file.fate) { span.soft { (fate) " " } }
                    (counts(file.added, file.removed))
                }
            }
        }
    }
}

/// A folder that contains only another folder shares its line.
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

//! Finds pages, and the properties of each page before its body is read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    Page, PageKind, Visibility, document,
    frontmatter::{self, Frontmatter},
    openapi::{Channel, Operation, Part, PartKind},
    slug,
};
use crate::{
    Diagnostic, Rule,
    source::{Source, has_ignored_name},
};

/// Names of files that belong to the repository rather than to the site, unless navigation lists
/// them.
const REPOSITORY_FILES: &[&str] =
    &["README.md", "LICENSE.md", "CHANGELOG.md", "CONTRIBUTING.md", "CLAUDE.md", "AGENTS.md"];
/// Folders whose files are snippets.
const SNIPPET_FOLDERS: &[&str] = &["snippets", "_snippets"];

/// Finds the pages of a docs root. `listed` contains the slugs in the navigation: they are pages even with unusual
/// names.
pub(super) fn discover(
    source: &Source,
    listed: &BTreeSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Page> {
    let imported = imported_files(source);
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let mut shared = SharedFrontmatter::default();
    for path in source.paths().filter(|path| is_markdown(path)) {
        let slug = slug::of_path(path);
        if !listed.contains(&slug)
            && (is_snippet(path) || is_repository_file(path) || imported.contains(path))
        {
            continue;
        }
        if let Some(other) = pages.get(&slug) {
            let message = format!("this file and {} have the same address, /{slug}", other.path);
            diagnostics.push(
                Diagnostic::new(Rule::DuplicatePage, path, message)
                    .help("rename or remove one of them"),
            );
            continue;
        }
        if let Some(text) = source.text(path) {
            let page = read((path, &slug, text), &mut shared, diagnostics);
            pages.insert(slug, page);
        }
    }
    pages
}

/// Whether a path is in a folder of snippets.
pub fn is_snippet(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| SNIPPET_FOLDERS.contains(&folder))
}

/// Whether a file is a page or a snippet, by its ending.
pub fn is_markdown(path: &str) -> bool {
    path.ends_with(".mdx") || path.ends_with(".md")
}

/// Whether the path of a file below a docs root says that it is a page: its contents, those of other files, and patterns of
/// excluded files can make it none.
pub fn is_page_path(path: &str) -> bool {
    is_markdown(path) && !is_snippet(path) && !is_repository_file(path) && !has_ignored_name(path)
}

fn is_repository_file(path: &str) -> bool {
    // The skill of a site is for agents, and replaces the generated one.
    path == "skill.md" || REPOSITORY_FILES.contains(&path.rsplit('/').next().unwrap_or(path))
}

/// The frontmatter of pages by their text, which files with the same text share.
type SharedFrontmatter = HashMap<*const u8, Arc<Frontmatter>>;

fn read(
    (path, slug, text): (&str, &str, &str),
    shared: &mut SharedFrontmatter,
    diagnostics: &mut Vec<Diagnostic>,
) -> Page {
    let split = frontmatter::split(text);
    let frontmatter = shared.get(&text.as_ptr()).cloned().unwrap_or_else(|| {
        let known = diagnostics.len();
        let read = Arc::new(frontmatter::read(path, slug, split.yaml, diagnostics));
        // A missing title follows from the slug, and a diagnostic names its file.
        if read.has_title && diagnostics.len() == known {
            shared.insert(text.as_ptr(), Arc::clone(&read));
        }
        read
    });
    Page {
        slug: slug.to_owned(),
        path: path.to_owned(),
        frontmatter,
        body_offset: split.body_offset,
        body_line: split.body_line,
        kind: PageKind::File,
        part: None,
        missing_specs: Vec::new(),
        visibility: Visibility::default(),
        language: "en".to_owned(),
    }
}

/// The page of an operation that has no file.
pub(super) fn of_operation(slug: &str, spec: &str, operation: &Operation) -> Page {
    let mut frontmatter = frontmatter::typed(operation.metadata.clone(), slug);
    frontmatter.title.clone_from(&operation.title);
    frontmatter.deprecated |= operation.deprecated;
    frontmatter.openapi = Some(format!("{} {}", operation.method, operation.path));
    let (method, path) = (operation.method.clone(), operation.path.clone());
    let part = Part { spec: spec.to_owned(), kind: PartKind::Operation { method, path } };
    generated(slug, part, frontmatter, operation.content.clone())
}

/// The page of a channel that has no file.
pub(super) fn of_channel(slug: &str, spec: &str, channel: &Channel) -> Page {
    let mut frontmatter = frontmatter::typed(serde_json::Map::new(), slug);
    frontmatter.title.clone_from(&channel.title);
    frontmatter.asyncapi = Some(format!("{spec} {}", channel.name));
    let part = Part { spec: spec.to_owned(), kind: PartKind::Channel(channel.name.clone()) };
    generated(slug, part, frontmatter, String::new())
}

fn generated(slug: &str, part: Part, frontmatter: Frontmatter, content: String) -> Page {
    Page {
        slug: slug.to_owned(),
        path: part.spec.clone(),
        frontmatter: frontmatter.into(),
        body_offset: 0,
        body_line: 1,
        kind: PageKind::Generated { content },
        part: Some(part),
        missing_specs: Vec::new(),
        visibility: Visibility::default(),
        language: "en".to_owned(),
    }
}

/// Imported files are snippets in any folder.
fn imported_files(source: &Source) -> BTreeSet<String> {
    let mut imported = BTreeSet::new();
    for path in source.paths().filter(|path| is_markdown(path)) {
        let text = source.text(path).unwrap_or_default();
        for line in text.lines().filter(|line| line.starts_with("import ")) {
            if let Some(target) = import_target(line)
                && let Some(file) = document::join(path, target)
            {
                imported.insert(file);
            }
        }
    }
    imported
}

/// The quoted path of an import statement on one line.
fn import_target(line: &str) -> Option<&str> {
    let (_, after) = line.split_once(" from ")?;
    let after = after.trim_start();
    let quote = after.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let target = after[1..].split(quote).next()?;
    (target.starts_with('/') || target.starts_with('.')).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_the_same_text_share_frontmatter_that_says_all() {
        let read = |text: &str| {
            let files = ["v1/first.mdx", "v2/second.mdx"];
            let files = files.map(|path| (path.to_owned(), text.as_bytes().to_vec()));
            let mut diagnostics = Vec::new();
            let pages = discover(&Source::from_files(files), &BTreeSet::new(), &mut diagnostics);
            let frontmatter: Vec<_> = pages.into_values().map(|page| page.frontmatter).collect();
            let titles = frontmatter.iter().map(|each| each.title.clone()).collect::<Vec<_>>();
            let reported = diagnostics.into_iter().map(|each| each.path).collect::<Vec<_>>();
            (Arc::ptr_eq(&frontmatter[0], &frontmatter[1]), titles.join(" "), reported.join(" "))
        };
        let found = |is_shared, titles: &str, reported: &str| {
            (is_shared, titles.to_owned(), reported.to_owned())
        };
        assert_eq!(read("---\ntitle: Same\n---\n"), found(true, "Same Same", ""));
        assert_eq!(read("Text."), found(false, "First Second", ""));
        let broken = read("---\ntitle: Same\nicon: [\n---\n");
        assert_eq!(broken, found(false, "Same Same", "v1/first.mdx v2/second.mdx"));
    }

    #[test]
    fn imports_are_found() {
        assert_eq!(import_target("import A from '/snippets/a.mdx';"), Some("/snippets/a.mdx"));
        assert_eq!(import_target("import { b } from \"./b.jsx\""), Some("./b.jsx"));
        assert_eq!(import_target("import things from here"), None);
    }
}

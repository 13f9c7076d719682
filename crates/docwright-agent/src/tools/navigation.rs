//! `navigation`: changes pages in docs.json, which stays valid and keeps its layout.

use std::ops::Range;

use super::{
    Arguments, Context, Tool,
    json_text::{Kind, Node, parse},
};
use crate::workspace::{Refusal, Workspace};

pub(super) const TOOL: Tool = Tool {
    name: "navigation",
    description: "Adds, removes, or renames a page in the navigation of docs.json. Write a page as its path without extension, such as guides/start.",
    parameters: &[
        ("action", "string", true, "`add`, `remove`, or `rename`"),
        ("page", "string", true, "The page"),
        ("group", "string", false, "For `add`: name of the group; defaults to the first one"),
        ("after", "string", false, "For `add`: the page to insert it after; defaults to the end"),
        ("to", "string", false, "For `rename`: the new page"),
    ],
    mutates: true,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let page = slug(arguments.text("page")?);
    match arguments.text("action")? {
        "add" => {
            let after = arguments.optional("after")?.map(slug);
            let group = arguments.optional("group")?;
            add(context.workspace, page, group, after)?;
            Ok(format!("added {page}"))
        }
        "remove" => {
            require(replace(context.workspace, page, None)?, page)?;
            Ok(format!("removed {page}"))
        }
        "rename" => {
            let to = slug(arguments.text("to")?);
            require(rename(context.workspace, page, to)?, page)?;
            Ok(format!("renamed {page} to {to}"))
        }
        other => Err(Refusal::new(format!("`action` is `{other}`; use add, remove, or rename"))),
    }
}

fn require(count: usize, page: &str) -> Result<(), Refusal> {
    if count > 0 {
        return Ok(());
    }
    Err(Refusal::new(format!("the navigation doesn't list `{page}`")))
}

/// A page as the navigation writes it.
pub(crate) fn slug(page: &str) -> &str {
    let page = page.trim().trim_matches('/');
    page.strip_suffix(".mdx").or_else(|| page.strip_suffix(".md")).unwrap_or(page)
}

/// Lists a page in a group.
pub(crate) fn add(
    workspace: &mut Workspace,
    page: &str,
    group: Option<&str>,
    after: Option<&str>,
) -> Result<(), Refusal> {
    let files = config_files(workspace)?;
    let mut found = None;
    for (index, path) in files.iter().enumerate() {
        let (text, node) = read(workspace, path)?;
        let Some(navigation) = navigation(&node, index) else { continue };
        if lists(navigation, page) {
            return Err(Refusal::new(format!("the navigation already lists `{page}`")));
        }
        if found.is_none()
            && let Some(pages) = find_group(navigation, group)
        {
            found = Some((path, insertion(&text, pages, page, after), text));
        }
    }
    let Some((path, (at, inserted), text)) = found else {
        return Err(Refusal::new(match group {
            Some(group) => format!("the navigation has no group `{group}`"),
            None => "the navigation has no group".to_owned(),
        }));
    };
    workspace.write(path, format!("{}{inserted}{}", &text[..at], &text[at..]))
}

/// Replaces a page in the navigation. Returns how often it was listed.
pub(crate) fn rename(workspace: &mut Workspace, page: &str, to: &str) -> Result<usize, Refusal> {
    replace(workspace, page, Some(to))
}

/// Files of a split configuration.
const MAXIMUM_FILES: usize = 50;

/// The configuration file and those that it includes with `$ref`, each once.
fn config_files(workspace: &Workspace) -> Result<Vec<String>, Refusal> {
    let first = ["docs.json", "mint.json"].into_iter().find(|path| workspace.contains(path));
    let mut files = vec![first.ok_or_else(|| Refusal::new("docs.json not found"))?.to_owned()];
    let mut next = 0;
    while next < files.len() && files.len() < MAXIMUM_FILES {
        let file = files[next].clone();
        let mut references = Vec::new();
        collect_references(&read(workspace, &file)?.1, &mut references);
        for reference in references {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = join(folder, &reference);
            if workspace.contains(&path) && !files.contains(&path) {
                files.push(path);
            }
        }
        next += 1;
    }
    Ok(files)
}

fn read(workspace: &Workspace, path: &str) -> Result<(String, Node), Refusal> {
    let text = workspace.read(path)?;
    let node =
        parse(&text).map_err(|error| Refusal::new(format!("{path} is not valid JSON: {error}")))?;
    Ok((text, node))
}

/// The navigation of a file: the first file also has other settings.
fn navigation(node: &Node, index: usize) -> Option<&Node> {
    if index == 0 { node.get("navigation") } else { Some(node) }
}

fn collect_references(node: &Node, references: &mut Vec<String>) {
    match &node.kind {
        Kind::Array(entries) => {
            for entry in entries {
                collect_references(entry, references);
            }
        }
        Kind::Object(fields) => {
            let reference = node.get("$ref").and_then(Node::text);
            let local = |reference: &&str| reference.ends_with(".json") && !reference.contains(':');
            references.extend(reference.filter(local).map(str::to_owned));
            for (.., value) in fields {
                collect_references(value, references);
            }
        }
        Kind::String(_) | Kind::Other => {}
    }
}

fn join(folder: &str, path: &str) -> String {
    let start = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The position and text to insert a page into a list, in the style of the previous entry.
fn insertion(
    text: &str,
    (list, pages): (&Range<usize>, &[Node]),
    page: &str,
    after: Option<&str>,
) -> (usize, String) {
    let quoted = serde_json::Value::from(page).to_string();
    let named = pages.iter().rposition(|entry| entry.text().map(slug) == after && after.is_some());
    let before = named.map(|at| &pages[at]).or_else(|| pages.last());
    let Some(before) = before else { return (list.start + 1, quoted) };
    let start = text[..before.span.start].trim_end().len();
    let space = &text[start..before.span.start];
    let space = if space.is_empty() { " " } else { space };
    (before.span.end, format!(",{space}{quoted}"))
}

/// Replaces a page wherever it is listed, or removes it.
fn replace(workspace: &mut Workspace, page: &str, to: Option<&str>) -> Result<usize, Refusal> {
    let mut count = 0;
    if to == Some(page) {
        return Ok(count);
    }
    for (index, path) in config_files(workspace)?.iter().enumerate() {
        // One at a time: each change moves later positions.
        loop {
            let (text, node) = read(workspace, path)?;
            let found = navigation(&node, index).and_then(|node| find_page(node, page));
            let Some(place) = found else { break };
            let changed = match to {
                Some(to) => {
                    let quoted = serde_json::Value::from(to).to_string();
                    format!("{}{quoted}{}", &text[..place.value.start], &text[place.value.end..])
                }
                None => format!("{}{}", &text[..place.whole.start], &text[place.whole.end..]),
            };
            workspace.write(path, changed)?;
            count += 1;
        }
    }
    Ok(count)
}

/// A listed page.
struct NavigationEntry {
    /// Its name.
    value: Range<usize>,
    /// The range to remove, including its comma.
    whole: Range<usize>,
}

/// The first occurrence of a page: an entry of a list, or the root of a group.
fn find_page(node: &Node, page: &str) -> Option<NavigationEntry> {
    let is = |node: &Node| node.text().map(slug) == Some(page);
    let spans: Vec<_>;
    let own = match &node.kind {
        Kind::Array(entries) => {
            spans = entries.iter().map(|entry| entry.span.clone()).collect();
            entries.iter().position(is)
        }
        Kind::Object(fields) => {
            spans = fields.iter().map(|(start, _, value)| *start..value.span.end).collect();
            fields.iter().position(|(_, name, value)| name == "root" && is(value))
        }
        Kind::String(_) | Kind::Other => return None,
    };
    if let Some(at) = own {
        let value = match &node.kind {
            Kind::Object(fields) => fields[at].2.span.clone(),
            _ => spans[at].clone(),
        };
        let whole = match (spans.get(at + 1), at.checked_sub(1)) {
            (Some(next), _) => spans[at].start..next.start,
            (None, Some(before)) => spans[before].end..spans[at].end,
            (None, None) => spans[at].clone(),
        };
        return Some(NavigationEntry { value, whole });
    }
    match &node.kind {
        Kind::Array(entries) => entries.iter().find_map(|entry| find_page(entry, page)),
        Kind::Object(fields) => fields.iter().find_map(|(.., value)| find_page(value, page)),
        Kind::String(_) | Kind::Other => None,
    }
}

/// Whether a page is listed anywhere.
fn lists(node: &Node, page: &str) -> bool {
    find_page(node, page).is_some()
}

/// The list of pages of a group by name, ignoring letter case, with its position; the first list if no name is
/// given.
fn find_group<'a>(node: &'a Node, name: Option<&str>) -> Option<(&'a Range<usize>, &'a [Node])> {
    match &node.kind {
        Kind::Array(entries) => entries.iter().find_map(|entry| find_group(entry, name)),
        Kind::Object(fields) => {
            let own = node.get("group").and_then(Node::text);
            let wanted = match (own, name) {
                (Some(own), Some(name)) => own.eq_ignore_ascii_case(name.trim()),
                (_, None) => true,
                (None, Some(_)) => false,
            };
            if let Some(Node { span, kind: Kind::Array(pages) }) = node.get("pages")
                && wanted
            {
                return Some((span, pages));
            }
            fields.iter().find_map(|(.., value)| find_group(value, name))
        }
        Kind::String(_) | Kind::Other => None,
    }
}

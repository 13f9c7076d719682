//! `navigation`: pages in docs.json, which stays valid JSON in its own order.

use serde_json::Value;

use super::{Arguments, Context, Tool};
use crate::workspace::{Refusal, Workspace};

pub(super) const TOOL: Tool = Tool {
    name: "navigation",
    description: "Adds, removes or renames a page in the navigation of docs.json. A page is its path without ending, such as guides/start.",
    parameters: &[
        ("action", "string", true, "`add`, `remove` or `rename`"),
        ("page", "string", true, "The page"),
        ("group", "string", false, "For `add`: name of the group; the first one without it"),
        ("after", "string", false, "For `add`: the page that it comes after; last without it"),
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
            let count = edit(context.workspace, &|navigation| replace(navigation, page, None))?;
            require(count, page)?;
            Ok(format!("removed {page}"))
        }
        "rename" => {
            let to = slug(arguments.text("to")?);
            let count = edit(context.workspace, &|navigation| replace(navigation, page, Some(to)))?;
            require(count, page)?;
            Ok(format!("renamed {page} to {to}"))
        }
        other => Err(Refusal::new(format!("`action` is `{other}`; use add, remove or rename"))),
    }
}

fn require(count: usize, page: &str) -> Result<(), Refusal> {
    if count > 0 {
        return Ok(());
    }
    Err(Refusal::new(format!("the navigation does not list `{page}`")))
}

/// A page as navigation writes it.
pub(crate) fn slug(page: &str) -> &str {
    let page = page.trim().trim_matches('/');
    page.strip_suffix(".mdx").or_else(|| page.strip_suffix(".md")).unwrap_or(page)
}

/// The configuration file of a docs root.
pub(crate) fn config_path(workspace: &Workspace) -> Result<&'static str, Refusal> {
    ["docs.json", "mint.json"]
        .into_iter()
        .find(|path| workspace.contains(path))
        .ok_or_else(|| Refusal::new("there is no docs.json"))
}

/// Lists a page in a group.
pub(crate) fn add(
    workspace: &mut Workspace,
    page: &str,
    group: Option<&str>,
    after: Option<&str>,
) -> Result<(), Refusal> {
    for (index, path) in config_files(workspace)?.iter().enumerate() {
        let config = read(workspace, path)?;
        if lists(if index == 0 { &config["navigation"] } else { &config }, page) {
            return Err(Refusal::new(format!("the navigation lists `{page}` already")));
        }
    }
    let done = std::cell::Cell::new(false);
    let added = edit(workspace, &|navigation| {
        if done.get() {
            return 0;
        }
        let Some(pages) = find_group(navigation, group) else { return 0 };
        done.set(true);
        let at = after.and_then(|after| {
            pages.iter().position(|entry| entry.as_str().is_some_and(|entry| slug(entry) == after))
        });
        pages.insert(at.map_or(pages.len(), |at| at + 1), Value::from(page));
        1
    })?;
    if added > 0 {
        return Ok(());
    }
    Err(Refusal::new(match group {
        Some(group) => format!("the navigation has no group `{group}`"),
        None => "the navigation has no group".to_owned(),
    }))
}

/// Puts another page in the place of one, or nothing. Returns how often it was listed.
pub(crate) fn rename(workspace: &mut Workspace, page: &str, to: &str) -> Result<usize, Refusal> {
    edit(workspace, &|navigation| replace(navigation, page, Some(to)))
}

fn read(workspace: &Workspace, path: &str) -> Result<Value, Refusal> {
    serde_json::from_str(&workspace.read(path)?)
        .map_err(|error| Refusal::new(format!("{path} is not valid JSON: {error}")))
}

/// Files that a configuration may be spread over.
const MAXIMUM_FILES: usize = 50;

/// The configuration file and those that it takes in with `$ref`, each once.
fn config_files(workspace: &Workspace) -> Result<Vec<String>, Refusal> {
    let mut files = vec![config_path(workspace)?.to_owned()];
    let mut next = 0;
    while next < files.len() && files.len() < MAXIMUM_FILES {
        let file = files[next].clone();
        let mut references = Vec::new();
        collect_references(&read(workspace, &file)?, &mut references);
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

fn collect_references(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Array(entries) => {
            for entry in entries {
                collect_references(entry, references);
            }
        }
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref")
                && reference.ends_with(".json")
                && !reference.contains(':')
            {
                references.push(reference.clone());
            }
            for value in fields.values() {
                collect_references(value, references);
            }
        }
        _ => {}
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

/// Changes the navigation, in the file where it is; writes a file only if something was changed.
/// Its layout is kept as far as its indentation goes.
fn edit(workspace: &mut Workspace, change: &dyn Fn(&mut Value) -> usize) -> Result<usize, Refusal> {
    let mut total = 0;
    for (index, path) in config_files(workspace)?.iter().enumerate() {
        let text = workspace.read(path)?;
        let mut config = read(workspace, path)?;
        let navigation = if index == 0 { config.get_mut("navigation") } else { Some(&mut config) };
        let count = navigation.map_or(0, change);
        if count > 0 {
            workspace.write(path, write(&config, &text))?;
            total += count;
        }
    }
    Ok(total)
}

fn write(config: &Value, before: &str) -> String {
    let indent = before.lines().nth(1).map_or("  ", |line| {
        let spaces = line.len() - line.trim_start().len();
        &line[..spaces]
    });
    let indent = if indent.is_empty() { "  " } else { indent };
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // Writing a value to memory can't fail.
    if serde::Serialize::serialize(config, &mut serializer).is_err() {
        return before.to_owned();
    }
    let mut text = String::from_utf8(bytes).unwrap_or_else(|_| before.to_owned());
    if before.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Replaces a page wherever it is listed: as an entry of `pages`, or as the root of a group.
fn replace(node: &mut Value, page: &str, to: Option<&str>) -> usize {
    match node {
        Value::Array(entries) => {
            let is = |entry: &Value| entry.as_str().is_some_and(|entry| slug(entry) == page);
            let count = entries.iter().filter(|entry| is(entry)).count();
            if let Some(to) = to {
                entries.iter_mut().filter(|entry| is(entry)).for_each(|entry| *entry = to.into());
            } else {
                entries.retain(|entry| !is(entry));
            }
            count + entries.iter_mut().map(|entry| replace(entry, page, to)).sum::<usize>()
        }
        Value::Object(fields) => {
            let is_root = fields.get("root").and_then(Value::as_str).map(slug) == Some(page);
            if is_root {
                match to {
                    Some(to) => drop(fields.insert("root".to_owned(), Value::from(to))),
                    None => drop(fields.shift_remove("root")),
                }
            }
            let below = fields.values_mut().map(|value| replace(value, page, to));
            usize::from(is_root) + below.sum::<usize>()
        }
        _ => 0,
    }
}

/// Whether a page is listed anywhere.
pub(crate) fn lists(node: &Value, page: &str) -> bool {
    match node {
        Value::String(text) => slug(text) == page,
        Value::Array(entries) => entries.iter().any(|entry| lists(entry, page)),
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            matches!(value, Value::Array(_) | Value::Object(_)) && lists(value, page)
                || name == "root" && value.as_str().map(slug) == Some(page)
        }),
        _ => false,
    }
}

/// The pages of a group by name, letter case aside; the first list of pages without a name.
fn find_group<'a>(node: &'a mut Value, name: Option<&str>) -> Option<&'a mut Vec<Value>> {
    match node {
        Value::Array(entries) => entries.iter_mut().find_map(|entry| find_group(entry, name)),
        Value::Object(fields) => {
            let own = fields.get("group").and_then(Value::as_str);
            let wanted = match (own, name) {
                (Some(own), Some(name)) => own.eq_ignore_ascii_case(name.trim()),
                (_, None) => true,
                (None, Some(_)) => false,
            };
            if wanted && fields.get("pages").is_some_and(Value::is_array) {
                return fields.get_mut("pages").and_then(Value::as_array_mut);
            }
            fields.values_mut().find_map(|value| find_group(value, name))
        }
        _ => None,
    }
}

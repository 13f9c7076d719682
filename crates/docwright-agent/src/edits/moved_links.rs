//! Links to headings that an edit changed are rewritten, so that they lead there still.

use std::collections::{BTreeMap, BTreeSet};

use super::{documents, links};
use crate::{
    checker::{Checker, MovedLink},
    workspace::{Changes, Refusal, Workspace},
};

/// Links that the summary names.
const SHOWN: usize = 5;

/// Rewrites the links to places that got another id since `before`. Returns the end of a summary.
pub(super) fn rewrite(
    workspace: &mut Workspace,
    checker: &dyn Checker,
    before: &Changes,
) -> Result<String, Refusal> {
    let moved = checker.moved_links(before, workspace.changes()).map_err(Refusal)?;
    let mut by_file: BTreeMap<&str, BTreeMap<&str, &MovedLink>> = BTreeMap::new();
    for link in &moved {
        by_file.entry(&link.path).or_default().insert(&link.href, link);
    }
    let mut count = 0;
    let mut hidden = Vec::new();
    for (path, wanted) in by_file {
        let text = workspace.read(path).unwrap_or_default();
        let changed = if documents(workspace).iter().any(|document| document == path) {
            in_document(&text, &wanted)
        } else {
            in_quotes(&text, &wanted)
        };
        count += changed.count;
        hidden.extend(wanted.into_values().filter(|link| !changed.found.contains(&*link.href)));
        if changed.count > 0 {
            workspace.write(path, changed.text)?;
        }
    }
    let in_code = in_components(workspace, &mut hidden)?;
    Ok(describe(count + in_code, &hidden))
}

/// A text with links rewritten.
#[derive(Default)]
struct Rewritten {
    text: String,
    count: usize,
    /// The addresses that stand in it.
    found: BTreeSet<String>,
}

fn in_document(text: &str, wanted: &BTreeMap<&str, &MovedLink>) -> Rewritten {
    let mut result = Rewritten::default();
    let mut at = 0;
    for address in links::addresses(text) {
        let Some(link) = wanted.get(address.href.as_str()) else { continue };
        result.text.push_str(&text[at..address.range.start]);
        result.text.push_str(&link.to);
        at = address.range.end;
        result.count += 1;
        result.found.insert(address.href);
    }
    result.text.push_str(&text[at..]);
    result
}

/// In JSON and JavaScript an address is the whole of a text in quotes.
fn in_quotes(text: &str, wanted: &BTreeMap<&str, &MovedLink>) -> Rewritten {
    let mut result = Rewritten { text: text.to_owned(), ..Rewritten::default() };
    for link in wanted.values() {
        for quote in ['"', '\'', '`'] {
            let (old, new) =
                (format!("{quote}{}{quote}", link.href), format!("{quote}{}{quote}", link.to));
            let count = result.text.matches(&old).count();
            if count > 0 {
                result.text = result.text.replace(&old, &new);
                result.count += count;
                result.found.insert(link.href.clone());
            }
        }
    }
    result
}

/// Links that no page writes stand in the components that it uses. What begins at the root means the
/// same in each of them. Takes those that are found out of `hidden`.
fn in_components(
    workspace: &mut Workspace,
    hidden: &mut Vec<&MovedLink>,
) -> Result<usize, Refusal> {
    let wanted: BTreeMap<_, _> = hidden
        .iter()
        .filter(|link| link.href.starts_with('/'))
        .map(|link| (link.href.as_str(), *link))
        .collect();
    if wanted.is_empty() {
        return Ok(0);
    }
    let is_code = |path: &&String| path.ends_with(".jsx") || path.ends_with(".tsx");
    let mut count = 0;
    let mut found = BTreeSet::new();
    for path in workspace.paths().iter().filter(is_code) {
        let Ok(text) = workspace.read(path) else { continue };
        let changed = in_quotes(&text, &wanted);
        if changed.count > 0 {
            workspace.write(path, changed.text)?;
            count += changed.count;
            found.extend(changed.found);
        }
    }
    hidden.retain(|link| !found.contains(&link.href));
    Ok(count)
}

fn describe(count: usize, hidden: &[&MovedLink]) -> String {
    let mut text = match count {
        0 => String::new(),
        1 => ", and rewrite 1 link to a heading that changed".to_owned(),
        _ => format!(", and rewrite {count} links to headings that changed"),
    };
    if hidden.is_empty() {
        return text;
    }
    text.push_str("\n\nLinks that code makes still have the old address:\n");
    for MovedLink { path, href, to } in hidden.iter().take(SHOWN) {
        text.push_str(&format!("\n- `{path}`: `{href}`, now `{to}`"));
    }
    if hidden.len() > SHOWN {
        text.push_str(&format!("\n- and {} more", hidden.len() - SHOWN));
    }
    text
}

//! Broken links get the one target that they can mean.

use std::collections::BTreeSet;

use super::{documents, links};
use crate::{
    tools::navigation::slug,
    workspace::{Refusal, Workspace},
};

pub(super) fn fix_links(workspace: &mut Workspace) -> Result<String, Refusal> {
    let files = workspace.paths();
    let pages: BTreeSet<String> =
        documents(workspace).iter().map(|path| slug(path).to_owned()).collect();
    let (mut fixed, mut changed_files) = (0, 0);
    for path in documents(workspace) {
        let Ok(text) = workspace.read(&path) else { continue };
        let changed = links::rewrite(&text, |link| {
            let target = links::target(&path, &link.path);
            let root = links::target("", &link.path);
            let exists = |target: &str| {
                target.is_empty()
                    || pages.contains(target)
                    || files.contains(target)
                    || pages.contains(&format!("{target}/index"))
            };
            if exists(&target) || exists(&root) || exists(link.path.trim_start_matches('/')) {
                return None;
            }
            obvious(&target, &pages).map(|page| format!("/{page}"))
        });
        if let Some((text, count)) = changed {
            workspace.write(&path, text)?;
            fixed += count;
            changed_files += 1;
        }
    }
    if fixed == 0 {
        return Ok("No broken link has one obvious target; nothing to fix".to_owned());
    }
    Ok(format!("Fix broken links ({fixed} in {changed_files} files)"))
}

/// The only page that a path can mean: the same but for letter case, or the only one whose name is
/// its last part.
fn obvious<'a>(target: &str, pages: &'a BTreeSet<String>) -> Option<&'a str> {
    let mut same = pages.iter().filter(|page| page.eq_ignore_ascii_case(target));
    if let (Some(page), None) = (same.next(), same.next()) {
        return Some(page);
    }
    let name = |page: &str| page.rsplit('/').next().unwrap_or(page).to_lowercase();
    let wanted = name(target);
    if matches!(wanted.as_str(), "index" | "overview" | "introduction" | "") {
        return None;
    }
    let mut named = pages.iter().filter(|page| name(page) == wanted);
    match (named.next(), named.next()) {
        (Some(page), None) => Some(page),
        _ => None,
    }
}

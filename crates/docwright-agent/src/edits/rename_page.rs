//! Renames a page: the file, its entries in the navigation, and every link to it.

use super::{documents, links};
use crate::{
    tools::navigation,
    workspace::{Refusal, Workspace},
};

pub(super) fn rename_page(
    workspace: &mut Workspace,
    from: &str,
    to: &str,
) -> Result<String, Refusal> {
    if from == to {
        return Err(Refusal::new(format!("page `{from}` already has this path")));
    }
    let file = [".mdx", ".md"].iter().map(|ending| format!("{from}{ending}"));
    let file = file.into_iter().find(|file| workspace.contains(file));
    let file = file.ok_or_else(|| Refusal::new(format!("page `{from}` not found")))?;
    let ending = if file.ends_with(".mdx") { ".mdx" } else { ".md" };
    let moved = format!("{to}{ending}");
    let own = workspace.read(&file)?;
    workspace.rename(&file, &moved)?;
    // Relative links of the page itself are resolved from its old path.
    let absolute = links::rewrite(&own, |link| {
        let relative = !link.path.starts_with('/');
        relative.then(|| format!("/{}", links::target(&file, &link.path)))
    });
    if let Some((text, _)) = absolute.filter(|_| folder(from) != folder(to)) {
        workspace.write(&moved, text)?;
    }
    let listed = navigation::rename(workspace, from, to)?;
    let mut count = 0;
    for path in documents(workspace) {
        let Ok(text) = workspace.read(&path) else { continue };
        let changed = links::rewrite(&text, |link| {
            (links::target(&path, &link.path) == from).then(|| format!("/{to}"))
        });
        if let Some((text, links)) = changed {
            workspace.write(&path, text)?;
            count += links;
        }
    }
    Ok(format!("Rename page {from} to {to} ({listed} navigation entries, {count} links)"))
}

fn folder(page: &str) -> &str {
    page.rsplit_once('/').map_or("", |(folder, _)| folder)
}

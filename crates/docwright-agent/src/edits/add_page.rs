//! Adds a page, listed in a group.

use crate::{
    tools::navigation,
    workspace::{Refusal, Workspace},
};

pub(super) fn add_page(
    workspace: &mut Workspace,
    page: &str,
    title: &str,
    group: Option<&str>,
    text: Option<&str>,
) -> Result<String, Refusal> {
    let path = format!("{page}.mdx");
    if workspace.contains(&path) || workspace.contains(&format!("{page}.md")) {
        return Err(Refusal::new(format!("page `{page}` already exists")));
    }
    // Every JSON string is also a YAML string.
    let title = serde_json::Value::from(title);
    let body = text.map(|text| format!("\n{}\n", text.trim())).unwrap_or_default();
    workspace.write(&path, format!("---\ntitle: {title}\n---\n{body}"))?;
    navigation::add(workspace, page, group, None)?;
    let place = group.map(|group| format!(" in group “{group}”")).unwrap_or_default();
    Ok(format!("Add page {page}{place}"))
}

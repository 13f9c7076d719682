//! `list`: lists files.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "list",
    description: "Lists files below the docs root, in alphabetical order. Set `folder` to list only its files.",
    parameters: &[
        ("folder", "string", false, "Folder to list, such as `guides`; everything without it"),
        ("from", "integer", false, "Number of the first file to show, for long lists"),
    ],
    mutates: false,
    run,
};

/// Files in one answer.
const PAGE: usize = 500;

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let folder = arguments.optional("folder")?.unwrap_or_default().trim_matches('/');
    let prefix =
        if folder.is_empty() || folder == "." { String::new() } else { format!("{folder}/") };
    let from = arguments.number("from")?.unwrap_or(1);
    let paths = context.workspace.paths();
    let found: Vec<_> = paths.iter().filter(|path| path.starts_with(&prefix)).collect();
    if found.is_empty() {
        return Err(Refusal::new(format!("`{folder}` contains no files")));
    }
    let mut answer = String::new();
    for path in found.iter().skip(from - 1).take(PAGE) {
        answer.push_str(path);
        answer.push('\n');
    }
    let shown = from - 1 + PAGE;
    if found.len() > shown {
        answer.push_str(&format!(
            "… {} more; continue with from={}\n",
            found.len() - shown,
            shown + 1
        ));
    }
    Ok(answer)
}

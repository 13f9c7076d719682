//! `edit`: replaces exact text in a file.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    description: "Replaces a text in a file. `old` must match exactly, including white space, and only once, unless `all` is true.",
    parameters: &[
        ("path", "string", true, "Path below the docs root"),
        ("old", "string", true, "The text to replace, without line numbers"),
        ("new", "string", true, "The new text"),
        ("all", "boolean", false, "Replace every occurrence"),
    ],
    mutates: true,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let path = arguments.path("path")?;
    let (old, new) = (arguments.text("old")?, arguments.text("new")?);
    if old.is_empty() {
        return Err(Refusal::new("`old` is empty; use `write` for a new file"));
    }
    let text = context.workspace.read(path)?;
    let count = text.matches(old).count();
    match (count, arguments.flag("all")?) {
        (0, _) => {
            return Err(Refusal::new(format!(
                "`{path}` doesn't contain `old`; read the file again and copy the text exactly"
            )));
        }
        (1, _) | (_, true) => {}
        (count, false) => {
            return Err(Refusal::new(format!(
                "`{path}` contains `old` {count} times; include more surrounding text, or set `all`"
            )));
        }
    }
    context.workspace.write(path, text.replace(old, new))?;
    Ok(format!("replaced {count} in {path}"))
}

//! `delete`: deletes a file.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "delete",
    description: "Deletes a file. Links and navigation entries to it are not changed by this.",
    parameters: &[("path", "string", true, "Path below the docs root")],
    mutates: true,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let path = arguments.path("path")?;
    context.workspace.delete(path)?;
    Ok(format!("deleted {path}"))
}

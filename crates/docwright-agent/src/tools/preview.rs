//! `preview`: a page as readers see it.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "preview",
    description: "Returns the text of a page as readers see it, with components and snippets resolved.",
    parameters: &[("path", "string", true, "Path of the page below the docs root")],
    mutates: false,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let path = arguments.path("path")?;
    context.checker.preview(context.workspace.changes(), path).map_err(Refusal)
}

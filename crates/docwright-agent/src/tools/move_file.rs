//! `move`: moves a file.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "move",
    description: "Moves a file. Links and navigation entries to it are not changed by this.",
    parameters: &[("from", "string", true, "Current path"), ("to", "string", true, "New path")],
    mutates: true,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let (from, to) = (arguments.path("from")?, arguments.path("to")?);
    context.workspace.rename(from, to)?;
    Ok(format!("moved {from} to {to}"))
}

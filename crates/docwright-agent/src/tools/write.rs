//! `write`: writes a whole file.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "write",
    description: "Writes a whole file, new or existing. Pages are MDX and start with frontmatter; list a new page with `navigation`.",
    parameters: &[
        ("path", "string", true, "Path below the docs root, such as guides/start.mdx"),
        ("text", "string", true, "The whole text"),
    ],
    mutates: true,
    run,
};

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let path = arguments.path("path")?;
    context.workspace.write(path, arguments.text("text")?.to_owned())?;
    Ok(format!("wrote {path}"))
}

//! `finish`: the agent is done.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "finish",
    description: "Ends the work. The summary becomes the title and the text of the pull request: a short first line, then the changes and their reasons.",
    parameters: &[("summary", "string", true, "Summary of the change, or why nothing was changed")],
    mutates: false,
    run,
};

/// Longest summary, in characters.
const MAXIMUM_LENGTH: usize = 8_000;

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let summary = arguments.text("summary")?.trim();
    if summary.is_empty() {
        return Err(Refusal::new("`summary` is empty; describe the changes"));
    }
    context.finished = Some(summary.chars().take(MAXIMUM_LENGTH).collect());
    Ok("the summary is recorded".to_owned())
}

//! `read`: returns the text of a file, or a range of its lines.

use super::{Arguments, Context, Tool};
use crate::workspace::Refusal;

pub(super) const TOOL: Tool = Tool {
    name: "read",
    description: "Reads a file, each line with its number. Returns at most 600 lines; set a range for more.",
    parameters: &[
        ("path", "string", true, "Path below the docs root"),
        ("first", "integer", false, "First line"),
        ("last", "integer", false, "Last line"),
    ],
    mutates: false,
    run,
};

/// Lines in one answer.
const MAXIMUM_LINES: usize = 600;

fn run(arguments: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let path = arguments.path("path")?;
    let text = context.workspace.read(path)?;
    let total = text.lines().count();
    let first = arguments.number("first")?.unwrap_or(1);
    let last = arguments.number("last")?.unwrap_or(usize::MAX).min(first + MAXIMUM_LINES - 1);
    if first > total.max(1) || last < first {
        return Err(Refusal::new(format!(
            "`{path}` has only {total} lines; use a range within them"
        )));
    }
    let mut answer = String::new();
    for (index, line) in text.lines().enumerate().skip(first - 1).take(last - first + 1) {
        answer.push_str(&format!("{:>5}  {line}\n", index + 1));
    }
    if last < total {
        answer.push_str(&format!("… {} more lines\n", total - last));
    }
    Ok(answer)
}

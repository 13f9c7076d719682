//! `check`: diagnostics of the changes.

use super::{Arguments, Context, Tool};
use crate::{checker::Problem, workspace::Refusal};

pub(super) const TOOL: Tool = Tool {
    name: "check",
    description: "Compiles the documentation and lists the diagnostics that your changes caused: broken links, MDX errors, missing pages. There must be none before you finish.",
    parameters: &[],
    mutates: false,
    run,
};

fn run(_: &Arguments<'_>, context: &mut Context<'_>) -> Result<String, Refusal> {
    let problems = context.checker.check(context.workspace).map_err(Refusal)?;
    Ok(if problems.is_empty() { "clean".to_owned() } else { describe(&problems) })
}

/// Diagnostics shown at once.
const SHOWN: usize = 50;

/// Diagnostics, one per line, as the model and the pull request show them.
pub(crate) fn describe(problems: &[Problem]) -> String {
    let mut lines: Vec<_> = problems
        .iter()
        .take(SHOWN)
        .map(|problem| {
            let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            let place = match problem.line {
                0 => problem.path.clone(),
                line => format!("{}:{line}", problem.path),
            };
            format!("{place}: {}{help}", problem.message)
        })
        .collect();
    if problems.len() > SHOWN {
        lines.push(format!("… and {} more", problems.len() - SHOWN));
    }
    lines.join("\n")
}

//! What a pull request says of itself.

use docwright_agent::{
    run::{Run, Turn},
    workspace::Change,
};
use docwright_domain::agent_job::AgentJob;

/// Longest title, in characters.
const MAXIMUM_TITLE: usize = 72;
/// Longest part of a prompt that is quoted, in characters.
const MAXIMUM_PROMPT: usize = 4_000;
/// Files that are listed.
const MAXIMUM_FILES: usize = 100;

/// The first line of the summary.
pub(super) fn title(summary: &str) -> String {
    let line = summary.lines().find(|line| !line.trim().is_empty()).unwrap_or("Edit documentation");
    let line = line.trim().trim_start_matches(['#', '*', '-']).trim();
    if line.chars().count() <= MAXIMUM_TITLE {
        return line.to_owned();
    }
    let short: String = line.chars().take(MAXIMUM_TITLE - 1).collect();
    format!("{}…", short.trim_end())
}

/// Title and summary as git wants them: a line, an empty line, the rest.
pub(super) fn commit_message(summary: &str) -> String {
    let rest = summary.trim().split_once('\n').map_or("", |(_, rest)| rest.trim());
    if rest.is_empty() { title(summary) } else { format!("{}\n\n{rest}", title(summary)) }
}

/// Summary, files, check, prompts.
pub(super) fn body(run: &Run, summary: &str, job: &AgentJob) -> String {
    let mut body = format!("{}\n\n## Files\n\n", summary.trim());
    let count = run.changes().iter().count();
    for (path, change) in run.changes().iter().take(MAXIMUM_FILES) {
        let what = match change {
            Change::Written(_) => "written",
            Change::Moved(_) => "moved here",
            Change::Deleted => "deleted",
        };
        body.push_str(&format!("- `{path}` ({what})\n"));
    }
    if count > MAXIMUM_FILES {
        body.push_str(&format!("- and {} more\n", count - MAXIMUM_FILES));
    }
    body.push_str(
        "\n## Check\n\nNo new mistake: links, anchors, images, navigation and MDX were checked.\n",
    );
    let prompts = run.turns().iter().filter_map(|turn| match turn {
        Turn::User(text) => Some(text),
        _ => None,
    });
    body.push_str("\n## Prompt\n\n");
    for prompt in prompts {
        let prompt: String = prompt.chars().take(MAXIMUM_PROMPT).collect();
        for line in prompt.lines() {
            body.push_str(&format!("> {line}\n"));
        }
        body.push('\n');
    }
    body.push_str(&format!("Made by docwright's agent job `{}` with `{}`.\n", job.id, job.model));
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_short_line() {
        assert_eq!(title("\n# Add a page\n\nBecause."), "Add a page");
        assert_eq!(title(&"word ".repeat(40)).chars().count(), 72);
        assert_eq!(commit_message("One\n\nTwo\nThree"), "One\n\nTwo\nThree");
        assert_eq!(title("  "), "Edit documentation");
    }
}

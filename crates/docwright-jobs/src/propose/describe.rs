//! Texts of a pull request.

use docwright_types::agent_job::AgentJob;

/// Longest title, in characters.
const MAXIMUM_TITLE: usize = 72;
/// Longest part of a prompt that is quoted, in characters.
const MAXIMUM_PROMPT: usize = 4_000;

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

/// Title and summary in the form of git messages: a line, an empty line, the rest.
pub(super) fn commit_message(summary: &str) -> String {
    let rest = summary.trim().split_once('\n').map_or("", |(_, rest)| rest.trim());
    if rest.is_empty() { title(summary) } else { format!("{}\n\n{rest}", title(summary)) }
}

/// The summary of each prompt, the check, the prompts. The host shows the files.
pub(super) fn body(summaries: &[String], prompts: &[String], job: &AgentJob) -> String {
    let summaries: Vec<_> = summaries.iter().map(|summary| summary.trim()).collect();
    let mut body = summaries.join("\n\n---\n\n");
    body.push_str(
        "\n\n## Check\n\nNo new diagnostics in links, anchors, images, navigation, and MDX.\n",
    );
    body.push_str(if prompts.len() == 1 { "\n## Prompt\n\n" } else { "\n## Prompts\n\n" });
    for prompt in prompts {
        let prompt: String = prompt.chars().take(MAXIMUM_PROMPT).collect();
        for line in prompt.lines() {
            body.push_str(&format!("> {line}\n"));
        }
        body.push('\n');
    }
    body.push_str(&format!(
        "Created by docwright's agent job `{}` with `{}`.\n",
        job.id, job.model
    ));
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

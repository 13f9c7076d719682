//! The Markdown version beside each page.

use super::{GeneratedInput, PageSummary, site_address};
use crate::{content::config::Config, render::at_site};

/// A page as Markdown, under its title.
pub(super) fn page_markdown(page: &PageSummary, input: &GeneratedInput<'_>) -> String {
    let site = site_address(input, &format!("{}.md", page.slug));
    // Agents that read only this page learn how to find the others.
    let mut text = format!(
        "> For AI agents: [llms.txt]({site}/llms.txt) lists all pages of this documentation.\n\n{}",
        instructions(&input.content.config)
    );
    text.push_str(&format!("# {}\n\n", page.title));
    let own = input
        .content
        .pages
        .get(&page.slug)
        .and_then(|page| page.frontmatter.description.as_deref());
    if let Some(description) = own {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&at_site(&page.markdown, &site));
    text
}

/// The site's instructions for agents, as a quote.
pub(super) fn instructions(config: &Config) -> String {
    let Some(instructions) =
        config.markdown_instructions.as_deref().filter(|text| !text.trim().is_empty())
    else {
        return String::new();
    };
    let lines: Vec<_> = instructions.lines().map(|line| format!("> {line}")).collect();
    format!("> ## Agent Instructions\n{}\n\n", lines.join("\n"))
}

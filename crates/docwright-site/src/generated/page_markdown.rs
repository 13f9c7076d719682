//! The Markdown version beside each page.

use super::{GeneratedInput, PageSummary, base};
use crate::content::{
    config::Config,
    links::{from_here, relative},
};

/// A page as Markdown, under its title.
pub(super) fn page_markdown(page: &PageSummary, input: &GeneratedInput<'_>) -> String {
    let mut text = directive(page, input) + &instructions(&input.content.config);
    text.push_str(&format!("# {}\n\n", page.title));
    let own = input
        .content
        .pages
        .get(&page.slug)
        .and_then(|page| page.frontmatter.description.as_deref());
    if let Some(description) = own {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&page.markdown);
    text
}

/// Tells agents that see this page alone where the list of all pages is.
fn directive(page: &PageSummary, input: &GeneratedInput<'_>) -> String {
    let index = match base(input) {
        Some(base) => format!("{base}/llms.txt"),
        None => from_here(relative(&format!("{}.md", page.slug), "llms.txt")),
    };
    format!("> For AI agents: [llms.txt]({index}) lists all pages of this documentation.\n\n")
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

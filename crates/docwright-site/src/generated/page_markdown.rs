//! The Markdown version beside each page.

use super::address_from;
use crate::{
    Options,
    content::{Page, config::Config},
    render::at_site,
};

/// Path of the Markdown version of a page.
pub fn markdown_path(page: &Page) -> String {
    format!("{}.md", page.slug)
}

/// A page as Markdown, under its title. `markdown` is its body.
pub fn page_markdown(
    page: &Page,
    markdown: &str,
    (config, options): (&Config, &Options),
) -> String {
    let site = address_from(config.public_address(options), &markdown_path(page));
    // Agents that read only this page learn how to find the others.
    let mut text = format!(
        "> For AI agents: [llms.txt]({site}/llms.txt) lists all pages of this documentation.\n\n{}",
        instructions(config)
    );
    text.push_str(&format!("# {}\n\n", page.frontmatter.title));
    if let Some(description) = &page.frontmatter.description {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&at_site(markdown, &site));
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

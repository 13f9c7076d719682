//! `llms.txt` and `llms-full.txt` (<https://llmstxt.org>): the site for readers that are programs.

use super::{GeneratedInput, PageSummary, base, twins::instructions};

/// `llms.txt` is no longer than this; descriptions are shortened first. Characters.
const MAXIMUM_LENGTH: usize = 100_000;
/// A description is no longer than this. Characters.
const MAXIMUM_DESCRIPTION: usize = 300;

/// The list of pages.
pub(super) fn index(input: &GeneratedInput<'_>) -> String {
    for limit in [MAXIMUM_DESCRIPTION, 120, 0] {
        let text = index_with(input, limit, usize::MAX);
        if text.chars().count() <= MAXIMUM_LENGTH {
            return text;
        }
    }
    let length = index_with(input, 0, usize::MAX).chars().count();
    let pages = input.pages.iter().filter(|page| page.in_llms).count();
    index_with(input, 0, pages * (MAXIMUM_LENGTH - 2_000) / length)
}

fn index_with(input: &GeneratedInput<'_>, description: usize, most: usize) -> String {
    let mut text = head(input);
    text.push_str("## Docs\n\n");
    let listed: Vec<_> = input.pages.iter().filter(|page| page.in_llms).collect();
    for page in listed.iter().take(most) {
        text.push_str(&format!(
            "- [{}]({})",
            page.title.replace(['[', ']'], ""),
            address(input, page)
        ));
        let short: String = page
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(description)
            .collect();
        if !short.is_empty() {
            text.push_str(&format!(": {short}"));
        }
        text.push('\n');
    }
    if listed.len() > most {
        text.push_str(&format!(
            "\n{} more pages are listed in llms-full.txt.\n",
            listed.len() - most
        ));
    }
    text
}

/// Every page, whole.
pub(super) fn full(input: &GeneratedInput<'_>) -> String {
    let mut text = head(input);
    for page in input.pages.iter().filter(|page| page.in_llms) {
        text.push_str(&format!("# {}\n\nSource: {}\n\n", page.title, address(input, page)));
        if !page.description.is_empty() {
            text.push_str(&format!("{}\n\n", page.description));
        }
        text.push_str(page.markdown.trim());
        text.push_str("\n\n");
    }
    text
}

fn head(input: &GeneratedInput<'_>) -> String {
    let config = &input.content.config;
    let mut text = format!("# {}\n\n", config.name);
    if let Some(description) = &config.description {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&instructions(config));
    text
}

fn address(input: &GeneratedInput<'_>, page: &PageSummary) -> String {
    let path = crate::content::links::relative("x", &format!("{}.md", page.slug));
    match base(input) {
        Some(base) => format!("{base}/{path}"),
        None => path,
    }
}

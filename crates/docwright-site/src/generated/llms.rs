//! `llms.txt` and `llms-full.txt` (<https://llmstxt.org>): the site for readers that are programs.

use super::{GeneratedInput, PageSummary, base, page_markdown::instructions};
use crate::content::openapi::Spec;

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
    for (heading, links) in [
        ("OpenAPI Specs", specs(input, false)),
        ("AsyncAPI Specs", specs(input, true)),
        ("Optional", elsewhere(input)),
    ] {
        if !links.is_empty() {
            text.push_str(&format!("\n## {heading}\n\n{}\n", links.join("\n")));
        }
    }
    text
}

/// The API descriptions that pages are made from.
fn specs(input: &GeneratedInput<'_>, is_async: bool) -> Vec<String> {
    let is_listed = |spec: &&Spec| spec.is_async() == is_async && input.source.contains(&spec.path);
    let specs = input.content.specs.iter().filter(is_listed);
    let link = |spec: &Spec| {
        let name = spec.path.rsplit('/').next().unwrap_or(&spec.path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        format!("- [{stem}]({})", file_address(input, &spec.path))
    };
    specs.map(link).collect()
}

/// What the site links to on other sites: `navbar` and the divisions shown everywhere.
fn elsewhere(input: &GeneratedInput<'_>) -> Vec<String> {
    let links = input.content.config.navbar.links.iter();
    let links = links.map(|link| (link.label.as_str(), link.href.as_str()));
    let divisions = input.content.navigation.global.iter();
    let divisions =
        divisions.filter_map(|division| Some((division.label.as_str(), division.href.as_deref()?)));
    let external = |(label, href): &(&str, &str)| {
        !label.is_empty() && (href.starts_with("https://") || href.starts_with("http://"))
    };
    let all = links.chain(divisions).filter(external);
    all.map(|(label, href)| format!("- [{label}]({href})")).collect()
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
    file_address(input, &format!("{}.md", page.slug))
}

pub(super) fn file_address(input: &GeneratedInput<'_>, path: &str) -> String {
    let path = crate::content::links::relative("x", path);
    match base(input) {
        Some(base) => format!("{base}/{path}"),
        None => path,
    }
}

//! `llms.txt` and `llms-full.txt` (<https://llmstxt.org>): the site for programs.
//!
//! Agents truncate long responses, so no list of pages is longer than [`MAXIMUM_LENGTH`]: a site with more pages
//! has lists by section, in files below `llms/` that `llms.txt` links to.

mod files;
#[cfg(test)]
mod tests;

use std::io;

use self::files::{File, Files, Line, Section, length};
use super::{
    GeneratedInput, PageSummary, base, page_markdown::instructions, site_address, write_own,
};
use crate::{
    content::{links::relative, openapi::Spec},
    output::Output,
    render::at_site,
};

/// `llms.txt` and every file of a section are shorter than this. Characters.
pub const MAXIMUM_LENGTH: usize = 50_000;
/// Maximum lengths of a description in a list, in characters. The second one is tried before a list is split.
const DESCRIPTIONS: [usize; 2] = [300, 120];
/// Maximum length of other lists in `llms.txt`, in characters.
const MAXIMUM_OTHER_LIST: usize = 5_000;
/// Most characters that `llms.txt` repeats of the author's instructions and description.
const MAXIMUM_INSTRUCTIONS: usize = 10_000;
const MAXIMUM_SUMMARY: usize = 1_000;
/// Maximum length of links to other sites, in bytes. Longer ones are left out.
const MAXIMUM_ADDRESS: usize = 2_000;
/// Maximum length of a name or title, in characters.
const MAXIMUM_TITLE: usize = 200;

/// Writes `llms.txt`, its copy at the well-known address, and the files of its sections.
pub(super) fn write(input: &GeneratedInput<'_>, output: &dyn Output) -> io::Result<()> {
    let mut files = Files::new(input);
    let index = index(input, &mut files);
    for path in ["llms.txt", ".well-known/llms.txt"] {
        write_own(input, output, (path, |_| files.render(&index, path)))?;
    }
    files
        .written()
        .try_for_each(|file| output.write(&file.path, files.render(file, &file.path).as_bytes()))
}

/// `llms.txt`: all pages, or links to their lists.
fn index(input: &GeneratedInput<'_>, files: &mut Files<'_>) -> File {
    let config = &input.content.config;
    let name = cut(&config.name, MAXIMUM_TITLE);
    let head = format!(
        "# {name}\n\n> {}\n\n{}",
        cut(&summary(input), MAXIMUM_SUMMARY),
        cut_lines(&instructions(config), MAXIMUM_INSTRUCTIONS)
    );
    let room = files::ROOM.saturating_sub(head.chars().count());
    let others = [
        ("API specs", specs(input, files)),
        ("Optional", elsewhere(input)),
        ("Other languages and versions", editions(input, files)),
    ];
    let others = others.map(|(heading, lines)| (heading.to_owned(), lines));
    let mut others: Vec<_> = others.into_iter().filter(|(_, lines)| !lines.is_empty()).collect();
    let is_whole = |docs: &Section| length(files, &docs.lines) + total(files, &others) <= room;
    let pages = |longest: usize| pages(input, longest, |page| page.in_llms.then(Vec::new));
    let docs = if let Some(whole) = DESCRIPTIONS.map(pages).into_iter().find(is_whole) {
        whole.lines
    } else {
        for (heading, lines) in &mut others {
            *lines = files.shelve(heading, std::mem::take(lines), MAXIMUM_OTHER_LIST);
        }
        let sections = |page: &PageSummary| page.in_llms.then(|| page.sections.clone());
        let left = room.saturating_sub(total(files, &others));
        files.divide(self::pages(input, DESCRIPTIONS[0], sections), left)
    };
    let lists = std::iter::once(("Docs".to_owned(), docs)).chain(others).collect();
    File { path: "llms.txt".to_owned(), head, lists }
}

fn total(files: &Files<'_>, lists: &[(String, Vec<Line>)]) -> usize {
    lists.iter().map(|(_, lines)| length(files, lines)).sum()
}

/// The pages with a place in a list, below the names of their place.
fn pages(
    input: &GeneratedInput<'_>,
    longest: usize,
    place: impl Fn(&PageSummary) -> Option<Vec<String>>,
) -> Section {
    let mut top = Section::named("Docs");
    for page in input.pages {
        let Some(place) = place(page) else { continue };
        let words: Vec<_> = page.description.split_whitespace().collect();
        let short: String = words.join(" ").chars().take(longest).collect();
        let title = cut(&page.title.replace(['[', ']'], ""), MAXIMUM_TITLE);
        top.below(&place).lines.push(Line::page(title, &page.slug, short));
    }
    top
}

/// The pages in other languages and versions, in separate files.
fn editions(input: &GeneratedInput<'_>, files: &mut Files<'_>) -> Vec<Line> {
    let place = |page: &PageSummary| {
        let edition = page.other_edition.clone()?;
        Some(std::iter::once(edition).chain(page.sections.iter().cloned()).collect())
    };
    let top = pages(input, DESCRIPTIONS[0], place);
    top.sections.into_iter().map(|edition| files.file(edition, "page")).collect()
}

/// The description of the site, in a sentence.
fn summary(input: &GeneratedInput<'_>) -> String {
    let config = &input.content.config;
    let own = config.description.clone().filter(|own| !own.trim().is_empty());
    let summary = own.unwrap_or_else(|| format!("Documentation of {}", config.name));
    summary.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The API specs that pages are generated from. They are long, and the pages contain their parts, so they have
/// separate lists.
fn specs(input: &GeneratedInput<'_>, files: &mut Files<'_>) -> Vec<Line> {
    let line = |spec: &Spec| {
        let name = spec.path.rsplit('/').next().unwrap_or(&spec.path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Line::file(cut(stem, MAXIMUM_TITLE), spec.path.clone(), String::new())
    };
    let mut list = |label: &str, is_async: bool| {
        let specs = input.content.specs.iter().filter(|spec| spec.is_async == is_async);
        let lines = specs.filter(|spec| input.source.contains(&spec.path)).map(line).collect();
        let section = Section { lines, ..Section::named(label) };
        (!section.lines.is_empty()).then(|| files.file(section, "file"))
    };
    [list("OpenAPI specs", false), list("AsyncAPI specs", true)].into_iter().flatten().collect()
}

/// Links to other sites: `navbar` and the divisions shown everywhere.
fn elsewhere(input: &GeneratedInput<'_>) -> Vec<Line> {
    let links = input.content.config.navbar.links.iter();
    let links = links.map(|link| (link.label.as_str(), link.href.as_str()));
    let divisions = input.content.navigation.global.iter();
    let divisions =
        divisions.filter_map(|division| Some((division.label.as_str(), division.href.as_deref()?)));
    let external = |(label, href): &(&str, &str)| {
        let is_web = href.starts_with("https://") || href.starts_with("http://");
        !label.is_empty() && is_web && href.len() <= MAXIMUM_ADDRESS
    };
    let all = links.chain(divisions).filter(external);
    all.map(|(label, href)| Line::web(cut(label, MAXIMUM_TITLE), href)).collect()
}

/// Every page, whole.
pub(super) fn full(input: &GeneratedInput<'_>) -> String {
    let config = &input.content.config;
    let pages = || input.pages.iter().filter_map(|page| Some((page, page.markdown.as_ref()?)));
    // A text that grows needs twice its memory.
    let length = pages().map(|(page, markdown)| markdown.length() + page.description.len());
    let length: usize = length.sum();
    let mut text = String::with_capacity(length + length / 8);
    text.push_str(&format!("# {}\n\n", config.name));
    if let Some(description) = &config.description {
        text.push_str(&format!("> {description}\n\n"));
    }
    text.push_str(&instructions(config));
    let site = site_address(input, "llms-full.txt");
    for (page, markdown) in pages() {
        let address = file_address(input, &format!("{}.md", page.slug));
        text.push_str(&format!("# {}\n\nSource: {address}\n\n", page.title));
        if !page.description.is_empty() {
            text.push_str(&format!("{}\n\n", page.description));
        }
        text.push_str(at_site(&markdown.text(), &site).trim());
        text.push_str("\n\n");
    }
    text
}

/// The address of a file of the site, as seen from its root.
pub(super) fn file_address(input: &GeneratedInput<'_>, path: &str) -> String {
    match base(input) {
        Some(base) => format!("{base}/{}", relative("", path)),
        None => relative("", path),
    }
}

/// The start of a text.
fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

/// The first lines of a text that fit.
fn cut_lines(text: &str, longest: usize) -> String {
    let mut room = longest;
    let fits = |line: &&str| {
        let length = line.chars().count();
        let fits = length <= room;
        room = room.saturating_sub(if fits { length } else { room });
        fits
    };
    text.split_inclusive('\n').take_while(fits).collect()
}

//! Files that docwright generates in addition to the pages: `sitemap.xml`, `robots.txt`, `llms.txt`,
//! `llms-full.txt`, the Markdown version of each page and its fingerprint, the outline, redirect pages.
//!
//! A page's Markdown version follows from the page alone, so it is written with the page; [`write()`] writes the others.
//!
//! A file of the same name at the root of the repository replaces the generated one.

mod feed;
mod fingerprints;
mod llms;
mod outline;
mod page_markdown;
mod redirects;
mod sitemap;
mod skills;

pub use feed::feed;
pub use fingerprints::{FINGERPRINTS, fingerprint};
pub use llms::MAXIMUM_LENGTH as MAXIMUM_LLMS_LENGTH;
pub use outline::{OUTLINE, OutlinePage};
pub use page_markdown::{markdown_path, page_markdown};

use std::{collections::BTreeSet, io};

use crate::{
    content::{Content, Page},
    options::Options,
    output::Output,
    packed_text::PackedText,
    source::Source,
};

/// Maximum length of a description derived from the text of a page, in characters.
const LONGEST_DESCRIPTION: usize = 2_000;

/// A page, as the generated files need it.
#[derive(Debug, Clone)]
pub struct PageSummary {
    /// Its slug.
    pub slug: String,
    /// Its file below the docs root; `None` for a page of an API spec.
    pub file: Option<String>,
    /// Whether the navigation lists it.
    pub listed: bool,
    /// Its title.
    pub title: String,
    /// Its description, or the start of its text.
    pub description: String,
    /// The page in each language of the site, including its own: code and slug.
    pub alternates: Vec<(String, String)>,
    /// Its body as Markdown, if it is in `llms-full.txt`.
    pub markdown: Option<PackedText>,
    /// Every id on it.
    pub ids: Vec<String>,
    /// ISO 8601 date of its last change, if known.
    pub last_modified: Option<String>,
    /// In the sitemap.
    pub in_sitemap: bool,
    /// In `llms.txt`: for agents, and of the first language and version.
    pub in_llms: bool,
    /// The language and version of the page, if they differ from the first ones and it is for agents.
    pub other_edition: Option<String>,
    /// Names of the divisions that it is listed in, outermost first.
    pub sections: Vec<String>,
    /// The fingerprint of its text, independent of the site's URL.
    pub fingerprint: String,
}

/// The input of the generated files.
#[derive(Debug)]
pub struct GeneratedInput<'a> {
    /// The files of the docs root.
    pub source: &'a Source,
    /// The content model.
    pub content: &'a Content,
    /// The caller's options.
    pub options: &'a Options,
    /// Every rendered page, in reading order.
    pub pages: &'a [PageSummary],
    /// Slug of the home page without an `index`.
    pub first_page: Option<&'a str>,
}

/// Writes all but the files of single pages: Markdown versions and feeds.
pub fn write(input: &GeneratedInput<'_>, output: &dyn Output) -> io::Result<()> {
    // The text of all pages takes about as long as all others.
    let (full, others) = rayon::join(
        || write_own(input, output, ("llms-full.txt", llms::full)),
        || write_others(input, output),
    );
    full.and(others)
}

fn write_others(input: &GeneratedInput<'_>, output: &dyn Output) -> io::Result<()> {
    write_own(input, output, ("sitemap.xml", sitemap::sitemap))?;
    write_own(input, output, ("robots.txt", sitemap::robots))?;
    llms::write(input, output)?;
    fingerprints::write(input.pages, output)?;
    outline::write(input.pages, output)?;
    skills::write(input, output)?;
    let taken: BTreeSet<_> = input.pages.iter().map(|page| page.slug.as_str()).collect();
    redirects::write(input, &taken, output)
}

/// Writes a file unless the repository has its own.
fn write_own(
    input: &GeneratedInput<'_>,
    output: &dyn Output,
    (path, contents): (&str, impl Fn(&GeneratedInput<'_>) -> String),
) -> io::Result<()> {
    if input.source.contains(path) {
        return Ok(());
    }
    output.write(path, contents(input).as_bytes())
}

/// The description of a page, or its first paragraph without links, since lists can cut it anywhere.
pub fn description(page: &Page, markdown: &str) -> String {
    if let Some(own) = &page.frontmatter.description {
        return own.clone();
    }
    let is_prose = |block: &&str| block.starts_with(|first: char| first.is_alphanumeric());
    let first = markdown.split("\n\n").map(str::trim).find(is_prose).unwrap_or_default();
    let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
    without_links(&words.chars().take(LONGEST_DESCRIPTION).collect::<String>())
}

/// A text with links and images replaced by their labels.
fn without_links(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, target)) = rest.split_once("](") {
        result.push_str(before);
        if let (Some(open), Some((_, after))) = (result.rfind('['), target.split_once(')')) {
            let open = if result[..open].ends_with('!') { open - 1 } else { open };
            let shown = result.split_off(open);
            result.push_str(shown.trim_start_matches(['!', '[']));
            rest = after;
        } else {
            result.push_str("](");
            rest = target;
        }
    }
    result + rest
}

/// The public address of the site without a trailing slash.
fn base(input: &GeneratedInput<'_>) -> Option<String> {
    input.content.config.public_address(input.options)
}

/// The address of the site for a file, without a trailing slash: relative if the public address is unknown.
fn site_address(input: &GeneratedInput<'_>, from: &str) -> String {
    address_from(base(input), from)
}

/// The public address of a site, or its relative one for a file.
fn address_from(public: Option<String>, from: &str) -> String {
    public.unwrap_or_else(|| match from.matches('/').count() {
        0 => ".".to_owned(),
        depth => vec![".."; depth].join("/"),
    })
}

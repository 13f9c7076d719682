//! A page for each redirect, so that old addresses work on hosts without redirects.
//!
//! Redirects with wildcards have no single address; hosts that support them read the manifest.

use std::{
    collections::{BTreeSet, HashMap},
    io,
};

use super::{GeneratedInput, PageSummary};
use crate::{
    content::{
        links::{Links, Resolution, output_path, relative},
        redirects::{has_wildcard, without_suffix},
        slug,
    },
    output::Output,
    source::is_safe_path,
    theme,
};

/// Writes the redirect pages, except where a real page exists.
pub(super) fn write(
    input: &GeneratedInput<'_>,
    taken: &BTreeSet<&str>,
    output: &dyn Output,
) -> io::Result<()> {
    let links = Links::new(input.content, input.source);
    let pages = input.pages.iter().map(|page| (page.slug.as_str(), page)).collect();
    for redirect in
        input.content.config.redirects.iter().filter(|redirect| !has_wildcard(&redirect.source))
    {
        let from = slug::of_reference(without_suffix(&redirect.source));
        if !is_safe_path(&from)
            || taken.contains(from.as_str())
            || input.content.pages.contains_key(&from)
        {
            continue;
        }
        let page = output_path(&from);
        let target = match links.resolve("index.mdx", &redirect.source) {
            Resolution::Page { slug, suffix } if taken.contains(slug.as_str()) => {
                relative(&page, &output_path(&slug)) + existing_place(&pages, &slug, &suffix)
            }
            Resolution::File { path, suffix } => relative(&page, &path) + &suffix,
            Resolution::External(href) => href,
            _ => continue,
        };
        output.write(&page, theme::redirect(&target).as_bytes())?;
    }
    open_first_page(input, taken, output)
}

/// The query and fragment of a redirect's target, without an anchor that its page doesn't have.
fn existing_place<'a>(pages: &HashMap<&str, &PageSummary>, slug: &str, suffix: &'a str) -> &'a str {
    let Some((before, fragment)) = suffix.split_once('#') else { return suffix };
    let fragment = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
    let exists = pages.get(slug).is_some_and(|page| page.ids.iter().any(|id| *id == fragment));
    if exists { suffix } else { before }
}

/// A site without an `index` opens at its first page.
fn open_first_page(
    input: &GeneratedInput<'_>,
    taken: &BTreeSet<&str>,
    output: &dyn Output,
) -> io::Result<()> {
    let first = input
        .first_page
        .filter(|first| taken.contains(first))
        .or_else(|| taken.iter().next().copied());
    match first {
        Some(first) if !taken.contains("index") => output.write(
            "index.html",
            theme::redirect(&relative("index.html", &output_path(first))).as_bytes(),
        ),
        _ => Ok(()),
    }
}

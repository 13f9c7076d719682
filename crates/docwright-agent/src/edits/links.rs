//! Internal links as authors write them: in Markdown, and in `href` of components.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// `](address`, `href="address"`, and definitions `[x]: address`.
static LINKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?m)\]\(\s*<?([^)\s>]+)|\bhref=\{?["'`]([^"'`]+)["'`]|^\[[^\]]+\]:\s*<?(\S+?)>?\s*$"#,
    )
    .ok()
});

/// A link in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// Position of its path, without query and fragment.
    pub(super) range: Range<usize>,
    /// The path as written.
    pub(super) path: String,
}

/// Links of a text to other pages or files of the site, in order.
pub(super) fn links(text: &str) -> Vec<Link> {
    let Some(pattern) = LINKS.as_ref() else { return Vec::new() };
    let found = pattern.captures_iter(text).filter_map(|captures| {
        let address = captures.iter().skip(1).flatten().next()?;
        let written = address.as_str();
        if written.contains(':') || written.starts_with("//") || written.starts_with('#') {
            return None;
        }
        let end = written.find(['?', '#']).unwrap_or(written.len());
        let range = address.start()..address.start() + end;
        (end > 0).then(|| Link { path: written[..end].to_owned(), range })
    });
    found.collect()
}

/// An address in a file, with query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// Its position.
    pub(super) range: Range<usize>,
    /// 1-based line.
    pub(super) line: usize,
    /// As written.
    pub(super) href: String,
}

/// Addresses of links outside code blocks, in order.
pub(super) fn addresses(text: &str) -> Vec<Address> {
    let Some(pattern) = LINKS.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = line.trim_start();
        let marks = start.len() - start.trim_start_matches(['`', '~']).len();
        let is_fence = marks >= 3 && (start.starts_with("```") || start.starts_with("~~~"));
        match fence {
            Some(open)
                if is_fence && start.starts_with(open) && start.trim_end().len() == marks =>
            {
                fence = None;
            }
            Some(_) => {}
            None if is_fence => fence = Some(&start[..marks]),
            None => {
                let captures = pattern.captures_iter(line);
                found.extend(captures.filter_map(|captures| {
                    let address = captures.iter().skip(1).flatten().next()?;
                    let range = at + address.start()..at + address.end();
                    let href = address.as_str().to_owned();
                    Some(Address { range, line: number + 1, href })
                }));
            }
        }
        at += line.len();
    }
    found
}

/// The page of a link, as a path without extension below the docs root.
pub(super) fn target(file: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    if !path.starts_with('/')
        && let Some((folder, _)) = file.rsplit_once('/')
    {
        parts.extend(folder.split('/'));
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    crate::tools::navigation::slug(&parts.join("/")).to_owned()
}

/// The text with replaced paths of some links; `None` if nothing changes.
pub(super) fn rewrite(
    text: &str,
    other: impl Fn(&Link) -> Option<String>,
) -> Option<(String, usize)> {
    let (mut changed, mut at, mut count) = (String::with_capacity(text.len()), 0, 0);
    for link in links(text) {
        if let Some(path) = other(&link) {
            changed.push_str(&text[at..link.range.start]);
            changed.push_str(&path);
            at = link.range.end;
            count += 1;
        }
    }
    changed.push_str(&text[at..]);
    (count > 0).then_some((changed, count))
}

//! Links in Markdown: where they are, where they lead, and where they are allowed to lead.

use std::ops::Range;

use crate::pages::Pages;

/// Longest fragment of a link, in bytes.
const MAXIMUM_FRAGMENT: usize = 200;

/// A link or an image in Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// From its first bracket, or exclamation mark, to its last parenthesis.
    pub(crate) place: Range<usize>,
    /// Its label, without brackets.
    pub(crate) label: Range<usize>,
    /// Where it leads, as written.
    pub(crate) destination: String,
    pub(crate) is_image: bool,
    pub(crate) is_code: bool,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A page or file of the site: its path with a slash, without `.html`, with the fragment.
    Own(String),
    /// An address on another host, as written.
    Elsewhere(String),
    /// Nothing that a link can lead to.
    Nowhere,
}

/// The links and images of a text, in order; `None` for what looks like the end of a link and can't be read.
pub(crate) fn links(text: &str) -> impl Iterator<Item = Option<Link>> {
    let code = code(text);
    text.match_indices("](").map(move |(middle, _)| {
        let (destination, end) = destination(text, middle + 2)?;
        let label = label_start(text, middle)?;
        let is_image = text[..label - 1].ends_with('!');
        Some(Link {
            place: label - 1 - usize::from(is_image)..end,
            label: label..middle,
            destination,
            is_image,
            is_code: code.iter().any(|range| range.contains(&middle)),
        })
    })
}

/// Where the label before a closing bracket starts.
fn label_start(text: &str, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text[..end].char_indices().rev() {
        match letter {
            ']' => depth += 1,
            '[' if depth == 0 => return Some(at + 1),
            '[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The destination that starts somewhere, and where its link ends.
fn destination(text: &str, start: usize) -> Option<(String, usize)> {
    let rest = &text[start..];
    let inner = rest.trim_start_matches([' ', '\t', '\n']);
    let begin = start + (rest.len() - inner.len());
    let (destination, mut at) = if let Some(inner) = inner.strip_prefix('<') {
        let length = inner.find(['>', '\n']).filter(|end| inner[*end..].starts_with('>'))?;
        (&inner[..length], begin + length + 2)
    } else {
        let mut depth = 0_usize;
        let length = inner.find(|letter: char| {
            match letter {
                '(' => depth += 1,
                ')' if depth == 0 => return true,
                ')' => depth -= 1,
                letter if letter.is_whitespace() || letter.is_control() => return true,
                _ => {}
            }
            false
        })?;
        (&inner[..length], begin + length)
    };
    let after = text[at..].trim_start();
    at = text.len() - after.len();
    if let Some(quote) = after.chars().next().filter(|letter| matches!(letter, '"' | '\'')) {
        at += 1 + after[1..].find(quote)? + 1;
        at = text.len() - text[at..].trim_start().len();
    }
    text[at..].starts_with(')').then(|| (destination.to_owned(), at + 1))
}

/// The places of code: between fences, and between marks within a line or paragraph.
pub(crate) fn code(text: &str) -> Vec<Range<usize>> {
    let (mut ranges, mut at, mut prose) = (Vec::new(), 0, 0);
    let mut fence: Option<(&str, usize)> = None;
    for line in text.split_inclusive('\n') {
        let (start, trimmed) = (at, line.trim());
        at += line.len();
        match fence {
            Some((open, from)) if is_end_of_fence(trimmed, open) => {
                ranges.push(from..at);
                (fence, prose) = (None, at);
            }
            Some(_) => {}
            None => match fence_of(trimmed) {
                Some(open) => {
                    inline_code(text, prose..start, &mut ranges);
                    fence = Some((open, start));
                }
                None if trimmed.is_empty() => {
                    inline_code(text, prose..start, &mut ranges);
                    prose = at;
                }
                None => {}
            },
        }
    }
    match fence {
        Some((_, from)) => ranges.push(from..text.len()),
        None => inline_code(text, prose..text.len(), &mut ranges),
    }
    ranges
}

/// The marks that open fenced code on a line.
pub(crate) fn fence_of(trimmed: &str) -> Option<&str> {
    let first = trimmed.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let marks = trimmed.len() - trimmed.trim_start_matches(first).len();
    // An inline code with three marks isn't a fence.
    (marks >= 3 && (first == '~' || !trimmed[marks..].contains('`'))).then(|| &trimmed[..marks])
}

/// Whether a line ends the code that these marks opened.
pub(crate) fn is_end_of_fence(trimmed: &str, open: &str) -> bool {
    trimmed.starts_with(open) && trimmed.chars().all(|letter| open.starts_with(letter))
}

fn inline_code(text: &str, prose: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let mut at = prose.start;
    while let Some(start) = text[at..prose.end].find('`').map(|found| at + found) {
        let marks = |from: usize| {
            let rest = &text[from..prose.end];
            rest.len() - rest.trim_start_matches('`').len()
        };
        let count = marks(start);
        let mut end = start + count;
        let closing = loop {
            let Some(found) = text[end..prose.end].find('`') else { break None };
            let found = end + found;
            let length = marks(found);
            end = found + length;
            if length == count {
                break Some(end);
            }
        };
        at = start + count;
        if let Some(closing) = closing {
            ranges.push(start..closing);
            at = closing;
        }
    }
}

/// Where a link on a page leads. `base` is the address of the site root, as far as it is known.
pub(crate) fn target(
    pages: &dyn Pages,
    page: &str,
    base: Option<&str>,
    destination: &str,
) -> Target {
    let own = base.and_then(|base| destination.strip_prefix(base));
    if let Some(path) = own {
        return own_target(pages, "", path);
    }
    let start = destination.get(..8).unwrap_or(destination).to_ascii_lowercase();
    if start.starts_with("https://") || start.starts_with("http://") {
        return Target::Elsewhere(destination.to_owned());
    }
    let scheme = destination.split(['/', '?', '#']).next().unwrap_or_default();
    let is_odd = |letter: char| letter.is_control() || letter == '\\';
    if scheme.contains(':') || destination.starts_with("//") || destination.contains(is_odd) {
        return Target::Nowhere;
    }
    match destination.strip_prefix('/') {
        Some(path) => own_target(pages, "", path),
        None if destination.starts_with('#') => {
            own_target(pages, "", &format!("{page}{destination}"))
        }
        None => {
            own_target(pages, page.rsplit_once('/').map_or("", |(folder, _)| folder), destination)
        }
    }
}

/// A page or file of the site, by a path that starts in a folder.
fn own_target(pages: &dyn Pages, folder: &str, path: &str) -> Target {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = path.split('?').next().unwrap_or_default();
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_none() => return Target::Nowhere,
            ".." => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let page = path.strip_suffix(".html").or(path.strip_suffix(".md")).unwrap_or(&path);
    let page = if page.is_empty() { "index" } else { page };
    let place = if pages.has(&format!("{page}.html")) {
        page
    } else if !path.starts_with('_') && pages.has(&path) {
        &path
    } else {
        return Target::Nowhere;
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.%".contains(letter);
    let has_fragment = !fragment.is_empty()
        && fragment.len() <= MAXIMUM_FRAGMENT
        && fragment.chars().all(is_plain);
    let fragment = if has_fragment { format!("#{fragment}") } else { String::new() };
    Target::Own(format!("/{place}{fragment}"))
}

/// A text of a page with links from the site root, and without images. A link that leads nowhere is only its label.
pub(crate) fn rooted(pages: &dyn Pages, page: &str, base: Option<&str>, text: &str) -> String {
    let (mut text, mut before) = (text.to_owned(), text.len());
    // From the end, so that earlier places stay right. An inner link starts after the outer one.
    loop {
        let earlier = |link: &Link| link.place.start < before && !link.is_code;
        let last = links(&text).flatten().filter(earlier).max_by_key(|link| link.place.start);
        let Some(link) = last else { return text };
        let label = text[link.label.clone()].to_owned();
        let place = match target(pages, page, base, &link.destination) {
            _ if link.is_image => None,
            Target::Own(place) | Target::Elsewhere(place) => Some(place),
            Target::Nowhere => None,
        };
        let written = place.map_or(label.clone(), |place| format!("[{label}]({place})"));
        before = link.place.start;
        text.replace_range(link.place, &written);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use docwright_site::{
        embedding::SectionVectors,
        guidance::Guidance,
        search::{SearchError, Searcher},
    };

    use super::*;

    static GUIDANCE: Guidance = Guidance { instructions: String::new(), skills: Vec::new() };

    /// A site with these files and no index.
    #[derive(Debug)]
    pub(crate) struct Files(pub(crate) &'static [&'static str]);

    impl Pages for Files {
        fn searcher(&self) -> Result<Arc<Searcher>, SearchError> {
            Err(SearchError::Failed("no index".to_owned()))
        }

        fn vectors(&self, _: &str) -> Option<Arc<SectionVectors>> {
            None
        }

        fn languages(&self) -> Vec<String> {
            Vec::new()
        }

        fn read(&self, _: &str) -> Option<String> {
            None
        }

        fn has(&self, path: &str) -> bool {
            self.0.contains(&path)
        }

        fn guidance(&self) -> &Guidance {
            &GUIDANCE
        }
    }

    const SITE: Files = Files(&[
        "index.html",
        "guides/start.html",
        "guides/more.html",
        "files/a.pdf",
        "_docwright/x",
    ]);

    #[test]
    fn targets_are_pages_and_files_of_the_site_or_other_hosts() {
        let own = |place: &str| Target::Own(place.to_owned());
        for (destination, expected) in [
            ("more.md", own("/guides/more")),
            ("./more#part", own("/guides/more#part")),
            ("../index.html", own("/index")),
            ("/", own("/index")),
            ("/guides/start?a=b#x", own("/guides/start#x")),
            ("#here", own("/guides/start#here")),
            ("/files/a.pdf", own("/files/a.pdf")),
            ("https://docs.example/base/guides/more.md#x", own("/guides/more#x")),
            ("https://a.example/b", Target::Elsewhere("https://a.example/b".to_owned())),
            ("/guides/start#a b)", own("/guides/start")),
            ("/_docwright/x", Target::Nowhere),
            ("missing", Target::Nowhere),
            ("../../etc/passwd", Target::Nowhere),
            ("javascript:alert(1)", Target::Nowhere),
            ("JaVaScRiPt:alert(1)", Target::Nowhere),
            ("data:text/html,x", Target::Nowhere),
            ("mailto:a@b.example", Target::Nowhere),
            ("//evil.example/x", Target::Nowhere),
            ("\\\\evil.example", Target::Nowhere),
            ("/\\evil.example", Target::Nowhere),
        ] {
            let found =
                target(&SITE, "guides/start", Some("https://docs.example/base/"), destination);
            assert_eq!(found, expected, "{destination}");
        }
    }

    #[test]
    fn links_of_a_page_start_at_the_root() {
        let rooted = |text: &str| rooted(&SITE, "guides/start", None, text);
        assert_eq!(
            rooted("See [more](more.md \"Title\") or [that](https://a.example/x_(y))."),
            "See [more](/guides/more) or [that](https://a.example/x_(y))."
        );
        assert_eq!(rooted("![A picture](../a.png) of [it](<missing>)."), "A picture of it.");
        assert_eq!(rooted("[![Logo](a.png)](more.md)"), "[Logo](/guides/more)");
        assert_eq!(rooted("[![Logo](a.png)](missing) and [[a](b)](c)"), "Logo and a");
        assert_eq!(rooted("An end ]( of [nothing](more"), "An end ]( of [nothing](more");
        assert_eq!(
            rooted("`[a](b.md)`\n\n```md\n[a](b.md)\n```\n"),
            "`[a](b.md)`\n\n```md\n[a](b.md)\n```\n"
        );
    }

    #[test]
    fn code_is_found_in_fences_and_lines() {
        for (text, expected) in [
            ("a `b` c", vec!["`b`"]),
            ("a ``b ` c`` d", vec!["``b ` c``"]),
            ("a ` b\n\nc ` d", vec![]),
            ("```\nx\n```\n`y`", vec!["```\nx\n```\n", "`y`"]),
            ("~~~\n`x\n", vec!["~~~\n`x\n"]),
            ("```a``` b", vec!["```a```"]),
        ] {
            let found: Vec<_> = code(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}

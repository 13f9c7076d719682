//! What results show: titles, paths, divisions, and the text of sections, in files of neighboring pages.

use serde_json::{Value, json};

use super::{Document, Section, symbols::SymbolKind};

/// Bytes of a file on a site with 1,000 pages, at most; larger sites have larger files.
const FILE: f64 = 22_000.0;
/// How the size of files grows with the number of pages.
const GROWTH: f64 = 0.15;
/// Smallest file that another one follows. Bytes.
const SMALLEST_FILE: usize = 8_000;
/// Maximum text of one page, in bytes.
const PAGE_TEXT: usize = 14_000;
/// Maximum description, in bytes.
const DESCRIPTION: usize = 300;
/// The least text of a page that has symbols listed, in bytes.
const WITH_SYMBOLS: usize = 600;

/// Bytes of each of `count` pages in `most` files.
pub(super) fn allowed(count: usize, most: usize) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^52")]
    let pages = count.max(1) as f64;
    #[expect(clippy::cast_precision_loss, reason = "a few hundred files")]
    let share = FILE * (pages / 1_000.0).max(1.0).powf(GROWTH) * most.max(1) as f64 / pages;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it isn't negative"
    )]
    let allowed = share.max(0.0) as usize;
    allowed.min(PAGE_TEXT)
}

/// The files, `most` at most, each with the number of its first page.
pub(super) fn files(entries: Vec<String>, most: usize) -> Vec<(usize, Value)> {
    let total: usize = entries.iter().map(|entry| entry.len() + "\n".len()).sum();
    let target = (total / most.max(1)).max(SMALLEST_FILE);
    let mut files: Vec<(usize, String)> = Vec::new();
    let mut is_full = true;
    for (number, entry) in entries.into_iter().enumerate() {
        if is_full {
            files.push((number, String::new()));
        }
        let Some((_, text)) = files.last_mut() else { break };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&entry);
        is_full = text.len() > target;
    }
    files.into_iter().map(|(first, text)| (first, Value::from(text))).collect()
}

/// A page: title, path, divisions, description, sections, symbols. A section is an id, a heading, text, and a
/// number of blocks; a symbol is a name, a kind, the number of its section, and its anchor unless it is the
/// section's.
pub(super) fn entry(document: &Document, blocks: &[u16], allowed: usize) -> String {
    let description = cut(&document.description, DESCRIPTION.min(allowed.max(80)));
    let mut rest = allowed.saturating_sub(document.title.len() + description.len());
    let outline = |section: &Section| section.id.len() + section.heading.len() + 12;
    let sections = &document.body.sections;
    let mut shown = 0;
    for section in sections {
        let Some(left) = rest.checked_sub(outline(section)) else { break };
        rest = left;
        shown += 1;
    }
    let symbols =
        if allowed < WITH_SYMBOLS { Vec::new() } else { symbols(document, shown, rest / 3) };
    rest = rest.saturating_sub(symbols.iter().map(|symbol| symbol.to_string().len()).sum());
    let total: usize = sections[..shown].iter().map(|section| section.text.len()).sum();
    let sections = sections[..shown].iter().zip(blocks).map(|(section, blocks)| {
        let Section { id, heading, text, .. } = section;
        let length = if total > rest { text.len() * rest / total } else { text.len() };
        (id, heading, cut(text, length), blocks)
    });
    let path = document.path.trim_end_matches(".html");
    let sections: Vec<_> = sections.collect();
    let entry = (&document.title, path, &document.breadcrumbs, description, sections, symbols);
    serde_json::to_string(&entry).unwrap_or_default()
}

fn symbols(document: &Document, sections: usize, mut allowed: usize) -> Vec<Value> {
    let mut shown = Vec::new();
    for symbol in document.body.symbols.iter().filter(|symbol| symbol.section < sections) {
        let kind = match symbol.kind {
            SymbolKind::Field => 0,
            SymbolKind::Operation => 1,
            SymbolKind::Variable => 2,
            SymbolKind::Command => 3,
        };
        let value = if document.body.sections[symbol.section].id == symbol.id {
            json!([symbol.name, kind, symbol.section])
        } else {
            json!([symbol.name, kind, symbol.section, symbol.id])
        };
        let Some(left) = allowed.checked_sub(value.to_string().len()) else { break };
        allowed = left;
        shown.push(value);
    }
    shown
}

/// The start of a text, up to the end of a word near `length` bytes.
fn cut(text: &str, length: usize) -> &str {
    if text.len() <= length {
        return text;
    }
    let end = (0..=length).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text[..end].rsplit_once(' ').map_or(&text[..end], |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_limited_however_short_entries_are() {
        for (length, most) in [(1, 3), (10, 50), (200, 100), (9_000, 7)] {
            let entries = vec!["e".repeat(length); 400_000 / length * most / 10];
            let count = entries.len();
            let files = files(entries, most);
            assert!(files.len() <= most, "{} files of {most} for {count} entries", files.len());
            assert!(files.len() * 2 > most, "{} files of {most}", files.len());
        }
    }
}

//! The index of one language: the data that a browser needs for a query, in small files.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    io,
};

use rayon::prelude::*;
use serde_json::json;

use super::{Document, FOLDER, Section, skipped_words::skipped_terms, tokenize};
use crate::output::Output;

/// A chunk of terms is closed when it grows beyond this. Bytes.
const CHUNK: usize = 20_000;
/// Maximum text of one page for excerpts, in bytes.
const PAGE_TEXT: usize = 14_000;
/// Words that a mistyped one is compared with.
const VOCABULARY: usize = 9_000;
/// The maximum weight that each part of a page adds to a term. The script adds the weight of titles.
const DESCRIPTION: f64 = 9.0;
const HEADING: f64 = 9.0;
const TEXT: f64 = 10.0;
const CODE: f64 = 4.0;
/// Factor on the score of a page that isn't in the navigation.
const UNLISTED: f64 = 0.5;
/// Terms on a page of usual length.
const USUAL_LENGTH: f64 = 600.0;
/// Weights are stored as one digit in base 36.
const MAXIMUM_WEIGHT: f64 = 35.0;

/// Writes the files of a language.
pub(super) fn write(
    language: &str,
    documents: &[&Document],
    output: &dyn Output,
) -> io::Result<()> {
    let folder = format!("{FOLDER}/{language}");
    let skipped = skipped_terms(language);
    let weights: Vec<_> =
        documents.par_iter().map(|document| term_weights(document, &skipped)).collect();
    let terms = invert(&weights);
    let starts = write_chunks(&folder, &terms, output)?;
    write_vocabulary(&folder, &terms, output)?;
    write_core(&folder, documents, &starts, &skipped, output)?;
    documents
        .par_iter()
        .enumerate()
        .try_for_each(|(number, document)| write_page(&folder, number, document, output))
}

/// The number of occurrences of a term in each part of a page.
#[derive(Debug, Default, Clone, Copy)]
struct Occurrences {
    /// In the title or the name of a division: whether it occurs.
    name: f64,
    description: f64,
    heading: f64,
    text: f64,
    code: f64,
}

impl Occurrences {
    /// The weight of the term on the page, from 1 to [`MAXIMUM_WEIGHT`]. Each part approaches a limit with
    /// every occurrence, as in BM25, so neither long pages nor repetition outweigh a description.
    fn weight(&self, length: f64) -> u8 {
        let near = |count: f64, half: f64| count / (count + half);
        let sum = DESCRIPTION * self.description.min(1.0)
            + HEADING * near(self.heading, 1.0)
            + TEXT * near(self.text, 1.0 + 2.0 * length / USUAL_LENGTH)
            + CODE * near(self.code, 3.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and 35"
        )]
        let weight = sum.round().clamp(1.0, MAXIMUM_WEIGHT) as u8;
        weight
    }
}

fn term_weights(document: &Document, skipped: &BTreeSet<String>) -> HashMap<String, u8> {
    let mut found: HashMap<String, Occurrences> = HashMap::new();
    let mut length = 0.0;
    let mut add = |text: &str, count: fn(&mut Occurrences) -> &mut f64| {
        tokenize(text, |term| {
            length += 1.0;
            if skipped.contains(term) {
                return;
            }
            match found.get_mut(term) {
                Some(occurrences) => *count(occurrences) += 1.0,
                None => *count(found.entry(term.to_owned()).or_default()) += 1.0,
            }
        });
    };
    add(&document.title, |each| &mut each.name);
    for name in &document.breadcrumbs {
        add(name, |each| &mut each.name);
    }
    add(&document.description, |each| &mut each.description);
    for keyword in &document.keywords {
        add(keyword, |each| &mut each.heading);
    }
    for section in &document.sections {
        add(&section.heading, |each| &mut each.heading);
        add(&section.text, |each| &mut each.text);
        add(&section.code, |each| &mut each.code);
    }
    found.into_iter().map(|(term, occurrences)| (term, occurrences.weight(length))).collect()
}

/// Pages and weights by term, in alphabetical order.
fn invert(weights: &[HashMap<String, u8>]) -> BTreeMap<&str, Vec<(usize, u8)>> {
    let mut terms: HashMap<&str, Vec<(usize, u8)>> = HashMap::new();
    for (number, weights) in weights.iter().enumerate() {
        for (term, weight) in weights {
            terms.entry(term).or_default().push((number, *weight));
        }
    }
    terms.into_iter().collect()
}

/// Writes the chunks and returns the first term of each. A line of a chunk is a term and its
/// pages: the step from the page before in base 36, the weight, separated by commas.
fn write_chunks(
    folder: &str,
    terms: &BTreeMap<&str, Vec<(usize, u8)>>,
    output: &dyn Output,
) -> io::Result<Vec<String>> {
    let mut starts = Vec::new();
    let mut chunk = String::new();
    let mut first = "";
    for (term, pages) in terms {
        if chunk.is_empty() {
            first = term;
        }
        chunk.push_str(term);
        chunk.push(' ');
        let mut last = 0;
        for (index, (page, weight)) in pages.iter().enumerate() {
            if index > 0 {
                chunk.push(',');
            }
            push_base36(&mut chunk, page - last);
            push_base36(&mut chunk, usize::from(*weight));
            last = *page;
        }
        chunk.push('\n');
        if chunk.len() > CHUNK {
            write_chunk(folder, starts.len(), &chunk, output)?;
            starts.push(first.to_owned());
            chunk.clear();
        }
    }
    if !chunk.is_empty() {
        write_chunk(folder, starts.len(), &chunk, output)?;
        starts.push(first.to_owned());
    }
    Ok(starts)
}

fn write_chunk(folder: &str, number: usize, chunk: &str, output: &dyn Output) -> io::Result<()> {
    write_script(&format!("{folder}/terms-{number}.js"), &json!(chunk), output)
}

/// The most common terms, each without the prefix it shares with the previous one.
fn write_vocabulary(
    folder: &str,
    terms: &BTreeMap<&str, Vec<(usize, u8)>>,
    output: &dyn Output,
) -> io::Result<()> {
    let mut common: Vec<_> = terms
        .iter()
        .filter(|(term, _)| {
            term.chars().count() > 3 && !term.starts_with(|letter: char| letter.is_ascii_digit())
        })
        .map(|(term, pages)| (pages.len(), *term))
        .collect();
    common.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
    common.truncate(VOCABULARY);
    let mut words: Vec<_> = common.into_iter().map(|(_, term)| term).collect();
    words.sort_unstable();
    let mut text = String::new();
    let mut before = "";
    for word in words {
        let shared =
            word.chars().zip(before.chars()).take_while(|(one, other)| one == other).count();
        push_base36(&mut text, shared.min(35));
        text.extend(word.chars().skip(shared.min(35)));
        text.push(' ');
        before = word;
    }
    write_script(&format!("{folder}/vocabulary.js"), &json!(text.trim_end()), output)
}

/// Pages (title, path, breadcrumbs, boost where it is not 1), and the terms that are left out.
fn write_core(
    folder: &str,
    documents: &[&Document],
    starts: &[String],
    skipped: &BTreeSet<String>,
    output: &dyn Output,
) -> io::Result<()> {
    let mut names: Vec<&str> =
        documents.iter().flat_map(|document| &document.breadcrumbs).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let pages: Vec<_> = documents
        .iter()
        .map(|document| {
            let crumbs: Vec<_> = document
                .breadcrumbs
                .iter()
                .filter_map(|name| names.binary_search(&name.as_str()).ok())
                .collect();
            let path = document.path.trim_end_matches(".html");
            let boost = if document.listed { document.boost } else { document.boost * UNLISTED };
            if (boost - 1.0).abs() < f64::EPSILON {
                json!([document.title, path, crumbs])
            } else {
                json!([document.title, path, crumbs, boost])
            }
        })
        .collect();
    let skipped: Vec<_> = skipped.iter().map(String::as_str).collect();
    let skipped = skipped.join(" ");
    let core = json!({ "pages": pages, "names": names, "chunks": starts, "skipped": skipped });
    write_script(&format!("{folder}/core.js"), &core, output)
}

/// The text of a page for excerpts. Sections that are too long are cut in proportion.
fn write_page(
    folder: &str,
    number: usize,
    document: &Document,
    output: &dyn Output,
) -> io::Result<()> {
    let total: usize = document.sections.iter().map(|section| section.text.len()).sum();
    let sections: Vec<_> = document
        .sections
        .iter()
        .map(|Section { id, heading, text, .. }| {
            let share = if total > PAGE_TEXT {
                (text.len() * PAGE_TEXT / total).max(80)
            } else {
                text.len()
            };
            json!([id, heading, cut(text, share)])
        })
        .collect();
    let page = json!([document.description, sections]);
    write_script(&format!("{folder}/page-{number}.js"), &page, output)
}

fn write_script(path: &str, value: &serde_json::Value, output: &dyn Output) -> io::Result<()> {
    let name = path.trim_start_matches(FOLDER).trim_start_matches('/').trim_end_matches(".js");
    let mut script = String::new();
    let _ = write!(script, "docwrightSearch.receive({},{value})", json!(name));
    output.write(path, script.as_bytes())
}

/// The start of a text, up to the end of a word near `length` bytes.
fn cut(text: &str, length: usize) -> &str {
    if text.len() <= length {
        return text;
    }
    let end = (0..=length).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text[..end].rsplit_once(' ').map_or(&text[..end], |(words, _)| words)
}

fn push_base36(text: &mut String, number: usize) {
    let mut digits = [0_u8; 13];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b"0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    text.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

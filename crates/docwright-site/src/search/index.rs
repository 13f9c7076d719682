//! The index of one language: the data that a browser needs for a query, in a bounded number of files.

use std::{
    cell::LazyCell,
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{
    Document, FOLDER, Kind, SearchedSite, abbreviations, alike,
    batches::{self, CountedPages},
    counting::{CountedPage, CountedWords, MAXIMUM_WORDS, Posting},
    incoming::incoming,
    kept::IndexFile,
    pages,
    postings::{DETAILS, Detail, push, push_base36},
    quality,
    same_meaning::{self, SameMeaning},
    skipped_words::skipped_terms,
    stem::Stemmer,
    synonyms, vocabulary,
};
use crate::{
    content::{
        languages,
        words::{Word, word},
    },
    output::Output,
};

/// One term in this many is encoded to see how much detail fits.
const SAMPLE: usize = 8;
/// An index of a language that is smaller than this is one file. Bytes.
const PACKED: usize = 48_000;
/// Bytes of a file of terms on a site with 1,000 pages, at most; larger sites have larger files.
const TERMS_FILE: f64 = 22_000.0;
/// How the size of files grows with the number of pages.
const GROWTH: f64 = 0.45;
/// Terms on this many pages are written however long they are.
const FEW: usize = 2;
/// Share of the files that have terms; the others have pages.
const TERMS_SHARE: f64 = 0.45;
/// Smallest file of terms. Bytes.
const SMALLEST_FILE: usize = 14_000;

/// Writes the files of a language, `files` at most, and returns them.
pub(super) fn write(
    language: &str,
    documents: Vec<Document>,
    site: &SearchedSite<'_>,
    files: usize,
    output: &dyn Output,
) -> io::Result<Vec<IndexFile>> {
    let stemmer = Stemmer::of(language);
    let skipped = skipped_terms(language, stemmer);
    let abbreviations = abbreviations::learn(&documents);
    let with_terms = share(files.saturating_sub(2), TERMS_SHARE);
    let with_pages = files.saturating_sub(2).saturating_sub(with_terms).max(1);
    let allowed = pages::allowed(documents.len(), with_pages);
    let incoming = incoming(&documents);
    let CountedPages { documents, pages: mut counted, entries, words, words_of } =
        batches::count(documents, &incoming, (stemmer, &skipped), allowed);
    let pages = pages::files(entries, with_pages);
    let postings = counted.iter_mut().map(|page| std::mem::take(&mut page.postings)).collect();
    let documents: Vec<&Document> = documents.iter().collect();
    let counted: Vec<&CountedPage> = counted.iter().collect();
    let mut terms = invert((&words, &words_of), postings);
    let occurring = terms.iter().map(|(term, pages)| (*term, pages.len())).collect();
    let forms = words.iter().flat_map(CountedWords::forms);
    let vocabulary = vocabulary::text(forms, &occurring);
    if stemmer.compounds {
        divide_compounds(&mut terms);
    }
    let groups = synonyms::groups(site.synonyms, &abbreviations, language, stemmer);
    let synonyms = same_meaning::pages(&groups, &terms, &counted, &skipped);
    let alike = alike::lines(language, &terms, &counted, stemmer, &skipped);
    let (chunks, detail) = chunks(&terms, (&synonyms, alike), &counted, with_terms);
    let linked: Vec<usize> = incoming.iter().map(|page| page.pages).collect();
    let mut core = core((&documents, &linked), &counted, &chunks, &pages, &skipped, stemmer);
    core["textBelow"] = json!(detail.text_below);
    let core = with_labels(core, language, site.languages);
    let mut parts = vec![("core".to_owned(), core), ("words".to_owned(), json!(vocabulary))];
    let chunks = chunks.into_iter().enumerate();
    parts.extend(chunks.map(|(number, chunk)| (format!("terms-{number}"), chunk.text.into())));
    let pages = pages.into_iter().enumerate();
    parts.extend(pages.map(|(number, (_, page))| (format!("pages-{number}"), page)));
    write_parts(language, &parts, files, output)
}

/// Writes each part to its own file, or all into one.
fn write_parts(
    language: &str,
    parts: &[(String, Value)],
    files: usize,
    output: &dyn Output,
) -> io::Result<Vec<IndexFile>> {
    let script = |(name, value): &(String, Value)| {
        let name = serde_json::to_string(&format!("{language}/{name}"))?;
        Ok(format!("docwrightSearch.receive({name},{})", serde_json::to_string(value)?))
    };
    let scripts = parts.par_iter().map(script).collect::<serde_json::Result<Vec<String>>>()?;
    let packed = files < parts.len() || scripts.iter().map(String::len).sum::<usize>() < PACKED;
    let write = |name: &str, script: &str| {
        let path = format!("{FOLDER}/{language}/{name}.js");
        let kept = output.write_named(&path, script.as_bytes())?;
        Ok((path, kept))
    };
    if packed {
        return Ok(vec![write("core", &scripts.join("\n"))?]);
    }
    parts.par_iter().zip(&scripts).map(|((name, _), script)| write(name, script)).collect()
}

/// A page with a term: its number, and the posting of the term there.
pub(super) type Entry = (u32, Posting);

/// Pages by term, in alphabetical order. `postings` are those of the pages, in order.
fn invert<'a>(
    (words, words_of): (&'a [CountedWords], &[usize]),
    postings: Vec<Vec<(u32, Posting)>>,
) -> Vec<(&'a str, Vec<Entry>)> {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut terms: Vec<(&str, Vec<Entry>)> = Vec::new();
    let mut number_of = |term: &'a Arc<str>| {
        *numbers.entry(term).or_insert_with(|| {
            terms.push((term, Vec::new()));
            terms.len() - 1
        })
    };
    let known: Vec<Vec<usize>> =
        words.iter().map(|words| words.terms.iter().map(&mut number_of).collect()).collect();
    let known_of_pages = || words_of.iter().map(|number| &known[*number]);
    let mut counts = vec![0; terms.len()];
    for (postings, known) in postings.iter().zip(known_of_pages()) {
        for (term, _) in postings {
            counts[known[*term as usize]] += 1;
        }
    }
    for ((_, entries), count) in terms.iter_mut().zip(counts) {
        entries.reserve_exact(count);
    }
    for (page, (postings, known)) in (0..).zip(postings.into_iter().zip(known_of_pages())) {
        for (term, posting) in postings {
            terms[known[term as usize]].1.push((page, posting));
        }
    }
    terms.retain(|(_, pages)| !pages.is_empty());
    terms.par_sort_unstable_by_key(|(term, _)| *term);
    terms
}

/// Adds the pages with a compound (`zugriffsschlussel`) to its parts, if the parts are words of the site.
fn divide_compounds(terms: &mut [(&str, Vec<Entry>)]) {
    const LEAST: usize = 4;
    let numbers: BTreeMap<&str, usize> =
        terms.iter().enumerate().map(|(number, (term, _))| (*term, number)).collect();
    let mut additions: Vec<(usize, usize)> = Vec::new();
    for (number, (term, _)) in terms.iter().enumerate() {
        if term.len() < 2 * LEAST + 1 || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
            continue;
        }
        let split = (LEAST..=term.len() - LEAST).rev().find_map(|at| {
            let tail = numbers.get(&term[at..])?;
            let head = ["", "s", "n", "en", "es", "e"].iter().find_map(|link| {
                numbers.get(term[..at].strip_suffix(link).filter(|head| head.len() >= LEAST)?)
            });
            Some((*head?, *tail))
        });
        if let Some((head, tail)) = split {
            additions.extend([(head, number), (tail, number)]);
        }
    }
    for (part, compound) in additions {
        let pages = terms[compound].1.clone();
        let known: BTreeSet<u32> = terms[part].1.iter().map(|(page, _)| *page).collect();
        terms[part].1.extend(pages.into_iter().filter(|(page, _)| !known.contains(page)));
        terms[part].1.sort_by_key(|(page, _)| *page);
    }
}

/// A file of terms.
struct Chunk {
    first: String,
    text: String,
}

/// The terms in files, `most` at most, with as much detail as fits, and that detail.
fn chunks(
    terms: &[(&str, Vec<Entry>)],
    (synonyms, alike): (&[SameMeaning], Vec<String>),
    pages: &[&CountedPage],
    most: usize,
) -> (Vec<Chunk>, Detail) {
    let most = most.max(1);
    #[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^52")]
    let file = TERMS_FILE * (pages.len() as f64 / 1_000.0).max(1.0).powf(GROWTH);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred files")]
    let limit = file * most as f64;
    let values = LazyCell::new(|| values(terms, pages));
    let encode = |step: usize, detail: Detail| {
        let least = (detail.terms < usize::MAX).then(|| least_values(&values, detail.terms));
        encode(terms, step, pages, detail, least.as_deref())
    };
    let named =
        |detail: Detail| synonyms.iter().map(move |each| each.line(detail.text_below > 0.0));
    let pointers: usize = alike.iter().map(String::len).sum();
    // A sample of the terms shows which level fits.
    let size = |detail: Detail| {
        let sample: usize = encode(SAMPLE, detail).iter().map(String::len).sum();
        let names: usize = named(detail).map(|line| line.len()).sum::<usize>() + pointers;
        #[expect(clippy::cast_precision_loss, reason = "fewer bytes than 2^52")]
        let size = (sample * SAMPLE + names) as f64;
        size
    };
    let fitting = DETAILS.iter().find(|detail| size(**detail) <= limit);
    let detail = *fitting.unwrap_or(&DETAILS[DETAILS.len() - 1]);
    let mut lines = encode(1, detail);
    lines.extend(named(detail));
    lines.extend(alike);
    let total: usize = lines.iter().map(String::len).sum();
    let target = (total / most).max(SMALLEST_FILE);
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut is_full = true;
    lines.retain(|line| !line.is_empty());
    // Those of terms are sorted already, which this sort makes use of.
    lines.sort();
    let mut before = String::new();
    for line in lines {
        // A word is looked up with the lines that begin with it, so they stay together.
        let word = line.split([' ', '+', '=', '>']).next().unwrap_or_default();
        if chunks.is_empty() || is_full && word != before {
            chunks.push(Chunk { first: word.to_owned(), text: String::new() });
        }
        word.clone_into(&mut before);
        let Some(chunk) = chunks.last_mut() else { break };
        chunk.text.push_str(&line);
        is_full = chunk.text.len() > target;
    }
    (chunks, detail)
}

/// The line of each term, or of every `step`th; empty if its pages are left out. `least` has the value for each
/// page that a term must have if it is only in the text.
fn encode(
    terms: &[(&str, Vec<Entry>)],
    step: usize,
    pages: &[&CountedPage],
    detail: Detail,
    least: Option<&[u32]>,
) -> Vec<String> {
    let encode_term = |(term, entries): &(&str, Vec<Entry>)| {
        #[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^52")]
        let with_text = (entries.len() as f64) < detail.text_below * pages.len().max(20) as f64;
        let rarity = rarity(pages.len(), entries.len());
        let mut line = String::with_capacity(term.len() + 8 * entries.len());
        line.push_str(term);
        line.push(' ');
        let start = line.len();
        let mut last = 0;
        for (number, posting) in entries {
            let page = pages[*number as usize];
            let is_kept = least.is_none_or(|least| {
                entries.len() <= FEW
                    || page.is_named(posting)
                    || value(posting, rarity) >= least[*number as usize]
            });
            if is_kept {
                let step = *number as usize - last;
                push(&mut line, step, (posting, page.units(posting)), with_text);
                last = *number as usize;
            }
        }
        if line.len() == start {
            return String::new();
        }
        line.push('\n');
        line
    };
    terms.par_iter().step_by(step).map(encode_term).collect()
}

/// The values of the terms of each page that are only in its text, highest first.
fn values(terms: &[(&str, Vec<Entry>)], pages: &[&CountedPage]) -> Vec<Vec<u32>> {
    let mut values: Vec<Vec<u32>> = vec![Vec::new(); pages.len()];
    for (_, entries) in terms.iter().filter(|(_, entries)| entries.len() > FEW) {
        let rarity = rarity(pages.len(), entries.len());
        for (number, posting) in entries {
            if !pages[*number as usize].is_named(posting) {
                values[*number as usize].push(value(posting, rarity));
            }
        }
    }
    values.par_iter_mut().for_each(|values| values.sort_unstable_by(|one, other| other.cmp(one)));
    values
}

/// For each page the value that a term must have to be among the `most` highest.
fn least_values(values: &[Vec<u32>], most: usize) -> Vec<u32> {
    values.iter().map(|values| values.get(most).map_or(0, |value| value + 1)).collect()
}

/// How telling a term is for a page, in thousandths.
fn value(posting: &Posting, rarity: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let value = (f64::from(posting.weight) * rarity * 1_000.0) as u32;
    value
}

#[expect(clippy::cast_precision_loss, reason = "fewer pages than 2^52")]
fn rarity(pages: usize, with_term: usize) -> f64 {
    (1.0 + pages as f64 / with_term.max(1) as f64).ln()
}

/// What every query needs: where terms and pages are, factors and divisions of pages, and the words that the
/// index leaves out or takes for each other.
fn core(
    (documents, linked): (&[&Document], &[usize]),
    counted: &[&CountedPage],
    chunks: &[Chunk],
    pages: &[(usize, Value)],
    skipped: &BTreeSet<String>,
    stemmer: Stemmer,
) -> Value {
    let mut titles = String::new();
    for page in counted {
        push_base36(&mut titles, page.title.min(MAXIMUM_WORDS));
    }
    let mut factors = String::new();
    for factor in quality::factors(documents, linked) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is clamped"
        )]
        let level =
            (18.0 + 6.0 * factor.max(f64::MIN_POSITIVE).log2()).round().clamp(0.0, 35.0) as usize;
        push_base36(&mut factors, level);
    }
    let skipped: Vec<_> = skipped.iter().map(String::as_str).collect();
    json!({
        "count": documents.len(),
        "terms": chunks.iter().map(|chunk| &*chunk.first).collect::<Vec<_>>(),
        "pages": pages.iter().map(|(first, _)| first).collect::<Vec<_>>(),
        "titles": titles,
        "factors": factors,
        "sections": runs(documents.iter().map(|document| document.breadcrumbs.first().map_or("", String::as_str))),
        "versions": runs(documents.iter().map(|document| document.version.as_deref().unwrap_or_default())),
        "usual": usual_versions(documents),
        "kinds": runs(documents.iter().map(|document| kind_name(document.kind))),
        "skipped": skipped.join(" "),
        "stems": stemmer.table(),
        "suggested": suggested(documents, linked),
    })
}

/// The versions that are open by default, if the site has others.
fn usual_versions<'a>(documents: &[&'a Document]) -> BTreeSet<&'a str> {
    let usual = documents.iter().filter(|document| document.is_default);
    usual.filter_map(|document| document.version.as_deref()).collect()
}

/// Pages that readers are shown before they type: those that most pages link to, as title and path.
fn suggested(documents: &[&Document], linked: &[usize]) -> Vec<Value> {
    const SUGGESTED: usize = 5;
    let mut pages: Vec<_> = documents
        .iter()
        .zip(linked)
        .filter(|(page, linked)| **linked > 0 && page.listed && page.is_default && !page.deprecated)
        .collect();
    pages.sort_by_key(|(_, linked)| std::cmp::Reverse(**linked));
    pages.truncate(SUGGESTED);
    pages.into_iter().map(|(page, _)| json!([page.title, page.path])).collect()
}

/// Adds the words of the dialog, and the languages that readers can choose from.
fn with_labels(mut core: Value, language: &str, searched: &[String]) -> Value {
    let labels = [
        ("didYouMean", Word::DidYouMean),
        ("recent", Word::Recent),
        ("suggested", Word::Suggested),
        ("section", Word::Section),
        ("kind", Word::Kind),
        ("version", Word::Version),
        ("language", Word::Language),
        ("guide", Word::Guide),
        ("changelog", Word::Changelog),
        ("select", Word::Select),
        ("open", Word::Open),
        ("field", Word::Field),
        ("operation", Word::Operation),
        ("variable", Word::Variable),
        ("command", Word::Command),
    ];
    let labels = labels.map(|(name, each)| (name.to_owned(), json!(word(language, each))));
    let mut labels: serde_json::Map<_, _> = labels.into_iter().collect();
    labels.insert("api".to_owned(), json!("API"));
    core["labels"] = Value::Object(labels);
    core["languages"] = searched.iter().map(|code| json!([code, languages::name(code)])).collect();
    core
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Guide => "guide",
        Kind::Api => "api",
        Kind::Changelog => "changelog",
    }
}

/// A value of each page, as the distinct values and runs of pages: `[values, [value, pages, …]]`.
fn runs<'a>(values: impl Iterator<Item = &'a str>) -> Value {
    let mut names: Vec<&str> = Vec::new();
    let mut runs: Vec<usize> = Vec::new();
    for value in values {
        let number = names.iter().position(|name| *name == value).unwrap_or_else(|| {
            names.push(value);
            names.len() - 1
        });
        match runs.len().checked_sub(2).filter(|last| runs[*last] == number) {
            Some(last) => runs[last + 1] += 1,
            None => runs.extend([number, 1]),
        }
    }
    json!([names, runs])
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few hundred files"
)]
fn share(files: usize, share: f64) -> usize {
    (files as f64 * share) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_word_are_in_one_file() {
        let pages: Vec<CountedPage> =
            std::iter::repeat_with(CountedPage::default).take(12_000).collect();
        let pages: Vec<&CountedPage> = pages.iter().collect();
        let everywhere: Vec<Entry> = (0..12_000).map(|page| (page, Posting::default())).collect();
        // Marks alone are a word without letters.
        let terms =
            [("", everywhere[..1].to_vec()), ("stop", everywhere.clone()), ("zebra", everywhere)];
        let pointers = vec!["stop+talk> zebra\n".to_owned(), "talk> zebra\n".to_owned()];
        let (chunks, _) = chunks(&terms, (&[], pointers), &pages, 10);
        let firsts: Vec<_> = chunks.iter().map(|chunk| &*chunk.first).collect();
        assert_eq!(firsts, ["", "talk"]);
        assert!(chunks[0].text.ends_with("stop+talk> zebra\n"));
    }
}

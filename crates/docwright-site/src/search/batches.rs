//! Counts the terms of the pages of a language, in batches. Folders of versions are mostly copies of each other, so pages
//! with the same text are in one batch, and its terms are counted once.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, BuildHasherDefault},
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};

use super::{
    Document,
    counting::{Copies, CountedPage, CountedWords, Counter},
    incoming::Incoming,
    pages,
    stem::Stemmer,
};

/// Maximum number of pages of a batch.
const BATCH: usize = 256;

/// The counted pages of a language, in order.
pub(super) struct CountedPages {
    /// The pages without their text: nothing else needs it.
    pub(super) documents: Vec<Document>,
    pub(super) pages: Vec<CountedPage>,
    /// What results show of each page.
    pub(super) entries: Vec<String>,
    /// The words of each batch.
    pub(super) words: Vec<CountedWords>,
    /// The number of the batch of each page.
    pub(super) words_of: Vec<usize>,
}

/// Counts pages, and takes what results show of each, of `allowed` bytes.
pub(super) fn count(
    documents: Vec<Document>,
    incoming: &[Incoming],
    (stemmer, skipped): (Stemmer, &BTreeSet<String>),
    allowed: usize,
) -> CountedPages {
    let count =
        |batch: Vec<Vec<Numbered>>| Batch::count(batch, incoming, (stemmer, skipped), allowed);
    let batches: Vec<Batch> = batches(documents).into_par_iter().map(count).collect();
    let mut words = Vec::with_capacity(batches.len());
    let mut pages = Vec::new();
    for (number, batch) in batches.into_iter().enumerate() {
        words.push(batch.words);
        pages.extend(batch.pages.into_iter().map(|page| (page.number, (number, page))));
    }
    pages.sort_unstable_by_key(|(number, _)| *number);
    let mut counted = CountedPages {
        documents: Vec::new(),
        pages: Vec::new(),
        entries: Vec::new(),
        words,
        words_of: Vec::new(),
    };
    for (_, (words, page)) in pages {
        counted.documents.push(page.document);
        counted.pages.push(page.counted);
        counted.entries.push(page.entry);
        counted.words_of.push(words);
    }
    counted
}

/// A page and its number.
type Numbered = (usize, Document);

/// The pages in batches, those with the same text after each other.
fn batches(documents: Vec<Document>) -> Vec<Vec<Vec<Numbered>>> {
    let mut batches: Vec<Vec<Vec<Numbered>>> = Vec::new();
    let mut room = 0;
    for copies in copies(documents) {
        if copies.len() > room {
            batches.push(Vec::new());
            room = BATCH;
        }
        room = room.saturating_sub(copies.len());
        if let Some(batch) = batches.last_mut() {
            batch.push(copies);
        }
    }
    batches
}

/// The pages in groups with the same text, in the order of the first ones.
fn copies(documents: Vec<Document>) -> Vec<Vec<Numbered>> {
    let mut open: FxHashMap<u64, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<Numbered>> = Vec::new();
    for (number, document) in documents.into_iter().enumerate() {
        let hash = hash(&document);
        let known = open.get(&hash).map(|group| &mut groups[*group]);
        let same =
            |group: &&mut Vec<Numbered>| group.len() < BATCH && group[0].1.body == document.body;
        if let Some(group) = known.filter(same) {
            group.push((number, document));
        } else {
            open.insert(hash, groups.len());
            groups.push(vec![(number, document)]);
        }
    }
    groups
}

/// The same for pages with the same text and title, and hardly ever for others. Hashing the text itself would take longer.
fn hash(document: &Document) -> u64 {
    let sections = document.body.sections.iter();
    let lengths: Vec<_> = sections.map(|each| (each.text.len(), each.code.len())).collect();
    BuildHasherDefault::<FxHasher>::default().hash_one((&document.title, lengths))
}

/// Pages that one [`Counter`] counted.
struct Batch {
    words: CountedWords,
    pages: Vec<PageOfBatch>,
}

struct PageOfBatch {
    number: usize,
    document: Document,
    counted: CountedPage,
    entry: String,
}

impl Batch {
    fn count(
        groups: Vec<Vec<Numbered>>,
        incoming: &[Incoming],
        (stemmer, skipped): (Stemmer, &BTreeSet<String>),
        allowed: usize,
    ) -> Self {
        let mut counter = Counter::new(stemmer, skipped);
        let mut pages = Vec::new();
        for group in groups {
            let mut copies = if group.len() > 1 { Copies::First } else { Copies::None };
            for (number, mut document) in group {
                let counted = counter.count(&document, &incoming[number], copies);
                let entry = pages::entry(&document, &counted.blocks, allowed);
                document.forget_text();
                pages.push(PageOfBatch { number, document, counted, entry });
                copies = Copies::Copy;
            }
        }
        Self { words: counter.finish(), pages }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::extract;

    const TEXT: &str = "<p>Keys expire.</p><h2 id=\"limits\">Rate limits</h2><p>A key has limits, and <code>max_keys</code> \
        is one of them.</p><table><tr><th>Name</th></tr><tr><td><code>max_keys</code></td></tr></table>";

    fn document(path: &str, description: &str, html: &str) -> Document {
        Document {
            path: path.to_owned(),
            title: "Keys".to_owned(),
            description: description.to_owned(),
            breadcrumbs: vec![path.split('/').next().unwrap_or_default().to_owned()],
            body: extract(html).into(),
            ..Document::default()
        }
    }

    /// Each term of each page with what is known of it there, and the forms of all terms.
    fn counted(documents: Vec<Document>, is_alone: bool) -> (Vec<String>, Vec<String>) {
        let skipped = BTreeSet::new();
        let incoming: Vec<_> = documents.iter().map(|_| Incoming::default()).collect();
        let with = (Stemmer::of("en"), &skipped);
        let mut pages = if is_alone {
            let alone = |copies: Vec<Numbered>| copies.into_iter().map(|page| vec![page]);
            let groups = copies(documents).into_iter().flat_map(alone).collect();
            let batch = Batch::count(groups, &incoming, with, 1000);
            (batch.pages.into_iter().map(|page| page.counted).collect(), vec![batch.words])
        } else {
            let CountedPages { pages, words, .. } = count(documents, &incoming, with, 1000);
            (pages, words)
        };
        let words = &pages.1[0];
        let mut found = Vec::new();
        for (number, page) in pages.0.iter_mut().enumerate() {
            let postings = std::mem::take(&mut page.postings);
            for (term, posting) in postings {
                let (term, units) = (&words.terms[term as usize], page.units(&posting).to_vec());
                found.push(format!(
                    "{number} {term} {} {} {units:?}",
                    posting.weight, posting.names
                ));
            }
            found.push(format!("{number} {} {:?}", page.title, page.blocks));
        }
        found.sort();
        let mut forms: Vec<_> = words.forms().map(|form| format!("{form:?}")).collect();
        forms.sort();
        (found, forms)
    }

    #[test]
    fn copies_count_like_other_pages() {
        let pages = || {
            vec![
                document("v1/keys.html", &"How keys expire. ".repeat(400), TEXT),
                document("v2/keys.html", "Limits of keys", TEXT),
                document("v3/keys.html", "", TEXT),
                document("v1/other.html", "Expire", "<p>Limits expire.</p>"),
            ]
        };
        assert_eq!(copies(pages()).len(), 2);
        let (found, forms) = counted(pages(), false);
        assert_eq!((&found, &forms), (&counted(pages(), true).0, &counted(pages(), true).1));
        assert!(found.iter().any(|line| line.starts_with("2 max_keys ")), "{found:#?}");
        assert!(forms.contains(&"(\"limit\", \"limits\", 3)".to_owned()), "{forms:?}");
    }

    #[test]
    fn order_of_pages_changes_no_page() {
        let html = format!("<p>{}</p>", "Rate-limits ".repeat(40));
        let page = || document("a.html", "", &html);
        let other = || document("b.html", "", "<p>ratelimits</p>");
        let of = |prefix: &str, documents| {
            let lines = counted(documents, false).0.into_iter();
            lines.filter_map(|line| line.strip_prefix(prefix).map(str::to_owned)).collect()
        };
        let first: Vec<_> = of("0 ", vec![page(), other()]);
        assert!(first.iter().any(|line| line.starts_with("ratelimit ")), "{first:?}");
        assert!(first.contains(&"1 [2]".to_owned()), "80 words are two blocks: {first:?}");
        assert_eq!(first, of("1 ", vec![other(), page()]));
    }

    #[test]
    fn pages_stay_in_order() {
        let pages = ["b", "a", "c", "a", "b"].iter().enumerate();
        let pages = pages.map(|(number, text)| document(&format!("{number}.html"), "", text));
        let documents: Vec<_> = pages.collect();
        let incoming: Vec<_> = documents.iter().map(|_| Incoming::default()).collect();
        let with = (Stemmer::of("en"), &BTreeSet::new());
        let counted = count(documents, &incoming, with, 1000);
        let paths: Vec<_> = counted.documents.iter().map(|page| &*page.path).collect();
        assert_eq!(paths, ["0.html", "1.html", "2.html", "3.html", "4.html"]);
    }

    #[test]
    fn batch_has_limited_number_of_copies() {
        let documents = (0..=BATCH * 2).map(|number| document(&format!("{number}.html"), "", TEXT));
        let batches = batches(documents.collect());
        let sizes: Vec<usize> =
            batches.iter().map(|batch| batch.iter().map(Vec::len).sum()).collect();
        assert_eq!(sizes, [BATCH, BATCH, 1]);
    }
}

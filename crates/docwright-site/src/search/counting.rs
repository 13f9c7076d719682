//! Counts the terms of pages: where on a page each occurs, and how much that weighs.

use std::{borrow::Cow, collections::BTreeSet, ops::Range, sync::Arc};

use rustc_hash::FxHashMap;

use super::{
    Document,
    incoming::Incoming,
    stem::Stemmer,
    tokenize::{Token, fold, pairs, scan, terms_of},
    vocabulary,
};

/// The maximum weight that each part of a page adds to a term. The script adds the weight of names.
const DESCRIPTION: f64 = 8.0;
const HEADING: f64 = 7.0;
const LINKS: f64 = 5.0;
const TEXT: f64 = 8.0;
const CODE: f64 = 3.0;
/// Terms on a page of usual length.
const USUAL_LENGTH: f64 = 600.0;
/// Weights are stored as one capital letter.
pub(super) const MAXIMUM_WEIGHT: u8 = 25;
/// What a part of a symbol (`user` of `user_id`) counts as a heading.
const PART: f64 = 0.25;
/// Words of a block: words of a query in one block count as close to each other.
const BLOCK: usize = 60;
/// Longest heading or name whose length is counted, in words.
pub(super) const MAXIMUM_WORDS: usize = 35;

/// In which names of a page a term occurs, as bits.
pub(super) const IN_TITLE: u8 = 1;
pub(super) const IN_PLACE: u8 = 2;
pub(super) const IN_PATH: u8 = 4;

/// What a term is in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnitKind {
    Text,
    Heading,
    Definition,
}

/// A block with a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) block: u16,
    pub(super) kind: UnitKind,
    /// Words of the heading or symbol.
    pub(super) length: u8,
}

/// A term on a page.
#[derive(Debug, Clone, Default)]
pub(super) struct Posting {
    pub(super) weight: u8,
    pub(super) names: u8,
    /// Its blocks, as a range of [`CountedPage::units`].
    pub(super) first: u32,
    pub(super) count: u16,
}

/// The counted terms of a page.
#[derive(Debug, Default)]
pub(super) struct CountedPage {
    /// With the number of each term in the [`CountedWords`].
    pub(super) postings: Vec<(u32, Posting)>,
    /// The blocks of all terms.
    units: Vec<Unit>,
    /// Words of the title.
    pub(super) title: usize,
    /// Blocks of each section.
    pub(super) blocks: Vec<u16>,
}

impl CountedPage {
    /// The blocks with a term of the page, in order, each once.
    pub(super) fn units(&self, posting: &Posting) -> &[Unit] {
        let first = posting.first as usize;
        &self.units[first..first + usize::from(posting.count)]
    }

    /// Whether a term of the page is more than a word of its text.
    pub(super) fn is_named(&self, posting: &Posting) -> bool {
        posting.names != 0 || self.units(posting).iter().any(|unit| unit.kind != UnitKind::Text)
    }
}

/// The number of occurrences of a term in each part of a page.
#[derive(Debug, Default, Clone)]
struct Occurrences {
    names: u8,
    description: bool,
    heading: f64,
    /// Texts of links to the page.
    links: f64,
    text: f64,
    code: f64,
    units: Vec<Unit>,
}

impl Occurrences {
    /// Forgets everything but the memory.
    fn reset(&mut self) {
        let mut units = std::mem::take(&mut self.units);
        units.clear();
        *self = Self { units, ..Self::default() };
    }

    /// Becomes a copy, without other memory.
    fn copy_from(&mut self, other: &Self) {
        let mut units = std::mem::take(&mut self.units);
        units.clone_from(&other.units);
        *self = Self { units, ..*other };
    }

    /// The weight of the term on the page. Each part approaches a limit with every occurrence, as in BM25, so
    /// neither long pages nor repetition outweigh a description.
    fn weight(&self, length: f64) -> u8 {
        let near = |count: f64, half: f64| count / (count + half);
        let description = if self.description { DESCRIPTION } else { 0.0 };
        let sum = description
            + HEADING * near(self.heading, 1.0)
            + LINKS * near(self.links, 1.0)
            + TEXT * near(self.text, 1.0 + 2.0 * length / USUAL_LENGTH)
            + CODE * near(self.code, 3.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is clamped"
        )]
        let weight = sum.round().clamp(0.0, f64::from(MAXIMUM_WEIGHT)) as u8;
        weight
    }

    /// Adds a block in the order of blocks. The code of a section comes after its text, in the same blocks.
    fn add(&mut self, unit: Unit) {
        let place = self.units.partition_point(|known| known.block <= unit.block);
        match self.units[..place].last_mut().filter(|known| known.block == unit.block) {
            Some(known) if known.kind == unit.kind => known.length = known.length.min(unit.length),
            Some(known) if known.kind < unit.kind => *known = unit,
            Some(_) => {}
            None => self.units.insert(place, unit),
        }
    }
}

/// The terms of a text, for the other pages that have it.
#[derive(Default)]
struct CountedText {
    found: Vec<(u32, Occurrences)>,
    /// Its distinct words, by number.
    words: Vec<u32>,
    length: f64,
    blocks: Vec<u16>,
}

/// Whether the page before or after has the same text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    /// No page has.
    None,
    /// The pages after it can have.
    First,
    /// The page before has.
    Copy,
}

/// A distinct word, as it is written.
#[derive(Debug)]
struct Word {
    /// Its terms, in the list of all.
    terms: Range<usize>,
    /// Pages with it; none if it is only a joined word. Readers get the most common form of a term as a correction.
    pages: u32,
    last_page: u32,
}

/// The words of some pages.
#[derive(Default)]
pub(super) struct CountedWords {
    /// The terms by number.
    pub(super) terms: Vec<Arc<str>>,
    numbers: FxHashMap<Box<str>, u32>,
    /// The words by number.
    words: Vec<Word>,
    /// The terms of words, and whether each is only a part of its word.
    parts: Vec<(u32, bool)>,
}

impl CountedWords {
    /// The forms of terms: the term, the form in lower case, and the number of pages with it.
    pub(super) fn forms(&self) -> impl Iterator<Item = (&str, Cow<'_, str>, u32)> {
        self.numbers.iter().filter(|(word, _)| vocabulary::is_word(word)).filter_map(
            |(word, number)| {
                let known = Some(&self.words[*number as usize]).filter(|known| known.pages > 0)?;
                let whole = self.parts[known.terms.clone()].first().filter(|(_, part)| !part)?;
                Some((&*self.terms[whole.0 as usize], fold(word), known.pages))
            },
        )
    }
}

/// Counts the terms of some pages.
pub(super) struct Counter<'a> {
    stemmer: Stemmer,
    skipped: &'a BTreeSet<String>,
    counted: CountedWords,
    /// The parts of known words; those of other words come after them, until the next word.
    kept: usize,
    numbers: FxHashMap<Arc<str>, u32>,
    /// Stop words, which count only in titles.
    is_skipped: Vec<bool>,
    /// For each term the page that has it, and its place in `found` there.
    slots: Vec<(u32, u32)>,
    page: u32,
    /// The terms of the page; those beyond `used` are of pages before, and only keep their memory.
    found: Vec<(u32, Occurrences)>,
    used: usize,
    /// The distinct words of the page so far.
    seen: Vec<u32>,
    length: f64,
    text: CountedText,
}

impl<'a> Counter<'a> {
    pub(super) fn new(stemmer: Stemmer, skipped: &'a BTreeSet<String>) -> Self {
        Self {
            stemmer,
            skipped,
            counted: CountedWords::default(),
            kept: 0,
            numbers: FxHashMap::default(),
            is_skipped: Vec::new(),
            slots: Vec::new(),
            page: 0,
            found: Vec::new(),
            used: 0,
            seen: Vec::new(),
            length: 0.0,
            text: CountedText::default(),
        }
    }

    /// The words of the counted pages.
    pub(super) fn finish(self) -> CountedWords {
        self.counted
    }

    /// Counts the terms of a page.
    pub(super) fn count(
        &mut self,
        document: &Document,
        incoming: &Incoming,
        copies: Copies,
    ) -> CountedPage {
        self.page += 1;
        self.seen.clear();
        let blocks = self.text(document, copies);
        let top = Unit { block: 0, kind: UnitKind::Text, length: 0 };
        self.add(&document.description, false, |each, _| {
            each.description = true;
            each.add(top);
        });
        for keyword in &document.keywords {
            self.add(keyword, false, |each, _| each.heading += 1.0);
        }
        let length = self.length;
        let title = self.add(&document.title, true, |each, _| each.names |= IN_TITLE);
        self.add(&document.sidebar_title, true, |each, _| each.names |= IN_TITLE);
        for text in &incoming.texts {
            self.add(text, false, |each, _| each.links += 1.0);
        }
        for name in &document.breadcrumbs {
            self.add(name, false, |each, _| each.names |= IN_PLACE);
        }
        let path = document.path.trim_end_matches(".html");
        self.add(path, false, |each, _| each.names |= IN_PATH);
        // A name of one word is as good as a title: `faq`, or `syncEnvVars` for "Sync environment variables".
        let name = path.rsplit('/').next().unwrap_or_default();
        if !name.contains('-') {
            self.add(name, false, |each, _| each.names |= IN_TITLE);
        }
        let found = &self.found[..self.used];
        let count = found.iter().map(|(_, occurrences)| occurrences.units.len()).sum();
        let mut units = Vec::with_capacity(count);
        let postings = found.iter().map(|(term, occurrences)| {
            let first = u32::try_from(units.len()).unwrap_or(u32::MAX);
            units.extend_from_slice(&occurrences.units);
            let posting = Posting {
                weight: occurrences.weight(length),
                names: occurrences.names,
                first,
                count: u16::try_from(occurrences.units.len()).unwrap_or(u16::MAX),
            };
            (*term, posting)
        });
        let postings = postings.collect();
        self.used = 0;
        CountedPage { postings, units, title, blocks }
    }

    /// Counts the terms of the text, or takes them from the page before; returns the number of blocks of each section.
    fn text(&mut self, document: &Document, copies: Copies) -> Vec<u16> {
        if copies == Copies::Copy {
            return self.copy_text();
        }
        self.length = 0.0;
        let blocks = self.sections(document);
        if copies == Copies::First {
            let found = self.found[..self.used].to_vec();
            let (words, length) = (self.seen.clone(), self.length);
            self.text = CountedText { found, words, length, blocks: blocks.clone() };
        }
        blocks
    }

    /// Adds what was counted of the text of the page before.
    fn copy_text(&mut self) -> Vec<u16> {
        let text = std::mem::take(&mut self.text);
        for (term, occurrences) in &text.found {
            self.occurrences(*term).copy_from(occurrences);
        }
        for word in &text.words {
            self.see(*word);
        }
        self.length = text.length;
        let blocks = text.blocks.clone();
        self.text = text;
        blocks
    }

    /// Counts the page for a word, once.
    fn see(&mut self, number: u32) {
        let word = &mut self.counted.words[number as usize];
        if word.last_page != self.page {
            (word.pages, word.last_page) = (word.pages + 1, self.page);
            self.seen.push(number);
        }
    }

    /// Counts the terms of the sections; returns the number of blocks of each.
    fn sections(&mut self, document: &Document) -> Vec<u16> {
        let mut symbols = document.body.symbols.iter().peekable();
        // The description has the block before.
        let mut start: u16 = 1;
        let mut blocks = Vec::with_capacity(document.body.sections.len());
        for (number, section) in document.body.sections.iter().enumerate() {
            let length = self.words_of(&section.heading);
            let heading = Unit { block: start, kind: UnitKind::Heading, length };
            self.add(&section.heading, false, |each, _| {
                each.heading += 1.0;
                each.add(heading);
            });
            while let Some(symbol) = symbols.next_if(|symbol| symbol.section <= number) {
                self.symbol(&symbol.name, start);
            }
            let text = Unit { block: start, kind: UnitKind::Text, length: 0 };
            let place = |at: usize| Unit { block: start.saturating_add(block_of(at)), ..text };
            let words = self.add(&section.text, false, |each, at| {
                each.text += 1.0;
                each.add(place(at));
            });
            let code = self.add(&section.code, false, |each, at| {
                each.code += 1.0;
                each.add(place(at));
            });
            let used = block_of(words.max(code)) + 1;
            blocks.push(used);
            start = start.saturating_add(used);
        }
        blocks
    }

    /// Counts a symbol: its words define, and parts of its words only occur.
    fn symbol(&mut self, name: &str, block: u16) {
        let whole = Unit { block, kind: UnitKind::Definition, length: self.words_of(name) };
        let part = Unit { block, kind: UnitKind::Text, length: 0 };
        scan(name, |token| {
            for at in self.look(token) {
                let (term, is_part) = self.term(at, token);
                if !self.is_skipped[term as usize] {
                    let each = self.occurrences(term);
                    each.heading += if is_part { PART } else { 1.0 };
                    each.add(if is_part { part } else { whole });
                }
            }
        });
    }

    /// Words of a name that aren't stop words; at least one.
    fn words_of(&mut self, text: &str) -> u8 {
        let mut words = 0;
        scan(text, |token| {
            if let Token::Word(_) = token {
                let terms = self.look(token);
                let counted =
                    |(term, part): &&(u32, bool)| !part && !self.is_skipped[*term as usize];
                words += self.counted.parts[terms].iter().filter(counted).count();
            }
        });
        u8::try_from(words.clamp(1, MAXIMUM_WORDS)).unwrap_or(1)
    }

    /// Adds the terms of a text, with the number of words before each; returns its number of words.
    fn add(
        &mut self,
        text: &str,
        with_skipped: bool,
        count: impl Fn(&mut Occurrences, usize),
    ) -> usize {
        let mut words = 0;
        scan(text, |token| {
            for at in self.look(token) {
                let (term, is_part) = self.term(at, token);
                if with_skipped || !self.is_skipped[term as usize] {
                    count(self.occurrences(term), words);
                }
                self.length += 1.0;
                words += usize::from(!is_part);
            }
        });
        words
    }

    fn occurrences(&mut self, term: u32) -> &mut Occurrences {
        let slot = &mut self.slots[term as usize];
        if slot.0 != self.page {
            *slot = (self.page, u32::try_from(self.used).unwrap_or(u32::MAX));
            match self.found.get_mut(self.used) {
                Some((known, occurrences)) => {
                    *known = term;
                    occurrences.reset();
                }
                None => self.found.push((term, Occurrences::default())),
            }
            self.used += 1;
        }
        &mut self.found[slot.1 as usize].1
    }

    /// The terms of a token, as a range of `parts`.
    fn look(&mut self, token: Token<'_>) -> Range<usize> {
        let (Token::Word(word) | Token::Joined(word)) = token;
        if let Some(number) = self.counted.numbers.get(word).copied() {
            // Pages don't have the form of a joined word.
            if !token.is_joined() {
                self.see(number);
            }
            return self.counted.words[number as usize].terms.clone();
        }
        self.counted.parts.truncate(self.kept);
        let start = self.kept;
        // A run of letters without spaces hardly occurs again, so it isn't kept.
        if pairs(word, |pair| self.push_pair(pair)).is_some() {
            return start..self.counted.parts.len();
        }
        for (term, part) in terms_of(word, self.stemmer) {
            let number = self.number(&term);
            self.counted.parts.push((number, part));
        }
        let terms = start..self.counted.parts.len();
        let number = u32::try_from(self.counted.words.len()).unwrap_or(u32::MAX);
        self.counted.words.push(Word { terms: terms.clone(), pages: 0, last_page: 0 });
        self.counted.numbers.insert(word.into(), number);
        self.kept = self.counted.parts.len();
        if !token.is_joined() {
            self.see(number);
        }
        terms
    }

    /// A term of a token, by its place in `parts`, and whether it is only a part of a word. A joined word is a part too.
    fn term(&self, at: usize, token: Token<'_>) -> (u32, bool) {
        let (term, is_part) = self.counted.parts[at];
        (term, is_part || token.is_joined())
    }

    fn push_pair(&mut self, pair: &str) {
        let number = self.number(pair);
        self.counted.parts.push((number, false));
    }

    fn number(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = u32::try_from(self.counted.terms.len()).unwrap_or(u32::MAX);
        let term: Arc<str> = term.into();
        self.is_skipped.push(self.skipped.contains(&*term));
        self.slots.push((0, 0));
        self.counted.terms.push(Arc::clone(&term));
        self.numbers.insert(term, number);
        number
    }
}

/// The block of the word after `words` others of its section.
fn block_of(words: usize) -> u16 {
    u16::try_from(words / BLOCK).unwrap_or(u16::MAX)
}

//! The passage of a section that is quoted: the block that covers most of the question, with the blocks around it
//! that add to it.

use std::ops::Range;

use super::{
    coverage::Coverage,
    outline::{Block, PageSections},
};

/// Longest passage, unless one block is longer. Bytes.
const LONGEST: usize = 1_200;
/// Longest block that is quoted whole. Of a longer one, the best lines are quoted. Bytes.
const LONGEST_BLOCK: usize = 4_000;
/// What a block gains for being the first of its section, which mostly says what the section is about.
const FIRST: f64 = 0.03;

/// The best passage of a section; `None` if the section has no text.
pub(super) fn best<'a>(
    page: &'a PageSections,
    section: Option<usize>,
    coverage: &Coverage,
) -> Option<&'a str> {
    let blocks = page.blocks(section);
    let (first, last) = (blocks.first()?, blocks.last()?);
    let whole = first.place.start..last.place.end;
    if whole.len() <= LONGEST {
        return Some(page.part(whole));
    }
    let values: Vec<f64> =
        blocks.iter().map(|block| coverage.of(page.part(block.place.clone()))).collect();
    let mut best = 0;
    for (number, value) in values.iter().enumerate() {
        let of_best = values[best] + if best == 0 { FIRST } else { 0.0 };
        if *value > of_best + 1e-9 {
            best = number;
        }
    }
    if blocks[best].place.len() > LONGEST_BLOCK {
        return Some(best_lines(page, blocks[best].place.clone(), coverage));
    }
    let place = grow(page, &blocks, best, coverage);
    Some(page.part(place))
}

/// Adds neighbors to a block while they add words of the question, or belong to it: what a colon introduces.
fn grow(page: &PageSections, blocks: &[&Block], best: usize, coverage: &Coverage) -> Range<usize> {
    let (mut first, mut last) = (best, best);
    loop {
        let place = blocks[first].place.start..blocks[last].place.end;
        let covered = coverage.of(page.part(place.clone()));
        let introduces =
            |number: usize| page.part(blocks[number].place.clone()).trim_end().ends_with(':');
        let before =
            first.checked_sub(1).map(|number| (number, blocks[number].place.start..place.end));
        let after =
            (last + 1 < blocks.len()).then(|| (last + 1, place.start..blocks[last + 1].place.end));
        let mut next: Option<(f64, usize)> = None;
        for (number, grown) in before.into_iter().chain(after) {
            let belongs = introduces(number.min(first)) && number < first
                || number > last && introduces(last);
            let allowed = if belongs { LONGEST_BLOCK } else { LONGEST };
            if grown.len() > allowed {
                continue;
            }
            let gain = coverage.of(page.part(grown)) - covered + if belongs { 1.0 } else { 0.0 };
            if gain > 1e-9 && next.is_none_or(|(most, _)| gain > most) {
                next = Some((gain, number));
            }
        }
        match next {
            Some((_, number)) if number < first => first = number,
            Some((_, number)) => last = number,
            None => return place,
        }
    }
}

/// The lines of a long block that cover most of the question: windows of lines that overlap by half.
fn best_lines<'a>(page: &'a PageSections, place: Range<usize>, coverage: &Coverage) -> &'a str {
    let text = page.part(place);
    let mut best = (-1.0, "");
    let mut start = 0;
    while start < text.len() {
        let end = line_end(text, start, LONGEST);
        let covered = coverage.of(&text[start..end]);
        if covered > best.0 {
            best = (covered, &text[start..end]);
        }
        start = if end == text.len() { end } else { line_end(text, start, LONGEST / 2) };
    }
    best.1.trim_end()
}

/// The end of the last line that ends within a length, or of the first line.
fn line_end(text: &str, start: usize, length: usize) -> usize {
    let mut ends = text[start..].match_indices('\n').map(|(at, _)| start + at + 1);
    let first = ends.next().unwrap_or(text.len());
    if text.len() <= start + length {
        return text.len();
    }
    ends.take_while(|end| *end <= start + length).last().unwrap_or(first)
}

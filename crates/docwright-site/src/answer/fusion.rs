//! Fuses two rankings of sections, by words and by meaning, with their reciprocal ranks: what both rank high comes
//! first. (Cormack, Clarke, and Büttcher, 2009, <https://doi.org/10.1145/1571941.1572114>.)

use std::{fmt, sync::Arc};

use crate::{
    embedding::{Embedder, EmbeddingError, NearSection, SectionVectors, check_vectors},
    search::{RankedSection, RankedSections},
};

/// Sections by meaning that are considered.
const NEAREST: usize = 48;
/// What is added to each rank, so that the first ones don't decide alone. It is small, because the first ones by words
/// are mostly right.
const ADDED: f64 = 5.0;
/// The weight of the ranking by meaning, where that by words has 1.
const BY_MEANING: f64 = 0.2;

/// What a question means: its vector, and those of the sections.
#[derive(Clone)]
pub struct Meaning {
    vectors: Arc<SectionVectors>,
    question: Vec<f32>,
}

impl fmt::Debug for Meaning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Meaning").finish_non_exhaustive()
    }
}

impl Meaning {
    /// The meaning of a question; `None` if the vectors are of another model.
    ///
    /// # Errors
    ///
    /// Fails if the model can't be used.
    pub fn of(
        embedder: &dyn Embedder,
        vectors: &Arc<SectionVectors>,
        question: &str,
    ) -> Result<Option<Self>, EmbeddingError> {
        if vectors.model() != embedder.model() {
            return Ok(None);
        }
        let embedded = embedder.embed(&[question.to_owned()])?;
        check_vectors(&embedded, 1)?;
        let vectors = Arc::clone(vectors);
        Ok(embedded.into_iter().next().map(|question| Self { vectors, question }))
    }

    /// The nearest sections, best first.
    pub(super) fn nearest(&self) -> Vec<NearSection> {
        self.vectors.nearest(&self.question, NEAREST)
    }
}

/// The pages of sections, each once, in their order.
pub(super) fn pages(near: &[NearSection]) -> Vec<usize> {
    let mut pages = Vec::new();
    for section in near {
        if !pages.contains(&section.page) {
            pages.push(section.page);
        }
    }
    pages
}

/// Orders the sections of both rankings, this many at most. The ranking by words stays beside them.
pub(super) fn fuse(ranked: &mut RankedSections, near: &[NearSection], most: usize) {
    let place = |near: &NearSection| {
        let page = ranked.pages.iter().position(|page| page.number == near.page)?;
        let is_listed = |section| section < ranked.pages[page].headings.len();
        near.section.is_none_or(is_listed).then_some((page, near.section))
    };
    let by_meaning: Vec<_> = near.iter().filter_map(place).take(most).collect();
    let by_words: Vec<_> =
        ranked.sections.iter().map(|section| (section.page, section.section)).collect();
    let mut fused: Vec<((usize, Option<usize>), f64)> = Vec::new();
    for (places, weight) in [(&by_words, 1.0), (&by_meaning, BY_MEANING)] {
        let mut rank = ADDED;
        for place in places {
            rank += 1.0;
            match fused.iter_mut().find(|(known, _)| known == place) {
                Some((_, sum)) => *sum += weight / rank,
                None => fused.push((*place, weight / rank)),
            }
        }
    }
    // A stable sort: of equal ones, those found by words come first.
    fused.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    fused.truncate(most);
    // Reciprocal ranks hardly differ, and what follows compares scores: so the first gets the score of the first, and so
    // on.
    let last = ranked.sections.last().map_or(1.0, |section| section.score);
    let scores = ranked.sections.iter().map(|section| section.score);
    let scores = scores.chain(std::iter::repeat(last));
    let sections = fused.iter().zip(scores).map(|(((page, section), _), score)| RankedSection {
        page: *page,
        section: *section,
        score,
    });
    let sections = sections.collect();
    ranked.by_words = std::mem::replace(&mut ranked.sections, sections);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Heading, RankedPage};

    fn ranked(pages: &[usize], sections: &[(usize, Option<usize>, f64)]) -> RankedSections {
        let page = |number: &usize| RankedPage {
            number: *number,
            score: 1.0,
            path: format!("{number}.html"),
            title: String::new(),
            breadcrumbs: Vec::new(),
            description: String::new(),
            headings: vec![Heading::default(); 3],
        };
        let section = |(page, section, score): &(usize, Option<usize>, f64)| RankedSection {
            page: *page,
            section: *section,
            score: *score,
        };
        RankedSections {
            pages: pages.iter().map(page).collect(),
            sections: sections.iter().map(section).collect(),
            ..RankedSections::default()
        }
    }

    fn near(page: usize, section: Option<usize>) -> NearSection {
        NearSection { page, section, likeness: 0.5 }
    }

    #[test]
    fn section_of_both_rankings_gains_places() {
        let by_words = [(0, Some(1), 9.0), (1, None, 4.0), (1, Some(2), 1.0)];
        let mut ranked = ranked(&[70, 71, 72], &by_words);
        let before = ranked.sections.clone();
        fuse(&mut ranked, &[near(72, Some(0)), near(71, Some(2)), near(70, Some(9))], 4);
        let found: Vec<_> =
            ranked.sections.iter().map(|each| (each.page, each.section, each.score)).collect();
        assert_eq!(
            found,
            [(0, Some(1), 9.0), (1, Some(2), 4.0), (1, None, 1.0), (2, Some(0), 1.0)]
        );
        assert_eq!(ranked.by_words, before);
    }

    #[test]
    fn result_is_as_long_as_allowed() {
        let mut ranked = ranked(&[0, 1], &[(0, None, 2.0)]);
        let all: Vec<_> =
            (0..3).flat_map(|each| [near(0, Some(each)), near(1, Some(each))]).collect();
        fuse(&mut ranked, &all, 4);
        assert_eq!(ranked.sections.len(), 4);
        // A page that the result doesn't have, because it is of another version.
        fuse(&mut ranked, &[near(7, None)], 4);
        assert!(ranked.sections.iter().all(|section| section.page < 2));
    }

    #[test]
    fn pages_are_named_once() {
        assert_eq!(pages(&[near(4, None), near(2, None), near(4, Some(1))]), [4, 2]);
    }
}

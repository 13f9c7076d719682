//! The most likely correction of a misspelled name.

use std::{collections::BTreeMap, ops::Bound};

/// Names longer than this are not compared: the work grows with the product of the lengths.
const MAXIMUM_LENGTH: usize = 120;

/// The candidate nearest to `name` if at most a third of its letters differ; the first of several equally near
/// ones.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(MAXIMUM_LENGTH).map(lower).collect();
    let mut limit = name.len().div_ceil(3).max(1);
    let mut best = None;
    for candidate in candidates {
        if let Some(distance) = distance(&name, candidate, limit) {
            best = Some(candidate);
            if distance == 0 {
                break;
            }
            // Only a nearer one is of interest from now on.
            limit = distance - 1;
        }
    }
    best
}

/// Of more slugs, only as many as this that are next to a missing one in their order are compared with it. Otherwise,
/// a site without any of the pages that it lists would cost the product of both numbers.
const COMPARED_SLUGS: usize = 1_000;

/// The slug nearest to a missing one, like [`closest`].
pub fn closest_slug<'a, T>(missing: &str, pages: &'a BTreeMap<String, T>) -> Option<&'a str> {
    let after = if pages.len() <= COMPARED_SLUGS {
        Bound::Unbounded
    } else {
        let before = pages.range::<str, _>((Bound::Unbounded, Bound::Excluded(missing)));
        before
            .rev()
            .nth(COMPARED_SLUGS / 2)
            .map_or(Bound::Unbounded, |(first, _)| Bound::Excluded(first.as_str()))
    };
    let compared = pages.range::<str, _>((after, Bound::Unbounded)).take(COMPARED_SLUGS);
    closest(missing, compared.map(|(slug, _)| slug.as_str()))
}

fn lower(letter: char) -> char {
    // The general mapping takes a quarter of the time of all.
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    letter.to_lowercase().next().unwrap_or(letter)
}

/// Levenshtein distance, letter case ignored; `None` if it is above a limit. Only what can be within the limit is
/// compared: letters at most that far apart.
fn distance(name: &[char], candidate: &str, limit: usize) -> Option<usize> {
    let length = candidate.chars().take(MAXIMUM_LENGTH).count();
    if length.abs_diff(name.len()) > limit {
        return None;
    }
    // In the first row, and right of the compared columns, values above the limit need not be exact.
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (index, letter) in candidate.chars().take(MAXIMUM_LENGTH).map(lower).enumerate() {
        let (first, end) = (index.saturating_sub(limit), name.len().min(index + limit + 1));
        let mut diagonal = row[first];
        row[first] = if first == 0 { index + 1 } else { limit + 1 };
        let mut least = row[first];
        for column in first..end {
            let substituted = diagonal + usize::from(letter != name[column]);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(row[column] + 1).min(diagonal + 1);
            least = least.min(row[column + 1]);
        }
        if least > limit {
            return None;
        }
    }
    Some(row[name.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{COMPARED_SLUGS, closest, closest_slug, distance};

    #[test]
    fn typo_finds_closest_name() {
        let names = ["Accordion", "AccordionGroup", "Card", "Cards"];
        assert_eq!(closest("Acordion", names), Some("Accordion"));
        assert_eq!(closest("card", names), Some("Card"));
        assert_eq!(closest("Unrelated", names), None);
    }

    #[test]
    fn neighbors_of_slug_are_compared_in_large_sites() {
        let pages = |count: usize| -> BTreeMap<String, usize> {
            (0..count).map(|number| (format!("guides/page-{number:05}"), number)).collect()
        };
        let (small, large) = (pages(COMPARED_SLUGS), pages(50 * COMPARED_SLUGS));
        for missing in ["guide/page-00321", "guides/pag-00321", "guides/page-00321x"] {
            let expected = Some("guides/page-00321");
            assert_eq!(closest_slug(missing, &small), expected, "{missing}");
        }
        for missing in ["guides/page-0032", "guides/page-49999x", "guides/page-12345x"] {
            let found = closest_slug(missing, &large).unwrap();
            assert_eq!(
                Some(found),
                closest(missing, large.keys().map(String::as_str)),
                "{missing}"
            );
        }
        // It is before or after all compared slugs.
        assert_eq!(closest_slug("a", &large), None);
        assert_eq!(closest_slug("z", &large), None);
        assert_eq!(closest_slug("guides/page-49999", &BTreeMap::<_, usize>::new()), None);
    }

    /// The distance by its definition.
    fn defined(one: &[char], other: &[char]) -> usize {
        let ([first, one_rest @ ..], [second, other_rest @ ..]) = (one, other) else {
            return one.len().max(other.len());
        };
        let substituted = defined(one_rest, other_rest) + usize::from(first != second);
        let removed = defined(one_rest, other).min(defined(one, other_rest)) + 1;
        substituted.min(removed)
    }

    #[test]
    fn distance_of_all_short_texts_is_exact_up_to_the_limit() {
        let longer = |texts: &[String]| {
            let with = |text: &String| ["a", "b"].map(|letter| format!("{text}{letter}"));
            texts.iter().flat_map(with).collect::<Vec<_>>()
        };
        let lengths = std::iter::successors(Some(vec![String::new()]), |texts| Some(longer(texts)));
        let texts: Vec<Vec<char>> =
            lengths.take(6).flatten().map(|text| text.chars().collect()).collect();
        assert_eq!(texts.len(), 63);
        for (one, other) in texts.iter().flat_map(|one| texts.iter().map(move |other| (one, other)))
        {
            let (exact, text) = (defined(one, other), other.iter().collect::<String>());
            for limit in 0..4 {
                let expected = (exact <= limit).then_some(exact);
                assert_eq!(distance(one, &text, limit), expected, "{one:?} {other:?}");
            }
        }
    }
}

//! The most likely correction of a misspelled name.

/// Names longer than this are not compared: the work grows with the product of the lengths.
const MAXIMUM_LENGTH: usize = 120;

/// The candidate nearest to `name` if at most a third of its letters differ; the first of several equally near
/// ones.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = letters(name).collect();
    let mut limit = name.len().div_ceil(3).max(1);
    let mut best = None;
    let (mut other, mut row) = (Vec::new(), Vec::new());
    for candidate in candidates {
        if candidate.chars().take(MAXIMUM_LENGTH).count().abs_diff(name.len()) > limit {
            continue;
        }
        other.clear();
        other.extend(letters(candidate));
        if let Some(distance) = distance(&name, &other, limit, &mut row) {
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

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().take(MAXIMUM_LENGTH).map(lower)
}

fn lower(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    letter.to_lowercase().next().unwrap_or(letter)
}

/// Levenshtein distance; `None` if it is above a limit, which is noticed early. `row` is room for its work.
fn distance(name: &[char], other: &[char], limit: usize, row: &mut Vec<usize>) -> Option<usize> {
    let (name, other) = without_common_ends(name, other);
    row.clear();
    row.extend(0..=name.len());
    for (index, letter) in other.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        let mut least = row[0];
        for (column, own) in name.iter().enumerate() {
            let substituted = diagonal + usize::from(letter != own);
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

/// Two texts without what both start with, and without what both end with. It doesn't change their distance, and paths in
/// the same folder have little else.
fn without_common_ends<'a>(one: &'a [char], other: &'a [char]) -> (&'a [char], &'a [char]) {
    let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[start..], &other[start..]);
    let ends = one.iter().rev().zip(other.iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    (&one[..one.len() - end], &other[..other.len() - end])
}

#[cfg(test)]
mod tests {
    use super::{closest, distance};

    #[test]
    fn typo_finds_closest_name() {
        let names = ["Accordion", "AccordionGroup", "Card", "Cards"];
        assert_eq!(closest("Acordion", names), Some("Accordion"));
        assert_eq!(closest("card", names), Some("Card"));
        assert_eq!(closest("Unrelated", names), None);
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
        let mut row = Vec::new();
        for (one, other) in texts.iter().flat_map(|one| texts.iter().map(move |other| (one, other)))
        {
            let exact = defined(one, other);
            for limit in 0..4 {
                let expected = (exact <= limit).then_some(exact);
                assert_eq!(distance(one, other, limit, &mut row), expected, "{one:?} {other:?}");
            }
        }
    }
}
